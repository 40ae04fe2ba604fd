# SPDX-License-Identifier: GPL-2.0-or-later
"""QTV and GTV streams in TCP connections, as Ethernet frames."""

import itertools
import random
import struct
import zlib

FIN, SYN, RST, ACK = 1, 2, 4, 16

CLIENT, SERVER = (10, 0, 0, 1), (10, 0, 0, 2)
CLIENT_PORT, PORT = 50000, 28000

REQUEST = b"QTV\nVERSION: 1\nQTV_EZQUAKE_EXT: 7\nUSERINFO: \"\\name\\viewer\"\nRECEIVE\n\n"
REPLY = b"QTVSV 1\nBEGIN\n\n"

# The last block that a server writes.
END_OF_DEMO = struct.pack("<BBI", 0, 6, 11) + b"\x02EndOfDemo\0"


def mvd_block(messages, milliseconds=1):
    """An MVD block for everybody."""
    return struct.pack("<BBI", milliseconds, 6, len(messages)) + messages


def printed(text):
    """An svc_print."""
    return b"\x08\x02" + text.encode() + b"\0"


def stuffed(text):
    """An svc_stufftext."""
    return b"\x09" + text.encode() + b"\0"


def command(text):
    """A viewer's command."""
    return struct.pack("<HB", 3 + len(text) + 1, 1) + text.encode() + b"\0"


def letters(count, seed):
    """Letters that deflate makes four times shorter, as messages of servers."""
    return "".join(random.Random(seed).choices("game", k=count))


TEXTS = [f"{number} " + letters(number * number * 7 % 3000, number) for number in range(60)]
BLOCKS = [mvd_block(printed(text)) for text in TEXTS]
DEMO = b"".join(BLOCKS)


class Conversation:
    """The frames of a connection. Checksums are left to the network card."""

    def __init__(self, port=PORT, sequence=0xFFFFF000):
        """The server's sequence numbers wrap around soon."""
        self.port, self.frames = port, []
        self.next = {CLIENT: sequence // 2, SERVER: sequence}
        self.segment(CLIENT, flags=SYN)
        self.segment(SERVER, flags=SYN | ACK)
        self.segment(CLIENT)

    def segment(self, source, payload=b"", flags=ACK):
        other = SERVER if source == CLIENT else CLIENT
        ports = (CLIENT_PORT, self.port) if source == CLIENT else (self.port, CLIENT_PORT)
        acknowledged = self.next[other] & 0xFFFFFFFF if flags & ACK else 0
        header = struct.pack(">HHIIBBHHH", *ports, self.next[source] & 0xFFFFFFFF, acknowledged,
                             5 << 4, flags, 65535, 0, 0)
        packet = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 1, 0, 64, 6, 0,
                             bytes(source), bytes(other)) + header + payload
        self.frames.append(bytes(12) + b"\x08\x00" + packet)
        self.next[source] += len(payload) + bool(flags & (SYN | FIN))

    def send(self, source, payload, sizes=None):
        """Sends in segments of these sizes, over and over."""
        at, sizes = 0, itertools.cycle(sizes or [len(payload)])
        while at < len(payload):
            size = next(sizes)
            self.segment(source, payload[at:at + size])
            at += size

    def finish(self):
        self.segment(SERVER, flags=FIN | ACK)
        self.segment(CLIENT, flags=FIN | ACK)
        self.segment(SERVER)


def stream(sizes=(1400,), request_sizes=None, demo=DEMO, **options):
    """A whole connection, up to its end."""
    conversation = Conversation(**options)
    conversation.send(CLIENT, REQUEST, request_sizes)
    conversation.send(SERVER, REPLY + demo, sizes)
    return conversation


# --- GTV: Quake II's streams

GTV_PORT = 27910
GTV_HELLO, GTV_PONG, GTV_START, _, GTV_DATA = range(5)
MAGIC = b"MVD2"


def gtv_message(number, body=b""):
    return struct.pack("<HB", len(body) + 1, number) + body


def gamestate(level=1):
    """A level with nothing in it."""
    return (b"\x04" + struct.pack("<iHi", 37, 2010, level) + b"\0" + struct.pack("<h", -1) +
            struct.pack("<H", 33) + f"maps/level{level}.bsp".encode() + b"\0" +
            struct.pack("<H", 2080) + b"\0\xff\0\0")


def gtv_frame(text):
    """A text that is printed, and a frame in which nothing changes."""
    return b"\x11\x02" + text.encode() + b"\0" + b"\x06\0\xff\0\0"


GTV_BLOCKS = [gamestate(), *map(gtv_frame, TEXTS)]


def mvd2(blocks):
    """A demo of these blocks."""
    return MAGIC + b"".join(struct.pack("<H", len(block)) + block for block in blocks) + b"\0\0"


def client_hello(flags):
    return gtv_message(GTV_HELLO, struct.pack("<HII", 0xED04, flags, 0) + b"relay\0secret\0q2pro\0")


def gtv_stream(sizes=(1400,), deflate=False, blocks=None, flush=10, finish=False, **options):
    """A whole connection, up to its end; deflated data are flushed after so many blocks."""
    conversation = Conversation(port=GTV_PORT, **options)
    conversation.send(CLIENT, MAGIC)
    conversation.send(SERVER, MAGIC)
    conversation.send(CLIENT, client_hello(3))
    conversation.send(SERVER, gtv_message(GTV_HELLO, struct.pack("<I", int(deflate))))
    conversation.send(CLIENT, gtv_message(GTV_START, struct.pack("<h", 10)))
    packer = zlib.compressobj() if deflate else None
    data = bytearray()
    messages = [gtv_message(GTV_START), gtv_message(GTV_DATA)]  # first the stream rests
    messages += [gtv_message(GTV_DATA, block) for block in blocks or GTV_BLOCKS]
    for number, message in enumerate(messages):
        data += packer.compress(message) if deflate else message
        if deflate and number % flush == flush - 1:
            data += packer.flush(zlib.Z_SYNC_FLUSH)
    if deflate:
        data += packer.flush(zlib.Z_FINISH if finish else zlib.Z_SYNC_FLUSH)
    conversation.send(SERVER, bytes(data), sizes)
    return conversation
