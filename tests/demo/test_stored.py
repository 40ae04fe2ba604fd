# SPDX-License-Identifier: GPL-2.0-or-later
"""Demos that engines recorded: all decode, and a capture made of one has its messages."""

import functools
import itertools

import demos
from tool import ToolTest

# Blocks of each demo whose fields are compared: enough to be in the middle of a game.
BLOCKS = 120

# Fields that only a demo or only its capture has: framing of blocks, headers of packets.
FRAMING = ("qw.block", "qw.header", "qw.sequence_word", "qw.sequence", "qw.ack_word", "qw.ack", "qw.oob", "q2.block",
           "nq.block", "q2.header", "q2.sequence", "q2.ack", "nq.header", "nq.header_word", "nq.flags", "nq.length",
           "nq.sequence", "nq.fragment", "nq.fragments", "nq.reassembled", "qw.mvd", "q2.mvd2", "q2.gtv", "q2.gts",
           "q2.gts_hello", "q2.gts_stream_start", "q2.gts_stream_data", "q2.gts_stream_stop")

# Fields that differ in demos made of captures: they have no downloads, another server count, and baselines as id's
# client writes them.
LEFT_OUT = ("q2.serverdata.servercount", "q2.svc_download", "q2.download", "q2.svc_spawnbaseline",
            "q2.entity.", "qw.svc_download", "qw.download", "nq.svc_nop", "qw.challenge")

# Demos with packets that a client would not have shown or recorded: updates without their base, effects before the
# first frame, packets out of order; and the demo of a server. a and d-v34 have two levels of Quake II, which are two
# demos; c-v34 begins with a download.
OTHERWISE = ("osm_quake__demo01", "osm_quake__demo27", "osm_quake__demo31", "osm_quake__demo4",
             "j-idqwcl-late", "j-idqwcl", "w-r35-lab2", "w-q36-lab2", "serverrecord",
             "d2-dpserver-dpclient-dp7", "a", "c-v34", "d-v34")


@functools.cache
def is_framing(field):
    """True if the name is one of them, or is below one."""
    return any(field == name or field.startswith(name + ".") for name in FRAMING)


def content(packets):
    """Fields of the server's packets as names, lengths and values, in order."""
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

    def test_each_decodes_and_is_listed(self):
        """The check receives every field, as lists and dumps do."""
        blocks = 0
        for path in self.stored:
            with self.subTest(path.name):
                status, report = demos.report("--check", path)
                findings = report["files"][0]
                blocks += findings["frames"]
                self.assertEqual((status, findings["problems"], findings["undecoded_bytes"]), (0, [], 0))
                status, report = demos.report("--list", path)
                session, = report["sessions"]
                self.assertEqual(status, 0)
                self.assertTrue(session["version"])
                self.assertTrue(session["maps"])
                first = next(demos.dumped(path))
                self.assertRegex(first["fields"][0]["name"], r"block$|^qw\.mvd$|^q2\.mvd2")
        print(f"{len(self.stored)} demos, {blocks} blocks")

    def assert_begins(self, packets, fields, left_out):
        """The packets begin with these fields, except those left out; returns how many."""
        expected = [field for field in fields if not field[0].startswith(left_out)]
        found = (field for field in content(packets) if not field[0].startswith(left_out))
        differs = next((pair for pair in zip(expected, itertools.chain(found, itertools.repeat(None)))
                        if pair[0] != pair[1]), None)
        self.assertIsNone(differs)
        return len(expected)

    def test_capture_has_the_same_fields_and_gives_the_same_demo(self):
        """As far as demos have them, and as long."""
        made = self.folder / "made.pcapng"
        fields = 0
        for path in self.stored:
            with self.subTest(path.name):
                self.assertEqual(demos.run("-q", "-f", "--pcap", made, path), (0, "", ""))
                begin = list(content(itertools.islice(demos.dumped(path), BLOCKS)))
                if not path.name.startswith("j-idqwcl.qwd"):  # its capture has no handshake
                    fields += self.assert_begins(after_handshake(demos.dumped(made)), begin, "qw.challenge")
                if path.name.partition(".")[0] in OTHERWISE:
                    continue
                again = self.folder / f"again{path.suffix}"
                demos.run("-q", "-f", "-o", again, made)
                fields += self.assert_begins(itertools.islice(demos.dumped(again), 4 * BLOCKS), begin, LEFT_OUT)
                (_, before), (_, after) = (demos.report("--list", file) for file in (path, again))
                self.assertAlmostEqual(before["sessions"][0]["duration"],
                                       after["sessions"][0]["duration"], delta=0.2)
        print(f"{fields} fields compared")
        self.assertGreater(fields, 0)
