# SPDX-License-Identifier: GPL-2.0-or-later
"""States of entities in a demo that begins in mid-game, compared with those of the whole session."""

import pathlib
import re
import subprocess


def late_demo(tool, capture, donor, folder):
    """The demo of a capture that begins late, with the sign-on of a donor; None: there is none."""
    path = pathlib.Path(folder, "late.pcap")
    path.write_bytes(capture.pcap())
    run = subprocess.run([tool, "--output", f"{folder}/", "--sign-on", donor, path],
                         capture_output=True, text=True)
    late = re.search(r"session (\d+): .*sign-on is from", run.stderr)
    made = late and re.search(rf"^(\S+): session {late[1]},", run.stdout, re.MULTILINE)
    return made and made[1]


def compare(late, whole, level):
    """Of the late demo's first level: (right, all, not there). Both are states by number, by the
    level and the number of the frame; `level` is that of the whole session."""
    right = total = phantoms = 0
    for (at, frame), states in late.items():
        truth = whole.get((level, frame))
        if at != 1 or truth is None:
            continue
        total += len(truth)
        right += sum(states.get(number) == state for number, state in truth.items())
        phantoms += len(set(states) - set(truth))
    return right, total, phantoms


class Player:
    """The entities of a player of a demo: `frames` has their states by number, by the level and the number
    of the frame. Each game has receive(name, value), with a line of the demo's dump."""

    STATE = ("origin", "angles", "model", "frame", "skin", "effects", "colormap")

    def __init__(self, tool, demo):
        self.level, self.frame, self.number, self.states, self.frames = 0, None, None, {}, {}
        run = subprocess.run([tool, "--dump", demo], stdout=subprocess.PIPE, text=True, errors="replace")
        for line in run.stdout.splitlines():
            words = line.split(" ", 3)
            self.receive(words[2], words[3] if len(words) > 3 else "")

    def begin_level(self):
        self.level += 1
        self.states = {}

    def end_frame(self):
        self.frames[self.level, self.frame] = {number: dict(state) for number, state in self.states.items()}

    def set(self, name, value):
        """`name`: the parts of the field's name behind the entity's."""
        if name[0] in self.STATE and name[-1] != "name" and value:
            self.states[self.number][".".join(name)] = value


def number_of(value):
    """Of "= 48 (name)"."""
    return int(value.split()[1], 0)


def messages_of(tool, path, prefix="qw.svc"):
    """The names of the server's messages, by the packet's number."""
    run = subprocess.run([tool, "--dump", path], capture_output=True, text=True, errors="replace")
    found = {}
    for line in run.stdout.splitlines():
        words = line.split(" ", 3)
        if words[2].startswith(prefix):
            found.setdefault(int(words[0]), set()).add(words[2])
    return found
