# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sessions of the stored captures without their beginning: how much of what players then show is what the
client's own recording has.

    late.py PCAP2DEMO SHARED

A state is right if all of its fields are the same, coordinates within a step of shorts: a donor may have received
shorts, and the session floats. Missiles and the like that another client saw may be gone a moment later, so not
all states can be right.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

import damages
import player
import recordings
import states
from tool import Capture

STEP = 1 / 8  # of coordinates in shorts

# A client of a capture, its recording, and the donor.
Case = collections.namedtuple("Case", "capture recording donor")

MULTI = "e-multi/e-multi"
CASES = [
    Case("a-vanilla/a-vanilla.pcap", "a-vanilla/a-vanilla.qwd", "a-vanilla/a-vanilla.qwd"),
    Case("b-extended/b-extended.pcap", "b-extended/b-extended.qwd", "b-extended/b-extended.qwd"),
    Case("a-vanilla/a-vanilla.pcap", "a-vanilla/a-vanilla.qwd", f"{MULTI}-client1.qwd"),
    Case("b-extended/b-extended.pcap", "b-extended/b-extended.qwd", f"{MULTI}-client2.qwd"),
    Case("a-vanilla/a-vanilla.pcap", "a-vanilla/a-vanilla.qwd", "a-vanilla/a-vanilla.mvd"),
]

# Share of states that must be right, by the place at which the capture begins: behind the sign-on, or in that
# part of the first level. No state may be shown that was not there.
SHARES = {"sign-on": 1, 0.5: 0.999, 0.9: 0.92}

# Another session's demo has other entities in view; a server's demo does not show what a client has in view.
SHARES_OF_OTHERS = {"sign-on": 1, 0.5: 0.89, 0.9: 0.81}


# FTE's replacement deltas: donor, packets that are cut off, the least share of states that are right.
FTE = "fte-a/a-fte-fte"
REPLACED = [(f"{FTE}.qwd", 100, 0.999), (f"{FTE}.qwd", 600, 0.999), (f"{FTE}.qwd", 1500, 0.76),
            ("fte-g-qcext/g-fte-qcext.qwd", 2500, 0.71)]

# Of fteqw's sign-on, which has several packets for one request.
LOST = "fte-b-ezquake/b-fte-ezquake.pcap", {20, 21}

# One in twenty packets lost, among them a client's svc_serverdata; the others are donors.
LOSSY = f"{MULTI}.pcap", f"{MULTI}-client2.qwd", 0.05, 1

UPDATES = {"qw.svc_packetentities", "qw.svc_deltapacketentities", "qw.svcfte_updateentities"}

RESET = 0x100  # of the bits of a replacement delta: nothing of the entity's old state stays
REMOVES, NUMBER = 0x8000, 0x3FFF  # of its first word; number 0: all

Share = collections.namedtuple("Share", "right all phantoms frames")


class Replaced(states.Player):
    """A player of a demo with FTE's replacement deltas, whose frames are packets."""

    STATE = states.Player.STATE + ("solid", "movetype")
    updates = False

    def receive(self, name, value):
        if name == "qw.sequence":
            self.frame = states.number_of(value)
        elif name.startswith("qw.svc") and name != "qw.svc":
            self.updates = name == "qw.svcfte_updateentities"
            if name == "qw.svc_serverdata":
                self.begin_level()
        elif self.updates and name == "qw.entities.end":
            self.end_frame()
        elif self.updates and name == "qw.delta.word":
            word = states.number_of(value)
            self.number = word & NUMBER
            if word & REMOVES:
                self.states = {number: state for number, state in self.states.items()
                               if self.number and number != self.number}
        elif self.updates and name == "qw.delta.bits":
            if states.number_of(value) & RESET or self.number not in self.states:
                self.states[self.number] = {}
        elif self.updates and name.startswith("qw.delta."):
            self.set(name.split(".")[2:], value)


class Cutter:
    """Cuts the session of a capture off at a message."""

    def __init__(self, tool, path):
        self.capture = Capture.read(path)
        messages = states.messages_of(tool, path)
        has = [messages.get(number, set()) for number in range(1, len(self.capture.frames) + 1)]
        begin = next(index for index, names in enumerate(has) if names & UPDATES)
        end = next((index for index in range(begin, len(has)) if "qw.svc_serverdata" in has[index]), len(has))
        self.level = range(begin, end)

    def cut(self, at):
        """Behind the sign-on, or that part of the first level."""
        last = self.level[0] if at == "sign-on" else self.level[int(len(self.level) * at)]
        return self.capture.of(self.capture.frames[last + 1:])


def is_same(name, one, other):
    """Baselines have fields that are 0, deltas do not."""
    zero = ("0", "false", "0x0", None)
    return one == other or (one in zero and other in zero) or (
        name.startswith("origin.") and abs(float(one or 0) - float(other or 0)) <= STEP / 2)


def share(late, whole):
    truths = {sequence: states for (_, sequence), states in whole.seen.items()}
    right = total = phantoms = frames = 0
    for (_, sequence), found in late.seen.items():
        if sequence not in truths:
            continue
        truth = truths[sequence]
        frames += 1
        total += len(truth)
        right += sum(number in found and all(is_same(name, found[number].get(name), truth[number].get(name))
                                             for name in {*found[number], *truth[number]}) for number in truth)
        phantoms += len(set(found) - set(truth))
    return Share(right, total, phantoms, frames)


class Checks:
    """Each yields (problem or None, what was checked)."""

    def __init__(self, tool, stored, folder):
        self.tool, self.stored, self.folder = tool, stored, folder

    def convert(self, name, frames):
        """What the tool makes of frames of the capture, and prints."""
        path = pathlib.Path(self.folder, "in.pcap")
        path.write_bytes(Capture(Capture.read(self.stored / name).link_type, frames).pcap())
        return subprocess.run([self.tool, "--force", "--output", f"{self.folder}/", path], capture_output=True,
                              text=True)

    def cut(self):
        for case in CASES:
            cutter = Cutter(self.tool, self.stored / case.capture)
            whole = player.play(self.tool, self.stored / case.recording)
            for at in SHARES:
                yield self.find_problem(case, cutter, whole, at), f"{case.recording} from {at}"

    def find_problem(self, case, cutter, whole, at):
        with tempfile.TemporaryDirectory() as folder:
            demo = states.late_demo(self.tool, cutter.cut(at), self.stored / case.donor, folder)
            if not demo:
                return "no demo"
            late = player.play(self.tool, demo)
        got, own = share(late, whole), case.donor == case.recording
        print(f"     {case.recording} from {at}: {got.right} of {got.all} states in {got.frames} frames,"
              f" {got.phantoms} that were not there")
        least = (SHARES if own else SHARES_OF_OTHERS)[at]
        good = (not late.dropped and got.phantoms <= (0 if own else 0.15 * got.all) and got.frames and
                got.right >= least * got.all)
        return None if good else f"{late.dropped} updates dropped, {got}"

    def replaced(self):
        whole = Replaced(self.tool, self.stored / f"{FTE}.qwd").frames
        capture = Capture.read(self.stored / f"{FTE}.pcap")
        for donor, cut, least in REPLACED:
            with tempfile.TemporaryDirectory() as folder:
                demo = states.late_demo(self.tool, Capture(capture.link_type, capture.frames[cut:]),
                                        self.stored / donor, folder)
                right, total, phantoms = states.compare(Replaced(self.tool, demo).frames, whole, 1)
                dropped = player.play(self.tool, demo).dropped
            good = total and right >= least * total and not phantoms and not dropped
            yield (None if good else f"{right} of {total} states, {phantoms} not there, {dropped} updates dropped",
                   f"{FTE} from packet {cut + 1}, donor {donor}")

    def lost_request(self):
        """The first of two packets with baselines, and the request for them."""
        name, lost = LOST
        frames = Capture.read(self.stored / name).frames
        run = self.convert(name, [frame for number, frame in enumerate(frames, 1) if number not in lost])
        good = "level dm4 cannot be shown" in run.stderr  # a second of silence is beside it
        yield None if good else run.stderr, f"{name}: a lost request and part of its answer"

    def lost_serverdata(self):
        """What comes back into view in a lost packet contradicts no donor."""
        name, recording, rate, seed = LOSSY
        run = self.convert(name, damages.lose(Capture.read(self.stored / name).frames, rate, seed))
        made = re.search(r"^(\S+): session 2,", run.stdout, re.MULTILINE)
        demo = player.play(self.tool, made[1])
        got = share(demo, player.play(self.tool, self.stored / recording))
        good = ("part of the sign-on of dm4 was not captured" in run.stderr and not demo.dropped and
                got.frames >= 550 and got.right >= 0.78 * got.all)
        yield None if good else f"{demo.dropped} updates dropped, {got}, {run.stderr}", f"{name}: a lost svc_serverdata"


def main():
    stored = pathlib.Path(sys.argv[2], "captures", "quakeworld")
    if not recordings.is_there(stored):
        return 77
    results = []
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(sys.argv[1], stored, folder)
        for check in checks.cut, checks.lost_request, checks.lost_serverdata, checks.replaced:
            for problem, text in check():
                print(f"{'FAIL' if problem else 'ok  '} {text} {problem or ''}")
                results.append(not problem)
    return results
