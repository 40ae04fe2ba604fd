# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares rebuilt demos with what the real client recorded of the same session, block by block: the
project's own pairs of capture and recording, and those of SHARED where that is there.

    fidelity.py PCAP2DEMO SHARED

A recording from the connection on must be equal: the header, each message byte for byte, in the same
order and number; and all but a stated number of view angles within half a step of a move's angles.
Those few are frames in which the client read a packet that the capture has on the other side of its move.

A recording begun in mid-game starts with blocks that the recorder made up (common/quake/PROTOCOL.md,
section 4); all others must be a run of the rebuilt demo. FTE also writes empty blocks.
"""

import pathlib
import subprocess
import sys
import tempfile

import dem
import recordings

BYTE_ANGLES = 360 / 256 / 2 + 0.001
SHORT_ANGLES = 360 / 65536 / 2 + 0.003  # recorders cut to the same 16 bits, but not all round

# recording, capture, session, tolerance of angles, blocks, blocks whose angles differ
WHOLE = [
    ("d1-darkplaces-server/d1-dpserver-qsclient-quake15.dem",
     "d1-darkplaces-server/d1-dpserver-qsclient-quake15.pcap", 1, BYTE_ANGLES, 3293, 1),
    ("e-lossy/e-lossy15.dem", "e-lossy/e-lossy15-client-side.pcap", 1, BYTE_ANGLES, 922, 1),
    ("f-control/f-control.dem", "f-control/f-control.pcap", 1, BYTE_ANGLES, 2140, 0),
    ("g-two-clients/g-two15-c1.dem", "g-two-clients/g-two15.pcap", 1, BYTE_ANGLES, 913, 0),
    ("g1-wedged-client/g-two15-c1.dem", "g1-wedged-client/g-two15.pcap", 1, BYTE_ANGLES, 1114, 0),
]

# The project's own, in tests/captures/fidelity.
OWN_WHOLE = [
    ("nq-protocol15.dem.gz", "nq-protocol15.pcap.gz", 1, BYTE_ANGLES, 1908, 13),
    ("nq-protocol666.dem.gz", "nq-protocol666.pcap.gz", 1, SHORT_ANGLES, 1408, 2),
    ("nq-dp7.dem.gz", "nq-dp7.pcap.gz", 1, SHORT_ANGLES, 3709, 2),
    ("nq-ipv6.dem.gz", "nq-ipv6.pcap.gz", 1, BYTE_ANGLES, 1494, 0),
    ("nq-fte-qss.dem.gz", "nq-fte-qss.pcap.gz", 1, SHORT_ANGLES, 1629, 0),
]

# recording, capture, session, blocks, of them made up
LATE = [
    ("g-two-clients/g-two15-c2-midgame.dem", "g-two-clients/g-two15.pcap", 2, 744, 3),
    ("fte-d-nqclient/d-fte-nqclient.dem.gz", "fte-d-nqclient/d-fte-nqclient.pcap", 1, 1623, 3),
]

OWN_LATE = [
    ("nq-fte.dem.gz", "nq-fte.pcap.gz", 1, 1536, 3),
]


def rebuild(tool, capture, session):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tool, "-q", "--session", str(session), "-o", folder, capture],
                       stdin=subprocess.DEVNULL)
        demo, = pathlib.Path(folder).glob("*.dem")
        return dem.read(demo)


def check_whole(tool, folder, row):
    recording, capture, session, tolerance, count, differing = row
    header, rebuilt = rebuild(tool, folder / capture, session)
    recorded_header, recorded = dem.read(folder / recording)
    pairs = list(zip(rebuilt, recorded))
    counts = len(rebuilt), len(recorded), sum(a.messages == b.messages for a, b in pairs)
    views = sum(a.looks_as(b, tolerance) for a, b in pairs)
    good = header == recorded_header and counts == (count, count, count) and count - views <= differing
    print(f"{'ok  ' if good else 'FAIL'} {recording}: blocks (rebuilt, recorded, equal) {counts}; {views} views equal")
    return good


def longest_run(part, whole):
    """How many of `part` stand in `whole` one behind the other, where most do."""
    starts = [index for index, message in enumerate(whole) if message == part[0]]
    return max((sum(a == b for a, b in zip(part, whole[start:])) for start in starts), default=0)


def check_late(tool, folder, row):
    recording, capture, session, count, made_up = row
    _, rebuilt = rebuild(tool, folder / capture, session)
    _, recorded = dem.read(folder / recording)
    part = [block.messages for block in recorded[made_up:] if block.messages]
    if part and part[-1] == b"\x02":
        part.pop()  # the recorder's own end
    run = longest_run(part, [block.messages for block in rebuilt])
    good = len(recorded) == count and run == len(part) > 0
    print(f"{'ok  ' if good else 'FAIL'} {recording}: {len(recorded)} blocks recorded, {made_up} "
          f"made up, {len(part)} from the wire, {run} of these in a run")
    return good


def main():
    tool, shared = sys.argv[1], pathlib.Path(sys.argv[2]) / "captures" / "netquake"
    tables = [(recordings.OWN, OWN_WHOLE, OWN_LATE)] + [(shared, WHOLE, LATE)] * recordings.is_there(shared)
    return [check(tool, folder, row) for folder, whole, late in tables
            for check, rows in ((check_whole, whole), (check_late, late)) for row in rows]
