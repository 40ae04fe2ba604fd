# SPDX-License-Identifier: GPL-2.0-or-later
"""--stats: the numbers are those of a count of the JSON dump."""

import collections

from tool import CAPTURES, SAMPLE, ToolTest


def outermost(fields, source=None):
    """(name, length) of groups that are in no other of the same bytes."""
    for field in fields:
        if "fields" not in field:
            continue
        if source is None or field.get("source", 0) != source:
            yield field["name"], field["length"]
        yield from outermost(field["fields"], field.get("source", 0))


class Stats(ToolTest):
    def stats(self, *arguments):
        report = self.report("--stats", *arguments)
        self.assertEqual((report["schema"], report["kind"]), (1, "stats"))
        return report["sessions"]

    def compare(self, capture):
        packets = self.dump(capture)
        for session in self.stats(capture):
            own = [packet for packet in packets if packet.get("session") == session["number"]]
            self.assertEqual(len(own), session["packets"])
            counts, sizes = collections.Counter(), collections.Counter()
            for packet in own:
                for name, length in outermost(packet["fields"]):
                    counts[name, packet["direction"]] += 1
                    sizes[name, packet["direction"]] += length
            found = {(message["name"], message["direction"]): (message["count"], message["bytes"])
                     for message in session["messages"]}
            self.assertEqual(found, {key: (count, sizes[key]) for key, count in counts.items()})
            self.assertEqual(session["messages"], sorted(
                session["messages"], key=lambda message: (-message["bytes"], message["name"])))
            for direction, traffic in session["traffic"].items():
                of_packets = [packet["size"] for packet in own if packet["direction"] == direction]
                self.assertEqual((traffic["packets"], traffic["bytes"]), (len(of_packets), sum(of_packets)))
                self.assertAlmostEqual(traffic["bytes_per_second"] * session["duration"],
                                       sum(of_packets) if session["duration"] else 0)

    def test_all_captures(self):
        """Dumps have what the network repeated; sessions have each datagram once."""
        for capture in sorted(set(CAPTURES.glob("*.pcap")) - {CAPTURES / "nq-lossy.pcap", CAPTURES / "q2-lossy.pcap"}):
            with self.subTest(capture.name):
                self.compare(capture)

    def test_text(self):
        output, _ = self.tool("--stats", SAMPLE)
        session, = self.stats(SAMPLE)
        self.assertTrue(output.startswith("session 1: labplayer, QuakeWorld 28, dm4, 0:15, client 127.0.0.1:43608, "
                                           "server 127.0.0.1:27500\n"), output)
        for message in session["messages"]:
            self.assertRegex(output, rf"\n  {message['name']} +{message['direction']} "
                                     rf"+{message['count']} +{message['bytes']}\n")

    def test_unknown_session_prints_nothing(self):
        self.assertEqual(self.tool("--stats", "--session", "2", SAMPLE, status=1)[0], "")
