# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts of packets, demos and file names have no effect on a terminal, a report or a folder."""

import gzip
import os
import random
import re
import sys
import unicodedata

import recordings
import tool
from tool import ACKNEX, CAPTURES, SAMPLE, Capture, ToolTest

# Escape sequences, a carriage return, a bell, controls of two bytes, and an override of the reading direction.
EVIL = "\x1b[2J\x1b]0;owned\x07\rx\x7f\x08\u009b31m\u202egpj\u2028y\t\nz"
HOSTILE_BYTES = b"\x1b\r\n\x07\x08\x7f\x9b\x8d\xff\x01\t%\\\"'"

REPORTS = [["--list"], ["--list", "--json"], ["--dump"], ["--dump=json"], ["--check"],
           ["--check", "--json"], ["--stats"], ["--stats", "--json"],
           ["--verbose"], ["--sanitize", "--verbose", "--force"], ["--extract-files", "files"],
           ["--check", "--golden", "goldens", "--update"], ["--check", "--golden", "goldens"],
           ["--check", "--no-rebuild", "--junit", "report.xml"]]
TOGETHER = 12  # files a run, of which the first thousand messages are printed

CONTROLS = re.compile("[%s]" % re.escape("".join(
    c for c in map(chr, range(sys.maxunicode + 1))
    if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"))))

# Names of players, maps and servers in the captures.
TEXTS = (b"labplayer", b"dm4", b"Lab server", b"team", b"skin")


def infest(data, dice, start=0):
    """Replaces one letter in ten by a control character."""
    data = bytearray(data)
    for at in range(start, len(data)):
        letter = chr(data[at]).isalpha() and data[at] < 0x7F
        if letter and dice.random() < 0.1:
            data[at] = dice.choice(HOSTILE_BYTES)
    return bytes(data)


class Printable(ToolTest):
    def setUp(self):
        super().setUp()
        self.names = set()
        for name in ("files", "goldens"):
            (self.folder / name).mkdir()

    def assert_printable(self, text, source):
        if text.replace("\n", "").isprintable():
            return  # nearly always, and faster
        found = CONTROLS.search(text)
        if found:
            self.fail(f"{source}: {text[:found.end()].rpartition(chr(10))[2]!r}")

    def write(self, name, data):
        self.names.add(name)
        return super().write(name, data)

    def check(self, *arguments):
        """Checks the output of a run, the files that it writes, and their names."""
        result = self.run_tool(*arguments)
        self.assertIn(result.returncode, (0, 1, 2), (arguments, result.stderr))
        texts = [result.stdout.decode(), result.stderr.decode()]
        for _, folders, files in os.walk(self.folder):
            texts += {*folders, *files} - self.names
        if "--golden" in arguments or "--junit" in arguments:
            texts += [path.read_text(encoding="utf-8") for path in self.folder.rglob("*")
                      if path.name == "report.xml" or path.parent.name == "goldens"]
        for text in texts:
            self.assert_printable(text, arguments)
        return result

    def check_all(self, *paths):
        """Each report of several files at once: starting the program takes longer than most of them."""
        for start in range(0, len(paths), TOGETHER):
            for report in REPORTS:
                with self.subTest(report):
                    self.check(*report, *paths[start:start + TOGETHER])

    def test_names_of_captures(self):
        """Also of damaged and missing ones, and names that are not UTF-8."""
        data = ACKNEX.read_bytes()
        self.check_all(self.write(EVIL + ".pcap", SAMPLE.read_bytes()),
                       self.write(os.fsdecode(b"\x1b\xff\xfe\x9b.pcap"), SAMPLE.read_bytes()),
                       *[self.write(f"{number}{EVIL}.pcap", damaged) for number, damaged in enumerate(
                           (data[:-5], b"rubbish", b"", gzip.compress(data)[:-20], Capture(105, []).pcap(), data[:20]))])
        self.assertTrue([name for name in self.left() if name.endswith("-labplayer-dm4.qwd")])
        self.check_all(self.folder / EVIL, os.fsencode(str(self.folder)) + b"/\x1b\xff\x9b")

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
            for start in (16, len(data) // 2):  # the second leaves the sign-on whole
                name = f"{number}-{start}{path.name.removesuffix('.gz')}"
                made.append(self.write(name, infest(data[:200000], dice, start)))
        self.check_all(*made)
        for demo in made:
            self.check("--sign-on", demo, "--verbose", SAMPLE)
        self.check("--pcap", "made.pcapng", *made)

    def test_names_of_players_maps_and_servers(self):
        made = []
        for capture in (SAMPLE, CAPTURES / "q2-vanilla.pcap", CAPTURES / "nq-protocol15.pcap"):
            for number, text in enumerate(TEXTS):
                controls = (HOSTILE_BYTES * 2)[:len(text)].replace(b"\\", b"\x1b")
                made.append(self.write(f"{capture.stem}{number}.pcap", capture.read_bytes().replace(text, controls)))
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
        made = []
        for number, path in enumerate(sorted(CAPTURES.glob("*.pcap"))):
            capture, dice = Capture.read(path), random.Random(number)
            payload = 42 if capture.link_type == tool.ETHERNET else 28
            made.append(self.write_capture(f"{number}.pcap", [(time, infest(frame, dice, payload)) for time, frame in
                                                              capture.frames], capture.link_type))
        self.check_all(*made)
