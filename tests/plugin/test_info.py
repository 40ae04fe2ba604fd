# SPDX-License-Identifier: GPL-2.0-or-later
"""The line in the packet list is the summary that the tool prints, with names and values that people look for."""

import re
import struct

from wireshark import OOB, SHORT_NAMES, PluginTest, dumped_packets, some_captures, to_client, to_server

SHOWN_MAX = 1500  # characters that are compared; Wireshark cuts longer lines
PACKETS = 2000

MARK = re.compile(r" \[(?:lost|skipped|choked|throttled) \d+\]")
FRAGMENT = re.compile(r" \[fragment \d+( of \d+)?\]")


def summaries(path):
    """By packet number, the tool's summary: of several PDUs in a segment one behind the other."""
    return {number: "; ".join(pdu["summary"] for pdu in pdus)
            for number, pdus in dumped_packets(path).items()}


def plain(text):
    """Without backslashes, which versions of tshark escape differently, and the end. Only Wireshark shows the count of
    fragments and the kind of a gap, which need links between packets."""
    return MARK.sub("", FRAGMENT.sub("", text.replace("\\", "")))[:SHOWN_MAX]


class Info(PluginTest):
    def lines(self, path):
        shown = self.fields(path, ["frame.number", "_ws.col.Protocol", "_ws.col.Info"], "-Y", "not icmp")
        return {int(number): info for number, protocol, info in shown if protocol in SHORT_NAMES}

    def test_lines_are_the_summaries_of_the_tool(self):
        packets = 0
        for names, path, _ in self.joined(some_captures(), PACKETS):
            with self.subTest(names):
                lines = self.lines(path)
                for number, expected in summaries(path).items():
                    self.assertEqual(plain(lines[number]), plain(expected), f"packet {number}")
                    packets += 1
        self.assertGreater(packets, 1000)

    def test_made_lines(self):
        frames = [(to_server, b"getchallenge\n", "C→S getchallenge"),
                  (to_client, b"c1234\0", "S→C challenge"),
                  (to_server, b"status\n", "C→S status"),
                  (to_server, b'connect 28 1 7 "\\name\\a b"\n', 'C→S connect protocol 28 name "a b"'),
                  (to_client, b'nsay "hi"\n\0', 'S→C print "say \\"hi\\""'),
                  (to_server, b'connect 28 1 7 "\\bottom\\1"\n', "C→S connect protocol 28")]
        lines = self.lines(self.capture(way(5000, 27500, OOB + text) for way, text, _ in frames)).values()
        self.assertEqual([plain(line) for line in lines], [plain(expected) for *_, expected in frames])

    def test_every_line_has_one_direction(self):
        """Between servers and masters, too, where both ports are servers'."""
        for name in ("qw-oob", "qw-oob-newest", "q2-oob", "q2-gtv-plain", "nq-control"):
            for number, line in self.lines(self.stored(name)).items():
                self.assertRegex(line, "^(C→S|S→C) (?!C→S|S→C)", f"{name} {number}")

    def test_units_have_a_singular_only_if_they_are_words(self):
        move = struct.pack("<IIH", 1, 0, 7) + b"\x03\0\1" + b"\0\1\0\x0d\0\1"
        shown = self.tshark("-V", "-r", self.capture([to_server(5001, 27500, OOB + b"getchallenge\n"),
                                                      to_server(5001, 27500, move)]))
        self.assertEqual(re.findall(r"Duration: (.*)", shown), ["1 ms", "13 ms", "1 ms"])
