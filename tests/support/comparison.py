# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares two DM2 demos by what a player makes of them: in each frame its view, the state of each entity
(id's cl_ents.c, CL_ParseFrame and CL_ParsePacketEntities, from the fields of pcap2demo's dump), and all other
messages byte for byte.

Two right demos may differ in their beginning, in the numbers of frames, which Q2PRO counts anew, and in old
origins, which a player uses only of beams and of entities that move in steps.
"""

import collections
import functools
import re
import struct
import subprocess

import recordings

PRECACHE = b"\x0bprecache\n\0"  # ends the preamble
BASELINE, PLAYERINFO, FRAME = 14, 17, 20
BEAM, FRAMELERP = 0x80, 0x40
EXTENDED = 3434
ORIGIN = ("origin.x", "origin.y", "origin.z")
STEPS = ORIGIN + ("velocity.x", "velocity.y", "velocity.z")  # in two bytes, if limits are extended twice

# Of the dump: (block, offset, length, message, problem, group, field, value) of a line.
LINE = re.compile(r"\n(\d+) (\d+)\+(\d+) q2\.(?:(svc_\w+)(?=\n)|(malformed|unknown_message|protocol\.undecoded|limit) |"
                  r"(frame|player|entity)\.((?!\w*bits)[\w.]+(?= =)|bits\.remove|stat\.index) :?= (.*))")

# `block` and `message`: how many of them precede the frame's block.
Frame = collections.namedtuple("Frame", "number view entities block message")

# Of the recording's frames, other messages and blocks: how many the rebuilt demo has (`lacks`: has not), and all.
# `bad`: unreadable messages of the rebuilt demo, and frames without their reference.
Comparison = collections.namedtuple("Comparison", "same frames lacks messages same_blocks blocks bad")


def blocks_of(path):
    """Of a DM2 demo."""
    data, at, found = recordings.read(path), 0, []
    while data[at:at + 4] not in (b"", b"\xff" * 4):
        size, = struct.unpack_from("<I", data, at)
        found.append(data[at + 4:at + 4 + size])
        at += 4 + size
    return found


def flags(state):
    return int(state.get("renderfx", "0").split(" ")[0], 16)


def carried(state):
    """The state one frame later, if nothing is sent."""
    moved = {f"old_{name}": state[name] for name in ORIGIN if name in state} if not flags(state) & BEAM else {}
    if moved.items() <= state.items() and "event" not in state:
        return state
    return {name: value for name, value in state.items() if name != "event"} | moved


class Demo:
    """The first level of a demo behind the preamble: its frames, its other messages, and its blocks."""

    def __init__(self, tool, path):
        blocks, self.data = blocks_of(path), recordings.read(path)
        self.start = next((number for number, block in enumerate(blocks, 1) if block.endswith(PRECACHE)),
                          len(blocks))
        self.has_steps = struct.unpack_from("<i", self.data, 5)[0] > EXTENDED
        self.blocks, self.messages, self.frames, self.bad = blocks[self.start:], [], [], 0
        self.baselines, self.known, self.state, self.newest, self.frame = {}, {}, {}, ({}, {}), None
        self.cache = {}
        self.block, self.before, self.last, self.nth, level = 0, 0, None, 0, 0
        dump = subprocess.run([tool, "--dump", path], stdout=subprocess.PIPE, text=True, errors="replace").stdout
        for block, offset, length, message, problem, group, field, value in LINE.findall("\n" + dump):
            if int(block) != self.block:
                self.block, self.before = int(block), len(self.messages)
            level += message == "svc_serverdata"
            if level > 1:
                del self.blocks[self.block - 1 - self.start:]
                break
            if problem:
                self.bad += 1
                del self.messages[max(self.before, len(self.messages) - 1):]
            self.length = int(length)
            self.nth = self.nth + 1 if field == self.last else 0
            self.last = field
            if message:
                self.begin_message(int(offset), self.length)
            elif group:
                getattr(self, f"receive_{group}")(field, value)
        self.end_frame()

    def begin_message(self, offset, length):
        self.message = self.data[offset]
        if self.message == FRAME or self.message < PLAYERINFO:
            self.end_frame()
        if self.message < PLAYERINFO and self.block > self.start:
            self.messages.append(self.data[offset:offset + length])

    def end_frame(self):
        if self.frame and self.frame.block >= 0:
            self.frames.append(self.frame)
        self.frame = None

    def receive_frame(self, field, value):
        if field == "number":
            self.number = int(value)
        elif field == "delta":
            base = self.known.get(int(value)) if int(value) > 0 else ({}, {})
            self.bad += base is None
            view, entities = base or self.newest
            view = {name: value for name, value in view.items() if name != "areas"}
            entities = {number: carried(state) for number, state in entities.items()}
            self.known[self.number] = self.newest = view, entities
            self.frame = Frame(self.number, view, entities, self.block - 1 - self.start, self.before)
        elif field == "areas":
            self.frame.view["areas"] = value

    def shown(self, state):
        """What players use of an entity's state."""
        if id(state) not in self.cache:
            has_end = flags(state) & (BEAM | FRAMELERP)
            self.cache[id(state)] = frozenset(item for item in state.items() if has_end or item[0][:4] != "old_")
        return self.cache[id(state)]

    def looks(self, modelled_only):
        return [(frozenset(frame.view.items()),
                 frozenset((number, self.shown(state)) for number, state in frame.entities.items()
                           if not modelled_only or "model" in state)) for frame in self.frames]

    def set(self, state, field, value):
        if self.nth:
            field = f"{field} {self.nth}"  # three components have one name
        if "origin." in field or "velocity." in field:
            value = float(value)
        if self.has_steps and self.length == 2 and field in STEPS:
            value += state.get(field, 0)
        if str(value).startswith("0 ") or value in ("0", "0x0", 0):
            state.pop(field, None)
        elif value not in ("true", "false"):
            state[field] = value

    def receive_player(self, field, value):
        if field == "stat.index":
            self.statistic = f"stat {value}"
        elif self.frame:
            self.set(self.frame.view, self.statistic if field == "stat.value" else field, value)

    def receive_entity(self, field, value):
        if field == "bits.remove":
            self.removes = value == "true"
        elif field != "number":
            self.set(self.state, field, value)
        elif value == "0":
            self.state = {}  # the end of the list
        elif self.message == BASELINE:
            self.state = self.baselines[value] = {}
        elif self.frame:
            entities = self.frame.entities
            self.state = entities[value] = dict(entities.get(value) or carried(self.baselines.get(value, {})))
            if self.removes:
                del entities[value]


@functools.lru_cache(maxsize=16)
def demo_of(tool, path):
    """The demo in a file that does not change: several are compared with the same one."""
    return Demo(tool, path)


def align(rebuilt, recording, looks, wanted):
    """(the rebuilt demo's frame with which the recording begins, how many frames are the same): by the first
    number of the recording, or, if it counts anew, from where most are the same."""
    first = recording.frames[0].number
    numbers = [frame.number for frame in rebuilt.frames]
    if first > 1 and first in numbers:
        start = numbers.index(first)
        found = dict(zip(reversed(numbers[start:]), reversed(looks[start:])))
        return start, sum(found.get(frame.number) == one for frame, one in zip(recording.frames, wanted))
    places = collections.defaultdict(list)
    for place, one in enumerate(looks):
        places[one].append(place)
    starts = collections.Counter(place - index for index, one in enumerate(wanted) for place in places[one]
                                 if place >= index)
    return max(starts.items(), key=lambda item: item[1], default=(0, 0))


def count_in_order(wanted, there, at):
    """How many of the wanted stand in the others from `at` on, in their order."""
    count = 0
    for one in wanted:
        try:
            at = there.index(one, at) + 1
            count += 1
        except ValueError:
            pass
    return count


def compare(tool, rebuilt, recording, modelled_only=False):
    """`modelled_only`: without entities that have no model, whose baselines recorders of id's engine and
    yquake2 forget."""
    rebuilt, recording = demo_of(tool, rebuilt), demo_of(tool, recording)
    looks, wanted = rebuilt.looks(modelled_only), recording.looks(modelled_only)
    start, same = align(rebuilt, recording, looks, wanted) if wanted else (0, 0)
    block, message = rebuilt.frames[start][-2:] if looks else (0, 0)
    return Comparison(
        same, len(wanted),
        len(recording.messages) - count_in_order(recording.messages, rebuilt.messages, message),
        len(recording.messages), count_in_order(recording.blocks, rebuilt.blocks, block), len(recording.blocks),
        rebuilt.bad)


def compare_late(tool, late, whole):
    """(frames whose entities are all right, frames, wrong states, states) of the whole demo from the first
    frame of the late one on."""
    late, whole = demo_of(tool, late), demo_of(tool, whole)
    found = {frame.number: frame.entities for frame in reversed(late.frames)}
    right = frames = wrong = states = 0
    for frame in whole.frames:
        if late.frames and frame.number >= late.frames[0].number:
            entities = found.get(frame.number, {})
            same = sum(number in entities and late.shown(entities[number]) == whole.shown(state)
                       for number, state in frame.entities.items())
            most = max(len(entities), len(frame.entities))
            frames, states, wrong = frames + 1, states + len(frame.entities), wrong + most - same
            right += frame.number in found and most == same
    return right, frames, wrong, states
