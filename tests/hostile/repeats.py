# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames with any number of one thing, in one datagram or in the whole capture."""

import itertools
import struct

import damages
import streams as conversations
import traffic
from capture import Frame
from traffic import SECOND, quake2, quakeworld

MINUTE = 60 * SECOND
DATA, EOM, UNRELIABLE, CONTROL = 0x10000, 0x80000, 0x100000, 0x80000000
MORE_FRAGMENTS = 0x2000
MODELDBL = 0x1000  # of FTE: model lists with wide numbers
EXTENSIONS = 8  # of Q2PRO: 13,630 config strings


# --- Sessions of Quake; of the others in traffic.py

def data(flags, sequence, content=b""):
    return struct.pack(">II", flags | len(content) + 8, sequence) + content


def quake_session(*contents):
    """Each content is a datagram of the server, behind a sign-on."""
    session = traffic.Session(traffic.QUAKE)
    session.up(struct.pack(">I", CONTROL | 12) + b"\x01QUAKE\0\x03")
    session.down(struct.pack(">I", CONTROL | 9) + b"\x81" + struct.pack("<I", traffic.QUAKE))
    session.down(data(DATA | EOM, 0, b"\x0b" + struct.pack("<IBB", 15, 8, 1) +
                      b"level\0maps/a.bsp\0\0\0\x19\x01"))
    for sequence, content in enumerate(contents):
        session.up(data(UNRELIABLE, sequence, b"\x01"))
        session.down(data(UNRELIABLE, sequence, content))
    return session


def quake(*contents):
    return quake_session(*contents).frames


# --- In one datagram

def in_a_text(name, text):
    """Of each game: so often the same text printed, and as commands."""
    return {
        f"{name}: QuakeWorld, printed": lambda count: quakeworld([b"\x08\2" + text * count + b"\0"]),
        f"{name}: QuakeWorld, commands": lambda count: quakeworld([b"\x09" + text * count + b"\n\0"]),
        f"{name}: Quake II, printed": lambda count: quake2([b"\x0a\2" + text * count + b"\0"]),
        f"{name}: Quake II, commands": lambda count: quake2([b"\x0b" + text * count + b"\n\0"]),
        f"{name}: Quake, printed": lambda count: quake(b"\x08" + text * count + b"\0"),
        f"{name}: Quake, commands": lambda count: quake(b"\x09" + text * count + b"\n\0"),
    }


def keys(count):
    return [b"%x" % number for number in range(count)]


def info(count):
    return b"".join(b"\\%s\\a" % key for key in keys(count))


def names(count):
    return b"".join(b"\x28%c\1\0\0\0\\name\\somebody%d\0" % (number % 32, number)
                    for number in range(count)) + b"\x08\2" + b"somebody%d " % (count // 2) + b"\0"


def player_skins(count):
    return b"".join(traffic.configstring(1312 + number % 256, b"somebody%d\\male/grunt" % number)
                    for number in range(count))


def names_of_quake(count):
    return b"".join(b"\x0d%csomebody%d\0" % (number % 8, number) for number in range(count))


def keys_that_are_values(count):
    pairs = itertools.pairwise(b"%d" % number for number in range(count))
    return b"\x28\0\1\0\0\0" + b"".join(b"\\%s\\%s" % pair for pair in pairs) + b"\0"


def ip_fragments(count, size=8):
    """A datagram of so many fragments of a few bytes."""
    whole = quakeworld([b"\x08\2" + b"a b " * (count * size // 4) + b"\0"])
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
    session = quake_session(b"\x07\0\0\0\0")
    session.down(data(DATA, 1, b"\x08"))
    for number in range(2, count):
        session.down(data(DATA, number, b"texts of it "))
    session.down(data(DATA | EOM, count, b"\0"))
    return session.frames


def entities(count):
    content = b"".join(struct.pack("<HB", 0x8000 | number % 500, 0) for number in range(count))
    return quakeworld([b"\x2f" + content + b"\0\0"])


# Twice 2,000 of each fit into a datagram.
IN_ONE = {
    **in_a_text("commands", b"bf\n"), **in_a_text("unknown commands", b"set a b;"),
    **in_a_text("words", b"name "), **in_a_text("length of a word", b"x"),
    "messages: QuakeWorld": lambda count: quakeworld([b"\x08\2a\0" * count]),
    "messages: Quake II": lambda count: quake2([b"\x0a\2a\0" * count]),
    "messages: Quake": lambda count: quake(b"\x08a\0" * count),
    "names: QuakeWorld": lambda count: quakeworld([names(count // 2)]),
    "names: Quake II": lambda count: quake2([player_skins(count // 2)]),
    "names: Quake": lambda count: quake(names_of_quake(count // 2)),
    "keys: QuakeWorld": lambda count: quakeworld([b'\x09fullserverinfo "' + info(count) + b'"\n\0']),
    "keys, values that are one another's keys": lambda count: quakeworld([keys_that_are_values(count // 2)]),
    "entities: QuakeWorld": entities,
    "IP fragments": ip_fragments,
    "parts of a reliable message: Quake": reliable_parts,
}


# --- In all of the capture

def one_after_another(frames, count):
    """So many sessions of one client."""
    length = frames[-1].time - frames[0].time + MINUTE
    return [own._replace(time=own.time + number * length) for number in range(count) for own in frames]


def levels_of_quakeworld(count):
    level = b"\x0b" + struct.pack("<II", 28, 1) + b"qw\0\0level %d\0" + bytes(40)
    return quakeworld([level % number + b"\x2d\0maps/a.bsp\0\0\0" for number in range(count)], most=1)


def levels_of_quake(count):
    return quake(*[b"\x0b" + struct.pack("<IBB", 15, 8, 1) + b"level %d\0maps/a%d.bsp\0\0\0\x19\x01" %
                   (number, number) for number in range(count)])


def levels_of_quake2(count):
    return quake2([struct.pack("<BiiB", 12, 34, number, 0) + b"\0" + struct.pack("<H", 0) +
                   b"level %d\0" % number for number in range(count)], most=1)


def streams(count):
    """Whole connections of QTV, one after another."""
    clock = iter(range(10**18, 10**19, 10**6))
    return [Frame(next(clock), data, len(data)) for number in range(count)
            for data in conversations.stream(port=10000 + number, demo=conversations.BLOCKS[1]).frames]


def unanswered(count):
    return list(traffic.spoofed(count, traffic.QUAKEWORLD, [traffic.GETCHALLENGE]))


def same_bytes(count):
    """So many requests in a moment, and one when no copy of them is expected any more."""
    requests = unanswered(count)
    return [*requests, requests[-1]._replace(time=requests[-1].time + MINUTE)]


IN_ALL = {
    "sessions, one after another": lambda count: one_after_another(quakeworld([b"\x08\2a\0"]), count),
    "sessions at once": lambda count: list(damages.at_once(quake2([b"\x0a\2a\0"]), count)),
    "levels: QuakeWorld": levels_of_quakeworld,
    "levels: Quake II": levels_of_quake2,
    "levels: Quake": levels_of_quake,
    "addresses that ask": unanswered,
    "streams": streams,
    "packets": lambda count: quakeworld([b"\x08\2text %d of it\0" % number for number in range(count)], most=1),
}


# --- Info strings: so many keys

INFO_STRINGS = {
    "svc_serverinfo": lambda count: quakeworld(b"\x34%s\0a\0" % key for key in keys(count)),
    "svc_setinfo": lambda count: quakeworld(b"\x33\0%s\0a\0" % key for key in keys(count)),
    "svc_updateuserinfo": lambda count: quakeworld([b"\x28\0\1\0\0\0%s\0" % info(min(count, 4000))]),
    "fullserverinfo": lambda count: quakeworld([b'\x09fullserverinfo "%s"\n\0' % info(min(count, 4000))]),
    "clc_userinfo_delta": lambda count: quake2(client=(b"\x0c%s\0a\0" % key for key in keys(count)), protocol=36),
}


# --- Long sessions

def names_in_texts(count):
    """Texts that begin with many names at each byte."""
    players = (b"\x28%c\1\0\0\0\\name\\%s%d\0" % (number % 32, b"_" * (number % 60 + 3), number)
               for number in range(count))
    return quakeworld([*players, *[b"\x08\2" + b"_" * 1200 + b"\0"] * (count // 16)])


def drawn(count):
    """So many frames behind a status bar as long as it may be."""
    bar = [traffic.configstring(5 + place, b"if 1    " * 8) for place in range(24)]
    return quake2([*bar, traffic.configstring(33, b"maps/a.bsp"),
                   *[traffic.frame_of_entities(number + 1, number or -1) for number in range(count)]], most=1)


def translated(count, packets=30):
    """So many sessions, all open. Each has contents of its own, and is seen again from another address of the client."""
    clock = iter(range(SECOND * 10**9, SECOND * 10**10, SECOND // 10**5))
    sessions = []
    for number in range(count):
        frames = quakeworld((b"\x08\2session %d, message %d\0" % (number, place)
                             for place in range(packets)), most=1)
        sessions.append([damages.copy(frame, 2 * number + copy, number)
                         for frame in frames for copy in range(2)])
    begun = 60  # before it is taken for a player
    frames = [frame for session in sessions for frame in session[:begun]]
    frames += [session[place] for place in range(begun, len(sessions[0])) for session in sessions]
    return [frame._replace(time=next(clock)) for frame in frames]


# --- Lists of a session: the number of entries that engines have room for, each of so many bytes

def entry(number, size):
    return b"%06d" % number + b"x" * (size - 6)


LISTS = {
    "svc_configstring": (lambda count, size: quake2(
        (traffic.configstring(number, entry(number, size)) for number in range(count)), protocol=36, flags=EXTENSIONS), 13000),
    "svcfte_modellistshort": (lambda count, size: quakeworld(
        (b"\x3c" + struct.pack("<H", number) + entry(number, size) + b"\0\0\0\0"
         for number in range(count)), fte=MODELDBL), 1000),
}
