# SPDX-License-Identifier: GPL-2.0-or-later
"""
The capture lacks all packets of a while in which the next level begins: no message of the next level is in
a demo of the one before, unless a demo or another session lends its sign-on or the report says that the map
may have changed, and what is missing is reported.

    test_levels.py PCAP2DEMO CAPTURES [SHARED]     all level changes with QUAKESHARK_WINDOWS=all
"""

import collections
import os
import pathlib
import re
import struct
import subprocess
import tempfile

import capture
import qwd
import truth

ALL = os.environ.get("QUAKESHARK_WINDOWS") == "all"
SECONDS = [0.2, 0.5, 0.9] if ALL else [0.5]
BEFORE = 0.02  # seconds of the hole before the packet that begins the level
LARGEST = 6 << 20
OWN = ["qw-vanilla", "qw-fte", "nq-protocol15", "nq-protocol666", "q2-protocol34", "q2-protocol36"]

BEGIN = ("qw.svc_serverdata", "q2.svc_serverdata", "nq.svc_serverinfo")
GAME = ("svc_packetentities", "svc_deltapacketentities", "svcfte_updateentities", "svc_frame", "svc_time", "svc_clientdata")
FRAME = re.compile(r"^\S+ \S+ q2\.frame\.number :?= (-?\d+)", re.MULTILINE)


def dump(tool, path):
    return subprocess.run([tool, "--dump", path], capture_output=True, text=True, errors="replace").stdout


class Session:
    """Numbers of the packets, from 1, that begin its levels, and of those that are of a game."""

    def __init__(self):
        self.begins, self.game = [], []


def sessions_of(tool, path):
    sessions, number, of_server = collections.defaultdict(Session), None, {}
    for words in (line.split(" ", 4) for line in dump(tool, path).splitlines()):
        if words[2] == "packet.direction":
            of_server[words[0]] = words[4] == "s2c"
        elif words[2] == "packet.session":
            number = int(words[4])
        elif of_server.get(words[0]) and len(words) == 3:
            session = sessions[number]
            if words[2] in BEGIN:
                session.begins.append(int(words[0].split(":")[0]))
            elif words[2].endswith(GAME):
                session.game.append(int(words[0].split(":")[0]))
    return sessions


def frames_of(tool, demo):
    with tempfile.NamedTemporaryFile(suffix=".dm2") as file:
        pathlib.Path(file.name).write_bytes(demo)
        return [int(number) for number in FRAME.findall(dump(tool, file.name))]


def blocks_of_dem(demo):
    at = demo.index(b"\n") + 1
    while at < len(demo):
        (size,) = struct.unpack_from("<I", demo, at)
        yield demo[at + 16:at + 16 + size]
        at += 16 + size


def read(path):
    return path.suffix, path.read_bytes()


class Change:
    """A capture in which a session changes its level."""

    def __init__(self, tool, path, frames, session, level):
        self.tool, self.path, self.frames = tool, path, frames
        self.start = frames[session.begins[level] - 1].time - int(BEFORE * capture.NANOSECONDS)
        after = session.begins[level + 1] if level + 1 < len(session.begins) else len(frames) + 1
        self.game = [number for number in session.game if session.begins[level] < number < after]
        self.before = [number for number in session.game if session.begins[level - 1] < number < session.begins[level]]

    def holes(self):
        """Their begin and end: a while after the level begins, and so long that its clock is beyond the older one's."""
        for seconds in SECONDS:
            yield self.start, self.start + int(seconds * capture.NANOSECONDS)
        if self.before:
            begin, end = (self.frames[game[0] - 1].time for game in (self.before, self.game))
            yield begin + 3 * capture.NANOSECONDS, end + 4 * capture.NANOSECONDS

    def wrong(self, demos, end):
        """Messages behind the hole that are in a demo; of Quake II frames whose numbers begin again."""
        behind = [capture.payload(self.frames[number - 1]) for number in self.game if self.frames[number - 1].time >= end]
        rest = [capture.payload(frame) for number, frame in enumerate(self.frames, 1)
                if number not in self.game or frame.time < end]
        for suffix, demo in demos:
            if suffix == ".qwd":
                found = {(block.packet[:3], block.packet[8:]) for block in qwd.blocks(demo) if isinstance(block, qwd.Read)}
                yield sum((packet[:3], packet[8:]) in found for packet in behind if len(packet) > 8)
            elif suffix == ".dem":
                found = collections.Counter(blocks_of_dem(demo))
                others = collections.Counter(packet[8:] for packet in rest)
                yield sum(found[packet[8:]] > others[packet[8:]] for packet in behind)
            else:
                numbers = frames_of(self.tool, demo)
                yield sum(later < number for number, later in zip(numbers, numbers[1:]))

    def faults(self):
        for start, end in self.holes():
            left = [frame for frame in self.frames if not start <= frame.time < end]
            outcome = truth.convert(self.tool, left, "--qwd-format=classic", read=read)
            # Nothing shows the level of QuakeWorld's packets: then the message names the doubt.
            known = any(text in outcome.error for text in ("its sign-on is from", "missing from the capture; the map may have changed"))
            wrong = 0 if known else sum(self.wrong(outcome.demos, end))
            if wrong or outcome.status != 1 or not outcome.error:
                yield (f"{(end - start) / capture.NANOSECONDS} s before packet {self.game[0]}: {wrong} messages, "
                       f"status {outcome.status}")


def changes_of(tool, path):
    try:
        _, frames = capture.read(path)
    except (KeyError, ValueError):
        return []
    if any(len(frame.data) != frame.size for frame in frames):
        return []
    sessions = sessions_of(tool, path).values()
    return [Change(tool, path, frames, session, level) for session in sessions for level in range(1, len(session.begins))]


def main(tool, captures, shared=None):
    paths = [pathlib.Path(captures, "fidelity", f"{name}.pcap.gz") for name in OWN]
    if ALL and shared:
        paths += sorted(path for folder in ("captures", "newest") for path in pathlib.Path(shared, folder).rglob("*.pcap")
                        if path.stat().st_size < LARGEST)
    changes = [change for path in paths for change in changes_of(tool, path) if len(change.game) > 10]
    faults = [f"{change.path.name}: {fault}" for change in changes for fault in change.faults()]
    print(*faults, f"{len(changes)} changes of level, {len(faults)} faults", sep="\n")
    return bool(faults) or not changes
