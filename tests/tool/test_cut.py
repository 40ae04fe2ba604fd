# SPDX-License-Identifier: GPL-2.0-or-later
"""--pcap of captures: what is kept decodes as it did, and no more is kept than was asked for."""

import gzip
import hashlib
import re
import struct
import tarfile

from tool import ACKNEX, CAPTURES, SAMPLE, Capture, ToolTest

CONTROL = CAPTURES / "nq-protocol666.pcap"
STREAM = CAPTURES / "qw-qtv.pcap"


# What other packets tell of one.
LINKS = re.compile(r"\.(acks_frame|acked_in|ack_rtt|rate|lost|reliable\..*|response_.*)$")


def meaning(packet):
    """Time and fields of a packet, without what depends on how many others there are."""
    def strip(fields):
        return [{**field, "fields": strip(field.get("fields", []))} for field in fields
                if "severity" not in field and not LINKS.search(field["name"])]
    return packet["time"], strip(packet["fields"])


class Cut(ToolTest):
    def cut(self, *arguments, **options):
        output, error = self.tool("-f", "--pcap", "cut.pcapng", *arguments, **options)
        found = re.search(r"cut.pcapng: (\d+) of (\d+) packets, (\d+) sessions?\n$", output)
        return tuple(map(int, found.groups())) if found else error

    def demos(self, *arguments):
        folder = self.folder / "demos"
        self.run_tool("-q", "-f", "-o", "demos/", *arguments)
        found = [hashlib.sha1(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*"))]
        for path in folder.glob("*"):
            path.unlink()
        return found

    def test_whole(self):
        for capture in (ACKNEX, SAMPLE, STREAM):
            kept, every, _ = self.cut(capture)
            self.assertEqual(kept, every)
            self.assertEqual(self.dump("cut.pcapng"), self.dump(capture))

    def test_session(self):
        """Of each game; the handshake is with it, on whatever port it was."""
        for capture in (SAMPLE, CONTROL, STREAM, CAPTURES / "q2-vanilla.pcap"):
            with self.subTest(capture.name):
                kept, every, sessions = self.cut("-s", "1", capture)
                self.assertTrue(0 < kept <= every)
                self.assertEqual(sessions, 1)
                demos = self.demos("-s", "1", capture)
                self.assertTrue(demos)
                self.assertEqual(self.demos("cut.pcapng"), demos)

    def test_other_sessions_are_left_out(self):
        first = Capture.read(SAMPLE)
        second = Capture.read(CONTROL)
        self.assertEqual(first.link_type, second.link_type)
        both = self.write("both.pcap", Capture(first.link_type, sorted(
            first.frames + second.frames)).pcap())
        sessions = len(self.tool("--list", both)[0].splitlines()) - 1
        demos = [self.demos("-s", str(number), both) for number in range(1, sessions + 1)]
        for number, demo in enumerate(demos, 1):
            kept, every, _ = self.cut("-s", str(number), both)
            self.assertLess(kept, every)
            self.assertEqual(self.demos("cut.pcapng"), demo)
            self.assertEqual(len(self.tool("--list", "cut.pcapng")[0].splitlines()), 2)

    def test_packets(self):
        """With the sign-on they mean what they meant: the same fields, values and names."""
        for capture in (SAMPLE, CAPTURES / "q2-vanilla.pcap", CAPTURES / "nq-protocol15.pcap"):
            with self.subTest(capture.name):
                every = self.dump(capture)
                first = every[-1]["packet"] * 4 // 5
                wanted = [packet for packet in every
                          if first <= packet["packet"] <= first + 20
                          or packet["packet"] == first + 30]
                kept, _, _ = self.cut("--packets", f"{first}-{first + 20},{first + 30}", capture)
                found = self.dump("cut.pcapng")
                self.assertEqual(len(found), kept)
                self.assertLess(kept, 100)
                for one, other in zip(found[-len(wanted):], wanted, strict=True):
                    self.assertTrue(meaning(one) == meaning(other), other["packet"])

    def test_fragments(self):
        """A datagram's frames are kept together."""
        whole = Capture.read(SAMPLE)
        frames = []
        for time, frame in whole.frames:
            packet, head = frame[14:], frame[:14]
            size = 20 + (len(packet) - 20) // 16 * 8
            if len(packet) < 200:
                frames.append((time, frame))
                continue
            def part(data, offset, more):
                ip = bytearray(packet[:20])
                struct.pack_into(">H", ip, 2, 20 + len(data))
                struct.pack_into(">HH", ip, 4, len(frames) & 0xFFFF, offset // 8 | more << 13)
                return ip + data
            number = len(frames)
            pieces = [part(packet[20:size], 0, 1), part(packet[size:], size - 20, 0)]
            for piece in pieces:
                struct.pack_into(">H", piece, 4, number & 0xFFFF)
                frames.append((time, head + bytes(piece)))
        path = self.write("x.pcap", Capture(whole.link_type, frames).pcap())
        self.assertGreater(len(frames), len(whole.frames))
        self.assertEqual(self.demos(path), self.demos(SAMPLE))
        self.assertEqual(self.cut("-s", "1", path)[0], len(frames))
        self.assertEqual(self.demos("cut.pcapng"), self.demos(SAMPLE))

    def test_compressed(self):
        path = self.write("x.pcap.gz", gzip.compress(SAMPLE.read_bytes()))
        self.cut("-s", "1", path)
        self.assertEqual(self.demos("cut.pcapng"), self.demos(SAMPLE))

    def test_archive(self):
        """Members are read again like files, and others are left alone."""
        self.write("b.pcap", SAMPLE.read_bytes())
        with tarfile.open(self.folder / "x.tar", "w") as archive:
            archive.add(self.write("readme", b"no capture"), "readme")
            archive.add(self.write("a.pcap.gz", gzip.compress(ACKNEX.read_bytes())), "a.pcap.gz")
            archive.add(self.folder / "b.pcap", "b.pcap")
        self.cut("-s", "2", "x.tar")
        self.assertEqual(self.demos("cut.pcapng"), self.demos(SAMPLE))

    def test_several_captures(self):
        capture = Capture.read(ACKNEX)
        first = self.write("1.pcap", Capture(capture.link_type, capture.frames[:12]).pcap())
        second = self.write("2.pcap", Capture(capture.link_type, capture.frames[12:]).pcapng())
        self.assertEqual(self.cut("-s", "1", first, second), (25, 25, 1))
        self.assertEqual(self.dump("cut.pcapng"), self.dump(ACKNEX))

    def test_what_is_wrong(self):
        demo = next(CAPTURES.glob("*.dm2"))
        for arguments, status, problem in (
                (("--packets", "0", SAMPLE), 2, "--packets 0: packets are numbers from 1"),
                (("--packets", "9-3", SAMPLE), 2, "--packets 9-3: "),
                (("--packets", "1", SAMPLE, ACKNEX), 2, "--packets goes with one capture"),
                (("--packets", "1", demo), 2, "--packets goes with captures, not with demos"),
                ((demo, SAMPLE), 2, "--pcap takes demos, or captures, but not both at once"),
                (("-s", "99", SAMPLE), 1, "cut.pcapng: not written: no packet of "),
                (("--filter", "tcp", SAMPLE), 1, "cut.pcapng: not written: no packet of 0 ")):
            with self.subTest(problem):
                _, error = self.tool("--pcap", "cut.pcapng", *arguments, status=status)
                self.assertIn(problem, error)
                self.assertFalse((self.folder / "cut.pcapng").exists())
        _, error = self.tool("--list", "--packets", "1", SAMPLE, status=2)
        self.assertIn("--packets goes with --pcap", error)

    def test_standard_input(self):
        _, error = self.tool("--pcap", "x.pcapng", "-", input=SAMPLE.read_bytes(), status=2)
        self.assertIn("standard input: is read twice, and must be a file", error)
