# SPDX-License-Identifier: GPL-2.0-or-later
"""Follow shows what a session's packets say: all of its texts, and no other session's."""

import json
import re
import struct

from wireshark import OOB, PluginTest, to_client, to_server


class Follow(PluginTest):
    def pieces(self, path, protocol, session):
        """Pairs of whether the server sent a piece, and its text."""
        shown = self.tshark("-q", "-2", "-r", path,
                            "-z", f"follow,{protocol},raw,{session}")
        lines = re.findall(r"(?m)^(\t?)([0-9a-f]+)$", shown)
        return [(bool(tab), bytes.fromhex(data).decode()) for tab, data in lines]

    def texts(self, path, field):
        """All texts of a field."""
        packets = json.loads(self.tshark("-r", path, "-T", "json", "-e", field, "-Y", field))
        return [text for packet in packets for text in packet["_source"]["layers"][field]]

    def test_all_texts_of_a_session(self):
        for name in "qw-vanilla", "qw-sample", "q2-vanilla", "nq-protocol15":
            with self.subTest(name):
                path, protocol = self.stored(name), name[:2]
                pieces = self.pieces(path, protocol, 1)
                for field, by_server in ((f"{protocol}.print.text", True),
                                         (f"{protocol}.stufftext.text", True),
                                         (f"{protocol}.stringcmd.text", False)):
                    printed = "".join(text for server, text in pieces if server == by_server)
                    for text in self.texts(path, field):
                        self.assertIn(text.strip("•\n "), printed)

    def test_each_session_has_its_own_texts(self):
        """Repeated data is printed once. Connectionless texts are printed, too."""
        hello = bytes.fromhex("01000000 00000000 8210")
        path = self.capture([
            to_server(5001, 27500, hello + b"\4say one\0"),
            to_server(5002, 27500, hello + b"\4say two\0"),
            to_client(5002, 27500, hello[:8] + b"\x08\2pong\n\0"),
            to_client(5001, 27500, hello[:8] + b"\x08\3\1anna: one\n\0\x09cmd new\n\0"),
            to_client(5001, 27500, hello[:8] + b"\x08\3\1anna: one\n\0"),
            to_client(5001, 27500, OOB + b"nfirst\n\0"),
            to_client(5001, 27500, OOB + b"nsecond\n\0"),
        ])
        self.assertEqual(self.pieces(path, "qw", 1),
                         [(False, "stringcmd: say one\n"), (True, "anna: one\nstufftext: cmd new\n"),
                          (True, "print: first\n"), (True, "print: second\n")])
        self.assertEqual(self.pieces(path, "qw", 2),
                         [(False, "stringcmd: say two\n"), (True, "pong\n")])
        self.assertEqual(self.pieces(path, "q2", 1), [])
        header = self.tshark("-q", "-r", path, "-z", "follow,qw,ascii,2")
        self.assertIn("Node 0: 10.0.0.1:5002\nNode 1: 10.0.0.2:27500\n", header)
        path = self.capture([to_server(5003, 27500, hello + b"\1"), to_client(5003, 27500, hello[:8] + b"\x08\2first\n\0")])
        header = self.tshark("-q", "-r", path, "-z", "follow,qw,ascii,1")
        self.assertIn("Node 0: 10.0.0.1:5003\nNode 1: 10.0.0.2:27500\n", header)

    def test_each_line_has_its_speaker(self):
        """Each client receives the line; one of them is the speaker."""
        names = b"".join(struct.pack("<BBI", 40, slot, slot) + b"\\name\\" + name + b"\0"
                         for slot, name in enumerate((b"anna", b"bert", b"an")))
        lines = b"".join(b"\x08\3" + line + b"\n\0" for line in (b"anna: bert: hi", b"(bert): on the team",
                                                                b"[SPEC] an: nice", b"anne: who?"))
        packets = []
        for port, name in ((5001, b"anna"), (5002, b"bert")):
            packets += [to_server(port, 27500, OOB + b'connect 28 7 1 "\\name\\' + name + b'"\n'),
                        to_client(port, 27500, OOB + b"j"),
                        to_server(port, 27500, bytes.fromhex("01000000 00000000 0700 01")),
                        to_client(port, 27500, struct.pack("<II", 1, 1) + names + lines)]
        path = self.capture(packets)
        self.assertEqual(self.fields(path, ["qw.print.speaker"], "-Y", "qw.print"), 2 * [["anna,bert,an"]])
        self.assertEqual(self.fields(path, ["frame.number"], "-Y", "qw.print.speaker == qw.session.player"),
                         [["4"], ["8"]])
