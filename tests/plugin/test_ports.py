# SPDX-License-Identifier: GPL-2.0-or-later
"""The packets that the plugin dissects, and those that it leaves to Wireshark's own dissectors."""

import struct

from wireshark import CAPTURES, OOB, PASSES, PluginTest, quoted, stored_packets, to_client, to_server, with_network

CONNECT = OOB + b"connect 28 4320 -168 \"\\name\\me\"\n"
GAME = bytes.fromhex("01000000 00000000 8210 05ff")  # clc_delta
ODD_PORT = 40123  # of no protocol

DROPPED = [f"{game}.sequence.{how}" for game in ("qw", "nq") for how in ("duplicate", "stale")]

PRIVATE_PORT = 40500
ACCEPT = bytes.fromhex("80000009 81") + struct.pack("<I", PRIVATE_PORT)
KEEP_ALIVE = bytes.fromhex("00010009 00000001 01")


def unreliable(number, messages):
    """A datagram of Quake."""
    return struct.pack(">HHI", 0x10, 8 + len(messages), number) + messages


def bare(number, last="8210 01"):
    """A datagram of QuakeWorld's client."""
    return struct.pack("<II", number, 0) + bytes.fromhex(last)


PORT = 5001  # the client's
RECOGNIZED = [to_server(PORT, ODD_PORT, GAME), to_server(PORT, ODD_PORT, CONNECT), to_client(PORT, ODD_PORT, GAME),
              to_server(5002, ODD_PORT, GAME)]
# What must hold, options of tshark, frames, the protocol of each, and the numbers of those that their receiver drops.
CASES = [
    ("the port is taken over", "", [to_server(PORT, 27500, GAME), to_client(PORT, 27500, CONNECT)], ["qw", "qw"], []),
    ("a disabled protocol gives its ports back", "--disable-protocol qw",
     [to_server(PORT, 27500, GAME), to_server(PORT, 27000, GAME)], ["quakeworld", "data"], []),
    ("a port that leaves the preference goes back", "-o qw.udp.port:27700-27800",
     [to_server(PORT, 27500, GAME), to_server(5002, 27777, GAME)], ["quakeworld", "qw"], []),
    ("the built-in dissector can be asked for", "-d udp.port==27500,quakeworld", [to_server(PORT, 27500, GAME)],
     ["quakeworld"], []),
    ("the built-in dissector stays when the preference changes", "-o qw.udp.port:27500-27600 -d udp.port==27500,quakeworld",
     [to_server(PORT, 27500, GAME)], ["quakeworld"], []),
    ("Quake III can be asked for", "-d udp.port==27500,quake3", [to_server(PORT, 27500, CONNECT)], ["quake3"], []),
    ("a client has another game's port", "", [to_server(26000, 27500, CONNECT), to_client(26000, 27500, bare(1, "01"))],
     ["qw", "qw"], []),
    ("a port of no protocol is not taken", "", [to_server(PORT, ODD_PORT, GAME)], ["data"], []),
    ("decode as", f"-d udp.port=={ODD_PORT},qw", [to_server(PORT, ODD_PORT, GAME)], ["qw"], []),
    ("a recognized conversation is decoded from there on", "", RECOGNIZED, ["data", "qw", "qw", "data"], []),
    ("nothing is recognized without the heuristic", "--disable-heuristic qw_udp", RECOGNIZED, ["data"] * 4, []),
    ("a quoted packet decides nothing", "",
     [quoted(to_server(PORT, ODD_PORT, CONNECT)), to_server(PORT, ODD_PORT, GAME)], ["qw", "data"], []),
    ("a quoted packet was sent before, and counts for nothing", "",
     [to_server(PORT, 27500, bare(1)), quoted(to_server(PORT, 27500, bare(1))), to_server(PORT, 27500, bare(2)),
      to_server(PORT, 27500, bare(1))], ["qw"] * 4, [2, 4]),
    ("a quoted packet leaves the conversation as it is, even where the capture lacks the packet itself", "",
     [to_server(PORT, 27500, bare(1)), quoted(to_server(PORT, 27500, bare(9))), to_server(PORT, 27500, bare(2))],
     ["qw"] * 3, []),
    ("a quoted packet begins no conversation: its first end is the one that sent the first packet itself", "",
     [quoted(to_server(PORT, 27500, bare(9))), to_client(PORT, 27500, bare(1, "01")), to_server(PORT, 27500, bare(1))],
     ["qw"] * 3, []),
    ("a quoted packet announces nothing", "",
     [quoted(to_client(PORT, 26000, ACCEPT)), to_client(PORT, PRIVATE_PORT, KEEP_ALIVE)], ["nq", "data"], []),
    ("an announced conversation is decoded: a NetQuake server accepts, and then sends from another port", "",
     [to_client(PORT, PRIVATE_PORT, KEEP_ALIVE), to_client(PORT, 26000, ACCEPT),
      to_client(PORT, PRIVATE_PORT, KEEP_ALIVE), to_server(PORT, PRIVATE_PORT, KEEP_ALIVE)],
     ["data", "nq", "nq", "nq"], []),
    ("a port announced after the disconnect begins anew: the next client has numbers of its own", "",
     2 * [to_client(PORT, 26000, ACCEPT), to_server(PORT, PRIVATE_PORT, unreliable(0, b"\x01")),
          to_server(PORT, PRIVATE_PORT, unreliable(1, b"\x02"))], ["nq"] * 6, []),
    ("a port announced again continues: servers repeat an accept during the connection", "",
     2 * [to_client(PORT, 26000, ACCEPT), to_server(PORT, PRIVATE_PORT, unreliable(5, b"\x01"))], ["nq"] * 4, [4]),
]


def in_network(frame, number):
    """The frame, and one that it quotes, between hosts of another network."""
    frame = with_network(frame, number)
    quotes = frame[23] == 1  # ICMP
    return frame[:42] + with_network(frame[28:], number)[14:] if quotes else frame


LATE_PACKETS = 60


def on_port(name, standard, port, first=0, count=60):
    """Frames of a capture with the server on another port."""
    was, now = struct.pack(">H", standard), struct.pack(">H", port)
    return [frame[:34] + frame[34:38].replace(was, now) + frame[38:]
            for _, frame, _ in stored_packets(CAPTURES[0] / name)[first:first + count]]


def late_session(port):
    """Frames of a session without its handshake."""
    return on_port("fidelity/qw-vanilla.pcap.gz", 27500, port, 300, LATE_PACKETS)


class Ports(PluginTest):
    def test_another_games_port(self):
        """The first request may be of either game; the answer shows which, for later passes, too."""
        for name, standard, port, before in (("qw-sample", 27500, 26000, "nq"), ("qw-sample", 27500, 27962, "q2"),
                                             ("q2-vanilla", 27910, 27960, "q2"), ("q2-vanilla", 27910, 27500, "qw")):
            frames = on_port(f"{name}.pcap", standard, port)
            with self.subTest(name, port=port):
                found = [self.layers(self.capture(frames), *passes) for passes in PASSES]
                self.assertEqual(found, [[before] + [name[:2]] * 59, [name[:2]] * 60])

    def assert_all(self, frames, protocol, *options):
        """In each pass, all frames are of one protocol."""
        capture = self.capture(frames)
        for passes in PASSES:
            self.assertEqual(set(self.layers(capture, *options, *passes)), {protocol})

    def test_quake3_keeps_its_ports(self):
        texts = (b"getchallenge", b"getchallenge 1 Quake3Arena", b"challengeResponse 1", b"connectResponse",
                 b"print\nhello\n", b"statusResponse\n\\protocol\\68\n", b"infoResponse\n\\protocol\\68")
        self.assert_all([*(to_server(40000, 27960, OOB + text) for text in texts),
                         to_client(40000, 27960, struct.pack("<I", 1) + bytes(20))], "quake3")
        self.assert_all(on_port("q2-vanilla.pcap", 27910, 27960), "quake3", "--disable-protocol", "q2")

    def test_a_session_in_progress_is_found_on_the_port(self):
        self.assert_all(late_session(27500), "qw")

    def test_what_cannot_be_read_is_not_taken(self):
        frames = [to_server(5000 + i, port, payload) for i, payload in enumerate(
            (bytes(12), bytes(100), b"\0\1\0\0" * 5, struct.pack("<II", 70000, 256) + b"\1\1"))
            for port in (27500, 27910)]
        self.assertEqual({"qw", "q2"} & set(self.layers(self.capture(frames))), set())

    def test_numbers_in_steps_are_evidence_on_the_port(self):
        """The packets of a server only, with extensions that were agreed upon before."""
        unreadable = [struct.pack("<II", 1000 + i, 990 + i) + b"\xc8\xc9\xca" for i in range(16)]
        constant = [struct.pack("<II", 1000, 990) + b"\xc8\xc9\xca"] * 16
        for port, game in (27500, "qw"), (27910, "q2"):
            steps = self.capture([to_client(5001, port, payload) for payload in unreadable])
            for passes in PASSES:
                self.assertEqual(self.layers(steps, *passes), 7 * ["data"] + 9 * [game])
            messages = str(self.fields(steps, ["_ws.expert.message"]))
            self.assertIn("one end has a server port, and 8 packets have consistent numbers", messages)
            self.assert_all([to_client(5001, port, payload) for payload in constant], "data")

    def test_sessions_that_began_before_the_capture(self):
        """With a heuristic that the user enables; the packet that completes the evidence has a message."""
        capture = self.capture(late_session(ODD_PORT))
        late = ("--enable-heuristic", "qw_late_udp", "--enable-heuristic", "q2_late_udp")
        self.assertEqual(self.layers(capture), ["data"] * LATE_PACKETS)
        for passes in PASSES:
            layers = self.layers(capture, *late, *passes)
            before = layers.index("qw")
            self.assertEqual(layers, ["data"] * before + ["qw"] * (LATE_PACKETS - before))
            number, message = self.fields(capture, ["frame.number", "_ws.expert.message"], *late, *passes,
                                          "-Y", "qw.unusual")[0]
            self.assertEqual(int(number), before + 1)
            self.assertIn(f"Recognized as QuakeWorld from here on: {before + 1} packets have", message)

    def test_sessions_that_began_before_packets_that_are_left_out(self):
        """-R leaves out packets, and the others are numbered anew."""
        capture = self.capture(late_session(ODD_PORT))
        options = ("--enable-heuristic", "qw_late_udp")
        for kept in (f"udp.srcport == {ODD_PORT}", f"udp.dstport == {ODD_PORT}"):
            layers = self.layers(capture, *options, "-Y", kept)
            self.assertEqual(set(layers), {"data", "qw"})
            self.assertEqual(self.layers(capture, *options, "-2", "-R", kept), layers)

    def test_an_announced_conversation_has_its_server(self):
        """Either end may send first there; datagrams differ by direction."""
        for first in (to_client, to_server):
            capture = self.capture([to_client(5001, 26000, ACCEPT), first(5001, PRIVATE_PORT, KEEP_ALIVE)])
            arrow = "S→C" if first is to_client else "C→S"
            self.assertIn(arrow, self.tshark("-r", capture).splitlines()[1])

    def test_each_case(self):
        """All cases with the same options are in one capture, each in a network of its own."""
        for options in dict.fromkeys(case[1] for case in CASES):
            cases = [case for case in CASES if case[1] == options]
            capture = self.capture([in_network(frame, number) for number, case in enumerate(cases, 1) for frame in case[2]])
            for passes in PASSES:
                shown = self.fields(capture, ["frame.protocols", *DROPPED], *options.split(), *passes)
                for title, _, frames, layers, dropped in cases:
                    part, shown = shown[:len(frames)], shown[len(frames):]
                    with self.subTest(title, passes=passes):
                        self.assertEqual([protocols.rpartition(":udp:")[2].split(":")[0] for protocols, *_ in part], layers)
                        self.assertEqual([number for number, (_, *notes) in enumerate(part, 1) if any(notes)], dropped)
                self.assertEqual(shown, [])
