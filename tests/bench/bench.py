#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Times the project's programs against others on the same long captures, and prints ratios.

The long captures are copies of short ones, one for each kind of session. The two commands of a row
run in turn, and the median of the pairs' ratios counts. Rows whose goal is not reached are marked
with "<-". Memory is the peak resident set.

Commands write to new files, and none is removed before the end: file systems are slow to give out
again what was just removed (TMPDIR: a file system from which nothing was).
"""

import argparse
import heapq
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "support"))
import capture as captures
import damages

# Kind of session: its capture, and how often `tcpdump -r IN -w OUT` a conversion may take.
KINDS = {
    "QuakeWorld": ("qw-vanilla", 1.2),
    "Quake": ("nq-protocol15", 1.2),
    "Quake II 34": ("q2-protocol34", 1.6),
    "Quake II 35": ("q2-protocol35", 2.0),
    "Quake II 36": ("q2-protocol36", 2.0),
}
DAMAGES = {
    "lossy": lambda frames: damages.lose(frames, 0.01, 1),
    "disordered": lambda frames: damages.displace(frames, 0.1, 3, 1),
}
PAUSE = 30 * captures.NANOSECONDS  # between copies
NOBODY, MEGABYTE = 65534, 2**20


class Run:
    """The cost of one run of a command: seconds, cpu, memory."""

    def __init__(self, *command, environment=None, as_nobody=False, stdout=subprocess.DEVNULL):
        # Wireshark ignores WIRESHARK_PLUGIN_DIR for root.
        identity = ({"user": NOBODY, "group": NOBODY, "extra_groups": []}
                    if as_nobody and os.getuid() == 0 else {})
        with tempfile.TemporaryFile() as errors:
            start = time.monotonic()
            child = subprocess.Popen(list(map(str, command)), env=environment, stdout=stdout, stderr=errors, **identity)
            self.wait(child)
            self.seconds = time.monotonic() - start
            if child.returncode not in (0, 1):
                errors.seek(0)
                sys.exit(f"bench: {' '.join(map(str, command))} ended with status "
                         f"{child.returncode}:\n{errors.read().decode(errors='replace')}")

    def wait(self, child):
        """Reads the peak memory until the process ends: rusage has that of the fork, too."""
        self.memory = 0
        while True:
            status = pathlib.Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
            peak = [int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")]
            self.memory = max([self.memory, *peak])
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if ended:
                break
            time.sleep(0.002)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime


class Inputs:
    """Short captures by name, and long ones of copies."""

    def __init__(self, folder, size):
        self.folder, self.size = folder, size
        self.short = {kind: captures.read(TESTS / "captures" / "fidelity" / f"{name}.pcap.gz")
                      for kind, (name, _) in KINDS.items()}
        link_type, frames = self.short["QuakeWorld"]
        for name, damage in DAMAGES.items():
            self.short[name] = link_type, damage(frames)
        self.long = {name: self.copies(name, size) for name in self.short}

    def write(self, name, frames):
        path = self.new_place() / f"{name}.pcap"
        captures.write(path, self.short[name][0], frames)
        return path

    def copies(self, name, megabytes):
        """As many copies, one after another, as make up so many megabytes."""
        frames = self.short[name][1]
        times = max(1, round(megabytes * MEGABYTE / sum(16 + len(frame.data) for frame in frames)))
        return self.write(name, damages.in_turn(frames, times, PAUSE))

    def at_once(self, name, sessions):
        """200 packets of a client, of so many sessions at once."""
        frames = self.short[name][1]
        client = captures.ends(frames[0])[0]
        frames = [frame for frame in frames if client in captures.ends(frame)][:200]
        return self.write(name, heapq.merge(*(distinct(frame, client[1], sessions, name == "Quake") for frame in frames),
                                            key=lambda frame: frame.time))

    def new_place(self):
        """An empty folder, which everyone may read."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        place.chmod(0o755)
        return place


def distinct(frame, port, sessions, is_quake):
    """Copies of a packet, a millisecond apart: a client's with a qport (Quake: angles) of its own."""
    at = len(frame.data) - len(captures.payload(frame))
    start = frame.data[at:at + 4]
    for number in range(sessions):
        own = damages.copy(frame, number)
        data = bytearray(own.data)
        if captures.ends(frame)[0][1] == port and len(data) >= at + 16 and start != b"\xff" * 4 and (
                not is_quake or start[:2] == b"\0\x10"):
            struct.pack_into("<H", data, at + (13 if is_quake else 8), number)
        yield own._replace(time=frame.time + number * 1000000, data=bytes(data))


class Bench:
    """The commands that are timed, and the rows: name, ratio, goal, seconds of both commands."""

    def __init__(self, options, folder):
        self.options, self.inputs = options, Inputs(folder, options.size)
        self.plugins, self.home = options.build / "plugin" / "wireshark", folder / "home"
        self.home.mkdir(mode=0o777)

    def tool(self, *arguments):
        return Run(self.options.build / "pcap2demo" / "pcap2demo", *arguments)

    def convert(self, file):
        demos = self.inputs.new_place()
        run = self.tool("--quiet", "-o", demos, file)
        if not any(demos.iterdir()):
            sys.exit("bench: no demo was written")
        return run

    def list(self, file):
        return self.tool("--list", "--wide", file)

    def tcpdump(self, file):
        return Run("tcpdump", "-r", file, "-w", self.inputs.new_place() / "copy.pcap")

    def tshark(self, file, *options, plugin=True, **streams):
        """Wireshark's programs run as nobody."""
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.home),
                       "WIRESHARK_PLUGIN_DIR": str(self.plugins if plugin else self.home)}
        return Run("tshark", "-r", file, "-d", f"udp.port==27500,{'qw' if plugin else 'quakeworld'}", *options,
                   environment=environment, as_nobody=True, **streams)

    def row(self, what, value, goal, reached, remark=""):
        print(f"  {what:<52} {value:>9}  {goal:>10}  {'  ' if reached else '<-'} {remark}", flush=True)

    def pairs(self, over, under):
        """Two commands in turn: a pair runs under the same load."""
        return [(over(), under()) for _ in range(self.options.pairs)]

    def at_most(self, what, goal, over, under, more=1):
        """`more`: how many times as much work it is."""
        runs = [[getattr(run, self.options.cpu) for run in pair] for pair in self.pairs(over, under)]
        ratio = statistics.median(one / max(other, 1e-6) for one, other in runs) / more
        self.row(what, f"{ratio:.2f} x", f"<= {goal} x", ratio <= goal,
                 " to ".join(f"{statistics.median(each):.2f} s" for each in zip(*runs)))

    def conversion(self):
        long = self.inputs.long
        for kind, (_, goal) in KINDS.items():
            self.at_most(f"convert {kind} : tcpdump -r IN -w OUT", goal,
                         lambda file=long[kind]: self.convert(file), lambda file=long[kind]: self.tcpdump(file))
        for name in DAMAGES:
            self.at_most(f"convert, {name} : undamaged", 1.3,
                         lambda file=long[name]: self.convert(file), lambda: self.convert(long["QuakeWorld"]))

    def reports(self):
        file, other = (self.inputs.copies(kind, self.inputs.size / 20) for kind in ("QuakeWorld", "Quake"))

        def golden(file, folder, *options):
            return self.tool("--check", "--quiet", "--golden", folder, *options, file)

        other = other.rename(other.parent / file.name)
        for each in file, other:
            golden(each, each.parent, "--update")
        self.at_most("--list : convert", 0.5, lambda: self.list(self.inputs.long["QuakeWorld"]),
                     lambda: self.convert(self.inputs.long["QuakeWorld"]))
        self.at_most("--dump=json : --dump", 1.2, lambda: self.tool("--dump=json", file), lambda: self.tool("--dump", file))
        self.at_most("--check --golden : --dump", 1.5, lambda: golden(file, file.parent), lambda: self.tool("--dump", file))
        self.at_most("--check, unrelated golden : matching one", 2,
                     lambda: golden(file, other.parent), lambda: golden(file, file.parent))

    def dissection(self):
        file = self.inputs.copies("QuakeWorld", self.inputs.size / 20)
        printed = []
        for plugin in True, False:
            with tempfile.TemporaryFile() as output:
                self.tshark(file, "-V", plugin=plugin, stdout=output)
                printed.append(output.seek(0, os.SEEK_END))
        more = printed[0] / printed[1]
        self.at_most(f"tshark -V with the plugin : built-in, by byte (x {more:.1f})", 0.9,
                     lambda: self.tshark(file, "-V"), lambda: self.tshark(file, "-V", plugin=False), more)
        self.at_most("tshark -2 : one pass, with the plugin", 2,
                     lambda: self.tshark(file, "-2"), lambda: self.tshark(file))
        # A longer capture takes more than a shorter one: the program itself is in both.
        longer = self.inputs.copies("QuakeWorld", self.inputs.size / 5)
        taken = [statistics.median(one.memory for one, _ in runs) - statistics.median(other.memory for _, other in runs)
                 for runs in [self.pairs(lambda: self.tshark(longer, "-2", plugin=plugin),
                                         lambda: self.tshark(file, "-2", plugin=plugin)) for plugin in (True, False)]]
        packets = [len(captures.read(each)[1]) for each in (file, longer)]
        more = (taken[0] - taken[1]) / (packets[1] - packets[0])
        self.row("memory of a packet above the built-in's", f"{more:.0f} B", "<= 150 B", more <= 150)

    def memory(self):
        """The largest of the captures as it is, and 100 times."""
        one = self.inputs.write("Quake", self.inputs.short["Quake"][1])
        many = self.inputs.copies("Quake", 100 * one.stat().st_size / MEGABYTE)
        one, hundred = (self.convert(file).memory / MEGABYTE for file in (one, many))
        self.row("memory at 100 x the capture - at 1 x", f"{hundred - one:.1f} MB", "<= 10 MB", hundred - one <= 10,
                 f"{hundred:.1f} MB to {one:.1f} MB")

    def sessions_at_once(self):
        few, many, most = 100, 4000, 10000
        for kind in ("QuakeWorld", "Quake", "Quake II 34"):
            short, long, over = (self.inputs.at_once(kind, number) for number in (few, many, most))
            for what, do, goal in (("convert", self.convert, 25), ("--list", self.list, 6)):
                each = (do(long).memory - do(short).memory) / (many - few) / 1000
                self.row(f"memory of an open session, {what} {kind}", f"{each:.0f} kB", f"<= {goal} kB", each <= goal)
                self.at_most(f"{what} {kind}, {most} sessions : {few}, by packet", 2,
                             lambda: do(over), lambda: do(short), most / few)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, metavar="DIR",
                        help="the folder that the project was built in")
    parser.add_argument("--size", type=float, default=60, help="of the long captures, in MB (60)")
    parser.add_argument("--pairs", type=int, default=5, help="how often the two commands run (5)")
    parser.add_argument("--cpu", action="store_const", const="cpu", default="seconds",
                        help="compare CPU time, which other work of the machine disturbs less")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quakeshark-bench-") as name:
        pathlib.Path(name).chmod(0o755)
        bench = Bench(options, pathlib.Path(name))
        bench.conversion()
        bench.reports()
        if shutil.which("tshark") and bench.plugins.exists():
            bench.dissection()
        bench.memory()
        bench.sessions_at_once()


if __name__ == "__main__":
    main()
