# SPDX-License-Identifier: GPL-2.0-or-later
"""Links between packets, and the times on them, follow from the numbers on the wire."""

import collections
import re

from wireshark import CAPTURES, OOB, PROTOCOLS, PluginTest, rows, some_captures, to_client, to_server

LINKS = [row[0] for row in rows("link")]
PACKETS = 400  # of each capture


class Packet(dict):
    """The values of a packet's fields by name, without the protocol's prefix."""

    def number(self, name):
        return int(self[name], 0)

    def time(self, name):
        return float(self[name])


class Links(PluginTest):
    @classmethod
    def packets(cls, path, *names, options=("-2",)):
        """By number, each packet's frame.number, frame.time_epoch and links, and the fields named."""
        names = ["frame.number", "frame.time_epoch", "udp.stream", "udp.srcport", *LINKS, *names]
        short = [name.partition(".")[2] if name.partition(".")[0] in PROTOCOLS else name for name in names]
        packets = [Packet((name, value) for name, value in zip(short, values) if value)
                   for values in cls.fields(path, names, "-E", "occurrence=f", *options)]
        return {packet.number("frame.number"): packet for packet in packets}

    def assert_elapsed(self, packets, packet, since, name):
        """The field has the time between two packets."""
        elapsed = packet.time("frame.time_epoch") - packets[since].time("frame.time_epoch")
        self.assertAlmostEqual(packet.time(name), max(elapsed, 0), delta=1e-6)

    def check_mirrored(self, packets):
        """Each link back has one ahead, and the time is that between the two packets."""
        count = collections.Counter()
        for number, packet in packets.items():
            if "ack_rtt" in packet:
                acked = packet.number("acks_frame")
                self.assertEqual(packets[acked].number("acked_in"), number)
                self.assert_elapsed(packets, packet, acked, "ack_rtt")
                count["ack_rtt"] += 1
            if "line.lost_in" in packet:
                self.assertGreater(packet.number("line.lost_in"), number)
                self.assertIn("line.lost", packets[packet.number("line.lost_in")])
                self.assertNotIn("acked_in", packet)
            if "reliable.confirms" in packet:
                first = packet.number("reliable.confirms")
                self.assertEqual(packets[first].number("reliable.confirmed_in"), number)
                self.assert_elapsed(packets, packet, first, "reliable.time")
                count["reliable.confirms"] += 1
            if "reliable.first_in" in packet:
                first = packet.number("reliable.first_in")
                while first != number:  # each packet has a link to the next time that it was sent
                    self.assertLess(first, number)
                    first = packets[first].number("reliable.again_in")
                count["reliable.first_in"] += 1
            if "response_to" in packet:
                request = packet.number("response_to")
                self.assertLessEqual(packets[request].number("response_in"), number)
                self.assertNotEqual(packets[request]["udp.srcport"], packet["udp.srcport"])
                self.assert_elapsed(packets, packet, request, "response_time")
                count["response_to"] += 1
        return count

    def test_links_back_and_ahead(self):
        total = collections.Counter()
        for names, path, _ in self.joined(some_captures(), PACKETS):
            with self.subTest(names):
                total += self.check_mirrored(self.packets(path))
        for name in "ack_rtt", "reliable.confirms", "reliable.first_in", "response_to":
            self.assertGreater(total[name], 0, name)

    def check_numbers(self, name, prefix):
        """Compares with the packets that have the acknowledged sequence numbers; returns how many there are."""
        packets = self.packets(self.stored(name), f"{prefix}.sequence", f"{prefix}.ack")
        sent, acknowledged = {}, set()
        links = 0
        for number, packet in packets.items():
            if "sequence" not in packet:
                continue
            stream, port = packet["udp.stream"], packet["udp.srcport"]
            expected = next((frame for (one, end, sequence), frame in sent.items()
                             if one == stream and end != port and sequence == packet["ack"]), None)
            self.assertEqual(int(packet.get("acks_frame", 0)), expected or 0, f"packet {number}")
            self.assertEqual("ack_rtt" in packet, expected is not None
                             and expected not in acknowledged, f"packet {number}")
            acknowledged.add(expected)
            sent[stream, port, packet["sequence"]] = number
            links += expected is not None
        return links

    def test_acknowledgements_are_the_numbers(self):
        for name, prefix in ("qw-vanilla", "qw"), ("qw-sample", "qw"), ("q2-q2pro", "q2"):
            with self.subTest(name):
                self.assertGreater(self.check_numbers(name, prefix), 30)

    def test_packets_that_are_left_out(self):
        """-R leaves out packets, and the others are numbered anew."""
        names = ("ack_rtt", "ping", "response_time", "reliable.time", "line.lost", "line.skipped", "rate", "session")
        for name, prefix in ("qw-fte-inputs", "qw"), ("q2-q2pro", "q2"), ("nq-lossy", "nq"):
            path = self.stored(name)
            fields = [f"{prefix}.{one}" for one in names]
            for kept in f"{prefix}.from_server == 1", f"{prefix}.from_server == 0":
                with self.subTest(name, kept=kept):
                    shown = self.fields(path, fields, "-2", "-Y", kept)
                    self.assertGreater(len([value for values in shown for value in values if value]), 20)
                    self.assertEqual(self.fields(path, fields, "-2", "-R", kept), shown)
                    itself = self.tshark("-2", "-r", path, "-R", kept, "-Y",
                                         f"{prefix}.acks_frame == frame.number or "
                                         f"{prefix}.response_to == frame.number")
                    self.assertEqual(itself, "")

    def test_rate_is_the_payload_of_ten_tenths_of_a_second(self):
        sent = collections.defaultdict(list)
        packets = self.packets(self.stored("qw-vanilla"), "udp.length")
        for number, packet in [item for item in packets.items() if "rate" in item[1]]:
            tenth, before = int(packet.time("frame.time_epoch") * 10), sent[packet["udp.stream"], packet["udp.srcport"]]
            before.append((tenth, packet.number("udp.length") - 8))
            self.assertEqual(packet.number("rate"), sum(size for at, size in before if at > tenth - 10), number)

    def test_losses_and_pings(self):
        """The capture is the server's: losses show in both directions, and the client's packets have the ping."""
        packets = self.packets(self.readable(CAPTURES[0] / "lines" / "qw-g-server.pcap.gz"),
                               "qw.session", "qw.from_server")
        for session, ping, to_server, to_client in ("1", 34, 0, 0), ("2", 135, 1.9, 8.7):
            own = [packet for packet in packets.values() if packet.get("session") == session]
            from_server = [packet for packet in own if packet["from_server"] in ("1", "True")]
            from_client = [packet for packet in own if packet["from_server"] in ("0", "False")]
            lost = sum("line.lost_in" in packet for packet in from_server)
            self.assertAlmostEqual(100 * lost / len(from_server), to_client, delta=1.6)
            before = sum(packet.number("line.lost") for packet in own if "line.lost" in packet) - lost
            self.assertAlmostEqual(100 * before / (len(from_client) + before), to_server, delta=0.3)
            self.assertFalse([packet for packet in from_server if "ping" in packet or "line.lost" in packet])
            pings = sorted(float(packet["ping"]) for packet in from_client if "ping" in packet)
            self.assertGreater(len(pings), 400)
            self.assertAlmostEqual(pings[len(pings) // 2], ping, delta=3)

    def test_marked_packets_are_the_loss_in_the_table(self):
        """Of Quake's and QuakeWorld's servers the proven part of it, without the first of the session."""
        compared = 0
        for name, game, arrow, delta in (("nq-b-server", "nq", "S", 0.3), ("q2-c-client", "q2", "C", 0.3),
                                         ("qw-g-server", "qw", "S", 1.7)):
            path = self.readable(CAPTURES[0] / "lines" / f"{name}.pcap.gz")
            table = self.tshark("-q", "-r", path, "-z", f"{game},line")
            packets = self.packets(path, f"{game}.session", f"{game}.from_server").values()
            for session, loss in re.findall(rf"(?m)^(\d+) .*{arrow}→[CS] \|\d+ \| *([\d.]+) ", table):
                own = [packet for packet in packets if packet.get("session") == session
                       and (packet["from_server"] in ("1", "True")) == (arrow == "S")]
                compared += 1
                marked = sum("line.lost_in" in packet for packet in own)
                with self.subTest(name, session=session):
                    self.assertAlmostEqual(100 * marked / len(own), float(loss), delta=delta)
        self.assertEqual(compared, 4)

    def test_links_of_fragments_have_one_sequence_number(self):
        """Quake's fragments are confirmed by the acknowledgement of the same number."""
        packets = self.packets(self.stored("nq-stuck"), "nq.sequence")
        for link in "reliable.confirms", "reliable.first_in":
            linked = [packet for packet in packets.values() if link in packet]
            self.assertGreater(len(linked), 0)
            for packet in linked:
                self.assertEqual(packets[packet.number(link)]["sequence"], packet["sequence"])

    def test_fragments_are_numbered_and_linked_to_the_last(self):
        for name, prefix in ("nq-fragments", "nq"), ("qw-fte-inputs", "qw"):
            with self.subTest(name):
                packets = self.packets(self.stored(name), f"{prefix}.fragment.count", "_ws.col.Info")
                wholes = [number for number, packet in packets.items() if "fragment.count" in packet]
                self.assertGreater(len(wholes), 0)
                for whole in wholes:
                    count = packets[whole].number("fragment.count")
                    parts = [number for number, packet in packets.items()
                             if packet.get("reassembled_in") == str(whole)]
                    self.assertEqual(len(parts), count - 1)
                    for index, number in enumerate([*parts, whole], 1):
                        self.assertIn(f"[fragment {index} of {count}]", packets[number]["_ws.col.Info"])

    def test_response_belongs_to_the_latest_request(self):
        """Each request has one response; a request that is sent twice has it the second time."""
        path = self.capture(way(27001, 27500, OOB + text) for way, text in [
            (to_server, b"status 23\n"),
            (to_server, b"getchallenge\n"),
            (to_server, b"status 23\n"),
            (to_client, b"n\\map\\dm4\\*version\\2.91\n\0"),
            (to_client, b"c123\0"),
            (to_server, b"rcon secret status\n"),
            (to_client, b"nfirst\0"),
            (to_client, b"nsecond\0"),
        ])
        packets = self.packets(path)
        for link, expected in ("response_to", {4: 3, 5: 2, 7: 6, 8: 6}), ("response_in", {2: 5, 3: 4, 6: 7}):
            self.assertEqual({number: packet.number(link) for number, packet in packets.items() if link in packet},
                             expected)

    def test_one_pass_has_all_links_back(self):
        path = self.stored("qw-sample")
        ahead = {name.partition(".")[2] for name, kind in rows("link") if kind == "ahead"}
        once, twice = self.packets(path, options=()), self.packets(path)
        self.assertEqual({number: {name: value for name, value in packet.items()
                                   if name not in ahead} for number, packet in twice.items()}, once)
