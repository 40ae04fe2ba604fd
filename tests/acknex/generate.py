#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes Acknex traffic, and says what a decoder has to find in it.

Written from the protocol's document alone (acknex-protocol and the readings of it in
common/acknex/PROTOCOL.md), never from the decoder: where the two disagree, one of them is wrong.

    generate.py DIRECTORY       NAME.json and NAME.pcap for each set of datagrams below
    generate.py --session FILE  one small capture of a session from its first message to its last

A JSON file holds the options to decode with and, for each datagram, its direction, its bytes, and
its messages as fields in wire order with offset, length and value. Problems are told as notes and
as the number of bytes that nothing can decode.
"""
import json
import os
import random
import struct
import sys

CLIENT, SERVER = "c2s", "s2c"
DATAGRAM_MAX = 256  # dplay_packetsize

PACKED, FIXED = 0, 1
BIG_ENDIAN, INTEL = 0, 1

# Where update parameters stand: the rows of the document's table from top to bottom, each with its
# bit and the name that it goes by.
UPDATE1 = [(0, "type"), (1, "scale"), (3, "ambient"), (4, "albedo"), (2, "skin")]
UPDATE2 = [(0, "position"), (1, "pan"), (2, "tilt"), (3, "roll"), (4, "frame"), (5, "flags")]
UPDATE3 = [(0, "lightrange"), (1, "color"), (2, "alpha"), (3, "uv")]
UPDATES = {1: (0x40, UPDATE1), 2: (0x80, UPDATE2), 3: (0xC0, UPDATE3)}

CLIENT_CODES = {0x02, 0x03, 0x04, 0x07, 0x09, 0x0A, 0x0B, 0x0E, 0x0F}
SERVER_CODES = {0x03, 0x04, 0x05, 0x06, 0x07, 0x0A, 0x0B, 0x0E, 0x0F, 0x12} | set(range(0x40, 0x100))

FILES = ["warlock.mdl", "house.wmb", "flare+5.pcx", "tree.tga", "a.mdl"]


class Datagram:
    """Bytes, and beside them what they mean."""

    def __init__(self, direction, pos_resolution=PACKED, byte_order=BIG_ENDIAN):
        self.direction = direction
        self.pos_resolution = pos_resolution
        self.byte_order = byte_order
        self.payload = bytearray()
        self.messages = []
        self.notes = []
        self.undecoded = 0

    # --- The kinds of value, as the document's list of conventions names them.

    def put(self, name, data, value):
        self.tell(name, len(self.payload), len(data), value)
        self.payload += data

    def tell(self, name, offset, length, value):
        self.messages[-1]["fields"].append(
            {"name": "acknex." + name, "offset": offset, "length": length, "value": value})

    def byte(self, name, value):
        self.put(name, struct.pack("<B", value), value)

    def short(self, name, value):
        self.put(name, struct.pack("<h", value), value)

    def long(self, name, value):
        self.put(name, struct.pack("<i", value), value)

    def float(self, name, value):
        data = struct.pack("<f", value)
        self.put(name, data, struct.unpack("<f", data)[0])

    def fixed(self, name, raw):
        self.put(name, struct.pack("<i", raw), raw / 1024)

    def string(self, name, text):
        self.put(name, text.encode("ascii") + b"\0", text)

    def angle(self, name, raw):
        data = struct.pack(">H" if self.byte_order == BIG_ENDIAN else "<H", raw)
        self.put(name, data, raw * 360.0 / 65535.0)

    def position(self, name, raw):
        # 22.10 divided by 8 leaves seven bits behind the point.
        self.put(name, raw.to_bytes(3, "little", signed=True), raw / 128)

    def scale(self, name, raw, of):
        self.put(name, bytes([raw]), raw * of / 255.0)

    def vector(self, name, put, raws):
        for axis, raw in zip("xyz", raws):
            put(name + "." + axis, raw)

    def cposition(self, name, units):
        if self.pos_resolution == FIXED:
            self.vector(name, self.fixed, [round(unit * 1024) for unit in units])
        else:
            self.vector(name, self.position, [round(unit * 128) for unit in units])

    # --- Messages

    def message(self, name, code):
        self.messages.append(
            {"name": "acknex." + name, "offset": len(self.payload), "length": 0, "fields": []})
        self.byte("message", code)

    def end(self):
        """Closes the message: all of its bytes are there."""
        message = self.messages[-1]
        message["length"] = len(self.payload) - message["offset"]
        return self

    def cls_join(self, player):
        self.message("cls_join", 0x02)
        self.string("player", player)
        return self.end()

    def cls_create(self, file, start, action, identifier):
        self.message("cls_create", 0x03)
        self.string("file", file)
        self.vector("start", self.position, start)
        self.short("action", action)
        self.short("identifier", identifier)
        return self.end()

    def cls_remove(self, entity):
        self.message("cls_remove", 0x04)
        self.long("entity", entity)
        return self.end()

    def cls_ping(self):
        self.message("cls_ping", 0x07)
        return self.end()

    def cls_level(self, level):
        self.message("cls_level", 0x09)
        self.string("level", level)
        return self.end()

    def sender(self):
        return "cls" if self.direction == CLIENT else "svc"

    def var(self, index, raws):
        self.message(self.sender() + "_var", 0x0A)
        self.short("var.index", index)
        self.short("var.length", len(raws))
        for raw in raws:
            self.fixed("var.value", raw)
        return self.end()

    def text(self, index, text):
        self.message(self.sender() + "_string", 0x0B)
        self.short("string.index", index)
        self.string("string.text", text)
        return self.end()

    def skill(self, entity, offset, raw):
        self.message(self.sender() + "_skill", 0x0E)
        self.short("entity", entity)
        self.short("skill.offset", offset)
        self.fixed("skill", raw)
        return self.end()

    def skill3(self, entity, offset, raws):
        self.message(self.sender() + "_skill3", 0x0F)
        self.short("entity", entity)
        self.short("skill.offset", offset)
        self.vector("skill3", self.fixed, raws)
        return self.end()

    def svc_create(self, entity, identifier):
        self.message("svc_create", 0x03)
        self.short("entity", entity)
        self.short("identifier", identifier)
        return self.end()

    def svc_remove(self, entity):
        self.message("svc_remove", 0x04)
        self.short("entity", entity)
        return self.end()

    def svc_entsound(self, entity, sound, volume, handle):
        self.message("svc_entsound", 0x05)
        self.short("entity", entity)
        self.short("sound.index", sound)
        self.scale("sound.volume", volume, 2000)
        self.long("sound.handle", handle)
        return self.end()

    def svc_effect(self, action, number, start, velocity):
        self.message("svc_effect", 0x06)
        self.short("action", action)
        self.short("effect.number", number)
        self.vector("start", self.position, start)
        self.vector("effect.velocity", self.fixed, velocity)
        return self.end()

    def svc_info(self, version, time):
        self.message("svc_info", 0x07)
        self.byte("info.version", version)
        self.float("info.time", time)
        return self.end()

    def svc_local(self, entity, function):
        self.message("svc_local", 0x12)
        self.short("entity", entity)
        self.short("function", function)
        return self.end()

    # --- Updates

    def update_head(self, number, bits, entity):
        code, rows = UPDATES[number]
        name = "update%d" % number
        at = len(self.payload)
        self.message("svc_" + name, code | bits)
        self.tell(name, at, 1, bits)
        for bit, parameter in sorted(rows):
            self.tell(name + "." + parameter, at, 1, bool(bits >> bit & 1))
        unknown = self.unknown_bits(number, bits)
        if number == 1:
            self.tell(name + ".unknown", at, 1, unknown >> 5)
        elif number == 3:
            self.tell(name + ".unknown", at, 1, unknown >> 4)
        self.short("entity", entity)

    @staticmethod
    def unknown_bits(number, bits):
        for bit, _ in UPDATES[number][1]:
            bits &= ~(1 << bit)
        return bits

    def update(self, number, bits, entity, parameters):
        """`parameters` has a value for each parameter; those of `bits` are sent."""
        self.update_head(number, bits, entity)
        for bit, parameter in UPDATES[number][1]:
            if bits >> bit & 1:
                getattr(self, "put_" + parameter)(parameters[parameter])
        return self.end()

    def put_type(self, file):
        self.string("type", file)

    def put_scale(self, raws):
        for axis, raw in zip("xyz", raws):
            # Scale times 0.25 as a 22.10 number: eight bits are left behind the point.
            self.put("scale." + axis, struct.pack("<h", raw), raw / 256)

    def put_ambient(self, raw):
        self.scale("ambient", raw, 100)

    def put_albedo(self, raw):
        self.scale("albedo", raw, 255)

    def put_skin(self, skin):
        self.byte("skin", skin)

    def put_position(self, units):
        self.cposition("position", units)

    def put_pan(self, raw):
        self.angle("pan", raw)

    def put_tilt(self, raw):
        self.angle("tilt", raw)

    def put_roll(self, raw):
        self.angle("roll", raw)

    def put_frame(self, frame):
        whole, fraction, following = frame
        self.short("frame", whole)
        self.scale("frame.fraction", fraction, 1)
        self.short("frame.next", following)

    def put_flags(self, bits):
        """`bits` are numbers of flags, 8 to 23."""
        flags = sum(1 << bit for bit in bits)
        at = len(self.payload)
        self.put("flags", struct.pack("<H", flags >> 8), flags)
        for bit in range(8, 24):
            self.tell("flags.bit%d" % bit, at, 2, bit in bits)

    def put_lightrange(self, raw):
        self.scale("lightrange", raw, 2000)

    def put_color(self, color):
        for name, raw in zip(("red", "green", "blue"), color):
            self.scale("color." + name, raw, 255)

    def put_alpha(self, raw):
        self.scale("alpha", raw, 100)

    def put_uv(self, raws):
        for name, raw in zip("uv", raws):
            self.fixed("uv." + name, raw)

    # --- Problems

    def stops(self, note, tail=b""):
        """Nothing behind what was put so far can be decoded."""
        if self.messages:
            self.end()
        self.notes.append("acknex." + note)
        self.undecoded = len(tail)
        self.payload += tail
        return self

    def expectation(self):
        return {"direction": self.direction, "payload": self.payload.hex(),
                "messages": self.messages, "undecoded": self.undecoded, "notes": self.notes}


class Values:
    """Random values that like the ends of their ranges. The same in every run."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def integer(self, low, high):
        return self.random.choice([low, high, 0 if low <= 0 <= high else low,
                                   self.random.randint(low, high), self.random.randint(low, high)])

    def byte(self):
        return self.integer(0, 255)

    def short(self):
        return self.integer(-32768, 32767)

    def long(self):
        return self.integer(-(1 << 31), (1 << 31) - 1)

    def packed(self):
        return self.integer(-(1 << 23), (1 << 23) - 1)

    def angle(self):
        return self.integer(0, 65535)

    def file(self):
        return self.random.choice(FILES)

    def many(self, kind, count):
        return [kind() for _ in range(count)]

    def parameters(self):
        return {
            "type": self.file(),
            "scale": self.many(self.short, 3),
            "ambient": self.byte(), "albedo": self.byte(), "skin": self.byte(),
            # Both resolutions can hold these.
            "position": [raw / 128 for raw in self.many(self.packed, 3)],
            "pan": self.angle(), "tilt": self.angle(), "roll": self.angle(),
            "frame": (self.short(), self.byte(), self.short()),
            "flags": [bit for bit in range(8, 24) if self.random.random() < 0.5],
            "lightrange": self.byte(), "color": self.many(self.byte, 3),
            "alpha": self.byte(), "uv": self.many(self.long, 2),
        }


def known(number, bits):
    return not Datagram.unknown_bits(number, bits)


def client_messages(values):
    """One call for each kind of message from a client."""
    return [
        lambda d: d.cls_join(values.random.choice(["Bob", "", "a player with a long name"])),
        lambda d: d.cls_create(values.file(), values.many(values.packed, 3), values.short(),
                               values.short()),
        lambda d: d.cls_remove(values.long()),
        lambda d: d.cls_ping(),
        lambda d: d.cls_level("level%d.wmb" % values.byte()),
        *messages_of_both(values),
    ]


def messages_of_both(values):
    return [
        lambda d: d.var(values.short(), values.many(values.long, 1)),
        lambda d: d.var(values.short(), values.many(values.long, values.integer(0, 12))),
        lambda d: d.text(values.short(), values.random.choice(["", "Hello, world", "%s%n"])),
        lambda d: d.skill(values.short(), values.short(), values.long()),
        lambda d: d.skill3(values.short(), values.short(), values.many(values.long, 3)),
    ]


def server_messages(values):
    def update(number):
        def put(d):
            bits = values.random.choice([bits for bits in range(64) if known(number, bits)])
            return d.update(number, bits, values.short(), values.parameters())
        return put

    return [
        lambda d: d.svc_create(values.short(), values.short()),
        lambda d: d.svc_remove(values.short()),
        lambda d: d.svc_entsound(values.short(), values.short(), values.byte(), values.long()),
        lambda d: d.svc_effect(values.short(), values.short(), values.many(values.packed, 3),
                               values.many(values.long, 3)),
        lambda d: d.svc_info(values.byte(), values.random.uniform(0, 1e6)),
        lambda d: d.svc_local(values.short(), values.short()),
        update(1), update(2), update(3),
        *messages_of_both(values),
    ]


def every_message(pos_resolution, byte_order, seed):
    """Each message alone, each combination of update parameters, then as many as a datagram holds."""
    values = Values(seed)

    def datagram(direction):
        return Datagram(direction, pos_resolution, byte_order)

    for direction, kinds in ((CLIENT, client_messages(values)), (SERVER, server_messages(values))):
        for put in kinds:
            for _ in range(4):
                yield put(datagram(direction))
    for number in UPDATES:
        for bits in range(64):
            if known(number, bits):
                yield datagram(SERVER).update(number, bits, values.short(), values.parameters())
    for direction, kinds in ((CLIENT, client_messages(values)), (SERVER, server_messages(values))):
        for _ in range(20):
            yield full_datagram(datagram(direction), kinds, values)


def full_datagram(datagram, kinds, values):
    while len(datagram.payload) < DATAGRAM_MAX - 64:
        values.random.choice(kinds)(datagram)
    return datagram


def problems(seed):
    """Datagrams that no decoder can read to the end, and where it has to stop."""
    values = Values(seed)
    tail = bytes(range(9))
    for number in UPDATES:
        for bits in range(64):
            if known(number, bits):
                continue
            # A whole message before it is decoded all the same.
            datagram = Datagram(SERVER).svc_remove(7)
            datagram.update_head(number, bits, values.short())
            yield datagram.stops("unknown_message", tail)
    for direction, codes in ((CLIENT, CLIENT_CODES), (SERVER, SERVER_CODES)):
        for code in sorted(set(range(256)) - codes):
            datagram = Datagram(direction).skill(1, 2, 3)
            datagram.stops("unknown_message")
            datagram.payload.append(code)
            datagram.payload += tail
            datagram.undecoded = len(tail)
            yield datagram
    for direction in (CLIENT, SERVER):
        datagram = Datagram(direction)
        datagram.message(datagram.sender() + "_var", 0x0A)
        datagram.short("var.index", 1)
        datagram.short("var.length", -1)
        yield datagram.stops("malformed", tail)
        datagram = Datagram(direction)
        datagram.message(datagram.sender() + "_string", 0x0B)
        datagram.short("string.index", 1)
        yield datagram.stops("malformed", b"no end")


def session():
    """A game from the first message to the last, both ways."""
    values = Values("session")
    parameters = dict(values.parameters(), type="warlock.mdl", position=[1.0, 2.0, 3.0],
                      pan=0x8000, flags=[8, 18], scale=[256, 256, 512], frame=(3, 128, 4))

    def client():
        return Datagram(CLIENT)

    def server():
        return Datagram(SERVER)

    yield client().cls_join("Bob")
    yield server().svc_info(5, 0.5).var(12, [1024]).text(3, "Welcome")
    yield client().cls_level("house.wmb")
    yield client().cls_create("warlock.mdl", [128, 256, -384], 4, 1)
    yield server().svc_create(7, 1)
    yield server().update(1, 0x1F, 7, parameters).update(2, 0x3F, 7, parameters)
    yield server().update(3, 0x0F, 7, parameters)
    yield server().update(1, 0x01, 8, dict(parameters, type="house door.wmb"))
    yield client().skill(7, 0x1A0, 2048).skill3(7, 0x1A4, [1024, -1024, 512])
    yield client().cls_ping()
    # The document's worked example.
    yield server().update(2, 0x03, 7, parameters)
    for step in range(8):
        moved = dict(parameters, position=[1.0 + step, 2.0, 3.0], pan=0x8000 + 256 * step)
        yield server().update(2, 0x03, 7, moved).update(2, 0x01, 8, moved)
    yield server().svc_entsound(7, 2, 255, 99).svc_effect(6, 40, [128, 0, 0], [1024, 0, -512])
    yield client().var(13, [1, 2, 3]).text(4, "Hello, world")
    yield server().svc_local(7, 21).skill(8, 0x1A0, -1).skill3(8, 0x1A4, [0, 0, 1])
    yield server().svc_info(5, 1.25)
    yield client().cls_remove(7)
    yield server().svc_remove(7)


# --- Capture files


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(direction, payload):
    """Ethernet, IPv4 and UDP; the server is 10.0.0.1:2300."""
    ends = [(bytes([10, 0, 0, 2]), 51000), (bytes([10, 0, 0, 1]), 2300)]
    if direction == SERVER:
        ends.reverse()
    (source, source_port), (destination, destination_port) = ends
    length = 8 + len(payload)
    pseudo = source + destination + struct.pack("!BBH", 0, 17, length)
    udp = struct.pack("!HHH", source_port, destination_port, length)
    udp += struct.pack("!H", checksum(pseudo + udp + b"\0\0" + payload) or 0xFFFF)
    ip = struct.pack("!BBHHHBB", 0x45, 0, 20 + length, 0, 0, 64, 17)
    ip += struct.pack("!H", checksum(ip + b"\0\0" + source + destination)) + source + destination
    macs = b"".join(b"\x02\0\0\0\0" + address[3:] for address in (destination, source))
    return macs + b"\x08\x00" + ip + udp + payload


def write_capture(path, datagrams):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number, datagram in enumerate(datagrams):
            data = frame(datagram.direction, bytes(datagram.payload))
            microseconds = number * 62500
            out.write(struct.pack("<IIII", 1000000000 + microseconds // 1000000,
                                  microseconds % 1000000, len(data), len(data)))
            out.write(data)


def write_set(directory, name, datagrams, pos_resolution=PACKED, byte_order=BIG_ENDIAN):
    datagrams = list(datagrams)
    write_capture(os.path.join(directory, name + ".pcap"), datagrams)
    with open(os.path.join(directory, name + ".json"), "w") as out:
        json.dump({"options": [pos_resolution, byte_order],
                   "packets": [datagram.expectation() for datagram in datagrams]}, out, indent=1)


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--session":
        write_capture(arguments[1], session())
        return 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    directory = arguments[0]
    os.makedirs(directory, exist_ok=True)
    for pos_resolution, pos_name in ((PACKED, "packed"), (FIXED, "fixed")):
        for byte_order, order_name in ((BIG_ENDIAN, "big-endian"), (INTEL, "intel")):
            name = pos_name + "-" + order_name
            write_set(directory, name, every_message(pos_resolution, byte_order, name),
                      pos_resolution, byte_order)
    write_set(directory, "problems", problems("problems"))
    write_set(directory, "session", session())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
