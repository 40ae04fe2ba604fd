# SPDX-License-Identifier: GPL-2.0-or-later
"""What a demo of Quake II leaves out since players would stop at it."""

import json
import struct

from tool import CAPTURES, Capture, ToolTest

RAILTRAIL = b"\x03\x1f" + struct.pack("<6h", 8, 16, 24, 32, 40, 48)  # svc_temp_entity, the 31st


class RailTrail(ToolTest):
    """TE_RAILTRAIL2 ends clients of id's engine; those of extended demos know it."""

    def convert(self, pcap, status):
        self.tool("--force", "--output", "out.dm2", self.write("in.pcap", pcap), status=status)
        return (self.folder / "out.dm2").read_bytes()

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
        demo = self.convert(pcap, 1)
        self.assertNotIn(RAILTRAIL, demo)

    def test_of_extended_demos(self):
        pcap = self.with_railtrail("q2-limits1.pcap")
        before = self.stripped((CAPTURES / "q2-limits1.pcap").read_bytes())
        self.assertEqual(self.stripped(pcap), before)
        demo = self.convert(pcap, 0)
        self.assertIn(RAILTRAIL, demo)
