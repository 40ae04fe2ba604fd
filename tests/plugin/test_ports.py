# SPDX-License-Identifier: GPL-2.0-or-later
"""Which packets the plugin gets, and which it leaves to Wireshark's own dissectors."""

import unittest

from wireshark import PluginTest, quoted, to_client, to_server

CONNECT = b"\xff\xff\xff\xffconnect 28 4320 -168 \"\\name\\me\"\n"
GAME = bytes.fromhex("01000000 00000000 8210 0b")
ODD_PORT = 40123  # nobody's


class Ports(PluginTest):
    def test_the_port_is_taken_over(self):
        capture = self.capture([to_server(5001, 27500, GAME), to_client(5001, 27500, CONNECT)])
        self.assertEqual(self.layers(capture), ["qw", "qw"])

    def test_a_disabled_protocol_gives_its_ports_back(self):
        capture = self.capture([to_server(5001, 27500, GAME), to_server(5001, 27000, GAME)])
        for passes in ([], ["-2"]):
            self.assertEqual(self.layers(capture, "--disable-protocol", "qw", *passes),
                             ["quakeworld", "data"])

    def test_a_port_that_leaves_the_preference_goes_back(self):
        capture = self.capture([to_server(5001, 27500, GAME), to_server(5002, 27777, GAME)])
        self.assertEqual(self.layers(capture, "-o", "qw.udp.port:27700-27800"),
                         ["quakeworld", "qw"])

    def test_the_built_in_dissector_can_be_asked_for(self):
        capture = self.capture([to_server(5001, 27500, GAME)])
        self.assertEqual(self.layers(capture, "-d", "udp.port==27500,quakeworld"), ["quakeworld"])

    def test_decode_as(self):
        capture = self.capture([to_server(5001, ODD_PORT, GAME)])
        self.assertEqual(self.layers(capture), ["data"])
        self.assertEqual(self.layers(capture, "-d", f"udp.port=={ODD_PORT},qw"), ["qw"])

    def test_a_recognised_conversation_is_claimed_from_there_on(self):
        capture = self.capture([
            to_server(5001, ODD_PORT, GAME),
            to_server(5001, ODD_PORT, CONNECT),
            to_client(5001, ODD_PORT, GAME),
            to_server(5002, ODD_PORT, GAME),
        ])
        for passes in ([], ["-2"]):
            self.assertEqual(self.layers(capture, *passes), ["data", "qw", "qw", "data"])
        self.assertEqual(self.layers(capture, "--disable-heuristic", "qw_udp"), ["data"] * 4)

    def test_a_quoted_packet_claims_nothing(self):
        capture = self.capture([
            quoted(to_server(5001, ODD_PORT, CONNECT)),
            to_server(5001, ODD_PORT, GAME),
        ])
        self.assertEqual(self.layers(capture), ["qw", "data"])

    def test_a_quoted_packet_is_no_news(self):
        """Packets that an error message quotes were sent before: they count for nothing."""
        first = bytes.fromhex("01000000 00000000 8210 01")
        second = bytes.fromhex("02000000 00000000 8210 01")
        capture = self.capture([
            to_server(5001, 27500, first),
            quoted(to_server(5001, 27500, first)),
            to_server(5001, 27500, second),
            to_server(5001, 27500, first),
        ])
        for passes in ([], ["-2"]):
            late = self.tshark("-r", capture, "-Y", "qw.sequence.duplicate or qw.sequence.stale",
                               "-T", "fields", "-e", "frame.number", *passes)
            self.assertEqual(late.split(), ["2", "4"])

    def test_an_announced_conversation_is_claimed(self):
        """A NetQuake server accepts, and goes on from another port (40500)."""
        accept = bytes.fromhex("80000009 81 349e0000")
        keep_alive = bytes.fromhex("00010009 00000001 01")
        capture = self.capture([
            to_client(5001, 40500, keep_alive),
            to_client(5001, 26000, accept),
            to_client(5001, 40500, keep_alive),
            to_server(5001, 40500, keep_alive),
        ])
        for passes in ([], ["-2"]):
            self.assertEqual(self.layers(capture, *passes), ["data", "nq", "nq", "nq"])


if __name__ == "__main__":
    unittest.main()
