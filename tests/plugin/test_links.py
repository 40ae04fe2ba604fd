# SPDX-License-Identifier: GPL-2.0-or-later
"""Links between packets and the times on them are what the numbers on the wire say."""

import collections
import re

from wireshark import CAPTURES, PluginTest, rows, some_captures, to_client, to_server

PROTOCOLS = [row[0] for row in rows("protocol")]
LINKS = [row[0] for row in rows("link")]
PACKETS = 400  # of each capture


class Packet(dict):
    """A packet's fields that are there, by their names without the protocol's."""

    def number(self, name):
        return int(self[name], 0)

    def time(self, name):
        return float(self[name])


class Links(PluginTest):
    @classmethod
    def packets(cls, path, *names, options=("-2",)):
        """By number, each packet's frame.number, frame.time_epoch and links, and the fields named."""
        names = ["frame.number", "frame.time_epoch", "udp.stream", "udp.srcport", *LINKS, *names]
        fields = [word for name in names for word in ("-e", name)]
        lines = cls.tshark("-r", path, "-T", "fields", "-E", "occurrence=f",
                           *options, *fields).splitlines()
        found = {}
        for line in lines:
            packet = Packet((name.partition(".")[2] if name.partition(".")[0] in PROTOCOLS else name,
                             value)
                            for name, value in zip(names, line.split("\t")) if value)
            found[packet.number("frame.number")] = packet
        return found

    def assert_elapsed(self, packets, packet, since, time):
        elapsed = packet.time("frame.time_epoch") - packets[since].time("frame.time_epoch")
        self.assertAlmostEqual(packet.time(time), max(elapsed, 0), delta=1e-6)

    def check_mirrored(self, packets):
        """Each link back has one ahead, and the time is that between the two packets."""
        count = collections.Counter()
        for number, packet in packets.items():
            if "ack_rtt" in packet:
                acked = packet.number("acks_frame")
                self.assertEqual(packets[acked].number("acked_in"), number)
                self.assert_elapsed(packets, packet, acked, "ack_rtt")
            if "line.lost_in" in packet:
                self.assertGreater(packet.number("line.lost_in"), number)
                self.assertIn("line.lost", packets[packet.number("line.lost_in")])
                self.assertNotIn("acked_in", packet)
                count["ack_rtt"] += 1
            if "reliable.confirms" in packet:
                first = packet.number("reliable.confirms")
                self.assertEqual(packets[first].number("reliable.confirmed_in"), number)
                self.assert_elapsed(packets, packet, first, "reliable.time")
                count["reliable.confirms"] += 1
            if "reliable.first_in" in packet:
                first = packet.number("reliable.first_in")
                while first != number:  # each sending knows the next one
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

    def check_numbers(self, path, prefix):
        """Acknowledgements, worked out anew from sequence and acknowledgement numbers."""
        packets = self.packets(self.readable(path), f"{prefix}.sequence", f"{prefix}.ack")
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
                self.assertGreater(self.check_numbers(CAPTURES[0] / f"{name}.pcap", prefix), 30)

    def test_packets_that_are_left_out(self):
        """A filter of two passes takes packets out, and gives their numbers to others."""
        names = ("ack_rtt", "ping", "response_time", "reliable.time", "line.lost", "line.skipped", "rate", "session")
        for name, prefix in ("qw-fte-inputs", "qw"), ("q2-q2pro", "q2"), ("nq-lossy", "nq"):
            path = self.readable(CAPTURES[0] / f"{name}.pcap")
            fields = [word for one in names for word in ("-e", f"{prefix}.{one}")]
            for kept in f"{prefix}.from_server == 1", f"{prefix}.from_server == 0":
                with self.subTest(name, kept=kept):
                    shown = self.tshark("-2", "-r", path, "-Y", kept, "-T", "fields", *fields)
                    self.assertGreater(len(shown), 100)
                    self.assertEqual(self.tshark("-2", "-r", path, "-R", kept, "-T", "fields",
                                                 *fields), shown)
                    itself = self.tshark("-2", "-r", path, "-R", kept, "-Y",
                                         f"{prefix}.acks_frame == frame.number or "
                                         f"{prefix}.response_to == frame.number")
                    self.assertEqual(itself, "")

    def test_losses_and_pings(self):
        """At the server: what was lost is marked in both directions; only the client's packets end a round trip."""
        packets = self.packets(self.readable(CAPTURES[0] / "lines" / "qw-g-server.pcap.gz"),
                               "qw.session", "qw.from_server")
        for session, ping, to_server, to_client in ("1", 34, 0, 0), ("2", 135, 1.9, 8.7):
            own = [packet for packet in packets.values() if packet.get("session") == session]
            sent = {way: [packet for packet in own if packet["from_server"] in way] for way in ("1True", "0False")}
            from_server, from_client = sent["1True"], sent["0False"]
            lost = sum("line.lost_in" in packet for packet in from_server)
            self.assertAlmostEqual(100 * lost / len(from_server), to_client, delta=1.6)
            before = sum(packet.number("line.lost") for packet in own if "line.lost" in packet) - lost
            self.assertAlmostEqual(100 * before / (len(from_client) + before), to_server, delta=0.3)
            self.assertFalse([packet for packet in from_server if "ping" in packet or "line.lost" in packet])
            pings = sorted(float(packet["ping"]) for packet in from_client if "ping" in packet)
            self.assertGreater(len(pings), 400)
            self.assertAlmostEqual(pings[len(pings) // 2], ping, delta=3)

    def test_marks_agree_with_the_figures(self):
        """The marked packets of a direction are its loss in Line quality: of Quake's and QuakeWorld's servers'
        the proven part of it, without the first of the session."""
        compared = 0
        for name, game, mine, delta in (("nq-b-server", "nq", 1, 0.3), ("q2-c-client", "q2", 0, 0.3),
                                        ("qw-g-server", "qw", 1, 1.7)):
            path = self.readable(CAPTURES[0] / "lines" / f"{name}.pcap.gz")
            table = self.tshark("-q", "-r", path, "-z", f"{game},line")
            packets = self.packets(path, f"{game}.session", f"{game}.from_server").values()
            for session, arrow, loss in re.findall(r"(?m)^(\d+) .*([CS])→[CS] \|\d+ \| *([\d.]+) ", table):
                own = [packet for packet in packets if packet.get("session") == session
                       and ("1True".find(packet["from_server"]) >= 0) == (arrow == "S")]
                if (arrow == "S") == mine:
                    compared += 1
                    marked = sum("line.lost_in" in packet for packet in own)
                    with self.subTest(name, session=session):
                        self.assertAlmostEqual(100 * marked / len(own), float(loss), delta=delta)
        self.assertEqual(compared, 4)

    def test_stop_and_wait(self):
        """Quake's fragments are confirmed by the acknowledgement of the same number."""
        packets = self.packets(self.readable(CAPTURES[0] / "nq-stuck.pcap"), "nq.flags.ack", "nq.flags.data",
                               "nq.sequence", "nq.flags.unreliable")
        again = [packet for packet in packets.values() if "reliable.first_in" in packet]
        self.assertGreater(len(again), 0)
        for number, packet in packets.items():
            if "reliable.confirms" in packet:
                first = packets[packet.number("reliable.confirms")]
                self.assertEqual(first["sequence"], packet["sequence"])
        for packet in again:
            first = packets[packet.number("reliable.first_in")]
            self.assertEqual(first["sequence"], packet["sequence"])

    def test_fragments(self):
        for name, prefix in ("nq-fragments", "nq"), ("qw-fte-inputs", "qw"):
            with self.subTest(name):
                path = self.readable(CAPTURES[0] / f"{name}.pcap")
                packets = self.packets(path, f"{prefix}.fragment.count")
                infos = dict(zip(packets, self.tshark("-2", "-r", path, "-T", "fields", "-e", "_ws.col.Info").splitlines()))
                wholes = [number for number, packet in packets.items()
                          if "fragment.count" in packet]
                self.assertGreater(len(wholes), 0)
                for whole in wholes:
                    count = packets[whole].number("fragment.count")
                    parts = [number for number, packet in packets.items()
                             if packet.get("reassembled_in") == str(whole)]
                    self.assertEqual(len(parts), count - 1)
                    for index, number in enumerate([*parts, whole], 1):
                        self.assertIn(f"[fragment {index} of {count}]", infos[number])

    def test_requests(self):
        """A request that is asked twice: the response belongs to the latest, and is its only one."""
        mark = b"\xff\xff\xff\xff"
        path = self.capture([
            to_server(27001, 27500, mark + b"status 23\n"),
            to_server(27001, 27500, mark + b"getchallenge\n"),
            to_server(27001, 27500, mark + b"status 23\n"),
            to_client(27001, 27500, mark + b"n\\map\\dm4\\*version\\2.91\n\0"),
            to_client(27001, 27500, mark + b"c123\0"),
            to_server(27001, 27500, mark + b"rcon secret status\n"),
            to_client(27001, 27500, mark + b"nfirst\0"),
            to_client(27001, 27500, mark + b"nsecond\0"),
        ])
        packets = self.packets(path)
        self.assertEqual({number: packet.number("response_to")
                          for number, packet in packets.items() if "response_to" in packet},
                         {4: 3, 5: 2, 7: 6, 8: 6})
        self.assertEqual({number: packet.number("response_in")
                          for number, packet in packets.items() if "response_in" in packet},
                         {2: 5, 3: 4, 6: 7})

    def test_one_pass_knows_what_came_before(self):
        path = self.readable(CAPTURES[0] / "qw-sample.pcap")
        ahead = {name.partition(".")[2] for name, kind in rows("link") if kind == "ahead"}
        once, twice = self.packets(path, options=()), self.packets(path)
        self.assertEqual({number: {name: value for name, value in packet.items()
                                   if name not in ahead} for number, packet in twice.items()}, once)
