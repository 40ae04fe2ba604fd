# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts of packets, demos and file names do nothing to a terminal, a report or a folder."""

import gzip
import os
import random
import re
import sys
import unicodedata

import recordings
import tool
from tool import ACKNEX, CAPTURES, SAMPLE, Capture, ToolTest

# Escape sequences, a carriage return, a bell, controls of two bytes, what reorders a line.
EVIL = "\x1b[2J\x1b]0;owned\x07\rx\x7f\x08\u009b31m\u202egpj\u2028y\t\nz"
HOSTILE_BYTES = b"\x1b\r\n\x07\x08\x7f\x9b\x8d\xff\x01\t%\\\"'"

REPORTS = [["--list"], ["--list", "--json"], ["--dump"], ["--dump=json"], ["--check"],
           ["--check", "--json"], ["--stats"], ["--stats", "--json"],
           ["--verbose"], ["--sanitize", "--verbose", "--force"], ["--extract-files", "files"],
           ["--check", "--golden", "goldens", "--update"], ["--check", "--golden", "goldens"],
           ["--check", "--no-rebuild", "--junit", "report.xml"]]


# All that are not for reading; lines may end.
CONTROLS = re.compile("[%s]" % re.escape("".join(
    c for c in map(chr, range(sys.maxunicode + 1))
    if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"))))


def infest(data, dice, start=0):
    """The bytes with control characters in the place of one letter in ten."""
    data = bytearray(data)
    for at in range(start, len(data)):
        letter = chr(data[at]).isalpha() and data[at] < 0x7F
        if letter and dice.random() < 0.1:
            data[at] = dice.choice(HOSTILE_BYTES)
    return bytes(data)


def hostile(path, seed):
    """The capture with control characters all over its payloads, as long as before."""
    capture = Capture.read(path)
    dice = random.Random(seed)
    start = 42 if capture.link_type == tool.ETHERNET else 28
    return Capture(capture.link_type, [(time, infest(frame, dice, start))
                                       for time, frame in capture.frames]).pcap()


TOGETHER = 12  # files: of a run's messages the first thousand are printed

# What is printed of players, maps and servers.
TEXTS = (b"labplayer", b"dm4", b"Lab server", b"team", b"skin")


class Printable(ToolTest):
    def setUp(self):
        super().setUp()
        self.names = set()
        self.read = set()
        for name in ("files", "goldens"):
            (self.folder / name).mkdir()

    def assert_harmless(self, output, what):
        """The bytes themselves: whatever a terminal makes of them."""
        bad = output.translate(None, bytes({*range(0x20, 0x7F), *range(0xA0, 0x100), 0x0A}))
        for byte in {*bad} - {*range(0x80, 0xA0)}:  # these are parts of UTF-8, which is looked at
            self.fail(f"{what}: byte {byte:#x}")

    def assert_printable(self, text, what):
        if text.replace("\n", "").isprintable():
            return  # most are, and this is fast
        found = CONTROLS.search(text)
        if found:
            line = text[:found.end()].rpartition("\n")[2]
            self.fail(f"{what}: {line!r}")

    def write(self, name, data):
        self.names.add(name)
        return super().write(name, data)

    def check(self, *arguments):
        """All that comes of a run: what it prints, the files that it writes and their names."""
        result = self.run_tool(*arguments)
        self.assertIn(result.returncode, (0, 1, 2), (arguments, result.stderr))
        for output in (result.stdout, result.stderr):
            self.assert_harmless(output, arguments)
            self.assert_printable(output.decode(), arguments)
        for _, folders, files in os.walk(self.folder):
            for name in {*folders, *files} - self.names:
                self.assert_printable(name, arguments)
        for path in (self.folder / "report.xml", *self.folder.glob("goldens/*")):
            known = (path.name, path.stat().st_mtime_ns) if path.exists() else None
            if known and known not in self.read:
                self.assert_printable(path.read_text(encoding="utf-8"), arguments)
                self.read.add(known)
        return result

    def check_all(self, *paths):
        """Each report, of several files at once: starting the program takes longer than most of them."""
        for start in range(0, len(paths), TOGETHER):
            for report in REPORTS:
                with self.subTest(report):
                    self.check(*report, *paths[start:start + TOGETHER])

    def test_names_of_captures(self):
        self.check_all(self.write(EVIL + ".pcap", SAMPLE.read_bytes()))
        self.assertTrue([name for name in self.left() if name.endswith("-labplayer-dm4.qwd")])

    def test_names_of_damaged_captures(self):
        data = ACKNEX.read_bytes()
        self.check_all(*[self.write(f"{number}{EVIL}.pcap", damaged) for number, damaged in enumerate(
            (data[:-5], b"rubbish", b"", gzip.compress(data)[:-20], Capture(105, []).pcap(), data[:20]))])

    def test_names_of_files_that_are_not_there(self):
        self.check_all(self.folder / EVIL, os.fsencode(str(self.folder)) + b"/\x1b\xff\x9b")

    def test_names_that_are_not_utf_8(self):
        name = b"\x1b\xff\xfe\x9b.pcap"
        self.names.add(os.fsdecode(name))
        path = os.path.join(os.fsencode(str(self.folder)), name)
        with open(path, "wb") as file:
            file.write(SAMPLE.read_bytes())
        self.check_all(os.fsdecode(path))

    def test_names_of_demos(self):
        demo = next(CAPTURES.glob("*.dm2")).read_bytes()
        self.check_all(self.write(EVIL + ".dm2", demo), self.write(EVIL + "-cut.dm2", demo[:-7]))
        self.check("--pcap", "made.pcapng", self.folder / (EVIL + ".dm2"))

    def test_contents_of_demos(self):
        demos = [*CAPTURES.glob("*.mvd"), *CAPTURES.glob("*.qwd"), *CAPTURES.glob("*.dm2"),
                 CAPTURES / "fidelity" / "nq-protocol666.dem.gz"]
        made = []
        for number, path in enumerate(sorted(demos)):
            data = recordings.read(path)
            dice = random.Random(number)
            for start in (16, len(data) // 2):  # also where the sign-on is whole
                name = f"{number}-{start}{path.name.removesuffix('.gz')}"
                made.append(self.write(name, infest(data[:200000], dice, start)))
        self.check_all(*made)
        for demo in made:
            self.check("--sign-on", demo, "--verbose", SAMPLE)
        self.check("--pcap", "made.pcapng", *made)

    def test_names_that_were_chosen(self):
        """Players, maps and servers with nothing but controls in their names, by every report."""
        made = []
        for capture in (SAMPLE, CAPTURES / "q2-vanilla.pcap", CAPTURES / "nq-protocol15.pcap"):
            data = capture.read_bytes()
            for number, text in enumerate(TEXTS):
                controls = (HOSTILE_BYTES * 2)[:len(text)].replace(b"\\", b"\x1b")
                made.append(self.write(f"{capture.stem}{number}.pcap", data.replace(text, controls)))
        self.check_all(*made)

    def test_wrong_usage(self):
        self.write(EVIL, b"no folder")
        for arguments in ([EVIL], ["--" + EVIL], ["--dump=" + EVIL, "x"], ["--port", EVIL, "x"],
                          ["--option", EVIL, "x"], ["--filter", EVIL, str(SAMPLE)],
                          ["--output", EVIL + "/x", str(SAMPLE)], ["--session", EVIL, "x"],
                          ["--extract-files", EVIL, "x"], ["--check", "--ignore", EVIL, "x"],
                          ["--check", "--golden", EVIL, str(SAMPLE)], ["--interface", EVIL],
                          ["--check", "--junit", EVIL + "/x", str(ACKNEX)],
                          ["--pcap", EVIL + "/x", str(SAMPLE)]):
            with self.subTest(arguments):
                self.assertNotEqual(self.check(*arguments).returncode, 0)

    def test_packets(self):
        self.check_all(*[self.write(f"{number}.pcap", hostile(path, number))
                         for number, path in enumerate(sorted(CAPTURES.glob("*.pcap")))])
