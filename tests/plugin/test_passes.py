# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet's tree is the same however Wireshark comes to dissect it, but for links to later packets:
these are known once the whole capture has been dissected, as those of Wireshark's own dissectors.
"""

import re
import unittest
import xml.etree.ElementTree as ElementTree

from wireshark import PluginTest, rows, some_captures

PROTOCOLS = [row[0] for row in rows("protocol")]
AHEAD = {name for name, kind in rows("link") if kind == "ahead"}
PACKETS = 120
ALONE = (1, 20, 41, 77, 120)  # packets of each capture that are also shown all by themselves


def without_links_ahead(proto):
    """The tree as text, as far as it is known when the packet comes."""
    for parent in list(proto.iter()):
        for field in [field for field in parent if field.get("name") in AHEAD]:
            parent.remove(field)
    text = ElementTree.tostring(proto, encoding="unicode")
    text = re.sub(r"(\[fragment \d+) of \d+\]", r"\1]", text)
    return re.sub(r"\n\s*", "\n", text)


class Passes(PluginTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = list(cls.joined(some_captures(), PACKETS))

    def our_trees(self, path, *options):
        """By packet number, the plugin's part of the tree as text: all of it, and without links to
        later packets."""
        ours = {}
        for number, tree in self.trees(path, *options).items():
            protos = [proto for proto in tree.iter("proto") if proto.get("name") in PROTOCOLS]
            if protos:
                whole = "".join(ElementTree.tostring(proto, encoding="unicode") for proto in protos)
                ours[number] = whole, "".join(map(without_links_ahead, protos))
        return ours

    def assert_same_trees(self, trees, expected):
        """Shows a packet that differs, not all of them."""
        self.assertEqual(list(trees), list(expected))
        for number, text in expected.items():
            self.assertEqual(trees[number], text, f"packet {number}")

    def check_file(self, path, begins):
        """Returns how many packets were compared, and how many link to later ones."""
        once, twice = self.our_trees(path), self.our_trees(path, "-2")
        self.assert_same_trees({number: back for number, (_, back) in twice.items()},
                               {number: back for number, (_, back) in once.items()})
        alone = sorted({begin + number for begin in begins for number in ALONE})
        # Here no tree is built of the others; then they are dissected twice.
        only = "frame.number in {" + ",".join(map(str, alone)) + "}"
        for trees, options in (once, []), (twice, ["-2"]):
            self.assert_same_trees(self.our_trees(path, *options, "-Y", only),
                                   {number: trees[number] for number in alone if number in trees})
        return len(once), sum(whole != back for whole, back in twice.values())

    def test_trees_do_not_depend_on_the_way(self):
        packets = links = 0
        for names, path, begins in self.files:
            with self.subTest(names):
                found = self.check_file(path, begins)
                packets += found[0]
                links += found[1]
        self.assertGreater(packets, 0)
        self.assertGreater(links, packets / 4)

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
