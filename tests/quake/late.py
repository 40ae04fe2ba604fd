# SPDX-License-Identifier: GPL-2.0-or-later
"""
A capture that begins in mid-game, of DarkPlaces, with the sign-on of a donor: the states of entities that a player
shows are compared with those of the client.

    late.py PCAP2DEMO

DarkPlaces' updates are changes to what the client has, so the donor also provides the entities in view.
"""

import sys
import tempfile

import recordings
import states
from tool import Capture

# Number of packets that are cut off; number of the level in the recording; least share of states that are
# right; largest number of states that were not there.
CUTS = [(50, 1, 0.99, 0), (600, 1, 0.99, 0), (900, 1, 0.55, 0), (2400, 2, 0.55, 0), (3200, 3, 0.5, 0)]

FULL = 1  # of the bits: nothing of the entity's old state stays


class Player(states.Player):
    STATE = states.Player.STATE + ("flags", "alpha", "scale")

    def receive(self, name, value):
        if name == "nq.svc_serverinfo":
            self.begin_level()
        elif name == "nq.entities.frame":
            self.frame = states.number_of(value)
        elif name == "nq.entities.end":
            self.end_frame()
        elif name == "nq.entity.number":
            self.number = states.number_of(value)
        elif name == "nq.entity.remove" and value.endswith("true"):
            self.states.pop(self.number, None)
        elif name == "nq.entity.e5bits":
            if states.number_of(value) & FULL or self.number not in self.states:
                self.states[self.number] = {}
        elif name.startswith("nq.entity."):
            self.set(name.split(".")[2:], value)


def main():
    tool, recording = sys.argv[1], recordings.OWN / "nq-dp7.dem.gz"
    whole = Capture.read(recordings.OWN / "nq-dp7.pcap.gz")
    truth = Player(tool, recording)
    failures = 0
    for cut, level, least, most in CUTS:
        with tempfile.TemporaryDirectory() as folder:
            demo = states.late_demo(tool, Capture(whole.link_type, whole.frames[cut:]), recording, folder)
            right, total, phantoms = (states.compare(Player(tool, demo).frames, truth.frames, level)
                                      if demo else (0, 0, 0))
        good = total and right >= least * total and phantoms <= most
        failures += not good
        print(f"{'ok  ' if good else 'FAIL'} from packet {cut + 1}: {right} of {total} states, {phantoms} that "
              "were not there")
    return failures != 0
