#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares rebuilt demos with what the real client recorded of the same session: the pairs of capture and
recording in CAPTURES, and those of SHARED where that is there.

    fidelity.py PCAP2DEMO COMPARE_DM2 CAPTURES SHARED

Every field of the player and of every entity in every frame that the client recorded must be in the
rebuilt demo, and every other message byte for byte, in order. What may differ is left out by the compare
tool, and said there. Messages that a rebuilt demo lacks on purpose are counted here: "changing" and
"reconnect" at the end of a level, which players may not carry out, svc_download, at which Q2PRO stops, and
temporary entity 31, at which yquake2 stops.

Recorders of vanilla clients copy packets as they are: for these the number of equal blocks is checked too.
The blocks that differ are those of the missing messages, and empty packets, of which no block is made.
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import recordings  # noqa: E402
from comparison import compare  # noqa: E402

# capture, rebuilt demo, recording, entities with a model only, frames, missing messages, equal blocks
PAIRS = [
    ("a-v34-q2pro-client/a-q2procl.pcap", "a-q2procl-1-lab1.dm2",
     "a-v34-q2pro-client/a-q2procl.dm2", False, 553, 2, None),
    ("a-v34-q2pro-client/a-q2procl.pcap", "a-q2procl-1-lab2.dm2",
     "a-v34-q2pro-client/a-q2procl-lab2.dm2", False, 84, 0, None),
    ("a-v34-yquake2/a.pcap", "a-1-lab1.dm2",
     "a-v34-yquake2/a.dm2", True, 662, 2, 662),
    ("c-v34-download/c-v34.pcap", "c-v34-1-lab1.dm2",
     "c-v34-download/c-v34.dm2", True, 156, 31, 125),
    ("d-v34-lossy/d-v34.pcap", "d-v34-1-lab1.dm2",
     "d-v34-lossy/d-v34.dm2", True, 626, 2, 626),
    ("e-two-clients/e.pcap", "e-2-lab1.dm2",
     "e-two-clients/e-bob34.dm2", True, 969, 0, 969),
    ("b35-r1q2/b35-r1q2.pcap", "b35-r1q2-1-lab1.dm2",
     "b35-r1q2/b35-r1q2.dm2", False, 600, 1, None),
    ("b35-r1q2/b35-r1q2.pcap", "b35-r1q2-1-lab2.dm2",
     "b35-r1q2/b35-r1q2-lab2.dm2", False, 87, 0, None),
    ("b36-q2pro/b36-q2pro.pcap", "b36-q2pro-1-lab1.dm2",
     "b36-q2pro/b36-q2pro.dm2", False, 604, 1, None),
    ("b36-q2pro/b36-q2pro.pcap", "b36-q2pro-1-lab2.dm2",
     "b36-q2pro/b36-q2pro-lab2.dm2", False, 87, 0, None),
    ("c-q2pro36-zdownload/c-q2pro36z.pcap", "c-q2pro36z-1-lab1.dm2",
     "c-q2pro36-zdownload/c-q2pro36z.dm2", False, 154, 0, None),
    ("e-two-clients/e.pcap", "e-1-lab1.dm2",
     "e-two-clients/e-alice36.dm2", False, 968, 0, None),
    ("gs-q36m1021/gs-q36m1021.pcap", "gs-q36m1021-1-lab1.dm2",
     "gs-q36m1021/gs-q36m1021.dm2", False, 430, 0, None),
    ("gs-q36m1021/gs-q36m1021.pcap", "gs-q36m1021-2-lab2.dm2",
     "gs-q36m1021/gs-q36m1021-lab2.dm2", False, 55, 0, None),
    ("x-q36e2/x-q36e2.pcap", "x-q36e2-1-lab1.dm2",
     "x-q36e2/x-q36e2.dm2", False, 439, 0, None),
    ("x-q36e2/x-q36e2.pcap", "x-q36e2-2-lab2.dm2",
     "x-q36e2/x-q36e2-lab2.dm2", False, 30, 0, None),
    ("m-rogue-q34/m-rogue-q34.pcap", "m-rogue-q34-1-lab1.dm2",
     "m-rogue-q34/m-rogue-q34.dm2", False, 492, 0, None),
    ("s-y34/s-y34.pcap", "s-y34-2-lab1.dm2",
     "s-y34/s-y34.dm2", True, 376, 0, 376),
    ("s-y34/s-y34.pcap", "s-y34-1-lab1.dm2",
     "s-y34/s-y34-runner.dm2", False, 351, 0, None),
]

# The same in the project's own captures.
OWN_PAIRS = [
    ("fidelity/q2-protocol34.pcap.gz", "q2-protocol34-1-lab1.dm2",
     "fidelity/q2-protocol34-lab1.dm2.gz", True, 438, 0, 438),
    ("fidelity/q2-protocol34.pcap.gz", "q2-protocol34-2-lab2.dm2",
     "fidelity/q2-protocol34-lab2.dm2.gz", True, 33, 0, 33),
    ("fidelity/q2-playerupdate.pcap.gz", "q2-playerupdate-1-lab1.dm2",
     "fidelity/q2-playerupdate-lab1.dm2.gz", False, 75, 0, None),
    ("fidelity/q2-playerupdate.pcap.gz", "q2-playerupdate-2-lab2.dm2",
     "fidelity/q2-playerupdate-lab2.dm2.gz", False, 55, 0, None),
    ("fidelity/q2-protocol35.pcap.gz", "q2-protocol35-1-lab1.dm2",
     "fidelity/q2-protocol35-lab1.dm2.gz", False, 431, 0, None),
    ("fidelity/q2-protocol35.pcap.gz", "q2-protocol35-2-lab2.dm2",
     "fidelity/q2-protocol35-lab2.dm2.gz", False, 55, 1, None),
    ("fidelity/q2-protocol36.pcap.gz", "q2-protocol36-1-lab1.dm2",
     "fidelity/q2-protocol36-lab1.dm2.gz", False, 431, 0, None),
    ("fidelity/q2-protocol36.pcap.gz", "q2-protocol36-2-lab2.dm2",
     "fidelity/q2-protocol36-lab2.dm2.gz", False, 55, 1, None),
    ("q2-rates.pcap", "q2-rates-1-lab1.dm2", "q2-rates.dm2", False, 24, 0, None),
    ("q2-limits1.pcap", "q2-limits1-1-lab1.dm2", "q2-limits1.dm2", False, 12, 0, None),
]


def rebuild(tool, capture, folder):
    subprocess.run([tool, "--quiet", "--output", folder, capture], check=False,
                   stderr=subprocess.DEVNULL)


def check(tools, captures, folder, pair):
    capture, demo, recording, modelled_only, frames, missing, blocks = pair
    if not (folder / demo).exists():
        rebuild(tools[0], captures / capture, folder)
    inflated = folder / "recording.dm2"
    inflated.write_bytes(recordings.read(captures / recording))
    found = compare(tools[1], folder / demo, inflated, modelled_only)
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
    if shared.is_dir():
        results += check_all(tools, shared, PAIRS)
    else:
        print(f"skipped: the pairs of {shared}, which is not there")
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
