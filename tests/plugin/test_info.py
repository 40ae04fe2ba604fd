# SPDX-License-Identifier: GPL-2.0-or-later
"""The line that the packet list shows is the summary that the tool gives, and says what people look for."""

import re

from wireshark import CAPTURES, PluginTest, dumped_packets, rows, some_captures, to_client, to_server

SHORT_NAMES = [row[1] for row in rows("protocol")]
SHOWN_MAX = 1500  # characters that are compared; Wireshark cuts longer lines
PACKETS = 2000

OOB = b"\xff\xff\xff\xff"

MARK = re.compile(r" \[(?:lost|skipped|choked|throttled) \d+\]")
FRAGMENT = re.compile(r" \[fragment \d+( of \d+)?\]")


def summaries(path):
    """By packet number, what the tool says of it: of several units in a segment one behind the other."""
    return {number: "; ".join(unit["summary"] for unit in units)
            for number, units in dumped_packets(path).items()}


def plain(text):
    """Without what versions of tshark escape differently, and cut. What a fragment is of, and what
    a gap before the packet is, only Wireshark says, which keeps links between packets."""
    return MARK.sub("", FRAGMENT.sub("", text.replace("\\", "")))[:SHOWN_MAX]


class Info(PluginTest):
    def lines(self, path):
        shown = self.tshark("-r", path, "-T", "fields", "-e", "frame.number",
                            "-e", "_ws.col.Protocol", "-e", "_ws.col.Info", "-Y", "not icmp")
        lines = (line.split("\t", 2) for line in shown.splitlines())
        return {int(number): info for number, protocol, info in lines if protocol in SHORT_NAMES}

    def stored_lines(self, name):
        return self.lines(self.readable(CAPTURES[0] / f"{name}.pcap"))

    def test_summaries(self):
        packets = 0
        for names, path, _ in self.joined(some_captures(), PACKETS):
            with self.subTest(names):
                lines = self.lines(path)
                for number, expected in summaries(path).items():
                    self.assertEqual(plain(lines[number]), plain(expected), f"packet {number}")
                    packets += 1
        self.assertGreater(packets, 1000)

    def expect(self, frames, *expected):
        self.assertEqual([plain(line) for line in self.lines(self.capture(frames)).values()],
                         [plain(line) for line in expected])

    def test_direction_of_connectionless_packets(self):
        self.expect([to_server(5000, 27500, OOB + b"getchallenge\n"),
                     to_client(5000, 27500, OOB + b"c1234\0"),
                     to_server(5000, 27500, OOB + b"status\n")],
                    "C→S getchallenge", "S→C challenge", "C→S status")

    def test_every_line_has_a_direction(self):
        """Between servers and masters, too, where both ports are servers'."""
        for name in ("qw-oob", "qw-oob-newest", "q2-oob", "nq-control"):
            for number, line in self.stored_lines(name).items():
                self.assertRegex(line, "^(C→S|S→C) ", f"{name} {number}")

    def test_quotes_and_names(self):
        self.expect([to_server(5000, 27500,
                               OOB + b'connect 28 1 7 "\\name\\a b"\n'),
                     to_client(5000, 27500, OOB + b'nsay "hi"\n\0'),
                     to_server(5000, 27500, OOB + b"connect 28 1 7 \"\\bottom\\1\"\n")],
                    'C→S connect protocol 28 name "a b"', 'S→C print "say \\"hi\\""',
                    "C→S connect protocol 28")

    def test_known_lines(self):
        """Lines of stored captures, by what they begin with."""
        known = (
            ("nq-control", 1, "C→S CCREQ_CONNECT protocol 3"),
            ("nq-control", 19, 'S→C CCREP_PLAYER_INFO 0 "queryman" frags 0'),
            ("nq-control", 27, 'S→C CCREP_RULE_INFO "sv_gravity" = "800"'),
            ("nq-control", 37, 'S→C CCREP_SERVER_INFO "nqlab full of rules" map "dm4" '
                                    "players 1 of 1 protocol 3"),
            ("qw-oob", 20, 'S→C print map "dm4" players 0'),
            ("q2-oob", 19, 'S→C print map "lab1" players 0'),
            ("q2-oob", 22, 'C→S rcon "status"'),
            ("q2-vanilla", 3, 'C→S connect protocol 34 name "yam"'),
            ("q2-vanilla", 13, 'S→C seq 5 ack 4: print "player 1 entered the game", '
                                    'centerprint "Welcome to the walk"'),
            ("qw-qtv", 34, 'C→S QTV: stringcmd "say hello from qtv"; QTV: stringcmd '))
        shown = {capture: self.stored_lines(capture) for capture in {row[0] for row in known}}
        for capture, number, expected in known:
            line = shown[capture][number]
            self.assertTrue(plain(line).startswith(plain(expected)), line)
