# SPDX-License-Identifier: GPL-2.0-or-later
"""
What the tests of damaged captures share: converting frames, the sessions of a capture, and how much of a demo
is right, compared with another demo of the same session, which is the truth.
"""

import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import tempfile

import capture
import comparison
import dem
import player
import recordings

TOOL = os.environ["PCAP2DEMO"]
SHARED = pathlib.Path(os.environ["PROJECT_SOURCE_DIR"]).parent / "shared"
SANITIZED = bool(os.environ["SANITIZED"])
# More places of more captures.
ALL = os.environ.get("QUAKESHARK_WINDOWS") == "all"

Outcome = collections.namedtuple("Outcome", "demos status error")


def convert(frames, *options, read=pathlib.Path.read_bytes, link_type=1):
    """What the tool makes of frames, and prints; demos as `read` has them, in the order of their names."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.pcap"
        capture.write(path, link_type, frames)
        run = subprocess.run([TOOL, "-q", "-o", folder, *options, path], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL)
        path.unlink()
        demos = [read(path) for path in sorted(pathlib.Path(folder).iterdir())]
    return Outcome(demos, run.returncode, run.stderr)


def report(action, frames):
    """The JSON report of --list or --check about frames."""
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        capture.write(file.name, 1, frames)
        return json.loads(subprocess.run([TOOL, action, "--json", file.name], capture_output=True).stdout)


def dumped(path):
    return subprocess.run([TOOL, "--dump", path], capture_output=True, text=True, errors="replace").stdout


def dump(path):
    """The words of each line of a dump, at most five."""
    return [line.split(" ", 4) for line in dumped(path).splitlines()]


def own(name):
    return recordings.OWN / f"{name}.pcap.gz"


def captures_of(names, largest, lossy=()):
    """The project's own captures, and with ALL those of SHARED that are small enough and of no lossy path."""
    paths = [own(name) for name in names]
    for folder in ("captures", "newest") if ALL else ():
        paths += sorted(path for path in (SHARED / folder).rglob("*.pcap")
                        if path.stat().st_size < largest and not path.name.startswith(lossy))
    return paths


def check(tries, paths):
    """Exit status. tries(path) yields what is wrong with each damaged copy of a capture, or "" if nothing is."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda path: list(tries(path)), paths))
    faults = [f"{path.name}: {fault}" for path, tried in zip(paths, found) for fault in tried if fault]
    print(*faults, f"{len(paths)} captures, {sum(map(len, found))} tries, {len(faults)} faults", sep="\n")
    return bool(faults) or not any(found)


# --- The sessions of a capture

# Of the dump: packet, field of the packet, value; the beginning of a level; a message of the game.
LINE = re.compile(r"\n(\d+) \S+ (?:packet\.(direction|session) = (\S+)|((?:qw|q2)\.svc_serverdata|nq\.svc_serverinfo)|"
                  r"\w+\.(svc_packetentities|svc_deltapacketentities|svcfte_updateentities|svc_frame|svc_time|svc_clientdata))(?=\n)")


class Session:
    """Indexes of frames: of all packets; of the server's that begin a level; of the server's that have some of the game."""

    def __init__(self):
        self.packets, self.begins, self.game = [], [], []

    def levels(self):
        """Of each level: the packet that begins it, and those of its game."""
        for begin, after in zip(self.begins, [*self.begins[1:], float("inf")]):
            yield begin, [index for index in self.game if begin < index < after]


def sessions_of(path):
    """(frames; indexes of those of servers; sessions by number). None has a session if some were captured in part."""
    sessions, of_server, number = collections.defaultdict(Session), set(), None
    try:
        _, frames = capture.read(path)
    except (KeyError, ValueError):
        frames = []
    if any(len(frame.data) != frame.size for frame in frames):
        return frames, of_server, {}
    for packet, field, value, begins, plays in LINE.findall("\n" + dumped(path)) if frames else ():
        index = int(packet) - 1
        if value == "s2c":
            of_server.add(index)
        elif field == "session":
            number = int(value)
            sessions[number].packets.append(index)
        elif index in of_server and begins:
            sessions[number].begins.append(index)
        elif index in of_server and plays:
            sessions[number].game.append(index)
    return frames, of_server, sessions


# --- How much is right. `right` of `all` frames of the truth (of QuakeWorld: states of entities) are as they should
# --- be; the others are missing. `wrong` counts what must never be: frames that show something else than was sent,
# --- and what a player stops at; `dropped` counts updates that a player drops.

Share = collections.namedtuple("Share", "right all wrong dropped", defaults=[0])
DISCONNECT = b"\x02"
LAST_FRAMES = 6


@functools.lru_cache(maxsize=8)
def played(demo):
    """The player of a demo whose file does not change: several are compared with the same one."""
    return player.play(TOOL, demo)


def compare_qwd(demo, truth):
    """Entities are deltas from earlier frames, which the player must have accepted."""
    mine, true = played(demo), played(truth)
    # A demo that begins late lacks levels at its beginning.
    behind = true.level - mine.level
    found = {(level + behind, sequence): state for (level, sequence), state in mine.seen.items()}
    same = sum(found.get(key) == state for key, state in true.seen.items())
    there = sum(key in found for key in true.seen)
    right = sum(found.get(key, {}).get(number) == state for key, states in true.seen.items()
                for number, state in states.items())
    return Share(right, sum(map(len, true.seen.values())), there - same, mine.dropped)


def compare_dem(demo, truth):
    """Updates are deltas from the baselines, so that each message stands alone. All demos end with svc_disconnect;
    whether the last frames are there depends on the client's last move."""
    found, true = (collections.Counter(block.messages for block in dem.read(path)[1] if block.messages != DISCONNECT)
                   for path in (demo, truth))
    return Share((found & true).total(), true.total(), max((found - true).total() - LAST_FRAMES, 0))


def compare_dm2(demo, truth):
    """Frames are deltas from earlier ones."""
    found = comparison.compare(TOOL, demo, truth)
    return Share(found.same, found.frames, found.bad)
