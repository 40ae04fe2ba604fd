# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that have so many of one thing, in one datagram or in all: frames by their number."""

import itertools
import struct

import floods
import shapes
import streams as conversations
from capture import Frame

QUAKE = 26000
LINK_TYPE, MINUTE = shapes.LINK_TYPE, 60 * shapes.SECOND
DATA, EOM, UNRELIABLE, CONTROL = 0x10000, 0x80000, 0x100000, 0x80000000
MORE_FRAGMENTS = 0x2000


# --- Sessions of Quake; of the others in shapes.py

def control(content):
    return struct.pack(">I", CONTROL | len(content) + 4) + content


def data(flags, sequence, content=b""):
    return struct.pack(">II", flags | len(content) + 8, sequence) + content


def quake(*contents):
    """Each content is a datagram of the server, behind a sign-on."""
    session = shapes.Session(QUAKE)
    session.up(control(b"\x01QUAKE\0\x03"))
    session.down(control(b"\x81" + struct.pack("<I", QUAKE)))
    session.down(data(DATA | EOM, 0, b"\x0b" + struct.pack("<IBB", 15, 8, 1) +
                      b"level\0maps/a.bsp\0\0\0\x19\x01"))
    for sequence, content in enumerate(contents):
        session.up(data(UNRELIABLE, sequence, b"\x01"))
        session.down(data(UNRELIABLE, sequence, content))
    return session.frames


# --- In one datagram

def quakeworld(content):
    return shapes.quakeworld([content])


def quake2(content, protocol=34):
    return shapes.quake2([content], protocol=protocol)


def number_texts(count):
    return (b"%d" % number for number in range(count))


def in_a_text(make):
    """Of each game: the same text printed, and as commands."""
    return {
        "QuakeWorld, printed": lambda count: quakeworld(b"\x08\2" + make(count) + b"\0"),
        "QuakeWorld, commands": lambda count: quakeworld(b"\x09" + make(count) + b"\n\0"),
        "Quake II, printed": lambda count: quake2(b"\x0a\2" + make(count) + b"\0"),
        "Quake II, commands": lambda count: quake2(b"\x0b" + make(count) + b"\n\0"),
        "Quake, printed": lambda count: quake(b"\x08" + make(count) + b"\0"),
        "Quake, commands": lambda count: quake(b"\x09" + make(count) + b"\n\0"),
    }


MESSAGES = {
    "messages: QuakeWorld": lambda count: quakeworld(b"\x08\2a\0" * count),
    "messages: Quake II": lambda count: quake2(b"\x0a\2a\0" * count),
    "messages: Quake": lambda count: quake(b"\x08a\0" * count),
}


def names(count):
    return b"".join(b"\x28%c\1\0\0\0\\name\\somebody%d\0" % (number % 32, number)
                    for number in range(count)) + b"\x08\2" + b"somebody%d " % (count // 2) + b"\0"


def player_skins(count):
    return b"".join(b"\x0d" + struct.pack("<H", 1312 + number % 256) + b"somebody%d\\male/grunt\0" % number
                    for number in range(count))


def names_of_quake(count):
    return b"".join(b"\x0d%csomebody%d\0" % (number % 8, number) for number in range(count))


def ip_fragments(count, size=8):
    """A datagram of so many fragments of a few bytes."""
    whole = quakeworld(b"\x08\2" + b"a b " * (count * size // 4) + b"\0")
    long = max(whole, key=lambda each: len(each.data))
    head, content = long.data[:34], long.data[34:]
    content += bytes(-len(content) % size)
    parts = []
    for at in range(0, len(content), size):
        more = MORE_FRAGMENTS if at + size < len(content) else 0
        part = bytearray(head + content[at:at + size])
        part[16:18] = struct.pack(">H", 20 + size)
        part[18:22] = struct.pack(">HH", 77, more | at // 8)
        parts.append(long._replace(data=bytes(part), size=len(part)))
    at = whole.index(long)
    return whole[:at] + parts + whole[at + 1:]


def reliable_parts(count):
    """A message of Quake in so many parts."""
    frames = quake(b"\x07\0\0\0\0")
    session = shapes.Session(QUAKE, start=frames[-1].time + shapes.SECOND)
    session.down(data(DATA, 1, b"\x08"))
    for number in range(2, count):
        session.down(data(DATA, number, b"texts of it "))
    session.down(data(DATA | EOM, count, b"\0"))
    return frames + session.frames


def entities(count):
    content = b"".join(struct.pack("<HB", 0x8000 | number % 500, 0) for number in range(count))
    return quakeworld(b"\x2f" + content + b"\0\0")


# Twice 2,000 of each fit into a datagram.
IN_ONE = {
    **{f"commands: {name}": make for name, make in in_a_text(lambda count: b"bf\n" * count).items()},
    **{f"unknown commands: {name}": make
       for name, make in in_a_text(lambda count: b"set a b;" * count).items()},
    **{f"words: {name}": make for name, make in in_a_text(lambda count: b"name " * count).items()},
    **{f"length of a word: {name}": make for name, make in in_a_text(lambda count: b"x" * count).items()},
    **MESSAGES,
    "names: QuakeWorld": lambda count: quakeworld(names(count // 2)),
    "names: Quake II": lambda count: quake2(player_skins(count // 2)),
    "names: Quake": lambda count: quake(names_of_quake(count // 2)),
    "keys: QuakeWorld": lambda count: quakeworld(b'\x09fullserverinfo "' + shapes.info(count) + b'"\n\0'),
    "keys, values that are one another's keys": lambda count: quakeworld(
        b"\x28\0\1\0\0\0" + b"".join(b"\\%s\\%s" % (a, b) for a, b in itertools.pairwise(number_texts(count // 2))) + b"\0"),
    "entities: QuakeWorld": entities,
    "IP fragments": ip_fragments,
    "parts of a reliable message: Quake": reliable_parts,
}


# --- In all of the capture

def one_after_another(make, count, gap=MINUTE):
    """So many sessions of one client."""
    once = make()
    length = once[-1].time - once[0].time + gap
    return [own._replace(time=own.time + number * length) for number in range(count) for own in once]


def of_many_clients(make, count):
    clock = iter(range(shapes.SECOND * 10**9, shapes.SECOND * 10**11, 10**6))
    out = []
    for number in range(count):
        for own in make():
            source, destination = bytearray(own.data), floods.client(number)
            up = own.data[30:34] == floods.SERVER
            at, port = (26, 34) if up else (30, 36)
            source[at:at + 4] = destination[0]
            source[port:port + 2] = struct.pack(">H", destination[1])
            out.append(own._replace(time=next(clock), data=bytes(source)))
    return out


def levels_of_quakeworld(count):
    level = b"\x0b" + struct.pack("<II", 28, 1) + b"qw\0\0level %d\0" + bytes(40)
    return shapes.quakeworld([level % number + b"\x2d\0maps/a.bsp\0\0\0" for number in range(count)], most=1)


def levels_of_quake(count):
    return quake(*[b"\x0b" + struct.pack("<IBB", 15, 8, 1) + b"level %d\0maps/a%d.bsp\0\0\0\x19\x01" %
                   (number, number) for number in range(count)])


def levels_of_quake2(count):
    return shapes.quake2([struct.pack("<BiiB", 12, 34, number, 0) + b"\0" + struct.pack("<H", 0) +
                          b"level %d\0" % number for number in range(count)], most=1)


def unanswered(count):
    return list(floods.spoofed(count, shapes.QUAKEWORLD, [floods.GETCHALLENGE]))


def streams(count):
    """Whole connections of QTV, one after another."""
    clock = iter(range(10**18, 10**19, 10**6))
    return [Frame(next(clock), data, len(data)) for number in range(count)
            for data in conversations.stream(port=10000 + number, demo=conversations.BLOCKS[1]).frames]


def texts(count):
    return shapes.quakeworld([b"\x08\2text %d of it\0" % number for number in range(count)], most=1)


IN_ALL = {
    "sessions, one after another": lambda count: one_after_another(lambda: quakeworld(b"\x08\2a\0"), count),
    "sessions at once": lambda count: of_many_clients(lambda: quake2(b"\x0a\2a\0"), count),
    "levels: QuakeWorld": levels_of_quakeworld,
    "levels: Quake II": levels_of_quake2,
    "levels: Quake": levels_of_quake,
    "addresses that ask": unanswered,
    "streams": streams,
    "packets": texts,
}
