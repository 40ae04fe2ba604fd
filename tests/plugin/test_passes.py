# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet's tree is the same however Wireshark comes to dissect it."""

import unittest
import xml.etree.ElementTree as ElementTree

from wireshark import PluginTest, rows, some_captures

PROTOCOLS = [row[0] for row in rows("protocol")]
PACKETS = 120
ALONE = (1, 20, 41, 77, 120)  # packets that are also shown all by themselves


class Passes(PluginTest):
    def our_trees(self, path, *options):
        """By packet number, the text of the plugin's part of the tree."""
        trees = self.trees(path, "-c", PACKETS, *options)
        ours = {number: "".join(ElementTree.tostring(proto, encoding="unicode")
                                for proto in tree.iter("proto") if proto.get("name") in PROTOCOLS)
                for number, tree in trees.items()}
        return {number: text for number, text in ours.items() if text}

    def check_capture(self, path):
        """Returns how many packets were compared."""
        expected = self.our_trees(path)
        self.assertEqual(self.our_trees(path, "-2"), expected)
        shown = {number: expected[number] for number in ALONE if number in expected}
        # Here no tree is built of the others; then they are dissected twice.
        only = "frame.number in {" + ",".join(map(str, ALONE)) + "}"
        self.assertEqual(self.our_trees(path, "-Y", only), shown)
        self.assertEqual(self.our_trees(path, "-2", "-Y", only), shown)
        return len(expected)

    def test_trees_do_not_depend_on_the_way(self):
        packets = 0
        for path in some_captures():
            with self.subTest(path.name):
                packets += self.check_capture(self.readable(path))
        self.assertGreater(packets, 0)

    def expert_infos(self, path, *filters):
        return self.tshark("-r", path, "-c", PACKETS, "-q", "-z", ",".join(["expert", *filters]))

    def test_expert_infos_do_not_depend_on_the_tree(self):
        everything = " or ".join(["frame", *PROTOCOLS])  # asks for the plugin's part of the tree
        found = ""
        for path in some_captures():
            with self.subTest(path.name):
                copy = self.readable(path)
                infos = self.expert_infos(copy)
                self.assertEqual(self.expert_infos(copy, everything), infos)
                self.assertEqual(self.expert_infos(copy, "frame"), infos)
                found += infos
        self.assertIn("Summary", found)


if __name__ == "__main__":
    unittest.main()
