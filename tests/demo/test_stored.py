# SPDX-License-Identifier: GPL-2.0-or-later
"""Demos that engines recorded: all decode, and survive being made a capture, byte for byte."""

import functools
import itertools

import demos
from tool import ToolTest

# Blocks of each demo whose fields are compared: enough to be in the middle of a game.
BLOCKS = 120

# What only one of a demo and its capture has: blocks' framing, packets' headers.
FRAMING = ("qw.block", "q2.block", "nq.block", "q2.header", "q2.sequence", "q2.ack", "nq.header",
           "nq.header_word", "nq.flags", "nq.length", "nq.sequence", "nq.fragment", "nq.fragments",
           "nq.reassembled", "qw.mvd", "q2.mvd2", "q2.gtv", "q2.gts", "q2.gts_hello",
           "q2.gts_stream_start", "q2.gts_stream_data", "q2.gts_stream_stop")


@functools.cache
def is_framing(field):
    """Whether the name is one of them, or goes on behind one."""
    return any(field == name or field.startswith(name + ".") for name in FRAMING)


def content(packets):
    """What the server says, as names and values, in order."""
    for packet in packets:
        if packet["direction"] == "s2c":
            for field in demos.flat(packet["fields"]):
                if "note" not in field and not is_framing(field["name"]):
                    yield field["name"], field["length"], field.get("value")


def after_handshake(packets):
    """Packets of the session, which the handshake is not part of; but QTV's answer is."""
    return (packet for packet in packets
            if "session" in packet and packet["fields"][0]["name"] != "qw.qtv.reply")


class StoredDemos(ToolTest):
    stored = demos.demos_or_skip()

    def test_check(self):
        """The check lists and dumps as well: it hears of every field."""
        blocks = 0
        for path in self.stored:
            with self.subTest(path.name):
                status, report = demos.report("--check", path)
                findings = report["files"][0]
                blocks += findings["frames"]
                self.assertEqual((status, findings["problems"]), (0, []))
                self.assertEqual(findings["undecoded_bytes"], 0)
        print(f"{len(self.stored)} demos, {blocks} blocks")

    def test_list_and_dump(self):
        for path in self.stored:
            with self.subTest(path.name):
                status, report = demos.report("--list", path)
                session, = report["sessions"]
                self.assertEqual(status, 0)
                self.assertTrue(session["version"])
                self.assertTrue(session["maps"])
                first = next(demos.dumped(path))
                self.assertRegex(first["fields"][0]["name"], r"block$|^qw\.mvd$|^q2\.mvd2")

    def test_round_trip(self):
        made = self.folder / "made.pcapng"
        for path in self.stored:
            with self.subTest(path.name):
                again = self.folder / f"again{path.suffix}"
                self.assertEqual(demos.run("-q", "-f", "--pcap", made, path), (0, "", ""))
                self.assertEqual(demos.run("-q", "-f", "-o", again, made), (0, "", ""))
                self.assertTrue(again.read_bytes() == path.read_bytes(), "another demo came back")

    def test_capture_has_the_same_fields(self):
        made = self.folder / "made.pcapng"
        fields = 0
        for path in self.stored:
            with self.subTest(path.name):
                demos.run("-q", "-f", "--pcap", made, path)
                there = content(after_handshake(demos.dumped(made)))
                for here in content(itertools.islice(demos.dumped(path), BLOCKS)):
                    self.assertEqual(next(there, None), here)
                    fields += 1
        print(f"{fields} fields compared")
        self.assertGreater(fields, 0)
