# SPDX-License-Identifier: GPL-2.0-or-later
"""
How much of a demo is right: what a player would show in each frame, compared with another demo of the
same session, which is the truth. Of each format, TRUTHS has a function

    compare(tools, demo, truth) -> Share

with the paths of two files. `wrong` counts what must never be: frames that show something else than was
sent, and what a player stops at or drops. `right` of `all` frames of the truth are as they should be; the
others are not there.
"""

import collections
import json
import pathlib
import struct
import subprocess
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("quake", "quake2")]

import dem  # noqa: E402
from comparison import compare as compare_dm2  # noqa: E402

Tools = collections.namedtuple("Tools", "pcap2demo compare_dm2")
Share = collections.namedtuple("Share", "right all wrong")

DISCONNECT = b"\x02"
LAST_FRAMES = 6

FRAMES_KEPT = 64  # that a QuakeWorld client keeps for deltas (UPDATE_BACKUP)


# --- QuakeWorld: entities are deltas from earlier frames, which the player must have accepted.


def packets(tool, path):
    run = subprocess.run([tool, "--dump=json", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False)
    return (json.loads(line) for line in run.stdout.splitlines())


def leaves(fields):
    for field in fields:
        yield from leaves(field["fields"]) if "fields" in field else (field,)


def values(group, prefix):
    """What a group says of an entity, by the names that updates and baselines share."""
    return {leaf["name"][len(prefix):]: leaf["value"] for leaf in leaves(group["fields"])
            if leaf["name"].startswith(prefix) and not leaf.get("generated")
            and not leaf["name"].startswith((prefix + "word", prefix + "bits", prefix + "entity"))}


def value_of(fields, name):
    return next((leaf["value"] for leaf in leaves(fields) if leaf["name"] == name), None)


class Player:
    """
    Plays a QWD demo as ezQuake does: counts the client's packets by their blocks, and takes an update only
    from the frame that the client asked for in its packet of the same number.
    """

    def __init__(self):
        self.frames = {}  # (level, sequence number): {entity: its values}
        self.dropped = 0
        self.level = self.out = self.valid = 0
        self.asked = [0] * FRAMES_KEPT
        self.begin_level()

    def begin_level(self):
        self.level += 1
        self.baselines, self.kept = {}, {}
        self.valid = 0

    def client_block(self):
        self.asked[self.out % FRAMES_KEPT] = self.valid
        self.out += 1

    def accepts(self, sequence, base):
        asked = self.asked[sequence % FRAMES_KEPT]
        return (asked and base % FRAMES_KEPT == asked % FRAMES_KEPT and asked in self.kept
                and self.out - asked < FRAMES_KEPT - 1 and self.out - sequence < FRAMES_KEPT - 1)

    def update(self, sequence, group, base):
        if base is not None and not self.accepts(sequence, base):
            self.dropped += 1
            self.valid = 0
            return
        state = {}
        if base is not None:
            state = dict(self.kept[self.asked[sequence % FRAMES_KEPT]])
        for entity in group["fields"]:
            if entity["name"] == "qw.entity":
                self.change(state, entity)
        self.kept[sequence] = self.frames[self.level, sequence] = state
        self.valid = sequence

    def change(self, state, entity):
        number = value_of(entity["fields"], "qw.entity.number")
        if value_of(entity["fields"], "qw.entity.word.remove"):
            state.pop(number, None)
            return
        before = state.get(number, self.baselines.get(number, {}))
        state[number] = {**before, **values(entity, "qw.entity.")}

    def message(self, sequence, group):
        fields = group.get("fields", [])
        if group["name"] == "qw.svc_serverdata":
            self.begin_level()
        elif group["name"] == "qw.svc_spawnbaseline":
            number = value_of(fields, "qw.spawnbaseline.entity")
            self.baselines[number] = values(group, "qw.spawnbaseline.")
        elif group["name"] == "qw.svc_packetentities":
            self.update(sequence, group, None)
        elif group["name"] == "qw.svc_deltapacketentities":
            self.update(sequence, group, value_of(fields, "qw.deltapacketentities.from"))

    def block(self, packet):
        kind = value_of(packet["fields"], "qw.block.type")
        if kind == 0:
            self.client_block()
        elif kind == 2:
            self.out = value_of(packet["fields"], "qw.block.outgoing")
        else:
            sequence = value_of(packet["fields"], "qw.sequence")
            for group in packet["fields"]:
                self.message(sequence, group)


def played(tools, path):
    player = Player()
    for packet in packets(tools.pcap2demo, path):
        player.block(packet)
    return player


def compare_qwd(tools, demo, truth):
    mine, true = played(tools, demo), played(tools, truth)
    # A demo that begins late lacks levels at its beginning.
    behind = true.level - mine.level
    found = {(level + behind, sequence): state for (level, sequence), state in mine.frames.items()}
    same = sum(found.get(key) == state for key, state in true.frames.items())
    there = sum(key in found for key in true.frames)
    return Share(same, len(true.frames), there - same + mine.dropped)


# --- Quake: updates are deltas from the baselines, so that each message says all.


def shown(path):
    """But for svc_disconnect, which all demos end with, and the last frames, which are there or not as the
    client's last move comes before or behind them."""
    blocks = [block.messages for block in dem.read(path)[1] if block.messages != DISCONNECT]
    return collections.Counter(blocks)


def compare_dem(tools, demo, truth):
    del tools
    found, true = shown(demo), shown(truth)
    return Share((found & true).total(), true.total(), max((found - true).total() - LAST_FRAMES, 0))


# --- Quake II: the project's own tool follows frames.


def compare_dm2_files(tools, demo, truth):
    found = compare_dm2(tools.compare_dm2, demo, truth, False)
    if not found:
        return Share(0, 1, 1)
    return Share(found.same, found.frames, found.bad)


TRUTHS = {".qwd": compare_qwd, ".dem": compare_dem, ".dm2": compare_dm2_files}
