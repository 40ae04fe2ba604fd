# SPDX-License-Identifier: GPL-2.0-or-later
"""--golden: goldens are written, compared, and told apart; exit statuses."""

import difflib
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from tool import ACKNEX, CAPTURES, ETHERNET, SAMPLE, Capture, ToolTest

OOB = CAPTURES / "qw-oob.pcap"

# A demo, and its golden as schema 3 had it.
LIMITS = CAPTURES / "q2-limits1.dm2"
LONGER = Path(__file__).parent / "schema3.golden"

# Of every game and form of file.
CAPTURE_FILES = [CAPTURES / name for name in (
    "acknex-generated.pcap", "nq-control.pcap", "nq-darkplaces.pcap", "nq-fragments.pcap",
    "nq-messages.pcap", "q2-gtv-limits.pcap", "q2-oob.pcap", "q2-q2repro.pcap", "q2-statistics.pcap",
    "q2-relay.mvd2", "qw-csqc.pcap", "qw-extended.pcap", "qw-ezquake37.qwd", "qw-fte-inputs.pcap",
    "qw-fte.mvd", "qw-oob.pcap", "qw-qtv.pcap", "qw-vanilla.pcap")]
DEMOS = (".mvd", ".mvd2", ".qwd")


class Goldens(ToolTest):
    def setUp(self):
        super().setUp()
        self.goldens = self.folder / "goldens"
        self.goldens.mkdir()

    def check(self, *arguments, status=0):
        return self.tool("--check", "--golden", self.goldens, *arguments, status=status)

    def keep(self, *captures, options=()):
        self.check("--update", *options, *captures)

    def golden(self, capture=ACKNEX):
        return self.goldens / (capture.stem + ".golden")

    def keep_full(self):
        """A golden in the full form of the dump, in which single lines can be changed."""
        dump, _ = self.tool("--dump", ACKNEX)
        self.golden().write_text("# pcap2demo golden, schema 1, ignoring: packet.time "
                                 f"packet.source packet.destination\n{dump}# end, 25 packets\n")

    def rewrite(self, old, new, count=1, capture=ACKNEX):
        """Changes the golden, as if something else had been decoded then."""
        text = self.golden(capture).read_text()
        self.assertIn(old, text)
        self.golden(capture).write_text(text.replace(old, new, count))

    def file_report(self, *arguments, status=0):
        output, _ = self.check("--json", *arguments, status=status)
        report, = json.loads(output)["files"]
        return report["golden"]


    def assert_same(self, demo):
        """Of a demo that has problems of its own."""
        self.assertEqual(self.file_report(demo, status=1)["verdict"], "the same")


class Writing(Goldens):
    def full_lines(self, golden):
        """The lines of the dump that the golden stands for."""
        return subprocess.run([os.environ["GOLDEN_LINES"], golden], check=True,
                              stdout=subprocess.PIPE).stdout.decode().splitlines()

    def from_block(self, lines):
        """The lines of a demo's dump, counting from each block's beginning."""
        starts, result = {}, []
        for line in lines:
            packet, position, name = line.split(" ", 2)
            if ":" not in position and not name.startswith("packet."):
                offset, length = map(int, position.split("+"))
                position = f"{offset - starts.setdefault(packet, offset)}+{length}"
            result.append(f"{packet} {position} {name}")
        return result

    def test_lines_stand_for_those_of_the_dump(self):
        """Nothing is lost but what is left out."""
        self.keep(*CAPTURE_FILES, options=["--no-default-ignore", "--no-rebuild", "--show-secrets"])
        for capture in CAPTURE_FILES:
            with self.subTest(capture.name):
                dump, _ = self.tool("--dump", "--show-secrets", capture)
                lines = dump.splitlines()
                if capture.suffix in DEMOS:
                    lines = self.from_block(lines)
                self.assertEqual(self.full_lines(self.golden(capture)), lines)

    def test_first_and_last_line(self):
        self.keep(ACKNEX)
        first, *lines, last = self.golden().read_text().splitlines()
        self.assertRegex(first, r"^# pcap2demo golden, schema 4, ignoring: packet\.time ")
        self.assertEqual(last, "# end, 25 packets")
        dump, _ = self.tool("--dump=compact", ACKNEX)
        self.assertEqual(lines, dump.splitlines())
        self.keep(ACKNEX, options=["--no-default-ignore"])
        self.assertEqual(self.golden().read_text().splitlines()[0],
                         "# pcap2demo golden, schema 4, ignoring:")

    def test_size(self):
        """A golden that people review is small: at most 12 times the capture."""
        self.keep(SAMPLE)
        self.assertLess(self.golden(SAMPLE).stat().st_size, 6 * SAMPLE.stat().st_size)
        for golden in CAPTURES.parent.glob("golden/*.golden"):
            capture, = CAPTURES.glob(golden.stem + ".*")
            with self.subTest(golden.name):
                self.assertLess(golden.stat().st_size, 12 * capture.stat().st_size)

    def test_one_packet_less(self):
        """What changes in the golden is that packet."""
        self.keep(SAMPLE)
        was = self.golden(SAMPLE).read_text().splitlines()
        frames = Capture.read(SAMPLE).frames
        less = self.write(SAMPLE.name, Capture(ETHERNET, frames[:700] + frames[701:]).pcap())
        self.check("--update", "--no-rebuild", less)
        changes = [line for line in difflib.unified_diff(
            was, self.golden(SAMPLE).read_text().splitlines(), n=0) if line[0] in "+-"]
        self.assertGreater(len(changes), 4)
        self.assertLess(len(changes), 20)

    def test_one_block_less(self):
        """The same in a demo, though all that follows lies elsewhere in the file."""
        self.tool("--output", self.folder, CAPTURES / "nq-protocol15.pcap")
        demo, = self.folder.glob("*.dem")
        self.keep(demo)
        was = self.golden(demo).read_text().splitlines()
        data = demo.read_bytes()
        at = data.index(b"\n") + 1
        for _ in range(60):
            block, at = at, at + 16 + int.from_bytes(data[at:at + 4], "little")
        demo.write_bytes(data[:block] + data[at:])
        report = self.file_report(demo, status=1)
        self.assertLess(report["difference_count"], 5)
        self.check("--update", "--no-rebuild", demo)
        changes = [line for line in difflib.unified_diff(
            was, self.golden(demo).read_text().splitlines(), n=0) if line[0] in "+-"]
        self.assertGreater(len(changes), 4)
        self.assertLess(len(changes), 20)

    def test_longer_form_is_read(self):
        """As programs of schema 3 wrote it: what follows from numbers stands there, too."""
        self.golden(LIMITS).write_bytes(LONGER.read_bytes())
        self.assert_same(LIMITS)
        lines = self.full_lines(LONGER)
        self.rewrite("player.gravity=800", "player.gravity=801", capture=LIMITS)
        self.assertEqual(self.file_report(LIMITS, status=1)["difference_count"], 1)
        self.check("--update", LIMITS, status=1)
        self.assertIn("schema 4", self.golden(LIMITS).read_text())
        self.assertEqual(self.full_lines(self.golden(LIMITS)), lines)
        self.assertLess(self.golden(LIMITS).stat().st_size, LONGER.stat().st_size)

    def test_file_offsets_are_read(self):
        """Goldens of schema 2 count a demo's offsets from the file's beginning."""
        text = LONGER.read_text().replace("schema 3", "schema 2")
        start = end = 0
        lines = []
        for line in text.splitlines(keepends=True):
            size = re.match(r"packet .*size=(\d+)$", line)
            if size:
                start, end = end, end + int(size[1])
            elif start:
                line = re.sub(r"@(\d+)\+", lambda at: f"@{start + int(at[1])}+", line)
                line = re.sub(r"^ block ", f" block@{start}+4 ", line)
            lines.append(line)
        self.golden(LIMITS).write_text("".join(lines))
        self.assert_same(LIMITS)

    def test_update_tells_what_changes(self):
        self.keep(ACKNEX)
        before = self.golden().stat().st_mtime_ns
        output, error = self.check("--update", ACKNEX)
        self.assertIn("acknex-generated.golden: unchanged, 25 packets", output)
        self.assertEqual((error, self.golden().stat().st_mtime_ns), ("", before))
        self.rewrite(" action=4", " action=5")
        output, error = self.check("--update", ACKNEX)
        self.assertIn("acknex-generated.golden: written, 1 difference in 25 packets", output)
        self.assertEqual(error, f"pcap2demo: {ACKNEX}: packet 4: offset 22: acknex.cls_create: "
                                "acknex.action: was 5, is 4\n")
        self.check(ACKNEX)

    def test_full_form_is_read(self):
        """As programs wrote it before there was another."""
        dump, _ = self.tool("--dump", ACKNEX)
        full = "# pcap2demo golden, schema 1, ignoring:\n" + dump + "# end, 25 packets\n"
        self.golden().write_text(full)
        self.check(ACKNEX)
        self.golden().write_text(full.replace("acknex.action = 4", "acknex.action = 5"))
        self.assertEqual(self.file_report(ACKNEX, status=1)["difference_count"], 1)
        self.keep(ACKNEX)
        self.assertIn("schema 4", self.golden().read_text())

    def test_overwrites(self):
        self.golden().write_text("old")
        self.keep(ACKNEX)
        self.assertNotEqual(self.golden().read_text(), "old")
        self.check(ACKNEX)
        self.assertEqual([path.name for path in self.goldens.iterdir()],
                         ["acknex-generated.golden"])

    def test_unwritable(self):
        for folder in ("/proc/missing", "/proc", ACKNEX):
            with self.subTest(folder):
                _, error = self.tool("--check", "--golden", folder, "--update", ACKNEX, status=2)
                self.assertIn(f"{folder}/acknex-generated.golden: ", error)

    def test_broken_capture(self):
        """The good part is compared."""
        cut = self.write("acknex-generated.pcap", ACKNEX.read_bytes()[:-3])
        self.check("--update", cut, status=1)
        self.assertIn("# end, 24 packets", self.golden().read_text())


class Comparing(Goldens):
    def test_same(self):
        self.keep(ACKNEX, OOB, SAMPLE)
        output, error = self.check(ACKNEX, OOB, SAMPLE)
        self.assertEqual(error, f"pcap2demo: {OOB}: holds 4 passwords: --anonymize makes a copy "
                                "without\n")
        self.assertEqual(output.count(": the same, "), 3)
        output, _ = self.check("--quiet", ACKNEX)
        self.assertEqual(output, "")

    def test_each_input_stands_by_itself(self):
        """Whatever else is given, and in whichever order."""
        copy = self.write("copy.pcap", ACKNEX.read_bytes())
        self.keep(ACKNEX)
        self.keep(copy)
        self.check(copy, ACKNEX)
        self.check(ACKNEX, copy, SAMPLE, "--update")
        self.check(copy)

    def test_changed_field(self):
        self.keep(ACKNEX)
        self.rewrite(" action=4", " action=5")
        _, error = self.check(ACKNEX, status=1)
        self.assertEqual(error, f"pcap2demo: {ACKNEX}: packet 4: offset 22: acknex.cls_create: "
                                "acknex.action: was 5, is 4\n")

    def test_json(self):
        self.keep(ACKNEX)
        self.rewrite(" action=4", " action=5")
        report = self.file_report(ACKNEX, status=1)
        self.assertEqual(report["verdict"], "different")
        self.assertEqual(report["difference_count"], 1)
        self.assertEqual(report["differences"], [{
            "packet": 4, "golden_packet": 4, "offset": 22, "message": "acknex.cls_create",
            "field": "acknex.action", "was": "5", "is": "4"}])

    def test_new_fields(self):
        """A program that knows more is not a change on the wire."""
        self.keep_full()
        text = self.golden().read_text()
        self.golden().write_text(re.sub(r".* acknex\.identifier = .*\n", "", text))
        report = self.file_report(ACKNEX)
        self.assertEqual(report["verdict"], "new fields only")
        self.assertGreater(report["difference_count"], 1)
        output, _ = self.check(ACKNEX)
        self.assertIn(": new fields only, ", output)

    def test_field_that_was_elsewhere(self):
        """Where the golden has the field in another packet it is no new one."""
        self.keep_full()
        text = self.golden().read_text()
        self.golden().write_text(re.sub(r".* acknex\.identifier = .*\n", "", text, count=1))
        self.assertEqual(self.file_report(ACKNEX, status=1)["verdict"], "different")

    def without_identifiers(self):
        """A golden of a program that did not know a field, to which more than that may happen."""
        self.keep_full()
        text = self.golden().read_text()
        self.golden().write_text(re.sub(r".* acknex\.identifier = .*\n", "", text))

    def test_new_fields_and_a_moved_one(self):
        self.without_identifiers()
        line = re.search(r"^4 (\d+)(\+\d+ acknex\.action = 4)", self.golden().read_text(), re.M)
        self.rewrite(line[0], f"4 {int(line[1]) + 1}{line[2]}")
        self.assertEqual(self.file_report(ACKNEX, status=1)["verdict"], "different")

    def test_new_fields_and_a_removed_message(self):
        """The golden has a message more than what is decoded."""
        self.without_identifiers()
        text = self.golden().read_text()
        message = re.findall(r"^4 \S+ acknex\.cls_\w+\n(?:4 \S+ \S+ :?= .*\n)*", text, re.M)[-1]
        self.rewrite(message, message + message)
        self.assertEqual(self.file_report(ACKNEX, status=1)["verdict"], "different")

    def test_packet_more_or_less(self):
        """Neither makes all that follows differ."""
        self.keep(SAMPLE)
        capture = Capture.read(SAMPLE)
        moved = capture.frames[:9] + [capture.frames[9]] + capture.frames[9:]
        report = self.file_report("--no-rebuild", self.write(
            "qw-sample.pcap", Capture(capture.link_type, moved).pcap()), status=1)
        self.assertLess(report["difference_count"], 10)
        self.assertEqual(report["packets"], 1500)

    def test_first_differences(self):
        self.keep(SAMPLE)
        other = self.write("qw-sample.pcap", Capture(1, Capture.read(SAMPLE).frames[:99]).pcap())
        _, error = self.check("--no-rebuild", "--max-differences", "3", other, status=1)
        self.assertEqual(error.count("a packet of"), 3)
        self.assertIn("qw-sample.pcap: and 1398 more differences from ", error)

    def test_ignore(self):
        self.keep(ACKNEX)
        self.rewrite(" action=4", " action=5")
        for name in ("acknex.action", "acknex"):
            self.check("--ignore", name, ACKNEX)
        self.check("--ignore", "acknex.identifier", ACKNEX, status=1)

    def test_ignored_when_written(self):
        self.keep(ACKNEX, options=["--ignore", "acknex.action"])
        self.assertNotIn(" action=", self.golden().read_text())
        self.check(ACKNEX)

    def test_time_counts_when_asked_for(self):
        capture = Capture.read(ACKNEX)
        later = Capture(capture.link_type, [(time + 1, frame) for time, frame in capture.frames])
        path = self.write(ACKNEX.name, later.pcap())
        self.keep(ACKNEX)
        self.check(path)
        self.keep(ACKNEX, options=["--no-default-ignore"])
        self.assertEqual(self.file_report(path, status=1)["difference_count"], 25)


class Unusable(Goldens):
    def refused(self, message):
        _, error = self.check(ACKNEX, status=2)
        self.assertIn(f"pcap2demo: {self.golden()}: {message}", error)
        self.assertEqual(self.file_report(ACKNEX, status=2)["verdict"], "not compared")

    def test_missing(self):
        self.refused("there is no such golden; --update writes it\n")

    def test_folder(self):
        self.golden().mkdir()
        self.refused("line 1: Is a directory\n")

    def test_other_schema(self):
        self.keep(ACKNEX)
        self.rewrite("schema 4", "schema 99")
        self.refused("line 1: schema 99, which this program does not read")

    def test_damaged(self):
        self.keep(ACKNEX)
        self.rewrite(" action=4", " action\x00=4")
        self.refused("line ")

    def test_cut(self):
        self.keep(ACKNEX)
        text = self.golden().read_text()
        self.golden().write_text(text[:text.index("\n", len(text) // 2) - 1])
        _, error = self.check(ACKNEX, status=2)
        self.assertRegex(error, r"acknex-generated.golden: line \d+: ends early: the golden is cut")

    def test_decode_is_checked_all_the_same(self):
        output, _ = self.check(ACKNEX, status=2)
        self.assertIn("25 packets, 25 of a known game, 0 bytes undecoded", output)


class Usage(Goldens):
    def test_help(self):
        output, _ = self.tool("--help")
        for option in ("--golden", "--update", "--ignore", "--no-default-ignore",
                       "--max-differences", "--no-rebuild", "--tap", "--junit", "--stats"):
            self.assertIn(option, output)

    def test_wrong_usage(self):
        twin = self.write("acknex-generated.pcapng", ACKNEX.read_bytes())
        wrong = [
            ["--list", "--golden", "goldens", ACKNEX],
            ["--check", "--update", ACKNEX],
            ["--check", "--ignore", "qw", ACKNEX],
            ["--check", "--golden", "goldens", "--ignore", "qw.nonsense", ACKNEX],
            ["--check", "--golden", "goldens", "--max-differences", "0", ACKNEX],
            ["--check", "--golden", "goldens", "-"],
            ["--check", "--golden", "goldens", ACKNEX, twin],
            ["--check", "--tap", "--json", ACKNEX],
            ["--list", "--tap", ACKNEX],
            ["--stats", "--check", ACKNEX],
            ["--stats", "--no-rebuild", ACKNEX],
        ]
        for arguments in wrong:
            with self.subTest(arguments):
                output, error = self.tool(*arguments, status=2)
                self.assertEqual(output, "")
                self.assertTrue(error.startswith("pcap2demo: "), error)

    def test_equal_names(self):
        twin = self.write("acknex-generated.pcapng", ACKNEX.read_bytes())
        _, error = self.tool("--check", "--golden", "goldens", ACKNEX, twin, status=2)
        self.assertIn(f"{ACKNEX} and {twin} would have the same golden, acknex-generated.golden",
                      error)


if __name__ == "__main__":
    unittest.main()
