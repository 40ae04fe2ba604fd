# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet's tree and its line are the same however Wireshark comes to dissect it.

Only what later packets tell is added where it is known: what links to later packets, and of how many
fragments a message is joined. That is known once the capture has been dissected, as it is of
Wireshark's own dissectors.
"""

import re
import unittest
import xml.etree.ElementTree as ElementTree

from wireshark import CAPTURES, PluginTest, ipv4_frames, rows, some_captures

PROTOCOLS = [row[0] for row in rows("protocol")]
SHORT_NAMES = [row[1] for row in rows("protocol")]
LATER = {name for name, kind in rows("link") if kind == "ahead"}
PACKETS = 60
FRAGMENTS = (1681, 2840)  # frames of nq-dp7: the first of three fragments, the second of three
ALONE = (1, 20, 41, 60)  # packets of each capture that are also shown alone


def without_count(text):
    return re.sub(r"(\[fragment \d+) of \d+\]", r"\1]", text)


def is_tcp(line):
    """Since 4.4, TCP's own line of a segment whose bytes are shown with a later one; of the first
    such segment it comes in later passes only."""
    return re.fullmatch(r"(\[TCP PDU reassembled in \d+\])?", line.strip())


class Passes(PluginTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = [*cls.joined(some_captures(), PACKETS), cls.within_a_session()]

    @classmethod
    def within_a_session(cls):
        """A capture that begins with the fragments of a message that begins a level, and lacks the
        first one of the next level's: a name, the file, and places in it as joined() has them."""
        frames = ipv4_frames(CAPTURES[0] / "fidelity" / "nq-dp7.pcap.gz")
        first, second = FRAGMENTS
        kept = frames[first:first + PACKETS] + frames[second:second + PACKETS]
        return "nq-dp7, late", cls.capture(kept), [0, 7, 63]

    def our_trees(self, path, *options):
        """By packet number, the plugin's parts of the tree."""
        ours = {number: [proto for proto in tree.iter("proto") if proto.get("name") in PROTOCOLS]
                for number, tree in self.trees(path, *options).items()}
        return {number: parts for number, parts in ours.items() if parts}

    @staticmethod
    def text(parts, without=()):
        for part in parts:
            for item in part.findall("field"):
                if item.get("name") in without:
                    part.remove(item)
            ElementTree.indent(part)
        return without_count("".join(ElementTree.tostring(part, encoding="unicode").strip()
                                     for part in parts))

    @staticmethod
    def names(parts):
        return {item.get("name") for part in parts for item in part.findall("field")}

    def assert_same_trees(self, trees, expected):
        """Shows a packet that differs, not all of them."""
        self.assertEqual(list(trees), list(expected))
        for number, parts in expected.items():
            self.assertEqual(self.text(trees[number], LATER - self.names(parts)), self.text(parts),
                             f"packet {number}")

    def lines(self, path, *options):
        """By packet number, what the packet list shows of the plugin's packets."""
        columns = self.tshark("-r", path, "-T", "fields", "-e", "frame.number",
                              "-e", "_ws.col.Protocol", "-e", "_ws.col.Info", *options)
        lines = (line.split("\t", 2) for line in columns.splitlines())
        return {int(number): without_count(info) for number, protocol, info in lines
                if protocol in SHORT_NAMES and not is_tcp(info)}

    def check_lines(self, path, only, alone):
        expected = self.lines(path)
        self.assertEqual(self.lines(path, "-2"), expected)
        shown = {number: expected[number] for number in alone if number in expected}
        self.assertEqual(self.lines(path, "-Y", only), shown)
        self.assertEqual(self.lines(path, "-2", "-Y", only), shown)
        # With a tree of each packet.
        self.assertEqual(self.lines(path, "-V", "-Y", " or ".join(["frame", *PROTOCOLS])), expected)

    def check_file(self, path, begins):
        """Returns how many packets were compared."""
        expected = self.our_trees(path)
        self.assert_same_trees(self.our_trees(path, "-2"), expected)
        alone = sorted({begin + number for begin in begins for number in ALONE})
        shown = {number: expected[number] for number in alone if number in expected}
        # Here no tree is built of the others; then they are dissected twice.
        only = "frame.number in {" + ",".join(map(str, alone)) + "}"
        self.assert_same_trees(self.our_trees(path, "-Y", only), shown)
        self.assert_same_trees(self.our_trees(path, "-2", "-Y", only), shown)
        self.check_lines(path, only, alone)
        return len(expected)

    def test_trees_do_not_depend_on_the_way(self):
        packets = 0
        for names, path, begins in self.files:
            with self.subTest(names):
                packets += self.check_file(path, begins)
        self.assertGreater(packets, 0)

    def test_beginning_that_may_be_missing(self):
        """Of the file that begins within a session, one level's message is whole, the other's not."""
        _, path, _ = self.files[-1]
        whole = self.tshark("-r", path, "-Y", "nq.svc_serverinfo", "-T", "fields", "-e", "frame.number",
                            "-e", "nq.fragment.count")
        self.assertEqual(whole, "8\t3\n")
        self.assertIn("The capture lacks earlier fragments of this message",
                      self.tshark("-r", path, "-V", "-Y", "frame.number == 64"))

    def test_few_items(self):
        """No exception leaves a decoder half-way where Wireshark's limit of items is low."""
        for name in ("qw-sample", "q2-q2pro", "nq-fragments"):
            path = self.readable(CAPTURES[0] / f"{name}.pcap")
            fields = [word for protocol in PROTOCOLS[:3] for suffix in ("session", "sequence", "malformed")
                      for word in ("-e", f"{protocol}.{suffix}")]
            shown = ("-r", path, "-T", "fields", "-e", "_ws.col.Info", *fields)
            few = ("-o", "gui.max_tree_items:200")
            with self.subTest(name):
                self.assertEqual(self.tshark(*shown, *few), self.tshark(*shown))
                tree = self.tshark("-V", "-r", path, *few)
                self.assertTrue("[only the first items]" in tree and "Dissector bug" not in tree)

    def expert_infos(self, path, *filters):
        return self.tshark("-r", path, "-q", "-z", ",".join(["expert", *filters]))

    def test_expert_infos_do_not_depend_on_the_tree(self):
        everything = " or ".join(["frame", *PROTOCOLS])  # asks for the plugin's part of the tree
        found = ""
        for names, path, _ in self.files:
            with self.subTest(names):
                infos = self.expert_infos(path)
                self.assertEqual(self.expert_infos(path, everything), infos)
                self.assertEqual(self.expert_infos(path, "frame"), infos)
                found += infos
        self.assertIn("Summary", found)
