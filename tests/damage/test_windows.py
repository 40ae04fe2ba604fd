# SPDX-License-Identifier: GPL-2.0-or-later
"""
What captures of QuakeWorld lose at once: twenty packets in a row, or the end of a packet of a sign-on.
A demo that differs from that of the whole capture by a frame or an entity is reported, with exit status 1;
a level whose sign-on is torn is left out, or has that of a demo. Under sanitizers the tool only rebuilds.

    test_windows.py PCAP2DEMO CAPTURES [SHARED]     all places with QUAKESHARK_WINDOWS=all
"""

import collections
import os
import pathlib
import subprocess
import tempfile

import capture
import player
import test_torn
import truth
from test_torn import ALL, WINDOW

STRIDE = WINDOW if ALL else 9 * WINDOW
SIGN_ON = 120  # packets of a capture that may be of the first sign-on
KEPT = 200  # bytes of a torn packet
SANITIZED = bool(os.environ["SANITIZED"])
# Behind the first, of a session's end, only the server's svc_disconnect is left; behind the other nothing.
ENDS = {"qw-id.pcap.gz": [138, 140]}

OWN = ["qw-vanilla", "qw-id", "qw-extended", "qw-fte"]
STORED = ["a2-record-after-connect/a2-record-after-connect", "c-download-old/c-download-old",
          "e-multi/e-multi", "fte-a/a-fte-fte", "fte-b-ezquake/b-fte-ezquake", "fte-c-mvdsv/c-mvdsv-fte",
          "fte-e-mvdext/e-mvdsv-ezquake-mvdext", "fte-g-qcext/g-fte-qcext"]

# Parts of a sign-on by the numbers of their messages: svc_serverdata begins a level.
SERVERDATA, PARTS, GAME = "11", {"46", "45", "22", "66", "20", "29"}, {"47", "48", "86"}

Demo = collections.namedtuple("Demo", "data levels")


def levels(outcome):
    return [level for demo in outcome.demos for level in demo.levels]


def levels_of(tool, demo):
    """Of each level that is played: how often it has each part of a sign-on."""
    run = subprocess.run([tool, "--dump", demo], capture_output=True, text=True, errors="replace")
    levels, played = [collections.Counter()], []
    for words in (line.split(" ", 5) for line in run.stdout.splitlines()):
        if words[2] != "qw.svc":
            continue
        if words[4] == SERVERDATA:
            levels.append(collections.Counter())
        levels[-1][words[4]] += words[4] in PARTS
        if words[4] in GAME and (not played or played[-1] is not levels[-1]):
            played.append(levels[-1])
    return played


class Sweep:
    def __init__(self, tool, path, folder):
        self.tool, self.folder = tool, pathlib.Path(folder)
        self.ends = ENDS.get(path.name, [])
        self.link_type, self.frames = capture.read(path)
        self.donor = self.folder / "donor.qwd"
        self.truth = self.convert(self.frames)
        self.seen = [self.frames_of(demo) for demo in self.truth.demos if not SANITIZED]

    def convert(self, frames, *options):
        # Of windows only what is silent is looked at.
        looked_at = len(frames) == len(self.frames) and not SANITIZED
        return truth.convert(self.tool, frames, *options, link_type=self.link_type, read=lambda path: Demo(
            path.read_bytes(), levels_of(self.tool, path) if looked_at else []))

    def frames_of(self, demo):
        path = self.folder / "x.qwd"
        path.write_bytes(demo.data)
        return player.play(self.tool, path).seen

    def is_silent(self, start):
        """Whether a demo lacks something and nobody is told. What follows the last packets nobody knows."""
        outcome = self.convert(self.frames[:start] + self.frames[start + WINDOW:])
        if SANITIZED or outcome.status == 1 and outcome.error:
            return outcome.status not in (0, 1)
        if outcome.status != self.truth.status or len(outcome.demos) != len(self.truth.demos):
            return True
        return [self.frames_of(demo) for demo in outcome.demos] != self.seen

    def windows(self):
        last = len(self.frames) - 2 * WINDOW
        return [start for start in [*range(0, last, STRIDE), *self.ends] if self.is_silent(start)]

    def torn(self, *options):
        """The places whose demo has a level with less of its sign-on than the whole capture has."""
        for place, frame in enumerate(self.frames[:SIGN_ON]):
            if len(frame.data) <= KEPT:
                continue
            cut = frame._replace(data=frame.data[:KEPT])
            outcome = self.convert(self.frames[:place] + [cut] + self.frames[place + 1:], *options)
            parts = [level for level in levels(outcome) if level not in levels(self.truth)
                     and not any(level >= whole for whole in levels(self.truth))]
            fewer = len(outcome.demos) < len(self.truth.demos)
            if parts or (fewer and (options or not outcome.error)):
                yield place


def check(tool, path):
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(tool, path, folder)
        sweep.donor.write_bytes(sweep.truth.demos[0].data)
        found = {"lost": sweep.windows(), "torn": list(sweep.torn()),
                 "torn, with a donor": list(sweep.torn("--sign-on", sweep.donor))}
    wrong = {what: places for what, places in found.items() if places}
    print(f"{'FAIL' if wrong else 'ok  '} {path.name}: {len(sweep.frames)} packets {wrong or ''}", flush=True)
    return not wrong


def main(tool, captures, shared=None):
    return [check(tool, path) for path in test_torn.paths_of(captures, OWN, shared, [f"quakeworld/{name}" for name in STORED])]
