# SPDX-License-Identifier: GPL-2.0-or-later
"""Which packets the plugin gets, and which it leaves to Wireshark's own dissectors."""

import struct

from wireshark import CAPTURES, PluginTest, quoted, stored_packets, to_client, to_server

CONNECT = b"\xff\xff\xff\xffconnect 28 4320 -168 \"\\name\\me\"\n"
GAME = bytes.fromhex("01000000 00000000 8210 05ff")  # clc_delta
ODD_PORT = 40123  # nobody's

LATE = " or ".join(f"{game}.sequence.{how}" for game in ("qw", "nq") for how in ("duplicate", "stale"))

PRIVATE_PORT = 40500
ACCEPT = bytes.fromhex("80000009 81") + struct.pack("<I", PRIVATE_PORT)
KEEP_ALIVE = bytes.fromhex("00010009 00000001 01")


def unreliable(number, messages):
    """A datagram of Quake."""
    return struct.pack(">HHI", 0x10, 8 + len(messages), number) + messages


RECOGNIZED = [to_server(5001, ODD_PORT, GAME), to_server(5001, ODD_PORT, CONNECT), to_client(5001, ODD_PORT, GAME),
              to_server(5002, ODD_PORT, GAME)]

def bare(number, last="8210 01"):
    """A datagram of QuakeWorld's client."""
    return struct.pack("<II", number, 0) + bytes.fromhex(last)


UDP = 5001
# What must hold, options of tshark, frames, whose each is, and the numbers of those that their receiver drops.
CASES = [
    ("the port is taken over", "", [to_server(UDP, 27500, GAME), to_client(UDP, 27500, CONNECT)], ["qw", "qw"], []),
    ("a disabled protocol gives its ports back", "--disable-protocol qw",
     [to_server(UDP, 27500, GAME), to_server(UDP, 27000, GAME)], ["quakeworld", "data"], []),
    ("a port that leaves the preference goes back", "-o qw.udp.port:27700-27800",
     [to_server(UDP, 27500, GAME), to_server(5002, 27777, GAME)], ["quakeworld", "qw"], []),
    ("the built-in dissector can be asked for", "-d udp.port==27500,quakeworld", [to_server(UDP, 27500, GAME)],
     ["quakeworld"], []),
    ("nobody's port is nobody's", "", [to_server(UDP, ODD_PORT, GAME)], ["data"], []),
    ("decode as", f"-d udp.port=={ODD_PORT},qw", [to_server(UDP, ODD_PORT, GAME)], ["qw"], []),
    ("a recognized conversation is decoded from there on", "", RECOGNIZED, ["data", "qw", "qw", "data"], []),
    ("nothing is recognized without the heuristic", "--disable-heuristic qw_udp", RECOGNIZED, ["data"] * 4, []),
    ("a quoted packet decides nothing", "", [quoted(to_server(UDP, ODD_PORT, CONNECT)), to_server(UDP, ODD_PORT, GAME)],
     ["qw", "data"], []),
    ("a quoted packet was sent before, and counts for nothing", "",
     [to_server(UDP, 27500, bare(1)), quoted(to_server(UDP, 27500, bare(1))), to_server(UDP, 27500, bare(2)),
      to_server(UDP, 27500, bare(1))], ["qw"] * 4, ["2", "4"]),
    ("a quoted packet leaves the conversation as it is, even where the capture lacks the packet itself", "",
     [to_server(UDP, 27500, bare(1)), quoted(to_server(UDP, 27500, bare(9))), to_server(UDP, 27500, bare(2))], ["qw"] * 3, []),
    ("a quoted packet begins no conversation: its first end is the one that sent the first packet itself", "",
     [quoted(to_server(UDP, 27500, bare(9))), to_client(UDP, 27500, bare(1, "01")), to_server(UDP, 27500, bare(1))],
     ["qw"] * 3, []),
    ("a quoted packet announces nothing", "",
     [quoted(to_client(UDP, 26000, ACCEPT)), to_client(UDP, PRIVATE_PORT, KEEP_ALIVE)], ["nq", "data"], []),
    ("an announced conversation is decoded: a NetQuake server accepts, and then sends from another port", "",
     [to_client(UDP, PRIVATE_PORT, KEEP_ALIVE), to_client(UDP, 26000, ACCEPT), to_client(UDP, PRIVATE_PORT, KEEP_ALIVE),
      to_server(UDP, PRIVATE_PORT, KEEP_ALIVE)], ["data", "nq", "nq", "nq"], []),
    ("a port announced after the disconnect begins anew: the next client has numbers of its own", "",
     2 * [to_client(UDP, 26000, ACCEPT), to_server(UDP, PRIVATE_PORT, unreliable(0, b"\x01")),
          to_server(UDP, PRIVATE_PORT, unreliable(1, b"\x02"))], ["nq"] * 6, []),
    ("a port announced again goes on: servers repeat an accept during the connection", "",
     2 * [to_client(UDP, 26000, ACCEPT), to_server(UDP, PRIVATE_PORT, unreliable(5, b"\x01"))], ["nq"] * 4, ["4"]),
]


LATE_PACKETS = 60


def late_session(port):
    """Frames of a session without its handshake, on another port."""
    frames = [frame for _, frame, _ in stored_packets(CAPTURES[0] / "fidelity" / "qw-vanilla.pcap.gz")]
    standard, other = struct.pack(">H", 27500), struct.pack(">H", port)
    return [frame[:34] + frame[34:38].replace(standard, other) + frame[38:] for frame in frames[300:300 + LATE_PACKETS]]


def on_port(name, standard, port, count=None):
    """Frames of a capture, the server on another port."""
    was, now = struct.pack(">H", standard), struct.pack(">H", port)
    return [frame[:34] + frame[34:38].replace(was, now) + frame[38:]
            for _, frame, _ in stored_packets(CAPTURES[0] / name)[:count]]


class Ports(PluginTest):
    def test_another_games_port(self):
        """Of the first request nothing tells which game it is; the answer does, for later passes."""
        for name, standard, port, before in (("qw-sample", 27500, 26000, "nq"), ("qw-sample", 27500, 27962, "q2"),
                                             ("q2-vanilla", 27910, 27960, "q2"), ("q2-vanilla", 27910, 27500, "qw")):
            frames = on_port(f"{name}.pcap", standard, port, 60)
            with self.subTest(name, port=port):
                found = [self.layers(self.capture(frames), *passes) for passes in ([], ["-2"])]
                self.assertEqual(found, [[before] + [name[:2]] * 59, [name[:2]] * 60])

    def test_quake3_keeps_its_ports(self):
        mark = b"\xff\xff\xff\xff"
        texts = (b"getchallenge", b"getchallenge 1 Quake3Arena", b"challengeResponse 1", b"connectResponse", b"print\nhello\n",
                 b"statusResponse\n\\protocol\\68\n", b"infoResponse\n\\protocol\\68")
        frames = [to_server(40000, 27960, mark + text) for text in texts] + [to_client(40000, 27960, struct.pack("<I", 1) + bytes(20))]
        for passes in ([], ["-2"]):
            self.assertEqual(set(self.layers(self.capture(frames), *passes)), {"quake3"})
        frames = on_port("q2-vanilla.pcap", 27910, 27960, 60)
        self.assertEqual(set(self.layers(self.capture(frames), "--disable-protocol", "q2")), {"quake3"})

    def test_a_session_in_progress_is_found_on_the_port(self):
        frames = late_session(27500)
        for passes in ([], ["-2"]):
            self.assertEqual(set(self.layers(self.capture(frames), *passes)), {"qw"})

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
            for passes in ([], ["-2"]):
                self.assertEqual(self.layers(steps, *passes), 7 * ["data"] + 9 * [game])
            message = self.tshark("-r", steps, "-T", "fields", "-e", "_ws.expert.message")
            self.assertIn("listen on its port, and 8 packets are numbered in steps", message)
            still = self.capture([to_client(5001, port, payload) for payload in constant])
            self.assertEqual(set(self.layers(still)), {"data"})

    def test_sessions_that_began_before_the_capture(self):
        """Several packets tell, where the user wants them to be looked at; the last of them says so."""
        capture = self.capture(late_session(ODD_PORT))
        late = ("--enable-heuristic", "qw_late_udp", "--enable-heuristic", "q2_late_udp")
        self.assertEqual(self.layers(capture), ["data"] * LATE_PACKETS)
        for passes in ([], ["-2"]):
            layers = self.layers(capture, *late, *passes)
            begun = layers.index("qw")
            self.assertEqual(layers, ["data"] * begun + ["qw"] * (LATE_PACKETS - begun))
            printed = self.tshark("-r", capture, *late, *passes, "-T", "fields", "-e", "frame.number",
                               "-e", "_ws.expert.message", "-Y", "qw.unusual")
            self.assertRegex(printed, rf"(?m)^{begun + 1}\t.*taken for QuakeWorld from here on: "
                             rf"{begun + 1} packets of it")

    def test_sessions_that_began_before_packets_that_are_left_out(self):
        """Of two passes' packets, those that a filter leaves out have the number of the next one."""
        capture = self.capture(late_session(ODD_PORT))
        options = ("--enable-heuristic", "qw_late_udp")
        for kept in (f"udp.srcport == {ODD_PORT}", f"udp.dstport == {ODD_PORT}"):
            layers = self.layers(capture, *options, "-Y", kept)
            self.assertEqual(set(layers), {"data", "qw"})
            self.assertEqual(self.layers(capture, *options, "-2", "-R", kept), layers)

    def late(self, capture, *options):
        """The numbers of the packets that their receiver drops."""
        return self.tshark("-r", capture, "-Y", LATE, "-T", "fields", "-e", "frame.number",
                           *options).split()

    def test_an_announced_conversation_has_its_server(self):
        """Either end may send first there: only the direction shows what is in a datagram."""
        for first in (to_client, to_server):
            capture = self.capture([
                to_client(5001, 26000, ACCEPT),
                first(5001, PRIVATE_PORT, KEEP_ALIVE),
            ])
            arrow = "S→C" if first is to_client else "C→S"
            self.assertIn(arrow, self.tshark("-r", capture).splitlines()[1])

    def test_each_case(self):
        for title, options, frames, layers, late in CASES:
            capture = self.capture(frames)
            for passes in ([], ["-2"]):
                with self.subTest(title, passes=passes):
                    self.assertEqual(self.layers(capture, *options.split(), *passes), layers)
                    self.assertEqual(self.late(capture, *options.split(), *passes), late)
