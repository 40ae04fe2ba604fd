# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet's tree and its line are the same in one pass and in two, shown alone or among others.

Two passes add links to later packets and the number of a message's fragments, as Wireshark's own dissectors do.
"""

import re

from wireshark import CAPTURES, PROTOCOLS, SHORT_NAMES, PluginTest, ipv4_frames, rows, some_captures

LATER = {name for name, kind in rows("link") if kind == "ahead"}
PACKETS = 60
FRAGMENTS = (1681, 2840)  # frames of nq-dp7: the first of three fragments, the second of three
ALONE = (1, 20, 41, 60)  # packets of each capture that are also shown alone
EVERYTHING = " or ".join(["frame", *PROTOCOLS])  # a filter that needs each packet's tree


def without_count(text):
    return re.sub(r"(\[fragment \d+) of \d+\]", r"\1]", text)


def content(element, without=()):
    """Attributes of the element and of all in it, in nested lists; without these fields of its own."""
    attributes = {name: without_count(text) if "[fragment " in text else text for name, text in element.attrib.items()}
    return [attributes, *(content(item) for item in element if item.get("name") not in without)]


def is_tcp(line):
    """True for TCP's own line of a segment whose bytes are shown with a later one (since Wireshark 4.4). The first such
    segment has it in the second pass only."""
    return re.fullmatch(r"(\[TCP PDU reassembled in \d+\])?", line.strip())


class Passes(PluginTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = [*cls.joined(some_captures(), PACKETS), cls.within_a_session()]

    @classmethod
    def within_a_session(cls):
        """A capture that begins with the fragments of a message that begins a level, and lacks the first fragment of
        the next level's: a name, the file, and numbers of packets before those that are shown alone."""
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
    def names(parts):
        return {item.get("name") for part in parts for item in part.findall("field")}

    def assert_same_trees(self, trees, expected):
        """Shows a packet that differs, not all of them."""
        self.assertEqual(list(trees), list(expected))
        for number, parts in expected.items():
            without = LATER - self.names(parts)
            self.assertEqual([content(part, without) for part in trees[number]], [content(part) for part in parts],
                             f"packet {number}")

    def lines(self, path, *options):
        """By packet number, what the packet list shows of the plugin's packets."""
        columns = self.fields(path, ["frame.number", "_ws.col.Protocol", "_ws.col.Info"], *options)
        return {int(number): without_count(info) for number, protocol, info in columns
                if protocol in SHORT_NAMES and not is_tcp(info)}

    def check_lines(self, path, only, alone):
        expected = self.lines(path)
        self.assertEqual(self.lines(path, "-2"), expected)
        shown = {number: expected[number] for number in alone if number in expected}
        self.assertEqual(self.lines(path, "-Y", only), shown)
        self.assertEqual(self.lines(path, "-2", "-Y", only), shown)
        self.assertEqual(self.lines(path, "-V", "-Y", EVERYTHING), expected)

    def check_file(self, path, begins):
        """Returns how many packets were compared."""
        expected = self.our_trees(path)
        self.assert_same_trees(self.our_trees(path, "-2"), expected)
        alone = sorted({begin + number for begin in begins for number in ALONE})
        shown = {number: expected[number] for number in alone if number in expected}
        # The others have no tree in the first pass, and are dissected again.
        only = "frame.number in {" + ",".join(map(str, alone)) + "}"
        self.assert_same_trees(self.our_trees(path, "-Y", only), shown)
        self.assert_same_trees(self.our_trees(path, "-2", "-Y", only), shown)
        self.check_lines(path, only, alone)
        return len(expected)

    def test_trees_and_lines_are_the_same_in_each_way_to_show_them(self):
        packets = 0
        for names, path, begins in self.files:
            with self.subTest(names):
                packets += self.check_file(path, begins)
        self.assertGreater(packets, 0)

    def test_beginning_that_may_be_missing(self):
        """Of the file that begins within a session, one level's message is whole, the other's not."""
        _, path, _ = self.files[-1]
        self.assertEqual(self.fields(path, ["frame.number", "nq.fragment.count"], "-Y", "nq.svc_serverinfo"),
                         [["8", "3"]])
        self.assertIn("The capture lacks earlier fragments of this message",
                      self.tshark("-r", path, "-V", "-Y", "frame.number == 64"))

    def test_limit_of_items_changes_nothing_but_the_tree(self):
        """Wireshark's limit ends dissection by an exception, which must not end the plugin's decoding half-way."""
        for name in ("qw-sample", "q2-q2pro", "nq-fragments"):
            path, few = self.stored(name), ("-o", "gui.max_tree_items:200")
            fields = ["_ws.col.Info", *(f"{protocol}.{suffix}" for protocol in PROTOCOLS[:3]
                                        for suffix in ("session", "sequence", "malformed"))]
            with self.subTest(name):
                self.assertEqual(self.fields(path, fields, *few), self.fields(path, fields))
                tree = self.tshark("-V", "-r", path, *few)
                self.assertTrue("[only the first items]" in tree and "Dissector bug" not in tree)

    def test_expert_infos_do_not_depend_on_the_tree(self):
        found = ""
        for names, path, _ in self.files:
            with self.subTest(names):
                infos, *others = [self.tshark("-r", path, "-q", "-z", tap)
                                  for tap in ("expert", f"expert,{EVERYTHING}", "expert,frame")]
                self.assertEqual(others, [infos, infos])
                found += infos
        self.assertIn("Summary", found)
