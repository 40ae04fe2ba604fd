# SPDX-License-Identifier: GPL-2.0-or-later
"""
Plays the entities in QWD demos: which updates a player drops, and the states that it has after each that it keeps.

The rule is ezQuake's (cl_ents.c, CL_ParsePacketEntities and FlushEntityPacket; cl_demo.c,
CL_DemoReadDemCmd), for replacement deltas fteqw's (cl_ents.c, CLFTE_ParseEntities), written down here a
second time from the fields of pcap2demo's dump, without the rebuilder. common/quakeworld/PROTOCOL.md, section 8,
has it in words.
"""

import subprocess

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
    number, fields = None, []
    with subprocess.Popen([tool, "--dump", demo], stdout=subprocess.PIPE, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            words = line.split(" ", 3)
            if words[0] != number:
                if fields:
                    yield fields
                number, fields = words[0], []
            name = words[2].rstrip("\n")
            if name.startswith(("qw.entity", "qw.spawnbaseline", "qw.block.", "qw.sequence",
                                "qw.svc", "qw.deltapacketentities.", "qw.delta.word")):
                fields.append((name, words[3].rstrip("\n") if len(words) > 3 else ""))
    if fields:
        yield fields


def value_of(text):
    """Of "= 48 (svc_deltapacketentities)": 48."""
    return text.split(" ", 2)[1]


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

    def field(self, name, text):
        if name == "qw.svc":
            self.begin_message(value_of(text))
        elif name == "qw.entity":
            self.deltas.append([None, False, {}])
        elif not text:
            return
        elif name == "qw.deltapacketentities.from":
            self.start = int(value_of(text))
        elif name == "qw.delta.word":
            self.resets |= value_of(text) == "0x8000"
        elif name == "qw.entity.word.remove" and self.deltas:
            self.deltas[-1][1] = value_of(text) == "true"
        elif name == "qw.entity.number" and self.deltas:
            self.deltas[-1][0] = value_of(text)
        elif name.startswith("qw.entity.") and self.deltas and name.split(".")[2] not in NO_STATE:
            self.deltas[-1][2][name[len("qw.entity."):]] = value_of(text)
        elif name.startswith("qw.spawnbaseline."):
            self.baseline[name[len("qw.spawnbaseline."):]] = value_of(text)


def play_packet(player, fields):
    sequence = [int(value_of(text)) for name, text in fields if name == "qw.sequence"]
    if not sequence or not player.takes(sequence[0]):
        return
    messages = Messages(player)
    for name, text in fields:
        messages.field(name, text)
    messages.end_message()


def play(tool, demo):
    player = Player()
    for fields in dumped(tool, demo):
        block = dict(field for field in fields if field[0].startswith("qw.block."))
        kind = value_of(block["qw.block.type"])
        if kind == "0":
            player.command()
        elif kind == "1":
            play_packet(player, fields)
        else:
            player.set(*(int(value_of(block[f"qw.block.{name}"]))
                         for name in ("outgoing", "incoming")))
    return player
