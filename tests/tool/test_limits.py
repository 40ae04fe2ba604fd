# SPDX-License-Identifier: GPL-2.0-or-later
"""Small inputs that ask for much: memory, output and time stay moderate."""

import struct

from tool import SAMPLE, ToolTest, udp_frame, zpacket

CLIENT, SERVER = (1, 27901), (2, 27910)
SVC_NOP = b"\x06"
SVC_SPAWNBASELINE = b"\x0e\0\1"  # the message with the most fields a byte

# With room for the tests with sanitizers.
MEMORY_MAX = 600  # MiB
OUTPUT_MAX = 200 << 20


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
        self.frames.append((len(self.frames) * 1000, udp_frame(source, destination, payload)))


class Limits(ToolTest):
    def capture(self, *packets):
        """A session in which the server sends these packets."""
        session = Quake2Session()
        for messages in packets:
            session.to_client(messages)
        return self.write_capture("session.pcap", session.frames)

    def test_compressed_messages_in_one_datagram(self):
        for messages in SVC_NOP * 65535, SVC_SPAWNBASELINE * 21845:
            capture = self.capture(zpacket(messages) * 100)
            for action in "--dump", "--dump=json", "--check", "--list", "--stats", "--verbose":
                with self.subTest(action):
                    output, memory, _ = self.measure(action, capture, most=OUTPUT_MAX)
                    self.assertLess(memory, MEMORY_MAX)
                    self.assertLess(output, OUTPUT_MAX)

    def test_compressed_messages_in_many_datagrams(self):
        """With 128 KiB of each, these would be 60 million lines."""
        capture = self.capture(*[zpacket(SVC_NOP * 60000) * 2] * 500)
        self.assertLess(self.measure("--dump", capture, most=OUTPUT_MAX)[0], 50 << 20)

    def test_messages_that_stay_compressed_are_noted(self):
        path = self.capture(zpacket(SVC_NOP * 5000) * 5 + SVC_NOP, zpacket(SVC_NOP * 5000))
        output, _ = self.tool("--dump", path)
        notes = [line.split(" = ")[1] for line in output.splitlines() if " q2.limit = " in line]
        self.assertEqual(len(notes), 5)
        self.assertRegex(notes[0], r'"The \d+ bytes stay packed: '
                                   r"a packet's messages inflate to 131072 bytes at most, and "
                                   r'those of a session to 8 times what is sent"')
        self.assertEqual(output.count("q2.svc_nop\n"), 5000 + 1)
        self.assertIn("  limit: 5\n", self.tool("--check", path, status=1)[0])

    def test_json_costs_at_most_three_text_dumps(self):
        ratios = []
        for _ in range(3):
            text, json = (self.measure(action, *[SAMPLE] * 20)[2] for action in ("--dump", "--dump=json"))
            ratios.append(json / text)
        self.assertLess(min(ratios), 3)

    def test_bytes_that_may_begin_commands(self):
        """A search for a password behind each of them would take a minute."""
        capture = self.capture(*[b"\xff" + b"\1" * 60000] * 40)
        self.assertLess(self.measure("--dump", capture)[2], 15)

    def test_a_password_in_each_packet(self):
        """A search for each password in all packets would take half a minute."""
        session = Quake2Session()
        for number in range(20000):
            session.oob(CLIENT, SERVER, b"rcon secret%05d status" % number)
        capture = self.write_capture("passwords.pcap", session.frames)
        self.assertLess(self.measure("--anonymize", "out.pcap", capture)[2], 20)
        self.assertNotIn(b"secret", self.contents("out.pcap"))
