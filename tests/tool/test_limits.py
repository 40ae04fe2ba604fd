# SPDX-License-Identifier: GPL-2.0-or-later
"""Small inputs that ask for much: memory, output and time stay within what is sensible."""

import struct
import zlib

from tool import ETHERNET, SAMPLE, Capture, ToolTest, udp

CLIENT, SERVER = (1, 27901), (2, 27910)
SVC_NOP, SVC_ZPACKET = b"\x06", b"\x15"

# Of all messages the one with the most fields a byte.
SVC_SPAWNBASELINE = b"\x0e\0\1"

# What the program takes besides, with room for the tests with sanitizers.
MEMORY_MAX = 600  # MiB
OUTPUT_MAX = 200 << 20

ACTIONS = ["--dump", "--dump=json", "--check", "--list", "--stats", "--verbose"]


def deflated(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def zpacket(messages):
    packed = deflated(messages)
    return SVC_ZPACKET + struct.pack("<HH", len(packed), len(messages)) + packed


class Quake2Session:
    """An R1Q2 session, which compresses messages."""

    def __init__(self):
        self.frames = []
        self.sequence = 0
        self.oob(CLIENT, SERVER, b"getchallenge\n")
        self.oob(SERVER, CLIENT, b"challenge 77 p=34,35")
        self.oob(CLIENT, SERVER, b'connect 35 96 77 "\\name\\a" 1390 1905\n')
        self.oob(SERVER, CLIENT, b"client_connect")

    def oob(self, source, destination, text):
        self.send(source, destination, b"\xff\xff\xff\xff" + text)

    def to_client(self, messages):
        self.sequence += 1
        self.send(SERVER, CLIENT, struct.pack("<II", self.sequence, 0) + messages)

    def send(self, source, destination, payload):
        self.frames.append((len(self.frames) * 1000,
                            bytes(12) + b"\x08\x00" + udp(source, destination, payload)))

    def pcap(self):
        return Capture(ETHERNET, self.frames).pcap()


class Limits(ToolTest):
    def assert_moderate(self, capture):
        for action in ACTIONS:
            with self.subTest(action):
                output, memory, _ = self.measure(action, capture, most=OUTPUT_MAX)
                self.assertLess(memory, MEMORY_MAX)
                self.assertLess(output, OUTPUT_MAX)

    def test_compressed_messages_in_one_datagram(self):
        session = Quake2Session()
        session.to_client(zpacket(SVC_NOP * 65535) * 100)
        self.assert_moderate(self.write("bomb.pcap", session.pcap()))

    def test_compressed_fields_in_one_datagram(self):
        session = Quake2Session()
        session.to_client(zpacket(SVC_SPAWNBASELINE * 21845) * 100)
        self.assert_moderate(self.write("bomb.pcap", session.pcap()))

    def test_compressed_messages_in_many_datagrams(self):
        session = Quake2Session()
        for _ in range(500):
            session.to_client(zpacket(SVC_NOP * 60000) * 2)
        capture = self.write("bombs.pcap", session.pcap())
        # Were each inflated to 128 KiB, these would be 60 million lines.
        output, _, _ = self.measure("--dump", capture, most=OUTPUT_MAX)
        self.assertLess(output, 50 << 20)

    def test_json_costs_at_most_three_text_dumps(self):
        captures = [SAMPLE] * 20
        ratios = []
        for _ in range(3):
            _, _, text = self.measure("--dump", *captures)
            _, _, json = self.measure("--dump=json", *captures)
            ratios.append(json / text)
        self.assertLess(min(ratios), 3)

    def test_what_stays_packed_is_noted(self):
        session = Quake2Session()
        session.to_client(zpacket(SVC_NOP * 5000) * 5 + SVC_NOP)
        session.to_client(zpacket(SVC_NOP * 5000))
        path = self.write("bomb.pcap", session.pcap())
        output, _ = self.tool("--dump", path)
        notes = [line.split(" = ")[1] for line in output.splitlines() if " q2.limit = " in line]
        self.assertEqual(len(notes), 5)
        self.assertRegex(notes[0], r'"The \d+ bytes stay packed: '
                                   r"a packet's messages inflate to 131072 bytes at most, and "
                                   r'those of a session to 8 times what is sent"')
        self.assertEqual(output.count("q2.svc_nop\n"), 5000 + 1)
        output, _ = self.tool("--check", path, status=1)
        self.assertIn("  limit: 5\n", output)

    def test_bytes_that_may_be_commands(self):
        """Passwords are looked for behind each of these bytes, as where a command begins."""
        session = Quake2Session()
        for _ in range(40):
            session.to_client(b"\xff" + b"\1" * 60000)
        capture = self.write("commands.pcap", session.pcap())
        # Where each is taken for a command as long as the packet, that takes a minute.
        _, _, seconds = self.measure("--dump", capture)
        self.assertLess(seconds, 15)

    def test_words_that_are_replaced(self):
        """Each packet has a password of its own, which might stand in all others."""
        session = Quake2Session()
        for number in range(20000):
            session.oob(CLIENT, SERVER, b"rcon secret%05d status" % number)
        capture = self.write("passwords.pcap", session.pcap())
        # Where each word is looked for by itself, that takes half a minute.
        _, _, seconds = self.measure("--anonymize", "out.pcap", capture)
        self.assertLess(seconds, 20)
        self.assertNotIn(b"secret", (self.folder / "out.pcap").read_bytes())
