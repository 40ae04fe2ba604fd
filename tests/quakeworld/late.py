# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sessions of the stored captures that are cut so that they begin late: how much of what players then show
is what the client's own recording has.

    late.py PCAP2DEMO SHARED

A state counts as right where all of it is the same, coordinates within the step in which shorts tell
them: a donor may have been told shorts, and the session floats. What another client saw of missiles and
the like may be gone a moment later, so not all can be right.
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
import replaced
import states
from late_cuts import Cutter
from tool import Capture

STEP = 1 / 8  # of coordinates in shorts

# A client of a capture, what it recorded, and who is named as a donor.
Case = collections.namedtuple("Case", "capture port recording donor")

MULTI = "e-multi/e-multi"
CASES = [
    Case("a-vanilla/a-vanilla.pcap", None, "a-vanilla/a-vanilla.qwd", "a-vanilla/a-vanilla.qwd"),
    Case("b-extended/b-extended.pcap", None, "b-extended/b-extended.qwd", "b-extended/b-extended.qwd"),
    Case("a-vanilla/a-vanilla.pcap", None, "a-vanilla/a-vanilla.qwd", f"{MULTI}-client1.qwd"),
    Case("b-extended/b-extended.pcap", None, "b-extended/b-extended.qwd", f"{MULTI}-client2.qwd"),
    Case("a-vanilla/a-vanilla.pcap", None, "a-vanilla/a-vanilla.qwd", "a-vanilla/a-vanilla.mvd"),
]

# The share of states that must be right, by where the capture begins: in that packet of the client's
# own, or in that part of the first level. Nothing may be shown that was not there.
SHARES = {"sign-on": 1, 0.5: 0.999, 0.9: 0.92}

# Another session's demo was elsewhere; a server's demo tells nothing of what clients see from where.
SHARES_OF_OTHERS = {"sign-on": 1, 0.5: 0.89, 0.9: 0.81}


# FTE's replacement deltas: who lends, packets that are cut off, the least share of states that are right.
FTE = "fte-a/a-fte-fte"
REPLACED = [(f"{FTE}.qwd", 100, 0.999), (f"{FTE}.qwd", 600, 0.999), (f"{FTE}.qwd", 1500, 0.76),
            ("fte-g-qcext/g-fte-qcext.qwd", 2500, 0.71)]

# Of fteqw's sign-on, which has several packets for one request.
LOST = "fte-b-ezquake/b-fte-ezquake.pcap", {20, 21}

# One in twenty packets lost, by which a client's svc_serverdata is lost, too; the others lend it.
LOSSY = f"{MULTI}.pcap", f"{MULTI}-client2.qwd", 0.05, 1

Share = collections.namedtuple("Share", "right all phantoms frames")


def is_same(name, one, other):
    if one == other:
        return True
    return name.startswith("origin.") and abs(float(one or 0) - float(other or 0)) <= STEP / 2


def is_right(state, truth):
    """Baselines tell what is 0, deltas do not."""
    zero = ("0", "false", "0x0", None)
    return all(is_same(name, state.get(name), truth.get(name))
               or (state.get(name) in zero and truth.get(name) in zero)
               for name in {*state, *truth})


def share(late, whole):
    truths = {sequence: states for (_, sequence), states in whole.seen.items()}
    right = total = phantoms = frames = 0
    for (_, sequence), states in late.seen.items():
        if sequence not in truths:
            continue
        truth = truths[sequence]
        frames += 1
        total += len(truth)
        right += sum(number in states and is_right(states[number], truth[number])
                     for number in truth)
        phantoms += len(set(states) - set(truth))
    return Share(right, total, phantoms, frames)


def check(tool, stored, case, cutter, whole, at):
    donor = case.donor and stored / case.donor
    with tempfile.TemporaryDirectory() as folder:
        demo = states.late_demo(tool, cutter.cut(at), donor, folder)
        if not demo:
            return "no demo"
        late = player.play(tool, demo)
    got = share(late, whole)
    print(f"     {case.recording} from {at}: {got.right} of {got.all} states in {got.frames} frames,"
          f" {got.phantoms} that were not there")
    if late.dropped:
        return f"{late.dropped} updates dropped"
    own = case.donor == case.recording
    shares = SHARES if own else SHARES_OF_OTHERS
    if got.phantoms > (0 if own else 0.15 * got.all) or not got.frames or got.right < shares[at] * got.all:
        return f"{got}"
    return None


def check_replaced(tool, stored, donor, cut, least, whole):
    with tempfile.TemporaryDirectory() as folder:
        capture = Capture.read(stored / f"{FTE}.pcap")
        demo = states.late_demo(tool, Capture(capture.link_type, capture.frames[cut:]),
                                stored / donor, folder)
        if not demo:
            return "no demo"
        right, total, phantoms = states.compare(replaced.Replaced(tool, demo).packets,
                                                   whole.packets, 1)
        dropped = player.play(tool, demo).dropped
    good = total and right >= least * total and not phantoms and not dropped
    return None if good else f"{right} of {total} states, {phantoms} not there, {dropped} updates dropped"


def check_lost_request(tool, stored):
    """The first of two packets with baselines, and the request for them."""
    name, lost = LOST
    with tempfile.TemporaryDirectory() as folder:
        capture = Capture.read(stored / name)
        left = [frame for number, frame in enumerate(capture.frames, 1) if number not in lost]
        path = pathlib.Path(folder, "lost.pcap")
        path.write_bytes(Capture(capture.link_type, left).pcap())
        run = subprocess.run([tool, "--output", f"{folder}/", path], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    return "level dm4 cannot be shown" in run.stderr  # a second of silence is beside it


def check_lost_serverdata(tool, stored):
    """What comes back into view in a lost packet contradicts no donor."""
    name, recording, rate, seed = LOSSY
    with tempfile.TemporaryDirectory() as folder:
        capture = Capture.read(stored / name)
        path = pathlib.Path(folder, "lossy.pcap")
        path.write_bytes(Capture(capture.link_type, damages.lose(capture.frames, rate, seed)).pcap())
        run = subprocess.run([tool, "--output", f"{folder}/", path], capture_output=True, text=True)
        made = re.search(r"^(\S+): session 2,", run.stdout, re.MULTILINE)
        if not made:
            return "no demo of session 2"
        if "part of the sign-on of dm4 was not captured" not in run.stderr:
            return "no reason is printed"
        demo = player.play(tool, made[1])
        got = share(demo, player.play(tool, stored / recording))
    if demo.dropped or got.frames < 550 or got.right < 0.78 * got.all:
        return f"{demo.dropped} updates dropped, {got}"
    return None


def main():
    tool, stored = sys.argv[1], pathlib.Path(sys.argv[2], "captures", "quakeworld")
    if not recordings.is_there(stored):
        return 77
    failures = 0
    for case in CASES:
        cutter = Cutter(tool, stored / case.capture, case.port)
        whole = player.play(tool, stored / case.recording)
        for at in SHARES:
            problem = check(tool, stored, case, cutter, whole, at)
            failures += problem is not None
            print(f"{'FAIL' if problem else 'ok  '} {case.recording} from {at} {problem or ''}")
    noticed = check_lost_request(tool, stored)
    failures += not noticed
    print(f"{'ok  ' if noticed else 'FAIL'} {LOST[0]}: a lost request and part of its answer")
    problem = check_lost_serverdata(tool, stored)
    failures += problem is not None
    print(f"{'FAIL' if problem else 'ok  '} {LOSSY[0]}: a lost svc_serverdata {problem or ''}")
    whole = replaced.Replaced(tool, stored / f"{FTE}.qwd")
    for donor, cut, least in REPLACED:
        problem = check_replaced(tool, stored, donor, cut, least, whole)
        failures += problem is not None
        print(f"{'FAIL' if problem else 'ok  '} {FTE} from packet {cut + 1}, lent by {donor} {problem or ''}")
    return failures != 0
