# SPDX-License-Identifier: GPL-2.0-or-later
"""--golden: goldens are written, compared and updated; wrong usage."""

import difflib
import json
import random

from tool import ACKNEX, CAPTURES, SAMPLE, Capture, ToolTest

OOB = CAPTURES / "qw-oob.pcap"

# Of every game and form of file.
CAPTURE_FILES = [CAPTURES / name for name in (
    "acknex-generated.pcap", "nq-control.pcap", "nq-darkplaces.pcap", "nq-fragments.pcap",
    "nq-messages.pcap", "q2-gtv-limits.pcap", "q2-oob.pcap", "q2-q2repro.pcap", "q2-statistics.pcap",
    "q2-relay.mvd2", "qw-csqc.pcap", "qw-extended.pcap", "qw-ezquake37.qwd", "qw-fte-inputs.pcap",
    "qw-fte.mvd", "qw-oob.pcap", "qw-qtv.pcap", "qw-vanilla.pcap")]


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

    def lines(self, capture=ACKNEX):
        return self.golden(capture).read_text().splitlines()

    def rewrite(self, old, new):
        """Changes the golden, as if something else had been decoded then."""
        text = self.golden().read_text()
        self.assertIn(old, text)
        self.golden().write_text(text.replace(old, new, 1))

    def file_report(self, *arguments, status=0):
        output, _ = self.check("--json", *arguments, status=status)
        report, = json.loads(output)["files"]
        return report["golden"]


class Writing(Goldens):
    def outputs(self, path):
        """A full dump, and a golden with all of its fields."""
        golden = self.golden(path)
        golden.unlink(missing_ok=True)
        self.check("--update", "--no-default-ignore", "--no-rebuild", path, status=None)
        return self.run_tool("--dump", path).stdout, golden.read_text() if golden.exists() else ""

    def test_damage_that_changes_the_dump_changes_the_golden(self):
        chance, changed = random.Random(1), 0
        for capture in CAPTURE_FILES:
            data = capture.read_bytes()
            before = self.outputs(self.write(capture.name, data))
            for _ in range(6):
                at = chance.randrange(len(data))
                damaged = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:]
                after = self.outputs(self.write(capture.name, damaged))
                with self.subTest(capture.name, at=at):
                    self.assertEqual(after[1] != before[1], after[0] != before[0])
                changed += after[0] != before[0]
        self.assertGreater(changed, len(CAPTURE_FILES))

    def test_first_and_last_line(self):
        self.keep(ACKNEX)
        first, *lines, last = self.lines()
        self.assertRegex(first, r"^# pcap2demo golden, schema 1, ignoring: packet\.time ")
        self.assertEqual(last, "# end, 25 packets")
        self.assertEqual(lines, self.tool("--dump=compact", ACKNEX)[0].splitlines())
        self.keep(ACKNEX, options=["--no-default-ignore"])
        self.assertEqual(self.lines()[0], "# pcap2demo golden, schema 1, ignoring:")

    def test_one_block_less_changes_few_lines(self):
        """Though all behind it is elsewhere in the demo."""
        self.tool("--output", self.folder, CAPTURES / "nq-protocol15.pcap")
        demo, = self.folder.glob("*.dem")
        self.keep(demo)
        was = self.lines(demo)
        data = demo.read_bytes()
        at = data.index(b"\n") + 1
        for _ in range(60):
            block, at = at, at + 16 + int.from_bytes(data[at:at + 4], "little")
        demo.write_bytes(data[:block] + data[at:])
        self.assertLess(self.file_report(demo, status=1)["difference_count"], 5)
        self.check("--update", "--no-rebuild", demo)
        changes = [line for line in difflib.unified_diff(was, self.lines(demo), n=0) if line[0] in "+-"]
        self.assertGreater(len(changes), 4)
        self.assertLess(len(changes), 20)

    def assert_updated(self, verdict, capture=ACKNEX):
        output, error = self.check("--update", capture)
        self.assertIn(f"acknex-generated.golden: {verdict}, 25 packets", output)
        self.assertEqual(error, "")

    def test_update_prints_whether_it_changes(self):
        self.keep(ACKNEX)
        before = self.golden().stat().st_mtime_ns
        self.assert_updated("unchanged")
        self.assertEqual(self.golden().stat().st_mtime_ns, before)
        self.rewrite(" action=4", " action=5")
        self.assert_updated("written")
        self.check(ACKNEX)

    def test_update_keeps_the_list_of_what_is_left_out(self):
        """More names are added."""
        self.keep(ACKNEX, options=["--ignore", "acknex.action"])
        head = self.lines()[0]
        self.assertTrue(head.endswith(" acknex.action"), head)
        self.rewrite(" acknex ", " other ")
        self.keep(ACKNEX)
        self.assertEqual(self.lines()[0], head)
        self.assertNotIn(" action=", self.golden().read_text())
        self.keep(ACKNEX, options=["--ignore", "acknex.identifier"])
        self.assertEqual(self.lines()[0], head + " acknex.identifier")

    def test_frames_of_other_protocols_change_only_numbers_of_packets(self):
        capture = Capture.read(ACKNEX)
        self.keep(ACKNEX)
        time, frame = capture.frames[0]
        foreign = (time, frame[:12] + b"\x08\x06" + frame[14:])
        other = self.write(ACKNEX.name, Capture(
            capture.link_type, capture.frames[:9] + [foreign] + capture.frames[9:]).pcap())
        self.assertEqual(self.file_report(other)["verdict"], "the same")
        self.assert_updated("written", other)
        self.assertEqual(self.golden().read_text().count("packet +2 acknex"), 1)

    def test_a_golden_that_cannot_be_written(self):
        for folder in ("/proc/missing", "/proc", ACKNEX):
            with self.subTest(folder):
                _, error = self.tool("--check", "--golden", folder, "--update", ACKNEX, status=2)
                self.assertIn(f"{folder}/acknex-generated.golden: ", error)

    def test_the_good_part_of_a_broken_capture_is_compared(self):
        cut = self.write("acknex-generated.pcap", ACKNEX.read_bytes()[:-3])
        self.check("--update", cut, status=1)
        self.assertIn("# end, 24 packets", self.golden().read_text())


class Comparing(Goldens):
    def test_other_inputs_and_their_order_make_no_difference(self):
        copy = self.write("copy.pcap", ACKNEX.read_bytes())
        self.keep(ACKNEX)
        self.keep(copy)
        self.check(copy, ACKNEX)
        self.check(ACKNEX, copy, SAMPLE, "--update")
        self.check(copy)

    def test_json(self):
        self.keep(ACKNEX)
        self.rewrite(" action=4", " action=5")
        report = self.file_report(ACKNEX, status=1)
        self.assertEqual(report["verdict"], "different")
        self.assertEqual(report["difference_count"], 1)
        line = " cls_create message=0x3(CLS_CREATE or SVC_CREATE) file=\"warlock.mdl\" " \
               "start=(1 2 -3) action={} identifier=1"
        self.assertEqual(report["differences"], [{
            "packet": 4, "lines": ["-" + line.format(5), "+" + line.format(4)],
            "more_lines": 0}])

    def test_packets_in_disorder_or_captured_twice_are_the_same(self):
        """Packets are read in the order of their receivers."""
        self.keep(SAMPLE)
        capture = Capture.read(SAMPLE)
        frames = list(capture.frames)
        for at in range(100, 1400, 50):
            frames[at], frames[at + 1] = frames[at + 1], frames[at]
        for at in range(1400, 120, -7):
            time, frame = frames[at]
            frames.insert(at + 2, (time + 1, frame))
        mixed = self.write(SAMPLE.name, Capture(capture.link_type, frames).pcap())
        self.assertEqual(self.file_report(mixed)["verdict"], "the same")

    def test_a_check_leaves_out_what_the_golden_names(self):
        for name in ("acknex.action", "acknex"):
            self.keep(ACKNEX, options=["--ignore", name])
            self.assertNotIn(" action=", self.golden().read_text())
            self.check(ACKNEX)
        self.keep(ACKNEX, options=["--no-default-ignore", "--ignore", "acknex.identifier"])
        self.rewrite(" action=4", " action=5")
        self.check(ACKNEX, status=1)

    def test_lines_that_are_gone_are_red_and_new_ones_green(self):
        self.keep(ACKNEX)
        self.rewrite(" action=4", " action=5")
        _, error = self.check("--color=always", ACKNEX, status=1)
        gone, new = error.splitlines()[1:]
        self.assertRegex(gone, "^\x1b\\[[0-9;]*31m- cls_create .*\x1b\\[0?m$")
        self.assertRegex(new, "^\x1b\\[[0-9;]*32m\\+ cls_create .*\x1b\\[0?m$")

    def test_time_counts_when_asked_for(self):
        capture = Capture.read(ACKNEX)
        later = Capture(capture.link_type, [(time + 1, frame) for time, frame in capture.frames])
        path = self.write(ACKNEX.name, later.pcap())
        self.keep(ACKNEX)
        self.check(path)
        self.keep(ACKNEX, options=["--no-default-ignore"])
        self.assertEqual(self.file_report(path, status=1)["difference_count"], 25)


class Usage(Goldens):
    def test_a_missing_golden(self):
        _, error = self.check(ACKNEX, status=2)
        self.assertIn(f"pcap2demo: {self.golden()}: there is no such golden; --update writes it\n", error)
        self.assertEqual(self.file_report(ACKNEX, status=2)["verdict"], "not compared")

    def test_wrong_usage(self):
        twin = self.write("acknex-generated.pcapng", ACKNEX.read_bytes())
        wrong = [
            ["--list", "--golden", "goldens", ACKNEX],
            ["--check", "--update", ACKNEX],
            ["--check", "--ignore", "qw", ACKNEX],
            ["--check", "--golden", "goldens", "--ignore", "qw.qport", ACKNEX],
            ["--check", "--golden", "goldens", "--no-default-ignore", ACKNEX],
            ["--check", "--golden", "goldens", "--update", "--ignore", "qw.nonsense", ACKNEX],
            ["--check", "--golden", "goldens", "-"],
            ["--check", "--golden", "goldens", ACKNEX, twin],
            ["--check", "--golden", "goldens", "--problem", "undecoded", ACKNEX],
            ["--check", "--golden", "goldens", "--update", "--problem", "nonsense", ACKNEX],
            ["--list", "--junit", "report.xml", ACKNEX],
            ["--stats", "--check", ACKNEX],
            ["--stats", "--no-rebuild", ACKNEX],
        ]
        for arguments in wrong:
            with self.subTest(arguments):
                output, error = self.tool(*arguments, status=2)
                self.assertEqual(output, "")
                self.assertTrue(error.startswith("pcap2demo: "), error)
