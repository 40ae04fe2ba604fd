# SPDX-License-Identifier: GPL-2.0-or-later
"""Expert infos stand under the item with the bytes that they are about, also of joined and inflated bytes."""

import struct

from tool import zpacket
from wireshark import PASSES, PluginTest, to_client, to_server

PRIVATE_PORT = 40500
ACCEPT = bytes.fromhex("80000009 81") + struct.pack("<I", PRIVATE_PORT)
NOP, SETANGLE = b"\x01", b"\x0a"
Q2_NOP = b"\x06"


def fragment(number, messages, last):
    """A reliable datagram of Quake."""
    return struct.pack(">HHI", 9 if last else 1, 8 + len(messages), number) + messages


def expert_infos(packet):
    """For each of the plugin's: its name, and the bytes of the item that it stands under."""
    return [(info[0].get("name"), item.get("value"))
            for item in packet.iter("field") for info in item
            if info.get("name") == "_ws.expert" and info[0].get("name")]


def joined(first, rest):
    """A message of Quake in two fragments."""
    return [
        to_client(5001, 26000, ACCEPT),
        to_client(5001, PRIVATE_PORT, fragment(0, first, False)),
        to_client(5001, PRIVATE_PORT, fragment(1, rest, True)),
    ]


def inflated(messages):
    """Two packets of Quake II's protocol 36."""
    serverdata = (struct.pack("<BiiB", 12, 36, 7, 0) + b"baseq2\0" + bytes(2) + b"lab\0" +
                  struct.pack("<HBBBB", 1015, 2, 0, 0, 0))
    return [to_client(5001, 27910, struct.pack("<II", number, number) + content)
            for number, content in enumerate((serverdata, messages), 1)]


def packed_to_its_own_end():
    """A packet whose next byte is at the offset that the last inflated byte has."""
    return next(packet for count in range(12, 30) for packet in [zpacket(count * Q2_NOP)]
                if 8 + len(packet) == count - 1)


MANY = zpacket(2500 * Q2_NOP)
HEADER = struct.Struct("<II")
# Frames, and the name and bytes of each expert info of the last one. svc_setangle has three angles.
CASES = {
    "a message in joined fragments": (joined(7 * NOP, 3 * NOP + SETANGLE + b"\x55"), [("nq.malformed", "0a55")]),
    "a message in two fragments": (joined(7 * NOP + SETANGLE, b"\x55"), [("nq.malformed", "0a55")]),
    "a field in joined fragments": (joined(7 * NOP, b"\x7e\x55"), [("nq.unknown_message", "7e")]),
    "inflated messages": (inflated(zpacket(9 * Q2_NOP + b"\x1e")), [("q2.unknown_message", "1e")]),
    "two messages may inflate to 5000 bytes, a third not to 2500 more":
        (inflated(3 * MANY), [("q2.limit", MANY[1:].hex())]),
    "behind inflated messages": (inflated(packed_to_its_own_end() + b"\x1e"), [("q2.unknown_message", "1e")]),
    "in the order in which they were found, whatever bytes they are about": (
        [to_server(5001, 27910, HEADER.pack(1, 0) + b"\1\2" + NOP),
         to_server(5001, 27910, HEADER.pack(2, 0) + b"\1\2" + NOP),
         to_client(5001, 27910, HEADER.pack(1, 1) + Q2_NOP),
         to_client(5001, 27910, HEADER.pack(5, 9) + Q2_NOP)],
        [("q2.sequence.not_captured", "09000000"), ("q2.sequence.gap", "05000000"), ("q2.sequence.lost", None)]),
}


class ExpertInfos(PluginTest):
    def test_each_case(self):
        for title, (frames, expected) in CASES.items():
            capture = self.capture(frames)
            for passes in PASSES:
                with self.subTest(title, passes=passes):
                    last = self.trees(capture, *passes)[len(frames)]
                    self.assertEqual(expert_infos(last), expected)

    def test_long_packet_leaves_room_for_expert_infos(self):
        """Fields may take half of the items that a preference allows."""
        path = self.capture([to_server(5001, 27500, struct.pack("<IIH", 1, 0, 7) + b"\1"),
                             to_client(5001, 27500, struct.pack("<II", 1, 0) + 150 * b"\x08\2a\0" + b"\xfa")])
        shown = self.tshark("-r", path, "-V", "-o", "gui.max_tree_items:400")
        self.assertIn("[only the first items]", shown)
        self.assertLess(shown.count("svc_print"), 150)
        self.assertIn("Unknown message", shown)
