# SPDX-License-Identifier: GPL-2.0-or-later
"""Demos out of conversations with losses, late starts and early ends: blocks as players need them."""

import json
import pathlib
import struct

from tool import CAPTURES, ETHERNET, PROGRAM, Capture, ToolTest, udp
import player
import qwd

CLIENT, SERVER = (1, 27001), (2, 27500)
PRINT = b"\x08\x02"
SERVERDATA = struct.pack("<BII", 11, 28, 1) + b"qw\0\0level\0" + bytes(40)
RAILTRAIL = b"\x03\x1f" + struct.pack("<6h", 8, 16, 24, 32, 40, 48)  # svc_temp_entity, the 31st


class Rebuilt(ToolTest):
    def convert(self, pcap, name, status=1):
        """The demo, and what the tool printed. By hand there is no start: --force, and problems."""
        path = self.write("in.pcap", pcap)
        _, error = self.tool("--force", "--output", name, path, status=status)
        demo, = list(self.folder.glob("*" + pathlib.Path(name).suffix))
        if demo.suffix == ".qwd":
            self.assertEqual(player.play(PROGRAM, demo).dropped, 0)
        return demo.read_bytes(), error


class QuakeWorld(Rebuilt):
    """The bytes of moves follow SV_ReadClientMessage and MSG_ReadDeltaUsercmd, those of demos
    CL_WriteDemoCmd and CL_WriteDemoMessage of cl_demo.c."""

    def setUp(self):
        super().setUp()
        self.frames, self.in_level = [], False

    def send(self, time, source, destination, payload):
        self.frames.append((time, bytes(12) + b"\x08\x00" + udp(source, destination, payload)))

    def move(self, time, sequence, *msecs, acknowledged=None):
        """clc_move with three commands, which have no more than their durations."""
        self.send(time, CLIENT, SERVER,
                  struct.pack("<IIH", sequence, sequence - 1 if acknowledged is None
                              else acknowledged, 4711) +
                  b"\x03\x00\x00" + b"".join(bytes([0, msec]) for msec in msecs))

    def server(self, time, sequence, text=b"text", acknowledged=None):
        """The first one begins a level, without which there is no demo."""
        level = b"" if self.in_level else SERVERDATA
        self.in_level = True
        self.send(time, SERVER, CLIENT, struct.pack(
            "<II", sequence, sequence if acknowledged is None else acknowledged) + level +
            PRINT + text + b"\0")

    def blocks(self):
        data, _ = self.convert(Capture(ETHERNET, self.frames).pcap(), "out.qwd", status=0)
        return list(qwd.blocks(data))

    def commands(self):
        return [block.usercmd[0] for block in self.blocks() if isinstance(block, qwd.Cmd)]

    def test_moves_in_order(self):
        for i in range(1, 5):
            self.server(i * 1000, i)
            self.move(i * 1000 + 1, i + 1, 10 + i - 2, 10 + i - 1, 10 + i)
        self.assertEqual(self.commands(), [11, 12, 13, 14])

    def test_lost_moves_stand_in_their_order(self):
        """The packet behind two lost ones has their commands, the older first."""
        self.server(1000, 1)
        self.move(2000, 2, 1, 2, 20)
        self.move(3000, 5, 30, 40, 50)
        self.assertEqual(self.commands(), [20, 30, 40, 50])

    def test_more_lost_moves_than_commands(self):
        """The oldest that is known stands in for those before it."""
        self.server(1000, 1)
        self.move(2000, 2, 1, 2, 20)
        self.move(3000, 7, 30, 40, 50)
        self.assertEqual(self.commands(), [20, 30, 30, 30, 40, 50])

    def test_late_start_with_the_server(self):
        """The set block has the numbers that the next packets follow."""
        self.server(1000, 100, acknowledged=50)
        self.move(2000, 51, 1, 2, 20, acknowledged=100)
        first = self.blocks()[0]
        self.assertEqual((first.outgoing, first.incoming), (51, 99))

    def test_late_start_behind_a_packet_of_the_client(self):
        """One without a move counts all the same."""
        self.send(0, CLIENT, SERVER, struct.pack("<IIH", 60, 99, 4711))
        self.server(1000, 100, acknowledged=50)
        first = self.blocks()[0]
        self.assertEqual((first.outgoing, first.incoming), (61, 99))

    def test_late_start_with_the_client(self):
        """What the client sends before the level is in no demo."""
        self.move(1000, 60, 1, 2, 20, acknowledged=99)
        self.server(2000, 100, acknowledged=60)
        first = self.blocks()[0]
        self.assertEqual((first.outgoing, first.incoming), (61, 99))

    def test_clock_never_steps_back(self):
        for sequence, time in ((1, 1), (2, 5), (3, 3), (4, 4), (5, 7)):
            self.server(time * 1000000, sequence)
        times = [block.time for block in self.blocks() if isinstance(block, qwd.Read)]
        self.assertEqual(times[:5], [0, 4, 4, 4, 6])

    def test_nothing_behind_the_end(self):
        """What a server sends to a client that has left is in no recording."""
        self.server(1000, 1)
        self.send(2000, SERVER, CLIENT, struct.pack("<II", 2, 2) + b"\x02")
        self.server(3000, 3, b"late")
        packets = [block.packet for block in self.blocks() if isinstance(block, qwd.Read)]
        self.assertFalse([packet for packet in packets if b"late" in packet])
        self.assertEqual(len(packets), 3)  # with the demo's own end

    def test_header_alone_is_no_block(self):
        self.server(1000, 1)
        self.send(2000, SERVER, CLIENT, struct.pack("<II", 2, 2))
        self.server(3000, 3)
        packets = [block.packet for block in self.blocks() if isinstance(block, qwd.Read)]
        self.assertEqual([struct.unpack_from("<I", packet)[0] for packet in packets[:2]], [1, 3])


class Quake(Rebuilt):
    def test_cut_message_is_reported(self):
        """A message of which the capture has only the beginning."""
        stored = Capture.read(CAPTURES / "nq-protocol15.pcap")
        sizes = {frame[1]: len(frame[1]) for frame in stored.frames}
        whole, _ = self.convert(stored.pcap(), "whole.dem", status=0)
        (self.folder / "whole.dem").unlink()
        number = max(range(200), key=lambda i: (  # NETFLAG_UNRELIABLE, from the server, in mid-game
            stored.frames[i][1][42:44] == b"\x00\x10" and len(stored.frames[i][1]) > 100, sizes[stored.frames[i][1]]))
        pcap = bytearray(stored.pcap())
        at = 24 + sum(16 + len(frame) for _, frame in stored.frames[:number])
        size = len(stored.frames[number][1])
        struct.pack_into("<I", pcap, at + 8, size - 12)
        del pcap[at + 16 + size - 12:at + 16 + size]
        damaged, error = self.convert(bytes(pcap), "cut.dem")
        self.assertIn(f"(packet {number + 1})", error)
        self.assertIn("only the beginning of this packet", error)
        self.assertLess(len(damaged), len(whole))


class Quake2(Rebuilt):
    """TE_RAILTRAIL2 ends clients of id's engine; those of extended demos know it."""

    def with_railtrail(self, name):
        """The capture with the entity behind the other messages of a packet in mid-game."""
        capture = Capture.read(CAPTURES / name)
        for i in range(len(capture.frames) * 3 // 4, len(capture.frames)):
            time, frame = capture.frames[i]
            port, = struct.unpack_from(">H", frame, 34)
            if port == 27910 and frame[42:46] != b"\xff" * 4 and len(frame) > 80:
                capture.frames[i] = time, self.longer(frame)
                return capture.pcap()
        raise AssertionError("no packet from the server")

    @staticmethod
    def longer(frame):
        total, = struct.unpack_from(">H", frame, 16)
        datagram, = struct.unpack_from(">H", frame, 38)
        return (frame[:16] + struct.pack(">H", total + len(RAILTRAIL)) + frame[18:38] +
                struct.pack(">H", datagram + len(RAILTRAIL)) + frame[40:14 + total] + RAILTRAIL)

    def stripped(self, pcap):
        path = self.write("in.pcap", pcap)
        result = self.run_tool("--check", "--json", path)
        return json.loads(result.stdout)["sessions"][0]["demo"]["stripped"]

    def test_of_demos_without_extensions(self):
        pcap = self.with_railtrail("q2-vanilla.pcap")
        before = self.stripped((CAPTURES / "q2-vanilla.pcap").read_bytes())
        self.assertEqual(self.stripped(pcap), before + 1)
        demo, _ = self.convert(pcap, "out.dm2")
        self.assertNotIn(RAILTRAIL, demo)

    def test_of_extended_demos(self):
        pcap = self.with_railtrail("q2-limits1.pcap")
        before = self.stripped((CAPTURES / "q2-limits1.pcap").read_bytes())
        self.assertEqual(self.stripped(pcap), before)
        demo, _ = self.convert(pcap, "out.dm2", status=0)
        self.assertIn(RAILTRAIL, demo)
