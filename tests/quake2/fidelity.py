# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares rebuilt demos with what the real client recorded of the same session: the pairs of capture and
recording in CAPTURES, and those of SHARED where that is there.

    fidelity.py PCAP2DEMO CAPTURES SHARED

Every field of the player and of every entity in every frame that the client recorded must be in the rebuilt
demo, and every other message byte for byte, in order (comparison.py). Messages that a rebuilt demo lacks on
purpose are counted: "changing" and "reconnect" at the end of a level, which players may not carry out,
svc_download, at which Q2PRO stops, and temporary entity 31, at which yquake2 stops.

Recorders of vanilla clients copy packets as they are: for these the number of equal blocks is checked too.
The blocks that differ are those of the missing messages, and empty packets, for which no block is written.
"""

import pathlib
import subprocess
import sys
import tempfile

import comparison
import recordings

# capture, session and map, recording beside it, entities with a model only, frames, missing messages, equal blocks
PAIRS = [
    ("a-v34-q2pro-client/a-q2procl", "1-lab1", "a-q2procl", False, 553, 2, None),
    ("a-v34-q2pro-client/a-q2procl", "1-lab2", "a-q2procl-lab2", False, 84, 0, None),
    ("a-v34-yquake2/a", "1-lab1", "a", True, 662, 2, 662),
    ("c-v34-download/c-v34", "1-lab1", "c-v34", True, 156, 31, 125),
    ("d-v34-lossy/d-v34", "1-lab1", "d-v34", True, 626, 2, 626),
    ("e-two-clients/e", "2-lab1", "e-bob34", True, 969, 0, 969),
    ("b35-r1q2/b35-r1q2", "1-lab1", "b35-r1q2", False, 600, 1, None),
    ("b35-r1q2/b35-r1q2", "1-lab2", "b35-r1q2-lab2", False, 87, 0, None),
    ("b36-q2pro/b36-q2pro", "1-lab1", "b36-q2pro", False, 604, 1, None),
    ("b36-q2pro/b36-q2pro", "1-lab2", "b36-q2pro-lab2", False, 87, 0, None),
    ("c-q2pro36-zdownload/c-q2pro36z", "1-lab1", "c-q2pro36z", False, 154, 0, None),
    ("e-two-clients/e", "1-lab1", "e-alice36", False, 968, 0, None),
    ("gs-q36m1021/gs-q36m1021", "1-lab1", "gs-q36m1021", False, 430, 0, None),
    ("gs-q36m1021/gs-q36m1021", "2-lab2", "gs-q36m1021-lab2", False, 55, 0, None),
    ("x-q36e2/x-q36e2", "1-lab1", "x-q36e2", False, 439, 0, None),
    ("x-q36e2/x-q36e2", "2-lab2", "x-q36e2-lab2", False, 30, 0, None),
    ("m-rogue-q34/m-rogue-q34", "1-lab1", "m-rogue-q34", False, 492, 0, None),
    ("s-y34/s-y34", "2-lab1", "s-y34", True, 376, 0, 376),
    ("s-y34/s-y34", "1-lab1", "s-y34-runner", False, 351, 0, None),
]

# The same in the project's own captures.
OWN_PAIRS = [
    ("fidelity/q2-protocol34", "1-lab1", "q2-protocol34-lab1", True, 438, 0, 438),
    ("fidelity/q2-protocol34", "2-lab2", "q2-protocol34-lab2", True, 33, 0, 33),
    ("fidelity/q2-playerupdate", "1-lab1", "q2-playerupdate-lab1", False, 75, 0, None),
    ("fidelity/q2-playerupdate", "2-lab2", "q2-playerupdate-lab2", False, 55, 0, None),
    ("fidelity/q2-protocol35", "1-lab1", "q2-protocol35-lab1", False, 431, 0, None),
    ("fidelity/q2-protocol35", "2-lab2", "q2-protocol35-lab2", False, 55, 1, None),
    ("fidelity/q2-protocol36", "1-lab1", "q2-protocol36-lab1", False, 431, 0, None),
    ("fidelity/q2-protocol36", "2-lab2", "q2-protocol36-lab2", False, 55, 1, None),
    ("fidelity/q2-ipv6", "1-lab1", "q2-ipv6-lab1", False, 40, 1, None),
    ("fidelity/q2-aqtion", "1-lab1", "q2-aqtion-lab1", False, 176, 0, None),
    ("q2-rates", "1-lab1", "q2-rates", False, 24, 0, None),
    ("q2-limits1", "1-lab1", "q2-limits1", False, 12, 0, None),
]


def stored(folder, name):
    """The file, which may be compressed."""
    return next(path for path in (folder / name, folder / f"{name}.gz") if path.exists())


def check(tool, captures, folder, pair):
    name, wanted, recording, modelled_only, frames, missing, blocks = pair
    capture = stored(captures, f"{name}.pcap")
    session, level = wanted.split("-")
    output = folder / f"{capture.name}-{session}"
    if not output.exists():
        output.mkdir()
        subprocess.run([tool, "--quiet", "--output", output, "--session", session, capture],
                       stderr=subprocess.DEVNULL)
    demo, = output.glob(f"*-{level}.dm2")
    found = comparison.compare(tool, demo, stored(capture.parent, f"{recording}.dm2"), modelled_only)
    good = (found.same == found.frames == frames and found.lacks == missing and found.bad == 0 and
            (blocks is None or found.same_blocks == blocks))
    print(f"{'ok  ' if good else 'FAIL'} {recording}: {found}")
    return good


def main():
    tool, captures, shared = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3], "captures", "quake2")
    tables = [(captures, OWN_PAIRS)] + [(shared, PAIRS)] * recordings.is_there(shared)
    with tempfile.TemporaryDirectory() as folder:
        return [check(tool, where, pathlib.Path(folder), pair) for where, pairs in tables for pair in pairs]
