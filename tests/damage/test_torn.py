# SPDX-License-Identifier: GPL-2.0-or-later
"""
What captures of Quake and Quake II lack: the end of a packet of the sign-on, or twenty packets in a row. A level is
played with all of its sign-on or not at all, and messages of Quake that are missing are reported, with exit status 1.

    test_torn.py PCAP2DEMO CAPTURES [SHARED]     all places with QUAKESHARK_WINDOWS=all
"""

import collections
import os
import pathlib

import capture
import comparison
import dem
import truth

WINDOW = 20  # packets
ALL = os.environ.get("QUAKESHARK_WINDOWS") == "all"
STRIDE = WINDOW if ALL else 13 * WINDOW
SIGN_ON = 4000 if ALL else 120  # packets of a capture that may be of a sign-on
KEPT = 200  # bytes of a torn packet

OWN = ["nq-protocol15", "nq-protocol666", "nq-dp7", "q2-protocol34", "q2-protocol35", "q2-protocol36"]
STORED = ["netquake/d1-darkplaces-server/d1-dpserver-qsclient-quake15", "netquake/d2-darkplaces-dp7/d2-dpserver-dpclient-dp7",
          "quake2/gs-q36m1021/gs-q36m1021", "quake2/x-q36e2/x-q36e2"]


def blocks_of(demo):
    if demo.suffix == ".dem":
        return [block.messages for block in dem.read(demo)[1]]
    return comparison.blocks_of(demo)


def starts_of(blocks):
    """What comes before the game in each level that is played."""
    starts, start = [], None
    for block in blocks:
        if b"\x0b" in block[:400] and b"maps/" in block and not block.startswith(b"\x0c"):
            start = [] if start is None or b"\x19" in block else start
        if block.startswith(b"\x0c"):
            start = []
        if start is not None:
            start.append(block)
            if b"\x19\x03" in block or block.endswith(b"precache\n\0"):
                starts.append(start)
                start = None
    return starts


class Sweep:
    def __init__(self, tool, path):
        self.tool = tool
        self.link_type, self.frames = capture.read(path)
        demos, self.status, _ = self.convert(self.frames)
        self.starts = [start for demo in demos for start in starts_of(demo)]
        self.blocks = collections.Counter(block for demo in demos for block in demo)

    def convert(self, frames):
        return truth.convert(self.tool, frames, read=blocks_of, link_type=self.link_type)

    def torn(self):
        for place, frame in enumerate(self.frames[:SIGN_ON]):
            if len(frame.data) <= KEPT:
                continue
            cut = frame._replace(data=frame.data[:KEPT])
            demos, status, error = self.convert(self.frames[:place] + [cut] + self.frames[place + 1:])
            starts = [start for demo in demos for start in starts_of(demo)]
            if status != 1 or ("lent by" not in error and any(start not in self.starts for start in starts)):
                yield place

    def silent(self):
        """Windows of which nobody is told. What follows the last packets nobody knows."""
        for start in range(0, len(self.frames) - 2 * WINDOW, STRIDE):
            demos, status, error = self.convert(self.frames[:start] + self.frames[start + WINDOW:])
            left = self.blocks - collections.Counter(block for demo in demos for block in demo)
            if left and not (status == 1 and error):
                yield start


def check(tool, path):
    sweep = Sweep(tool, path)
    found = {"torn": list(sweep.torn())}
    if path.name.startswith("nq") or "netquake" in str(path):
        found["lost"] = list(sweep.silent())
    wrong = {what: places for what, places in found.items() if places}
    good = sweep.starts and not wrong
    print(f"{'ok  ' if good else 'FAIL'} {path.name}: {len(sweep.frames)} packets, {len(sweep.starts)} levels {wrong or ''}",
          flush=True)
    return good


def paths_of(captures, own, shared, stored):
    folder = pathlib.Path(shared or "", "captures")
    return ([pathlib.Path(captures, "fidelity", f"{name}.pcap.gz") for name in own] +
            [folder / f"{name}.pcap" for name in stored if ALL and folder.is_dir()])


def main(tool, captures, shared=None):
    return [check(tool, path) for path in paths_of(captures, OWN, shared, STORED)]
