# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures with more clients than there are: requests and packets in made-up names."""

import struct
import capture

SERVER = bytes((192, 0, 2, 1))
GETCHALLENGE = b"\xff\xff\xff\xffgetchallenge\n"
CHALLENGE = b"\xff\xff\xff\xffc1234567\0"

# A first packet as clients send it, by the port: QuakeWorld, Quake II, Quake, Acknex.
FIRST = {27500: struct.pack("<IIH", 0x80000000, 0, 0x1234) + b"\x04new\0",
         27910: struct.pack("<IIH", 0x80000001, 0, 0x1234) + b"\x04new\0",
         26000: struct.pack(">II", 0x00100009, 0) + b"\x01",
         2300: bytes(range(1, 9))}


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
    """Frames of `count` clients, each with these payloads: bytes, or a function of its number."""
    for number in range(count):
        for place, payload in enumerate(payloads):
            yield frame(client(number), (SERVER, port), payload, start + number * gap + place)


# --- Sessions of Quake II that begin late, and others that might lend them what they lack

SVC_CONFIGSTRING, SVC_SERVERDATA, SVC_PLAYERINFO, SVC_PACKETENTITIES, SVC_FRAME = 13, 12, 17, 18, 20
CS_MODELS, ENTITIES, BLOCK = 32, 1000, 200
QUAKE2 = 27910


class Quake2:
    """The packets of one client, each after the one before."""

    def __init__(self, number, clock):
        self.client, self.server = client(number), (SERVER, QUAKE2)
        self.number, self.clock = number, clock
        self.sent, self.received = 5000 + 7 * number, 6000 + 3 * number

    def up(self, payload):
        return frame(self.client, self.server, payload, next(self.clock))

    def down(self, payload):
        return frame(self.server, self.client, payload, next(self.clock))

    def handshake(self):
        self.sent = self.received = 0
        yield self.up(b"\xff\xff\xff\xffgetchallenge\n")
        yield self.down(b"\xff\xff\xff\xffchallenge 77")
        yield self.up(b'\xff\xff\xff\xffconnect 34 %d 77 "\\name\\a"\n' % (self.number & 0xFF))
        yield self.down(b"\xff\xff\xff\xffclient_connect")

    def move(self):
        self.sent += 1
        return self.up(struct.pack("<IIH", self.sent, self.received, self.number & 0xFF))

    def messages(self, content, reliable=False):
        self.received += 1
        return self.down(struct.pack("<II", self.received | reliable << 31, self.sent) + content)

    def frame(self, number, delta, entities):
        changed = b"".join(struct.pack("<BBHB", 0x90, 1, entity, number & 0xFF) for entity in entities)
        return self.messages(struct.pack("<BiiBB", SVC_FRAME, number, delta, 0, 0) +
                             struct.pack("<BHI", SVC_PLAYERINFO, 0, 0) +
                             bytes([SVC_PACKETENTITIES]) + changed + bytes(2))

    def sign_on(self):
        yield from self.handshake()
        yield self.messages(struct.pack("<BiiBBHB", SVC_SERVERDATA, 34, 7, 0, 0, 0, 0) +
                            struct.pack("<BH", SVC_CONFIGSTRING, CS_MODELS + 1) + b"maps/a.bsp\0",
                            reliable=True)
        yield self.move()
        for number, first in enumerate(range(1, ENTITIES, BLOCK), 1):
            yield self.frame(number, number - 1 or -1, range(first, first + BLOCK))
            yield self.move()


def late(count, packets, donors=8):
    """So many sessions without a beginning, of so many packets, among some that have one."""
    clock = iter(range(10**18, 10**19, 10**5))
    for number in range(donors):
        yield from Quake2(100000 + number, clock).sign_on()
    sessions = [Quake2(number, clock) for number in range(count)]
    for number in range(500, 500 + packets // 2):
        for session in sessions:
            yield session.frame(number, number - 1, (5 + number % 100,))
            yield session.move()


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
            next_time += capture.NANOSECONDS // each_second
        out.append(own)
    return out
