# SPDX-License-Identifier: GPL-2.0-or-later
"""Where expert infos stand: with the bytes that they are about, also of joined and inflated ones."""

import struct
import zlib

from wireshark import PluginTest, to_client, to_server

PRIVATE_PORT = 40500
ACCEPT = bytes.fromhex("80000009 81") + struct.pack("<I", PRIVATE_PORT)
NOP, SETANGLE = b"\x01", b"\x0a"
Q2_NOP = b"\x06"


def fragment(number, messages, last):
    """A reliable datagram of Quake."""
    return struct.pack(">HHI", 9 if last else 1, 8 + len(messages), number) + messages


def packed(messages):
    """Quake II's svc_zpacket."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(messages) + deflate.flush()
    return struct.pack("<BHH", 21, len(data), len(messages)) + data


def expert_infos(packet):
    """For each of the plugin's: its name, and the bytes of the item that it stands under."""
    return [(info[0].get("name"), item.get("value"))
            for item in packet.iter("field") for info in item
            if info.get("name") == "_ws.expert" and info[0].get("name")]


class ExpertInfos(PluginTest):
    def check(self, frames, expected):
        capture = self.capture(frames)
        for passes in ([], ["-2"]):
            last = self.trees(capture, *passes)[len(frames)]
            self.assertEqual(expert_infos(last), expected)

    def joined(self, first, rest):
        return [
            to_client(5001, 26000, ACCEPT),
            to_client(5001, PRIVATE_PORT, fragment(0, first, False)),
            to_client(5001, PRIVATE_PORT, fragment(1, rest, True)),
        ]

    def test_of_a_message_in_joined_fragments(self):
        """svc_setangle has three angles."""
        self.check(self.joined(7 * NOP, 3 * NOP + SETANGLE + b"\x55"),
                   [("nq.malformed", "0a55")])

    def test_of_a_message_in_two_fragments(self):
        self.check(self.joined(7 * NOP + SETANGLE, b"\x55"), [("nq.malformed", "0a55")])

    def test_of_a_field_in_joined_fragments(self):
        self.check(self.joined(7 * NOP, b"\x7e\x55"), [("nq.unknown_message", "7e")])

    def inflated(self, messages):
        """Two packets of protocol 36."""
        serverdata = (struct.pack("<BiiB", 12, 36, 7, 0) + b"baseq2\0" + bytes(2) + b"lab\0" +
                      struct.pack("<HBBBB", 1015, 2, 0, 0, 0))
        return [to_client(5001, 27910, struct.pack("<II", 1, 1) + serverdata),
                to_client(5001, 27910, struct.pack("<II", 2, 2) + messages)]

    def test_of_inflated_messages(self):
        self.check(self.inflated(packed(9 * Q2_NOP + b"\x1e")), [("q2.unknown_message", "1e")])

    def test_of_messages_beyond_the_limit(self):
        """Two may inflate to 5000 bytes, a third not to 2500 more."""
        packet = packed(2500 * Q2_NOP)
        self.check(self.inflated(3 * packet), [("q2.limit", packet[1:].hex())])

    def test_behind_inflated_messages(self):
        """The last of those stands at the same offset in its bytes."""
        for count in range(12, 30):
            packet = packed(count * Q2_NOP)
            if 8 + len(packet) == count - 1:
                break
        self.check(self.inflated(packet + b"\x1e"), [("q2.unknown_message", "1e")])

    def test_two_notes(self):
        """They stand in the order in which they were found, whatever bytes they are about."""
        header = struct.Struct("<II")
        capture = self.capture([to_server(5001, 27910, header.pack(1, 0) + b"\1\2" + NOP),
                                to_server(5001, 27910, header.pack(2, 0) + b"\1\2" + NOP),
                                to_client(5001, 27910, header.pack(1, 1) + Q2_NOP),
                                to_client(5001, 27910, header.pack(5, 9) + Q2_NOP)])
        for passes in ([], ["-2"]):
            last = self.trees(capture, *passes)[4]
            self.assertEqual([name for name, _ in expert_infos(last)],
                             ["q2.sequence.not_captured", "q2.sequence.gap", "q2.sequence.lost"])

    def test_room_of_a_long_packet(self):
        """Fields may take half of the items that a preference allows, and leave the rest to expert infos."""
        path = self.capture([to_server(5001, 27500, struct.pack("<IIH", 1, 0, 7) + b"\1"),
                             to_client(5001, 27500, struct.pack("<II", 1, 0) + 150 * b"\x08\2a\0" + b"\xfa")])
        shown = self.tshark("-r", path, "-V", "-o", "gui.max_tree_items:400")
        self.assertIn("[only the first items]", shown)
        self.assertLess(shown.count("svc_print"), 150)
        self.assertIn("Unknown message", shown)
