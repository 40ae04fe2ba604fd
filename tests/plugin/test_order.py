# SPDX-License-Identifier: GPL-2.0-or-later
"""sharkd shows packets in any order, as Wireshark does by clicks: each always has the same tree and line."""

import base64
import random
import re

from test_ports import ODD_PORT, late_session
from wireshark import CAPTURES, PluginTest, ipv4_frames, stored_packets


class Order(PluginTest):
    def check_random_order(self, path, count):
        """Returns the frames as shown one after the other; in any order they are the same."""
        order = list(range(1, count + 1)) * 2
        random.Random(1).shuffle(order)
        order = [*order, *range(1, count + 1)]
        calls = [("frame", {"frame": number, "proto": True, "columns": True}) for number in order]
        answers = self.sharkd([("load", {"file": path}), *calls])[1:]
        expected = {number: answer["result"] for number, answer in zip(order[-count:], answers[-count:])}
        for number, answer in zip(order, answers):
            self.assertEqual(answer["result"], expected[number], f"packet {number}")
        return expected

    def test_random_order(self):
        """All games, datagrams and streams."""
        for name in ("qw-lossy", "qw-fte-inputs", "q2-lossy", "q2-r1q2", "nq-darkplaces", "nq-lossy",
                     "acknex-generated", "acknex-messages", "qw-qtv", "q2-gtv-plain"):
            with self.subTest(name):
                packets = stored_packets(CAPTURES[0] / f"{name}.pcap")[:150]
                self.check_random_order(self.timed_capture(packets), len(packets))

    def test_random_order_of_sessions_between_two_ports(self):
        """The client connects again from its port."""
        for name in ("qw-vanilla", "q2-vanilla", "nq-qss"):
            frames = ipv4_frames(CAPTURES[0] / f"{name}.pcap")[:70] * 3
            with self.subTest(name):
                path = self.capture(frames)
                self.assertEqual({session for session, in self.fields(path, [f"{name[:2]}.session"]) if session},
                                 {"1", "2", "3"})
                self.check_random_order(path, len(frames))

    def test_random_order_where_several_packets_decide(self):
        """The packets before the deciding one are of no session, in each pass."""
        path = self.capture(late_session(ODD_PORT))
        found = self.layers(path, "--enable-heuristic", "qw_late_udp")
        self.assertEqual(self.layers(path, "-2", "--enable-heuristic", "qw_late_udp"), found)
        self.assertTrue({"data", "qw"} == set(found) and found == sorted(found), found)
        text = self.tshark("-r", path, "--enable-heuristic", "qw_late_udp", "-T", "fields", "-e", "_ws.expert.message")
        packets, moves = map(int, re.search(r": (\d+) packets .* and (\d+) of them are readable", text).groups())
        self.assertEqual((packets, moves), (8, 4))
        config = self.folder / "home" / ".config" / "wireshark" / "heuristic_protos"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text("qw_late_udp,1\n")
        try:
            shown = self.check_random_order(path, len(found))
        finally:
            config.unlink()
        self.assertEqual(["QuakeWorld" in str(frame["tree"]) for frame in shown.values()],
                         [layer == "qw" for layer in found])

    def test_follow_counts_the_bytes_that_it_shows(self):
        calls = [("load", {"file": self.stored("q2-vanilla")}),
                 ("follow", {"follow": "Quake II", "filter": "q2.session == 1"})]
        result = self.sharkd(calls)[1]["result"]
        sent = {True: 0, False: 0}
        for payload in result["payloads"]:
            sent[bool(payload.get("s"))] += len(base64.b64decode(payload["d"]))
        # sharkd names the ends the other way round.
        self.assertEqual((result["cbytes"], result["sbytes"]), (sent[True], sent[False]))
        self.assertGreater(min(sent.values()), 10)
