# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of made-up clients: whole sessions, requests, and sessions that begin before the capture."""

import struct

import capture
from tool import ToolTest

LINK_TYPE, SECOND = 1, 10**9
QUAKEWORLD, QUAKE2, QUAKE = 27500, 27910, 26000
SERVER = bytes((192, 0, 2, 1))
OOB = b"\xff\xff\xff\xff"
GETCHALLENGE, CHALLENGE = OOB + b"getchallenge\n", OOB + b"c1234567\0"
BYTES_A_PACKET = 1300

# A first packet as clients send it, by the port; the last is Acknex's.
FIRST = {QUAKEWORLD: struct.pack("<IIH", 0x80000000, 0, 0x1234) + b"\x04new\0",
         QUAKE2: struct.pack("<IIH", 0x80000001, 0, 0x1234) + b"\x04new\0",
         QUAKE: struct.pack(">II", 0x00100009, 0) + b"\x01",
         2300: bytes(range(1, 9))}


class TrafficTest(ToolTest):
    def capture(self, name, frames):
        path = self.folder / name
        capture.write(path, LINK_TYPE, frames)
        return path


def client(number):
    """Address and port of a client that does not exist."""
    return (10 << 24 | number).to_bytes(4, "big"), 1024 + number % 60000


def frame(source, destination, payload, time):
    size = 28 + len(payload)
    data = (bytes(12) + b"\x08\x00" +
            struct.pack(">BBHHHBBH", 0x45, 0, size, 0, 0, 64, 17, 0) + source[0] + destination[0] +
            struct.pack(">HHHH", source[1], destination[1], size - 20, 0) + payload)
    return capture.Frame(time, data, len(data))


def spoofed(count, port, payloads, start=10**18, gap=10**5):
    """Frames of `count` clients, each with these payloads."""
    for number in range(count):
        for place, payload in enumerate(payloads):
            yield frame(client(number), (SERVER, port), payload, start + number * gap + place)


def with_flood(frames, server, each_second, answer=None, payload=GETCHALLENGE):
    """The frames, and between them requests from ever new clients, which may be answered."""
    number, next_time, out = 0, frames[0].time, []
    for own in frames:
        while next_time <= own.time:
            source = client(number)
            out.append(frame(source, server, payload, next_time))
            if answer:
                out.append(frame(server, source, answer, next_time + 1000))
            number += 1
            next_time += SECOND // each_second
        out.append(own)
    return out


# --- Sessions


class Session:
    """A client and a server that answer each other, packet by packet."""

    def __init__(self, port, number=1, clock=None, sequence=0):
        self.client, self.server = client(number), (SERVER, port)
        self.clock = clock or iter(range(SECOND * 10**9, SECOND * 2 * 10**9, SECOND // 50))
        self.number, self.sequence, self.frames = number, sequence, []

    def up(self, payload):
        self.frames.append(frame(self.client, self.server, payload, next(self.clock)))

    def down(self, payload):
        self.frames.append(frame(self.server, self.client, payload, next(self.clock)))

    def exchange(self, content=b"", reply=b"", header="<IIH"):
        """A packet of the client, and the server's answer."""
        self.sequence += 1
        self.up(struct.pack(header, *(self.sequence, self.sequence - 1, self.number & 0xFF)[:len(header) - 1]) + content)
        self.down(struct.pack("<II", self.sequence, self.sequence) + reply)


def packed(messages, most=BYTES_A_PACKET):
    """The messages joined, as many as fit into a packet; one that is too long has its own."""
    content = b""
    for message in messages:
        if content and len(content) + len(message) > most:
            yield content
            content = b""
        content += message
    yield content


def quakeworld(server=(), client=(), most=BYTES_A_PACKET, fte=0, **options):
    """Frames of a session with these messages, behind a sign-on."""
    session = Session(QUAKEWORLD, **options)
    session.up(GETCHALLENGE)
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


def quake2(server=(), client=(), protocol=34, flags=0, most=BYTES_A_PACKET, **options):
    session = Session(QUAKE2, **options)
    session.up(GETCHALLENGE)
    session.down(OOB + b"challenge 77 p=34,35,36")
    behind = b" 1390 0 1 1026" if protocol == 36 else b""
    session.up(OOB + b'connect %d %d 77 "\\name\\player"%s\n' % (protocol, session.number & 0xFF, behind))
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


# --- Quake II's frames

CS_MODELS, ENTITIES, BLOCK = 32, 1000, 200


def configstring(index, text):
    return b"\x0d" + struct.pack("<H", index) + text + b"\0"


def frame_of_entities(number, delta, entities=()):
    """An svc_frame in which these entities get another frame."""
    return (struct.pack("<BiiBB", 20, number, delta, 0, 0) + struct.pack("<BHI", 17, 0, 0) + b"\x12" +
            b"".join(struct.pack("<BBHB", 0x90, 1, entity, number & 0xFF) for entity in entities) + bytes(2))


def late(count, packets, donors=8):
    """So many sessions without a beginning, of so many packets, among some donors."""
    clock = iter(range(10**18, 10**19, 10**5))
    frames = [frame_of_entities(number, number - 1 or -1, range(first, first + BLOCK))
              for number, first in enumerate(range(1, ENTITIES, BLOCK), 1)]
    out = [own for number in range(donors) for own in quake2(
        [configstring(CS_MODELS + 1, b"maps/a.bsp"), *frames], most=1, number=100000 + number, clock=clock)]
    sessions = [Session(QUAKE2, number, clock, 5000 + 7 * number) for number in range(count)]
    for number in range(500, 500 + packets // 2):
        for session in sessions:
            session.exchange(b"", frame_of_entities(number, number - 1, (5 + number % 100,)))
    return sorted(sum((session.frames for session in sessions), out), key=lambda own: own.time)
