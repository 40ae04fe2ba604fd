# SPDX-License-Identifier: GPL-2.0-or-later
"""
Plays the entities in QWD demos: which updates a player drops, and the states that it has after each that it keeps.

The rule is ezQuake's (cl_ents.c, CL_ParsePacketEntities and FlushEntityPacket; cl_demo.c,
CL_DemoReadDemCmd), for replacement deltas fteqw's (cl_ents.c, CLFTE_ParseEntities), written down here a
second time from the fields of pcap2demo's dump, without the rebuilder. common/quakeworld/PROTOCOL.md, section 8,
has it in words.
"""

import itertools
import operator
import re
import subprocess

# Of the dump, the fields that a player needs: block, name, value or "". (A search for "\n" is much faster than for "^".)
FIELD = re.compile(r"\n(\d+) \S+ qw\.(block\.(?:type|outgoing|incoming)|sequence|svc|delta\.word|deltapacketentities\.from|"
                   r"entity|entity\.[\w.]+|spawnbaseline\.[\w.]+)(?: :?= (\S+).*)?(?=\n)")

FRAMES = 64  # UPDATE_BACKUP
TOO_OLD = FRAMES - 1

UPDATES = {"48", "47"}  # svc_deltapacketentities, svc_packetentities
SERVERDATA, BASELINE, BASELINE2, REPLACEMENT = "11", "22", "66", "86"

# Fields of a delta that are no part of a state.
NO_STATE = ("number", "word", "morebits", "evenmore", "yetmore")


class Player:
    """Plays one demo. `seen` has the states after each update that was kept, by level and sequence."""

    def __init__(self):
        self.outgoing = self.incoming = 0
        self.updates = self.dropped = self.level = 0
        self.seen, self.reasons = {}, []
        self.begin_level()

    def begin_level(self):
        # States by number; a state has the fields that were sent, by name. Frames: (sequence, states) by place.
        self.baselines, self.frames = {}, {}
        self.valid = 0  # the last frame, which the client would ask for; 0: none
        self.asked = [0] * FRAMES  # by outgoing number

    def set(self, outgoing, incoming):
        self.outgoing, self.incoming = outgoing, incoming

    def command(self):
        self.asked[self.outgoing % FRAMES] = self.valid
        self.outgoing += 1

    def takes(self, sequence):
        """The netchan: numbers must grow."""
        if sequence <= self.incoming:
            return False
        self.incoming = sequence
        return True

    def serverdata(self):
        self.level += 1
        self.begin_level()

    def drop(self, why):
        self.dropped += 1
        self.valid = 0
        self.reasons.append((self.incoming, why))

    def why_not(self, start):
        """Why a delta from the frame `start` cannot be used, if so."""
        asked = self.asked[self.incoming % FRAMES]
        if self.outgoing - self.incoming >= TOO_OLD:
            return f"{self.outgoing} packets out"
        if (start - asked) % FRAMES or not asked:
            return f"from {start}, asked for {asked}"
        if self.outgoing - asked >= TOO_OLD:
            return f"from {asked}, {self.outgoing} packets out"
        return None

    def update(self, start, deltas):
        """`start`: the number that a delta counts from, or None."""
        self.updates += 1
        why = start is not None and self.why_not(start)
        if why:
            self.drop(why)
            return
        states = {}
        if start is not None:
            asked = self.asked[self.incoming % FRAMES]
            number, base = self.frames[asked % FRAMES]
            assert number == asked
            states = dict(base)
        for number, removed, fields in deltas:
            if removed:
                states.pop(number, None)
            else:
                states[number] = {**states.get(number, self.baselines.get(number, {})), **fields}
        self.frames[self.incoming % FRAMES] = self.incoming, states
        self.valid = self.incoming
        self.seen[self.level, self.incoming] = states

    def replacement(self, resets):
        """FTE's: from the last one, if that is not too old."""
        self.updates += 1
        old = not self.valid or self.incoming - self.valid >= TOO_OLD
        if old and not resets:
            self.drop(f"a replacement delta from {self.valid}")
        else:
            self.valid = self.incoming


def dumped(tool, demo):
    """The fields of each block that a player needs: lists of (name, value)."""
    dump = subprocess.run([tool, "--dump", demo], stdout=subprocess.PIPE, text=True, errors="replace").stdout
    for _, fields in itertools.groupby(FIELD.findall("\n" + dump), operator.itemgetter(0)):
        yield [field[1:] for field in fields]


class Messages:
    """Gives the messages of a packet to the player."""

    def __init__(self, player):
        self.player = player
        self.message, self.start, self.deltas = None, None, []
        self.baseline, self.resets = None, False

    def end_message(self):
        if self.message in UPDATES:
            self.player.update(self.start, self.deltas)
        elif self.message == REPLACEMENT:
            self.player.replacement(self.resets)
        elif self.message == BASELINE2:
            for number, _, fields in self.deltas:
                self.player.baselines[number] = fields
        elif self.message == BASELINE:
            self.player.baselines[self.baseline.pop("entity")] = self.baseline

    def begin_message(self, svc):
        self.end_message()
        self.message, self.start, self.deltas, self.baseline = svc, None, [], {}
        self.resets = False
        if svc == SERVERDATA:
            self.player.serverdata()

    def field(self, name, value):
        group, _, member = name.partition(".")
        if name == "svc":
            self.begin_message(value)
        elif name == "entity":
            self.deltas.append([None, False, {}])
        elif not value:
            return
        elif name == "deltapacketentities.from":
            self.start = int(value)
        elif name == "delta.word":
            self.resets |= value == "0x8000"
        elif name == "entity.word.remove" and self.deltas:
            self.deltas[-1][1] = value == "true"
        elif name == "entity.number" and self.deltas:
            self.deltas[-1][0] = value
        elif group == "entity" and self.deltas and member.split(".")[0] not in NO_STATE:
            self.deltas[-1][2][member] = value
        elif group == "spawnbaseline":
            self.baseline[member] = value


def play_packet(player, fields):
    messages = Messages(player)
    for name, value in fields:
        messages.field(name, value)
    messages.end_message()


def play(tool, demo):
    player = Player()
    for fields in dumped(tool, demo):
        block = dict(fields)
        if block["block.type"] == "0":
            player.command()
        elif block["block.type"] == "2":
            player.set(int(block["block.outgoing"]), int(block["block.incoming"]))
        elif "sequence" in block and player.takes(int(block["sequence"])):
            play_packet(player, fields)
    return player
