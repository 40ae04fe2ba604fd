# SPDX-License-Identifier: GPL-2.0-or-later
"""--pcap of captures: the copy decodes the same, and has only the packets that were selected."""

import gzip
import hashlib
import re
import struct
import tarfile

from tool import ACKNEX, CAPTURES, SAMPLE, Capture, ToolTest

CONTROL = CAPTURES / "nq-protocol666.pcap"
STREAM = CAPTURES / "qw-qtv.pcap"


# Fields of a packet that depend on other packets.
LINKS = re.compile(r"\.(acks_frame|acked_in|ack_rtt|rate|lost|reliable\..*|response_.*)$")


def meaning(packet):
    """Time and fields of a packet, without those that depend on the number of other packets."""
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
        """Checksums of the demos of an input."""
        folder = self.folder / "demos"
        self.run_tool("-q", "-f", "-o", "demos/", *arguments)
        found = [hashlib.sha1(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*"))]
        for path in folder.glob("*"):
            path.unlink()
        return found

    def assert_sample(self):
        """The copy has the sample's demo."""
        self.assertEqual(self.demos("cut.pcapng"), self.demos(SAMPLE))

    def test_whole_captures(self):
        for capture in (ACKNEX, SAMPLE, STREAM):
            kept, every, _ = self.cut(capture)
            self.assertEqual(kept, every)
            self.assertEqual(self.dump("cut.pcapng"), self.dump(capture))
        self.cut(ACKNEX, SAMPLE)
        self.assertIn(b"Cut by pcap2demo from: acknex-generated.pcap, qw-sample.pcap", self.contents("cut.pcapng")[:150])

    def test_session_of_each_game_has_its_handshake(self):
        """On another port, too."""
        for capture in (SAMPLE, CONTROL, STREAM, CAPTURES / "q2-vanilla.pcap"):
            with self.subTest(capture.name):
                kept, every, sessions = self.cut("-s", "1", capture)
                self.assertTrue(0 < kept <= every)
                self.assertEqual(sessions, 1)
                demos = self.demos("-s", "1", capture)
                self.assertTrue(demos)
                self.assertEqual(self.demos("cut.pcapng"), demos)

    def test_other_sessions_are_left_out(self):
        both = self.write_capture("both.pcap", sorted(Capture.read(SAMPLE).frames + Capture.read(CONTROL).frames))
        for session in self.listed(both):
            number = str(session["number"])
            kept, every, _ = self.cut("-s", number, both)
            self.assertLess(kept, every)
            self.assertEqual(self.demos("cut.pcapng"), self.demos("-s", number, both))
            self.assertEqual(len(self.listed("cut.pcapng")), 1)

    def test_selected_packets_follow_the_sign_on_and_mean_the_same(self):
        """The same fields, values and names; the first one has two levels."""
        for name in ("fidelity/qw-vanilla.pcap.gz", "q2-vanilla.pcap", "nq-protocol15.pcap"):
            with self.subTest(name):
                capture = CAPTURES / name
                every = self.dump(capture)
                first = every[-1]["packet"] * 4 // 5
                wanted = [packet for packet in every if packet["packet"] - first in (*range(21), 30)]
                kept, _, _ = self.cut("--packets", f"{first}-{first + 20},{first + 30}", capture)
                found = self.dump("cut.pcapng")
                self.assertEqual(len(found), kept)
                self.assertLess(kept, 100)
                for one, other in zip(found[-len(wanted):], wanted, strict=True):
                    self.assertTrue(meaning(one) == meaning(other), other["packet"])

    def test_fragments_and_their_duplicates_are_kept_together(self):
        frames = []
        for number, (time, frame) in enumerate(Capture.read(SAMPLE).frames):
            head, body = frame[14:34], frame[34:]
            size = len(body) // 16 * 8
            for offset, part in ((0, body[:size]), (size, body[size:])) if len(frame) > 200 else ((0, body),):
                more = 0x2000 if len(body) > len(part) and not offset else 0
                frames += [(time, frame[:14] + head[:2] + struct.pack(">HHH", 20 + len(part), number, offset // 8 | more) +
                            head[8:] + part)] * 2
        path = self.write_capture("x.pcap", frames)
        self.assertEqual(self.demos(path), self.demos(SAMPLE))
        self.assertEqual(self.cut("-s", "1", path)[0], len(frames))
        self.assert_sample()

    def test_compressed_captures_and_members_of_archives(self):
        self.cut("-s", "1", self.write("x.pcap.gz", gzip.compress(SAMPLE.read_bytes())))
        self.assert_sample()
        self.write("b.pcap", SAMPLE.read_bytes())
        with tarfile.open(self.folder / "x.tar", "w") as archive:
            archive.add(self.write("readme", b"no capture"), "readme")
            archive.add(self.write("a.pcap.gz", gzip.compress(ACKNEX.read_bytes())), "a.pcap.gz")
            archive.add(self.folder / "b.pcap", "b.pcap")
        self.cut("-s", "2", "x.tar")
        self.assert_sample()
        self.assertIn("--packets goes with one capture", self.cut("--packets", "1", "x.tar", status=2))

    def test_refused_selections_and_inputs(self):
        demo = next(CAPTURES.glob("*.dm2"))
        for arguments, status, problem in (
                (("--packets", "0", SAMPLE), 2, "--packets 0: packets are numbers from 1"),
                (("--packets", "9-3", SAMPLE), 2, "--packets 9-3: "),
                (("--packets", "1", SAMPLE, ACKNEX), 2, "--packets goes with one capture"),
                (("--packets", "1", demo), 2, "--packets goes with captures, not with demos"),
                ((demo, SAMPLE), 2, "--pcap takes demos, or captures, but not both at once"),
                (("-",), 2, "standard input: is read twice, and must be a file"),
                (("-s", "99", SAMPLE), 1, "cut.pcapng: not written: no packet of "),
                (("--filter", "tcp", SAMPLE), 1, "cut.pcapng: not written: no packet of 0 ")):
            with self.subTest(problem):
                _, error = self.tool("--pcap", "cut.pcapng", *arguments, input=SAMPLE.read_bytes(), status=status)
                self.assertIn(problem, error)
                self.assertFalse((self.folder / "cut.pcapng").exists())
        _, error = self.tool("--list", "--packets", "1", SAMPLE, status=2)
        self.assertIn("--packets goes with --pcap", error)
