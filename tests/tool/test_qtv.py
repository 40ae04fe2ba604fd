# SPDX-License-Identifier: GPL-2.0-or-later
"""MVDs from QTV streams: the same blocks, up to the first that the capture lacks."""

import io
import struct
import zipfile

from tool import CAPTURES, ETHERNET, Capture, ToolTest, udp_frame

from streams import (BLOCKS, CLIENT, DEMO, END_OF_DEMO, SERVER, Conversation,
                     command, mvd_block, printed, stream, stuffed)

# svc_serverdata of an MVD: protocol, number of the level, folder, time, level, ten movevars. Without a protocol,
# --sanitize leaves all messages out.
SERVERDATA = b"\x0b" + struct.pack("<II", 28, 1) + b"qw\0" + bytes(4) + b"a level\0" + bytes(40)


class StreamTest(ToolTest):
    extension = "mvd"

    def capture(self, frames, name="a.pcap"):
        return self.write_capture(name, [(1000 * at, frame) for at, frame in enumerate(frames)])

    def demo(self, frames, *options, status=0):
        """The demo, and the messages on standard error."""
        for path in self.folder.glob("a-*.*"):
            path.unlink()
        _, error = self.tool("-q", "-f", *options, self.capture(frames), status=status)
        demos = [path.read_bytes() for path in sorted(self.folder.glob(f"a-*.{self.extension}"))]
        return demos[0] if demos else None, error


class Demos(StreamTest):
    def test_whole(self):
        conversation = stream()
        conversation.finish()
        self.assertEqual(self.demo(conversation.frames), (DEMO + END_OF_DEMO, ""))

    def test_only_a_missing_end_is_added(self):
        """One in the middle stays."""
        demo = DEMO + END_OF_DEMO + DEMO + END_OF_DEMO
        self.assertEqual(self.demo(stream(demo=demo).frames), (demo, ""))
        demo += DEMO
        self.assertEqual(self.demo(stream(demo=demo).frames), (demo + END_OF_DEMO, ""))

    def test_blocks_before_a_missing_segment_are_kept(self):
        """Each segment is missing once."""
        frames = stream([5000]).frames
        first = next(at for at, frame in enumerate(frames) if b"QTVSV" in frame)
        for lost in range(first + 1, len(frames) - 1):
            with self.subTest(lost):
                received = (lost - first) * 5000 - len(b"QTVSV 1\nBEGIN\n\n")
                count = max(count for count in range(len(BLOCKS)) if sum(map(len, BLOCKS[:count])) <= received)
                demo, error = self.demo(frames[:lost] + frames[lost + 1:], status=1)
                self.assertEqual(demo, b"".join(BLOCKS[:count]) + END_OF_DEMO)
                self.assertIn(f"lacks 5000 bytes of the stream before packet {lost + 1}", error)

    def test_end_within_a_block(self):
        conversation = stream(demo=DEMO[:-7])
        demo, error = self.demo(conversation.frames, status=1)
        self.assertEqual(demo, b"".join(BLOCKS[:-1]) + END_OF_DEMO)
        self.assertIn(f"ends within a block: its {len(BLOCKS[-1]) - 7} bytes are left out",
                      error)

    def test_damaged_block(self):
        demo, error = self.demo(stream(demo=DEMO + b"\0\0" + DEMO).frames, status=1)
        self.assertEqual(demo, DEMO + END_OF_DEMO)
        self.assertIn("no block begins here", error)

    def test_cut_by_the_snapshot_length(self):
        conversation = stream([1000])
        data = Capture(ETHERNET, enumerate(frame[:600] for frame in conversation.frames)).pcap()
        for frame in conversation.frames:  # the lengths on the wire
            cut = len(frame[:600]).to_bytes(4, "little")
            at = data.index(cut + cut + frame[:600])
            data = data[:at + 4] + len(frame).to_bytes(4, "little") + data[at + 8:]
        _, error = self.tool("-q", self.write("a.pcap", data), status=1)
        self.assertIn("bytes of the stream before packet", error)

    def test_sanitize(self):
        """Also if a viewer, who may send anything, sends the command that marks a recorded demo."""
        dangerous = mvd_block(SERVERDATA + printed("a") + stuffed("quit\n") + printed("b"), 9)
        needed = mvd_block(stuffed("fullserverinfo \"\"\n"))
        conversation = stream(demo=b"")
        conversation.send(CLIENT, command("demo MVD"))
        conversation.send(SERVER, dangerous + needed)
        self.assertEqual(self.demo(conversation.frames), (dangerous + needed + END_OF_DEMO, ""))
        demo, _ = self.demo(conversation.frames, "--sanitize")
        self.assertEqual(demo, mvd_block(SERVERDATA + printed("a") + printed("b"), 9) + needed + END_OF_DEMO)

    def test_sanitize_messages_that_players_read_differently(self):
        """ezQuake reads only an origin of effects that it does not show; FTE reads origins as floats."""
        def with_words(*words):
            return b"\x0b" + b"".join(words) + SERVERDATA[1:]

        trans = b"FTEX" + struct.pack("<I", 8)
        floats = b"MVD1" + struct.pack("<I", 1)
        trail = b"\x17\x11" + bytes(12)
        moved = b"\x2a\1" + struct.pack("<H", 1) + b"\0" + bytes(2)
        for words, message in ((trans, trail), (floats, moved)):
            with self.subTest(message):
                start = with_words(words) + printed("a")
                demo, _ = self.demo(stream(demo=mvd_block(start + message)).frames)
                self.assertEqual(demo, mvd_block(start + message) + END_OF_DEMO)
                demo, _ = self.demo(stream(demo=mvd_block(start + message)).frames, "--sanitize")
                self.assertEqual(demo, mvd_block(start) + END_OF_DEMO)

    def test_sanitize_messages_to_no_player(self):
        """Old players, which lack the extension for hidden messages, execute them."""
        level = mvd_block(SERVERDATA)
        nobody = b"\0\3" + bytes(4) + struct.pack("<I", 7) + stuffed("quit\n")
        demo, _ = self.demo(stream(demo=level + nobody).frames, "--sanitize")
        self.assertEqual(demo, level + b"\0\3" + bytes(8) + END_OF_DEMO)

    def test_sanitize_archive(self):
        """Nails, each of six bytes, that ezQuake would open as a zip archive."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            file.writestr("autoexec.cfg", "quit")
        nails = packed.getvalue() + bytes(-len(packed.getvalue()) % 6)
        level = mvd_block(SERVERDATA) + mvd_block(b"\x2b" + bytes([len(nails) // 6]) + nails)
        for end in b"", END_OF_DEMO:
            demo, _ = self.demo(stream(demo=level + end).frames)
            self.assertEqual(zipfile.ZipFile(io.BytesIO(demo)).namelist(), ["autoexec.cfg"])
            demo, _ = self.demo(stream(demo=level + end).frames, "--sanitize")
            self.assertTrue(demo.startswith(level) and demo.endswith(END_OF_DEMO))
            with self.assertRaises(zipfile.BadZipFile):
                zipfile.ZipFile(io.BytesIO(demo))

    def test_middle_of_a_stream(self):
        """No session; with --port, one whose beginning is missing."""
        path = self.capture(stream().frames[8:])
        _, error = self.tool("-q", path, status=1)
        self.assertIn("no session found", error)
        _, error = self.tool("--check", "--port", "qw=28000", path, status=1)
        self.assertIn("Neither a text nor a block", error)

    def test_datagrams_and_streams_of_the_same_ports(self):
        conversation = stream()
        datagram = udp_frame((1, 50000), (2, 28000), b"\xff\xff\xff\xffping\n")
        frames = conversation.frames[:9] + [datagram] + conversation.frames[9:]
        self.assertEqual(self.demo(frames), (DEMO + END_OF_DEMO, ""))
        self.assertEqual([packet["protocol"] for packet in self.dump(self.folder / "a.pcap")][0], "qw")

    def test_packet_with_several_pdus_counts_once(self):
        path = CAPTURES / "qw-qtv.pcap"
        packets = [packet["packet"] for packet in self.dump(path)]
        self.assertLess(len(set(packets)), len(packets))
        self.assertEqual(self.report("--check", path)["files"][0]["packets"], len(set(packets)))

    def test_endless_request_in_small_segments(self):
        conversation = Conversation()
        conversation.send(CLIENT, b"QTV\n" + b"A: b\n" * 60000, [4] + [1] * 3000 + [60000])
        _, error = self.tool("--check", self.capture(conversation.frames), status=1)
        self.assertIn("Neither a text nor a block", error)
