# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares rebuilt demos with what the real client recorded of the same session: the pairs of capture and
recording in CAPTURES, and those of SHARED where that is there.

    fidelity.py PCAP2DEMO COMPARE_DM2 CAPTURES SHARED

Every field of the player and of every entity in every frame that the client recorded must be in the
rebuilt demo, and every other message byte for byte, in order. What may differ is left out by the compare
tool, and reported there. Messages that a rebuilt demo lacks on purpose are counted here: "changing" and
"reconnect" at the end of a level, which players may not carry out, svc_download, at which Q2PRO stops, and
temporary entity 31, at which yquake2 stops.

Recorders of vanilla clients copy packets as they are: for these the number of equal blocks is checked too.
The blocks that differ are those of the missing messages, and empty packets, of which no block is made.
"""

import pathlib
import subprocess
import sys
import tempfile

import recordings
from comparison import compare

# capture, session and map, recording, entities with a model only, frames, missing messages, equal blocks
PAIRS = [
    ("a-v34-q2pro-client/a-q2procl.pcap", "1-lab1",
     "a-v34-q2pro-client/a-q2procl.dm2", False, 553, 2, None),
    ("a-v34-q2pro-client/a-q2procl.pcap", "1-lab2",
     "a-v34-q2pro-client/a-q2procl-lab2.dm2", False, 84, 0, None),
    ("a-v34-yquake2/a.pcap", "1-lab1",
     "a-v34-yquake2/a.dm2", True, 662, 2, 662),
    ("c-v34-download/c-v34.pcap", "1-lab1",
     "c-v34-download/c-v34.dm2", True, 156, 31, 125),
    ("d-v34-lossy/d-v34.pcap", "1-lab1",
     "d-v34-lossy/d-v34.dm2", True, 626, 2, 626),
    ("e-two-clients/e.pcap", "2-lab1",
     "e-two-clients/e-bob34.dm2", True, 969, 0, 969),
    ("b35-r1q2/b35-r1q2.pcap", "1-lab1",
     "b35-r1q2/b35-r1q2.dm2", False, 600, 1, None),
    ("b35-r1q2/b35-r1q2.pcap", "1-lab2",
     "b35-r1q2/b35-r1q2-lab2.dm2", False, 87, 0, None),
    ("b36-q2pro/b36-q2pro.pcap", "1-lab1",
     "b36-q2pro/b36-q2pro.dm2", False, 604, 1, None),
    ("b36-q2pro/b36-q2pro.pcap", "1-lab2",
     "b36-q2pro/b36-q2pro-lab2.dm2", False, 87, 0, None),
    ("c-q2pro36-zdownload/c-q2pro36z.pcap", "1-lab1",
     "c-q2pro36-zdownload/c-q2pro36z.dm2", False, 154, 0, None),
    ("e-two-clients/e.pcap", "1-lab1",
     "e-two-clients/e-alice36.dm2", False, 968, 0, None),
    ("gs-q36m1021/gs-q36m1021.pcap", "1-lab1",
     "gs-q36m1021/gs-q36m1021.dm2", False, 430, 0, None),
    ("gs-q36m1021/gs-q36m1021.pcap", "2-lab2",
     "gs-q36m1021/gs-q36m1021-lab2.dm2", False, 55, 0, None),
    ("x-q36e2/x-q36e2.pcap", "1-lab1",
     "x-q36e2/x-q36e2.dm2", False, 439, 0, None),
    ("x-q36e2/x-q36e2.pcap", "2-lab2",
     "x-q36e2/x-q36e2-lab2.dm2", False, 30, 0, None),
    ("m-rogue-q34/m-rogue-q34.pcap", "1-lab1",
     "m-rogue-q34/m-rogue-q34.dm2", False, 492, 0, None),
    ("s-y34/s-y34.pcap", "2-lab1",
     "s-y34/s-y34.dm2", True, 376, 0, 376),
    ("s-y34/s-y34.pcap", "1-lab1",
     "s-y34/s-y34-runner.dm2", False, 351, 0, None),
]

# The same in the project's own captures.
OWN_PAIRS = [
    ("fidelity/q2-protocol34.pcap.gz", "1-lab1",
     "fidelity/q2-protocol34-lab1.dm2.gz", True, 438, 0, 438),
    ("fidelity/q2-protocol34.pcap.gz", "2-lab2",
     "fidelity/q2-protocol34-lab2.dm2.gz", True, 33, 0, 33),
    ("fidelity/q2-playerupdate.pcap.gz", "1-lab1",
     "fidelity/q2-playerupdate-lab1.dm2.gz", False, 75, 0, None),
    ("fidelity/q2-playerupdate.pcap.gz", "2-lab2",
     "fidelity/q2-playerupdate-lab2.dm2.gz", False, 55, 0, None),
    ("fidelity/q2-protocol35.pcap.gz", "1-lab1",
     "fidelity/q2-protocol35-lab1.dm2.gz", False, 431, 0, None),
    ("fidelity/q2-protocol35.pcap.gz", "2-lab2",
     "fidelity/q2-protocol35-lab2.dm2.gz", False, 55, 1, None),
    ("fidelity/q2-protocol36.pcap.gz", "1-lab1",
     "fidelity/q2-protocol36-lab1.dm2.gz", False, 431, 0, None),
    ("fidelity/q2-protocol36.pcap.gz", "2-lab2",
     "fidelity/q2-protocol36-lab2.dm2.gz", False, 55, 1, None),
    ("fidelity/q2-ipv6.pcap.gz", "1-lab1",
     "fidelity/q2-ipv6-lab1.dm2.gz", False, 40, 1, None),
    ("fidelity/q2-aqtion.pcap.gz", "1-lab1",
     "fidelity/q2-aqtion-lab1.dm2.gz", False, 176, 0, None),
    ("q2-rates.pcap", "1-lab1", "q2-rates.dm2", False, 24, 0, None),
    ("q2-limits1.pcap", "1-lab1", "q2-limits1.dm2", False, 12, 0, None),
]


def rebuild(tool, capture, folder, wanted):
    """The demo of the session and map."""
    session, level = wanted.split("-")
    output = folder / f"{capture.name}-{session}"
    if not output.exists():
        output.mkdir()
        subprocess.run([tool, "--quiet", "--output", output, "--session", session, capture],
                       stderr=subprocess.DEVNULL)
    demo, = output.glob(f"*-{level}.dm2")
    return demo


def check(tools, captures, folder, pair):
    capture, wanted, recording, modelled_only, frames, missing, blocks = pair
    demo = rebuild(tools[0], captures / capture, folder, wanted)
    inflated = folder / "recording.dm2"
    inflated.write_bytes(recordings.read(captures / recording))
    found = compare(tools[1], demo, inflated, modelled_only)
    if not found:
        print(f"FAIL {recording}: not compared")
        return False
    good = (found.same == found.frames == frames and found.lacks == missing and found.bad == 0 and
            (blocks is None or found.same_blocks == blocks))
    print(f"{'ok  ' if good else 'FAIL'} {recording}: {found.same} of {found.frames} frames the same, "
          f"{found.messages - found.lacks} of {found.messages} other messages, "
          f"{found.same_blocks} of {found.blocks} blocks, "
          f"{found.bad} bad blocks or frames in the rebuilt demo")
    return good


def check_all(tools, captures, pairs):
    with tempfile.TemporaryDirectory() as folder:
        return [check(tools, captures, pathlib.Path(folder), pair) for pair in pairs]


def main():
    tools, shared = sys.argv[1:3], pathlib.Path(sys.argv[4]) / "captures" / "quake2"
    results = check_all(tools, pathlib.Path(sys.argv[3]), OWN_PAIRS)
    if recordings.is_there(shared):
        results += check_all(tools, shared, PAIRS)
    return results
