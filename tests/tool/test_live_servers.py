# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording of real servers and clients, in a network of the test's own: demos must be those of a conversion of
what tcpdump captured, and what the clients recorded themselves.

Of each game: anna and bert join, the map changes, bert is killed and times out, anna leaves; carol joins, the
recorder is killed and started again, the map changes, carol leaves. A game is left out where its engine is
missing, or the program that its server runs:

    quakespasm     QUAKE_PROGS=progs.dat; as a server also darkplaces-server
    mvdsv, ezquake QW_PROGS=qwprogs.dat
    q2pro          Q2PRO=BUILD/q2pro, with q2proded and the game library beside it
"""

import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

import tool
import run_tests
from tool import SHARED, SOURCE, ToolTest

sys.path.append(str(SOURCE / "tests/quakeworld"))

import dem
import fidelity as quakeworld
from qwd import Read, blocks

GAMEDATA = SHARED.parent / "gamedata"
QUAKESPASM, MVDSV = pathlib.Path("/usr/games/quakespasm"), pathlib.Path("/usr/games/mvdsv")
DARKPLACES = pathlib.Path("/usr/games/darkplaces-server")
EZQUAKE = pathlib.Path("/usr/lib/games/ezquake/ezquake")
Q2PRO = pathlib.Path(os.environ.get("Q2PRO", "/nowhere/q2pro"))
SMALL = {"LIBGL_ALWAYS_SOFTWARE": "1", "LP_NUM_THREADS": "1", "SDL_VIDEODRIVER": "x11",
         "SDL_AUDIODRIVER": "dummy"}


def program(name):
    """A server's program, which an environment variable names."""
    path = pathlib.Path(os.environ.get(name, "/nowhere"))
    return path if path.is_file() else None


READY = GAMEDATA.is_dir() and shutil.which("Xvfb") is not None
HAS_QUAKE = READY and QUAKESPASM.exists() and program("QUAKE_PROGS") is not None
HAS_DARKPLACES = HAS_QUAKE and DARKPLACES.exists()
HAS_QUAKEWORLD = READY and MVDSV.exists() and EZQUAKE.exists() and program("QW_PROGS") is not None
HAS_QUAKE2 = READY and Q2PRO.exists()


PATIENCE = 300  # seconds until a test is taken to hang, however busy the machine is
NOBODY = "65534"


class RecorderTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o777)
        self.demos = self.folder / "demos"
        self.processes = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            if process.stdin:
                process.stdin.close()

    def recorder(self):
        log = self.folder / f"log-{len(self.processes)}"
        with log.open("w") as out:
            process = subprocess.Popen(
                [tool.PROGRAM, "-i", "lo", "-o", "demos", "--log-format=json", "--min-free", "1M", "--idle-timeout",
                 "12s"], cwd=self.folder, stdout=out, stderr=subprocess.STDOUT,
                env=dict(os.environ, LC_ALL="C.UTF-8", SUDO_UID=NOBODY, **tool.IN_SANDBOX))
        process.log = log
        self.processes.append(process)
        self.wait(process, "capturer")  # it listens
        return process

    def events(self, process, kind):
        lines = process.log.read_text().splitlines(True)
        events = [json.loads(line) for line in lines if line.endswith("\n") and line[0] == "{"]
        return [event for event in events if event["event"] == kind]

    def wait(self, process, kind, count=1):
        until = time.monotonic() + PATIENCE
        while len(found := self.events(process, kind)) < count:
            if time.monotonic() > until:
                self.fail(f"no {kind} in {process.log.read_text()}")
            time.sleep(0.1)
        return found

    def contents(self, folder):
        return collections.Counter(path.read_bytes() for path in folder.iterdir()
                                   if path.suffix in (".qwd", ".dm2", ".dem") and path.name[0] != ".")


class Servers:
    """What the games have alike; an implementation starts servers and clients."""

    def setUp(self):
        super().setUp()
        self.display = self.start_display()
        self.server = self.start_server()
        time.sleep(3)

    def start_display(self):
        """An X server on a display that is free; its number."""
        reading, writing = os.pipe()
        self.launch(["Xvfb", "-displayfd", str(writing), "-screen", "0", "640x480x24", "-nolisten",
                     "tcp"], pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as pipe:
            return pipe.readline().strip()

    def launch(self, command, **options):
        log = (self.folder / f"out-{len(self.processes)}").open("w")
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                   stdout=log, stderr=subprocess.STDOUT, text=True, **options)
        log.close()
        self.processes.append(process)
        return process

    def tell(self, process, command):
        process.stdin.write(command + "\n")
        process.stdin.flush()

    def environment(self, home):
        return dict(os.environ, HOME=str(home), DISPLAY=f":{self.display}", **SMALL)

    def leave(self, client):
        """The window is closed: the client says so to its server."""
        client.send_signal(signal.SIGTERM)

    def begin_recording(self, client, name):
        """Of clients that are not told to before they connect."""

    def test_players_come_and_go(self):
        recorder = self.recorder()
        anna = self.client("anna")
        self.wait(recorder, "map", 1)
        time.sleep(3)
        bert = self.client("bert")
        self.wait(recorder, "map", 2)
        for client, name in ((anna, "anna"), (bert, "bert")):
            self.begin_recording(client, name)
        time.sleep(4)
        self.tell(self.server, self.other_map)
        self.wait(recorder, "map", 3)
        time.sleep(3)
        bert.kill()
        self.leave(anna)
        self.wait(recorder, "session_end", 2)
        carol = self.client("carol")
        self.wait(recorder, "session_begin", 3)
        time.sleep(5)
        recorder.kill()
        recorder.wait()
        recorder = self.recorder()
        self.wait(recorder, "session_begin", 3)  # all that the ring has
        self.tell(self.server, self.first_map)
        time.sleep(5)
        self.begin_recording(carol, "carol")
        time.sleep(3)
        self.leave(carol)
        self.wait(recorder, "session_end", 3)
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(PATIENCE), 0)
        self.tool("-q", "-o", "converted/", *sorted((self.demos / "ring").iterdir()), status=None)
        self.assertEqual(self.contents(self.demos), self.contents(self.folder / "converted"))
        self.compare()

    def compare(self):
        """All demos; what of the client's own recording each must have says the game."""
        for path in sorted(path for path in self.demos.iterdir() if path.suffix in (".qwd", ".dm2", ".dem")):
            names = [name for name in ("anna", "bert", "carol") if name in path.name]
            name = names[0] if names else "carol"  # of whom not even the name was recorded
            with self.subTest(path.name):
                print(f"{path.name}: {self.compare_one(path, name)}")


@unittest.skipUnless(HAS_QUAKE, "no QuakeSpasm, or no QUAKE_PROGS")
class Quake(Servers, RecorderTest):
    first_map, other_map = "changelevel dm4", "changelevel dm6"

    def place_game(self):
        base = self.folder / "base" / "id1"
        shutil.copytree(GAMEDATA / "quake" / "id1", base)
        base.chmod(0o755)
        shutil.copy(program("QUAKE_PROGS"), base / "progs.dat")
        return base.parent

    def start_server(self):
        return self.launch([QUAKESPASM, "-dedicated", "4", "-ip", "127.0.0.1", "-basedir",
                            self.place_game(), "+deathmatch", "1", "+net_messagetimeout", "5",
                            "+map", "dm4"])

    def client(self, name):
        """The user's folder is that of the password file: it is covered."""
        home = pathlib.Path.home() / ".quakespasm"
        home.mkdir(exist_ok=True)
        (self.folder / name).mkdir()
        return self.launch(["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$1"; shift; exec "$@"',
                            self.folder / name, home, QUAKESPASM, "-basedir", self.folder / "base",
                            "-window", "-width", "320", "-height", "240", "-nosound", "-nojoy",
                            "+name", name, "+host_maxfps", "40", "+record", name,
                            "+connect", "127.0.0.1", "+forward"],
                           env=self.environment(self.folder / name))

    def compare_one(self, path, name):
        """Each block of ours is one of the client's, in its order; but the last, which ends it. The client has those, too,
        that crossed the wire while nothing captured."""
        own = [block.messages for block in dem.read(self.folder / name / "id1" / f"{name}.dem")[1]]
        ours = [block.messages for block in dem.read(path)[1]]
        first = at = own.index(ours[0])
        same = 0
        for block in ours:
            if block in own[at:]:
                at = own.index(block, at) + 1
                same += 1
        self.assertGreaterEqual(same, min(len(ours) - 1, len(own) - first))
        self.assertGreater(same, 20)
        return f"{same} of {len(ours)} blocks are the client's from {first} on, of {len(own)}"


@unittest.skipUnless(HAS_DARKPLACES, "no DarkPlaces, or no QUAKE_PROGS")
class DarkPlaces(Quake):
    """Its server, with the game's own protocol, which QuakeSpasm's clients read."""

    def start_server(self):
        base = self.place_game()
        return self.launch([DARKPLACES, "-basedir", base, "-userdir", self.folder / "server",
                            "+sv_protocolname", "QUAKE", "+net_messagetimeout", "5",
                            "+deathmatch", "1", "+map", "dm4"])


@unittest.skipUnless(HAS_QUAKEWORLD, "no mvdsv or ezQuake, or no QW_PROGS")
class QuakeWorld(Servers, RecorderTest):
    first_map, other_map = "map dm4", "map dm6"

    def start_server(self):
        self.game = self.folder / "game"
        shutil.copytree(GAMEDATA / "quake" / "id1", self.game / "id1")
        (self.game / "qw").mkdir()
        shutil.copy(program("QW_PROGS"), self.game / "qw" / "qwprogs.dat")
        (self.game / "qw" / "server.cfg").write_text("deathmatch 3\ntimeout 12\n")
        return self.launch([MVDSV, "-port", "27500", "+exec", "server.cfg", "+map", "dm4"],
                           cwd=self.game)

    def client(self, name):
        (self.game / "qw" / f"{name}.cfg").write_text(
            f'cl_startupdemo ""\nnoskins 1\ncl_maxfps 77\nname {name}\nrecord {name}\n'
            "connect 127.0.0.1:27500\n")
        return self.launch([EZQUAKE, "-basedir", ".", "-nosound", "-startwindowed", "-width", "64",
                            "-height", "48", "-allowmultiple", "-clientport",
                            str(27011 + len(self.processes)), "+exec", f"{name}.cfg"],
                           cwd=self.game, env=self.environment(self.folder / name))

    def compare_one(self, path, name):
        own = self.game / "qw" / f"{name}.qwd"
        recorded = [block.packet for block in quakeworld.recorded_blocks(own)
                    if isinstance(block, Read)]
        rebuilt = [block.packet for block in blocks(path.read_bytes()) if isinstance(block, Read)]
        packets = {packet[:8] for packet in rebuilt}
        both = [packet for packet in recorded if packet[:8] in packets]
        identical, rewritten, missing, _ = quakeworld.compare_packets(both, rebuilt, "ezquake")
        self.assertEqual(missing, 0)
        self.assertLessEqual(rewritten, 3)  # by the client: one of each level, and one between them
        self.assertGreater(identical, 20)
        return f"{identical} packets identical, {rewritten} rewritten, of {len(recorded)} recorded"


@unittest.skipUnless(HAS_QUAKE2, "no Q2PRO")
class QuakeII(Servers, RecorderTest):
    first_map, other_map = "gamemap lab1", "gamemap lab2"
    common = ["+set", "basedir", ".", "+set", "libdir", ".", "+set", "homedir", ".",
              "+set", "sys_console", "1", "+set", "net_enable_ipv6", "0"]
    # It refuses to run as root.
    user = {"user": 65534, "group": 65534, "extra_groups": []}

    def place(self, name):
        base = self.folder / name / "baseq2"
        shutil.copytree(GAMEDATA / "quake2" / "baseq2", base)
        base.chmod(0o755)
        shutil.copy(Q2PRO.parent / "gamex86_64.so", base)
        (base / "default.cfg").write_text("")
        for path in (base.parent, *base.parent.rglob("*")):
            os.chown(path, 65534, 65534)
        return base.parent

    def start_server(self):
        return self.launch([Q2PRO.parent / "q2proded", *self.common, "+set", "deathmatch", "1",
                            "+set", "net_ip", "127.0.0.1", "+map", "lab1"],
                           cwd=self.place("server"), **self.user)

    def client(self, name):
        place = self.place(name)
        return self.launch([Q2PRO, *self.common, "+set", "s_enable", "0", "+set", "vid_geometry",
                            "64x48", "+set", "cl_maxfps", "40", "+set", "allow_download", "0",
                            "+set", "name", name, "+connect", "127.0.0.1"], cwd=place,
                           env=self.environment(place), **self.user)

    def begin_recording(self, client, name):
        self.tell(client, f"record {name}")

    def leave(self, client):
        self.tell(client, "stop")
        self.tell(client, "disconnect")

    def compare_one(self, path, name):
        """The map that the client recorded; compare_dm2 counts frames and messages."""
        own = self.folder / name / "baseq2" / "demos" / f"{name}.dm2"
        recorded = path.name.endswith("-lab1.dm2")
        if not recorded or name == "bert":  # nothing is flushed of what a killed client records
            return "not recorded by the client"
        output = subprocess.run([os.environ["COMPARE_DM2"], path, own], stdout=subprocess.PIPE,
                                text=True).stdout.splitlines()[-1]
        same, frames = output.split()[1::2][:2]
        self.assertEqual(same, frames.rstrip(","), output)
        self.assertGreater(int(same), 10)
        return output


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


if __name__ == "__main__":
    if not (HAS_QUAKE or HAS_QUAKEWORLD or HAS_QUAKE2):
        skip("no server and client of a game are at hand")
    if "INSIDE" not in os.environ:
        os.environ["INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "-n", "-m", sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    run_tests.run_cases()
