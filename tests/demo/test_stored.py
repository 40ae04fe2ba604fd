# SPDX-License-Identifier: GPL-2.0-or-later
"""Demos that engines recorded: all decode, and a capture made of one gives its messages again."""

import functools
import itertools

import demos
from tool import ToolTest

# Blocks of each demo whose fields are compared: enough to be in the middle of a game.
BLOCKS = 120

# What only one of a demo and its capture has: blocks' framing, packets' headers.
FRAMING = ("qw.block", "qw.header", "qw.sequence_word", "qw.sequence", "qw.ack_word", "qw.ack", "qw.oob", "q2.block", "nq.block", "q2.header", "q2.sequence", "q2.ack", "nq.header",
           "nq.header_word", "nq.flags", "nq.length", "nq.sequence", "nq.fragment", "nq.fragments",
           "nq.reassembled", "qw.mvd", "q2.mvd2", "q2.gtv", "q2.gts", "q2.gts_hello",
           "q2.gts_stream_start", "q2.gts_stream_data", "q2.gts_stream_stop")


# What demos that are made of captures have otherwise: downloads are left out, the mark of a client's
# demo is counted once more, and baselines are as id's client writes them.
LEFT_OUT = ("q2.serverdata.servercount", "q2.svc_download", "q2.download", "q2.svc_spawnbaseline",
            "q2.entity.", "qw.svc_download", "qw.download", "nq.svc_nop", "qw.challenge")

# Of these a client would not have shown, or recorded, all: updates without their base, effects
# before the first frame, packets out of order; and the demo of a server. Of two levels of Quake II
# each is a demo of its own: a, d-v34; c-v34 begins with a download.
OTHERWISE = ("osm_quake__demo01", "osm_quake__demo27", "osm_quake__demo31", "osm_quake__demo4",
             "j-idqwcl-late", "j-idqwcl", "w-r35-lab2", "w-q36-lab2", "serverrecord",
             "d2-dpserver-dpclient-dp7", "a", "c-v34", "d-v34")


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
        """The check lists and dumps as well: it receives every field."""
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
        """The capture's demo has the same messages, as far as demos have them, and is as long."""
        made = self.folder / "made.pcapng"
        fields = 0
        for path in self.stored:
            if path.name.partition(".")[0] in OTHERWISE:
                continue
            with self.subTest(path.name):
                again = self.folder / f"again{path.suffix}"
                self.assertEqual(demos.run("-q", "-f", "--pcap", made, path), (0, "", ""))
                demos.run("-q", "-f", "-o", again, made)
                there = (field for field in content(itertools.islice(demos.dumped(again), 4 * BLOCKS))
                         if not field[0].startswith(LEFT_OUT))
                for here in content(itertools.islice(demos.dumped(path), BLOCKS)):
                    if not here[0].startswith(LEFT_OUT):
                        self.assertEqual(next(there, None), here)
                        fields += 1
                (_, before), (_, after) = (demos.report("--list", file) for file in (path, again))
                self.assertAlmostEqual(before["sessions"][0]["duration"],
                                       after["sessions"][0]["duration"], delta=0.2)
        print(f"{fields} fields compared")

    def test_capture_has_the_same_fields(self):
        made = self.folder / "made.pcapng"
        fields = 0
        for path in self.stored:
            if path.name.startswith("j-idqwcl.qwd"):  # its capture has no handshake
                continue
            with self.subTest(path.name):
                demos.run("-q", "-f", "--pcap", made, path)
                there = content(after_handshake(demos.dumped(made)))
                for here in content(itertools.islice(demos.dumped(path), BLOCKS)):
                    if here[0] != "qw.challenge":
                        self.assertEqual(next(there, None), here)
                        fields += 1
        print(f"{fields} fields compared")
        self.assertGreater(fields, 0)
