# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports about conversations of a few packets: the length of a session, the order of sessions, numbers of notes."""

import struct

from tool import CAPTURES, ToolTest, udp_frame

CLIENT, SERVER, OTHER = (1, 27001), (2, 27500), (3, 27001)
SECOND = 1000000


class Reports(ToolTest):
    """A QuakeWorld conversation of packets at given times."""

    def setUp(self):
        super().setUp()
        self.frames = []

    def send(self, time, source, destination, payload):
        self.frames.append((time, udp_frame(source, destination, payload)))

    def client(self, time, sequence, messages=b"", end=CLIENT):
        self.send(time, end, SERVER, struct.pack("<IIH", sequence, sequence - 1, 4711) + messages)

    def server(self, time, sequence, messages=b"", end=CLIENT):
        self.send(time, SERVER, end, struct.pack("<II", sequence, sequence) + messages)

    def talk(self, count=10, end=CLIENT, start=0):
        for i in range(1, count + 1):
            self.client(start + i * SECOND, i, b"\x04new\0" if i == 1 else b"", end)
            self.server(start + i * SECOND + 1, i, b"\x01", end)

    def reported(self, *options, status=0):
        return self.report(*options, self.write_capture("in.pcap", self.frames), status=status)

    def checked(self, status=0):
        return self.reported("--check", "--no-rebuild", status=status)["files"][0]

    def sessions(self, key):
        """The key of each session; --stats has the same sessions."""
        found, stats = ([session[key] for session in self.reported(action)["sessions"]] for action in ("--list", "--stats"))
        self.assertEqual(found, stats)
        return found


class Length(Reports):
    def test_queries_do_not_lengthen_it(self):
        """Requests of a client that has left the server are connectionless."""
        self.talk()
        self.send(60 * SECOND, CLIENT, SERVER, b"\xff\xff\xff\xffstatus\n")
        self.send(61 * SECOND, SERVER, CLIENT, b"\xff\xff\xff\xffn\\map\\dm4\n\0")
        self.assertEqual(self.sessions("duration"), [9.000001])

    def test_late_packets_lengthen_it(self):
        self.talk()
        self.client(30 * SECOND, 11)
        self.assertEqual(self.sessions("duration"), [29])

    def test_of_a_demo_by_the_servers_time(self):
        """FTE's replacement deltas carry it, with no svc_time beside."""
        for name, seconds in [("nq-fte", 29), ("nq-fte-qss", 28), ("nq-protocol15", 95)]:
            session, = self.listed(CAPTURES / "fidelity" / f"{name}.dem.gz")
            self.assertAlmostEqual(session["duration"], seconds, delta=0.5, msg=name)


class Order(Reports):
    def test_sessions_are_numbered_by_their_first_packets_not_by_their_ends(self):
        self.client(0, 1, b"\x04new\0")
        self.server(1, 1, b"\x01")
        self.talk(3, OTHER, SECOND)
        self.client(20 * SECOND, 2)
        self.server(21 * SECOND, 2, b"\x01")
        self.assertEqual(self.sessions("number"), [1, 2])
        self.assertEqual(self.sessions("client"), ["10.0.0.1:27001", "10.0.0.3:27001"])

    def test_sessions_that_end_as_they_began(self):
        self.talk(3)
        self.talk(3, OTHER, 10 * SECOND)
        self.assertEqual(self.sessions("number"), [1, 2])


class Requests(Reports):
    def test_of_two_conversations(self):
        """Each asks twice, and gets one answer."""
        for end in CLIENT, OTHER:
            self.send(0, end, SERVER, b"\xff\xff\xff\xffstatus\n")
            self.send(1, SERVER, end, b"\xff\xff\xff\xffn\\map\\dm4\n\0")
            self.send(2 * SECOND, end, SERVER, b"\xff\xff\xff\xffstatus\n")
        self.assertEqual([(request["name"], request["requests"], request["answered"], request["time"]["count"])
                          for request in self.reported("--stats")["requests"]], [("status", 4, 2, 2)])


class Notes(Reports):
    def test_packets_again_late_and_missing_are_counted(self):
        self.talk(3)
        self.server(10 * SECOND, 3, b"\x01")  # a duplicate
        self.server(11 * SECOND, 9, b"\x01")  # 4 to 8 are missing
        self.server(12 * SECOND, 6, b"\x01")  # late
        self.client(13 * SECOND, 4)
        file = self.checked()
        self.assertEqual({name: file["notes"].get(name, 0) for name in
                          ("sequence.duplicate", "sequence.stale", "sequence.gap")},
                         {"sequence.duplicate": 1, "sequence.stale": 1, "sequence.gap": 1})
        self.assertEqual((file["frames"], file["packets"]), (10, 10))

    def test_problems_are_in_the_packets_that_have_them(self):
        self.talk(3)
        self.assertEqual(self.checked()["problem_count"], 0)
        self.server(10 * SECOND, 4, b"\x01\xfa\x00")
        self.server(11 * SECOND, 5, b"\x01\x1acut")
        file = self.checked(status=1)
        packets = [problem["packet"] for problem in file["problems"]]
        self.assertEqual(sorted(set(packets)), [7, 8])
        self.assertEqual(file["problem_count"], len(packets))
        self.assertEqual([problem["offset"] for problem in file["problems"]][0], 9)

    def test_a_dropped_packet_shows_its_problems(self):
        """The receiver drops a packet that comes late; --check decodes it."""
        self.talk(3)
        self.server(10 * SECOND, 2, b"\x01\xfa\x00")
        file = self.checked(status=1)
        self.assertEqual({problem["packet"] for problem in file["problems"]}, {7})
