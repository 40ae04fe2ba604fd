# SPDX-License-Identifier: GPL-2.0-or-later
"""
What captures lack at once: twenty packets in a row, or the end of a packet of a sign-on. A level is played with all of
its sign-on, perhaps that of a demo, or not at all. A demo that lacks a message of Quake, or of which a player of QuakeWorld
would show another frame, is reported, with exit status 1. Under sanitizers the tool only rebuilds those of QuakeWorld.
"""

import collections
import pathlib
import tempfile

import capture
import comparison
import dem
import player
import truth

WINDOW = 20  # packets
KEPT = 200  # bytes of a torn packet
BEHIND = 400  # packets, behind sign-ons
# Behind the first, of a session's end, only the server's svc_disconnect is left; behind the other nothing.
ENDS = {"qw-id.pcap.gz": [138, 140]}

OWN = ["nq-protocol15", "nq-protocol666", "nq-dp7", "q2-protocol34", "q2-protocol35", "q2-protocol36",
       "qw-vanilla", "qw-id", "qw-extended", "qw-fte"]
STORED = ["netquake/d1-darkplaces-server/d1-dpserver-qsclient-quake15", "netquake/d2-darkplaces-dp7/d2-dpserver-dpclient-dp7",
          "quake2/gs-q36m1021/gs-q36m1021", "quake2/x-q36e2/x-q36e2",
          *(f"quakeworld/{name}" for name in (
              "a2-record-after-connect/a2-record-after-connect", "c-download-old/c-download-old", "e-multi/e-multi",
              "fte-a/a-fte-fte", "fte-b-ezquake/b-fte-ezquake", "fte-c-mvdsv/c-mvdsv-fte",
              "fte-e-mvdext/e-mvdsv-ezquake-mvdext", "fte-g-qcext/g-fte-qcext"))]


class Sweep:
    def __init__(self, path):
        self.ends = ENDS.get(path.name, [])
        self.link_type, self.frames = capture.read(path)
        self.truth = self.convert(self.frames)

    def convert(self, frames, *options):
        return truth.convert(frames, *options, read=self.read, link_type=self.link_type)

    def torn(self, *options):
        """Places whose demo has a level with another sign-on than the whole capture has."""
        frames = self.frames[:self.sign_on + BEHIND]
        for place, frame in enumerate(frames[:self.sign_on]):
            if len(frame.data) > KEPT:
                cut = frame._replace(data=frame.data[:KEPT])
                outcome = self.convert(frames[:place] + [cut] + frames[place + 1:], *options)
                if self.is_torn(outcome, options):
                    yield place

    def lost(self):
        """Windows that leave out something without a report. Nothing tells what follows the last packets."""
        for start in [*range(0, len(self.frames) - 2 * WINDOW, self.stride), *self.ends]:
            outcome = self.convert(self.frames[:start] + self.frames[start + WINDOW:])
            if not (outcome.status == 1 and outcome.error) and self.lacks(outcome):
                yield start

    def found(self):
        return {"torn": list(self.torn()), "lost": list(self.lost())}


class Quake(Sweep):
    """Of Quake, and of Quake II, whose frames make up for lost ones: demos are lists of blocks."""
    stride, sign_on = WINDOW if truth.ALL else 13 * WINDOW, 4000 if truth.ALL else 120

    @staticmethod
    def read(demo):
        if demo.suffix == ".dem":
            return [block.messages for block in dem.read(demo)[1]]
        return comparison.blocks_of(demo)

    @staticmethod
    def starts_of(outcome):
        """What comes before the game in each level that is played."""
        starts = []
        for demo in outcome.demos:
            start = None
            for block in demo:
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

    def is_torn(self, outcome, options):
        del options
        whole = self.starts_of(self.truth)
        assert whole
        return outcome.status != 1 or any(start not in whole for start in self.starts_of(outcome))

    def lacks(self, outcome):
        return any(sum((collections.Counter(demo) for demo in self.truth.demos), collections.Counter()) -
                   sum((collections.Counter(demo) for demo in outcome.demos), collections.Counter()))


class Quake2(Quake):
    def lost(self):
        return ()


# Parts of a sign-on by the numbers of their messages: svc_serverdata begins a level.
SERVERDATA, PARTS, GAME = "11", {"46", "45", "22", "66", "20", "29"}, {"47", "48", "86"}


class QuakeWorld(Sweep):
    stride, sign_on = WINDOW if truth.ALL else 9 * WINDOW, 120
    read = staticmethod(pathlib.Path.read_bytes)

    @staticmethod
    def of_demos(outcome, function):
        """What function(path) returns for each demo."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.qwd")
            return [function(path) for demo in outcome.demos if path.write_bytes(demo)]

    @staticmethod
    def levels_of(demo):
        """Of each level that is played: how often it has each part of a sign-on."""
        levels, played = [collections.Counter()], []
        for message in [words[4].split()[0] for words in truth.dump(demo) if words[2] == "qw.svc"]:
            if message == SERVERDATA:
                levels.append(collections.Counter())
            levels[-1][message] += message in PARTS
            if message in GAME and (not played or played[-1] is not levels[-1]):
                played.append(levels[-1])
        return played

    def levels(self, outcome):
        return [] if truth.SANITIZED else sum(self.of_demos(outcome, self.levels_of), [])

    def is_torn(self, outcome, options):
        whole = self.whole = getattr(self, "whole", None) or self.levels(self.truth)
        parts = any(level not in whole and not any(level >= one for one in whole) for level in self.levels(outcome))
        return parts or (len(outcome.demos) < len(self.truth.demos) and (bool(options) or not outcome.error))

    def shown(self, outcome):
        return self.of_demos(outcome, lambda path: player.play(truth.TOOL, path).seen)

    def lacks(self, outcome):
        if truth.SANITIZED:
            return outcome.status not in (0, 1)
        return outcome.status != self.truth.status or self.shown(outcome) != self.shown(self.truth)

    def found(self):
        with tempfile.NamedTemporaryFile(suffix=".qwd") as donor:
            pathlib.Path(donor.name).write_bytes(self.truth.demos[0])
            return {**super().found(), "torn, with a donor": list(self.torn("--sign-on", donor.name))}


def tries(path):
    kind = QuakeWorld if "qw-" in path.name or "quakeworld" in path.parts else \
        Quake if "nq-" in path.name or "netquake" in path.parts else Quake2
    for what, places in kind(path).found().items():
        yield places and f"{what}: {places}"


def main():
    folder = truth.SHARED / "captures"
    paths = [folder / f"{name}.pcap" for name in STORED if truth.ALL and folder.is_dir()]
    return truth.check(tries, [truth.own(name) for name in OWN] + paths)
