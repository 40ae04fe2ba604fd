# SPDX-License-Identifier: GPL-2.0-or-later
"""What a player of a demo with FTE's replacement deltas has of entities, packet by packet."""

import states

RESET = 0x100  # of the bits: nothing of the entity's old state stays
REMOVES, NUMBER = 0x8000, 0x3FFF  # of an update's first word; number 0: all
STATE = ("origin", "angles", "model", "frame", "skin", "effects", "colormap", "solid", "movetype")


class Replaced(states.Hearer):
    """`packets`: states by entity, by level and the packet's number."""

    def __init__(self, tool, demo):
        self.level, self.sequence, self.number, self.updates = 0, 0, None, False
        self.states, self.packets = {}, {}
        self.listen(tool, demo)

    def receive(self, name, value):
        if name == "qw.sequence":
            self.sequence = int(value.split()[1])
        elif name.startswith("qw.svc") and name != "qw.svc":
            self.updates = name == "qw.svcfte_updateentities"
            if name == "qw.svc_serverdata":
                self.level += 1
                self.states = {}
        elif self.updates and name == "qw.entities.end":
            self.packets[self.level, self.sequence] = {number: dict(state)
                                                       for number, state in self.states.items()}
        elif self.updates and name.startswith("qw.delta."):
            self.receive_update(name.split(".")[2:], value)

    def receive_update(self, name, value):
        if name == ["word"]:
            self.receive_word(int(value.split()[1], 16))
        elif name == ["bits"] and (int(value.split()[1], 16) & RESET or self.number not in self.states):
            self.states[self.number] = {}
        elif name[0] in STATE and name[-1] != "name" and value:
            self.states[self.number][".".join(name)] = value

    def receive_word(self, word):
        self.number = word & NUMBER
        if word & REMOVES and self.number:
            self.states.pop(self.number, None)
        elif word & REMOVES:
            self.states = {}
