# SPDX-License-Identifier: GPL-2.0-or-later
"""The tree that Wireshark shows is what `pcap2demo --dump=json` prints: same fields, locations, values.

Of the captures in the variable `CAPTURES` (by hand), or of some stored ones.
"""

import datetime
import os
import pathlib
import re
import struct

from demos import flat
from wireshark import PROTOCOLS, PluginTest, dumped_packets, rows, some_captures, to_client, to_server

# Dumps have no links.
ROWS = {row[0] for kind in ("field", "note") for row in rows(kind)} - {row[0] for row in rows("link")}

# Long captures are compared as far as this: enough to be in the middle of a game.
PACKETS = 150
TOLERANCE = 5e-6  # Wireshark shows six digits of single floats


def protocol_in(tree):
    """The name of the plugin's protocol in the packet, or None."""
    return next((proto.get("name") for proto in tree.iter("proto") if proto.get("name") in PROTOCOLS), None)


class Item:
    """An item of the tree; an expert info has a message instead of a location and a value."""

    def __init__(self, element, parent):
        self.parent = parent
        self.name = element.get("name")
        self.message = None
        self.start = None  # where it starts by the dump
        if self.name == "_ws.expert":
            self.name = element[0].get("name")
            self.message = element.find("field[@name='_ws.expert.message']").get("show")
        elif self.name:
            self.position = int(element.get("pos"))
            self.size = int(element.get("size"))
            self.shown = element.get("show")

    def position_of(self, start):
        """The position that PDML gives to an item that starts at `start`: a start before the parent's counts in
        another data source, and PDML adds the parent's."""
        return start + self.parent.start if start < self.parent.start else start


def flat_tree(element, parent):
    """The tree's items in order, below `parent`, without those that are in no dump: the plugin's own, and hidden ones
    that Wireshark adds to errors."""
    for child in element.iterfind("field"):
        item = Item(child, parent)
        if item.name in ROWS:
            yield item
        elif item.name:
            continue
        if item.message is None:
            yield from flat_tree(child, item if item.name else parent)


def readable(text):
    """Text without what the two formats escape differently: white space and backslashes."""
    return re.sub(r"\\[nrt\\]|[\s\\]", "", text)


def date_of(text):
    """The date in a dump, in Wireshark 4.0 or in later ones; or None. Milliseconds count."""
    text = re.sub(r"(\.\d{3})\d*", r"\1", text)
    for form in ("%Y-%m-%dT%H:%M:%S.%fZ", "%b %d, %Y %H:%M:%S.%f UTC", "%Y-%m-%d %H:%M:%S.%fZ"):
        try:
            return datetime.datetime.strptime(text, form)
        except ValueError:
            pass
    return None


def same_value(dumped, shown):
    if isinstance(dumped, bool):
        return shown in (("1", "True") if dumped else ("0", "False"))
    if isinstance(dumped, int):
        return int(shown, 0) == dumped
    if isinstance(dumped, float):
        return abs(float(shown) - dumped) <= TOLERANCE * max(1.0, abs(dumped))
    if readable(dumped) == readable(shown) or shown.replace(":", "") == dumped:
        return True
    if date_of(dumped) and date_of(dumped) == date_of(shown):
        return True
    try:  # infinities, and zeros of an IPv6 address
        return float(dumped) == float(shown) or dumped == shown == "nan"
    except ValueError:
        return False


class TreeEqualsDump(PluginTest):
    count = PACKETS  # of each capture; None: all

    def captures(self):
        return [*map(pathlib.Path, os.environ.get("CAPTURES", "").split())] or some_captures()

    def compare_item(self, dumped, item, payload):
        """`payload` is where in the frame the packet's payload begins."""
        self.assertEqual(dumped["name"], item.name)
        if "note" in dumped:
            self.assertEqual(readable(dumped["note"]), readable(item.message))
            return
        item.start = dumped["offset"] + (0 if "source" in dumped else payload)
        self.assertEqual(item.position, item.position_of(item.start), dumped)
        self.assertEqual(item.size, dumped["length"], dumped)
        if "value" in dumped:
            self.assertTrue(same_value(dumped["value"], item.shown), f"{dumped}, {item.shown}")

    def compare_packet(self, packet, element):
        proto = Item(element, None)
        proto.start = proto.position
        dumped, items = list(flat(packet["fields"])), list(flat_tree(element, proto))
        for expected, item in zip(dumped, items):
            self.compare_item(expected, item, proto.start)
        self.assertEqual(len(dumped), len(items))

    def compare_capture(self, names, path):
        """Returns how many packets there were to compare."""
        dumped = dumped_packets(path)
        trees = {number: tree for number, tree in self.trees(path).items()
                 if tree.find("proto[@name='icmp']") is None and protocol_in(tree)}
        self.assertEqual({number: packets[0]["protocol"] for number, packets in dumped.items()},
                         {number: protocol_in(tree) for number, tree in trees.items()})
        for number, packets in dumped.items():
            with self.subTest(f"{names}, packet {number}"):
                elements = trees[number].findall(f"proto[@name='{packets[0]['protocol']}']")
                self.assertEqual(len(packets), len(elements))
                for packet, element in zip(packets, elements):
                    self.compare_packet(packet, element)
        return len(dumped)

    def test_numbers_of_64_bits(self):
        """clcfte_qcrequest with the arguments -300 and 1 << 40."""
        serverdata = (b"\1\0\0\x80\0\0\0\x80\x0bFTEX" + struct.pack("<III", 0x40000000, 28, 1) + b"qw\0\0level\0" +
                      bytes(40))
        request = b"\1\0\0\x80\1\0\0\x80\1\0\x51\x0a\x82\x57\x0b\xf9\0\0\0\0\0\0call\0"
        path = self.capture([to_client(27001, 27500, serverdata), to_server(27001, 27500, request)])
        fields = flat(dumped_packets(path)[2][0]["fields"])
        self.assertEqual([each["value"] for each in fields if "int64" in each["name"]], [-300, 1 << 40])
        self.compare_capture("made", path)

    def test_tree_equals_dump(self):
        packets = 0
        for names, path, _ in self.joined(self.captures(), self.count):
            with self.subTest(names):
                packets += self.compare_capture(names, path)
        self.assertGreater(packets, 0)
