# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet's tree is the same however Wireshark comes to dissect it."""

import unittest
import xml.etree.ElementTree as ElementTree

from wireshark import PluginTest, rows, some_captures

PROTOCOLS = [row[0] for row in rows("protocol")]
PACKETS = 120
ALONE = (1, 20, 41, 77, 120)  # packets of each capture that are also shown all by themselves


class Passes(PluginTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = list(cls.joined(some_captures(), PACKETS))

    def our_trees(self, path, *options):
        """By packet number, the text of the plugin's part of the tree."""
        ours = {number: "".join(ElementTree.tostring(proto, encoding="unicode")
                                for proto in tree.iter("proto") if proto.get("name") in PROTOCOLS)
                for number, tree in self.trees(path, *options).items()}
        return {number: text for number, text in ours.items() if text}

    def assert_same_trees(self, trees, expected):
        """Shows a packet that differs, not all of them."""
        self.assertEqual(list(trees), list(expected))
        for number, text in expected.items():
            self.assertEqual(trees[number], text, f"packet {number}")

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
        return len(expected)

    def test_trees_do_not_depend_on_the_way(self):
        packets = 0
        for names, path, begins in self.files:
            with self.subTest(names):
                packets += self.check_file(path, begins)
        self.assertGreater(packets, 0)

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


if __name__ == "__main__":
    unittest.main()
