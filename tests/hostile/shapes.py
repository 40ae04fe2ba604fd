# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions that repeat one thing, each time with other contents: what grows faster than they do?"""

import struct

import damages
import floods

LINK_TYPE, SECOND = 1, 10**9
QUAKEWORLD, QUAKE2 = 27500, 27910
MODELDBL = 0x1000  # of FTE: model lists with wide numbers
EXTENSIONS = 8  # of Q2PRO: 13,630 config strings
OOB = b"\xff\xff\xff\xff"
BYTES_A_PACKET = 1300


def packed(messages, most=BYTES_A_PACKET):
    """The messages joined, as many as fit into a packet; one that is too long has its own."""
    content = b""
    for message in messages:
        if content and len(content) + len(message) > most:
            yield content
            content = b""
        content += message
    yield content


class Session:
    """A client and a server that answer each other, packet by packet."""

    def __init__(self, port, number=1, start=SECOND * 10**9):
        self.client, self.server = floods.client(number), (floods.SERVER, port)
        self.clock = iter(range(start, start * 2, SECOND // 50))
        self.sequence, self.frames = 0, []

    def up(self, payload):
        self.frames.append(floods.frame(self.client, self.server, payload, next(self.clock)))

    def down(self, payload):
        self.frames.append(floods.frame(self.server, self.client, payload, next(self.clock)))

    def exchange(self, content=b"", reply=b"", header="<IIH"):
        """A packet of the client, and the server's answer."""
        self.sequence += 1
        self.up(struct.pack(header, *(self.sequence, self.sequence - 1, 1)[:len(header) - 1]) +
                content)
        self.down(struct.pack("<II", self.sequence, self.sequence) + reply)


def quakeworld(server=(), client=(), most=BYTES_A_PACKET, fte=0):
    """Frames of a session with these messages, behind a sign-on."""
    session = Session(QUAKEWORLD)
    session.up(OOB + b"getchallenge\n")
    session.down(OOB + b"c1234\0")
    session.up(OOB + b'connect 28 1 1234 "\\name\\player"\n')
    session.down(OOB + b"j")
    session.exchange(b"\x04new\0", b"\x0b" + (b"FTEX" + struct.pack("<I", fte) if fte else b"") +
                     struct.pack("<II", 28, 1) + b"qw\0\0level\0" + bytes(40))
    for content in packed(server, most):
        session.exchange(reply=content)
    for content in packed(client, most):
        session.exchange(content)
    return session.frames


def quake2(server=(), client=(), protocol=34, flags=0, most=BYTES_A_PACKET):
    session = Session(QUAKE2)
    session.up(OOB + b"getchallenge\n")
    session.down(OOB + b"challenge 77 p=34,35,36")
    behind = b" 1390 0 1 1026" if protocol == 36 else b""
    session.up(OOB + b'connect %d 1 77 "\\name\\player"%s\n' % (protocol, behind))
    session.down(OOB + b"client_connect")
    header = "<IIB" if protocol == 36 else "<IIH"
    session.exchange(b"\x04new\0", struct.pack("<BiiB", 12, protocol, 7, 0) + b"\0" +
                     struct.pack("<H", 0) + b"level\0" +
                     (struct.pack("<HBH", 1026, 2, flags) if protocol == 36 else b""), header)
    for content in packed(server, most):
        session.exchange(b"", content, header)
    for content in packed(client, most):
        session.exchange(content, b"", header)
    return session.frames


# --- The status bar: so many frames behind one as long as there may be

def drawn(count):
    bar = [b"\x0d" + struct.pack("<H", 5 + place) + b"if 1    " * 8 + b"\0" for place in range(24)]
    frames = (struct.pack("<BiiBBBHIBH", 20, number + 1, number or -1, 0, 0, 17, 0, 0, 18, 0)
              for number in range(count))
    return quake2([*bar, b"\x0d\x21\0maps/a.bsp\0", *frames], most=1)


# --- Sessions under two addresses: so many, all of them open

def translated(count, packets=30):
    """Each has contents of its own, and is seen again from another address of the client."""
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


# --- Info strings: so many keys

def keys(count):
    return [b"%x" % number for number in range(count)]


def info(count):
    return b"".join(b"\\%s\\a" % key for key in keys(count))


INFO_STRINGS = {
    "svc_serverinfo": lambda count: quakeworld(
        b"\x34%s\0a\0" % key for key in keys(count)),
    "svc_setinfo": lambda count: quakeworld(
        b"\x33\0%s\0a\0" % key for key in keys(count)),
    "svc_updateuserinfo": lambda count: quakeworld(
        (b"\x28\0\1\0\0\0%s\0" % info(min(count, 4000)),)),
    "fullserverinfo": lambda count: quakeworld(
        (b'\x09fullserverinfo "%s"\n\0' % info(min(count, 4000)),)),
    "clc_userinfo_delta": lambda count: quake2(
        client=(b"\x0c%s\0a\0" % key for key in keys(count)), protocol=36),
}


def names_in_texts(count):
    names = (b"\x28%c\1\0\0\0\\name\\%s%d\0" % (number % 32, b"_" * (number % 60 + 3), number)
             for number in range(count))
    return quakeworld([*names, *[b"\x08\2" + b"_" * 1200 + b"\0"] * (count // 16)])


# --- Lists of a session: so many entries, each of so many bytes

def entry(number, size):
    return b"%06d" % number + b"x" * (size - 6)


LISTS = {
    "svc_configstring": (lambda count, size: quake2(
        (b"\x0d" + struct.pack("<H", number) + entry(number, size) + b"\0"
         for number in range(count)), protocol=36, flags=EXTENSIONS), 13000),
    "svcfte_modellistshort": (lambda count, size: quakeworld(
        (b"\x3c" + struct.pack("<H", number) + entry(number, size) + b"\0\0\0\0"
         for number in range(count)), fte=MODELDBL), 1000),
}
