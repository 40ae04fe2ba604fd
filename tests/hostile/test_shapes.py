# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions that repeat one thing cost no more than their bytes."""

import math
import os
import shutil
import unittest

import capture
import damages
import repeats
from tool import SAMPLE, SANITIZED
from traffic import TrafficTest


class Shapes(TrafficTest):
    def assert_linear(self, make, count, *options):
        """Twice as much takes about twice as long, and at most 1 s and 1 a megabyte, in the fastest of up to five runs."""
        if SANITIZED:  # they take time, and see the same in less
            result = self.run_tool(*options, self.capture("shape.pcap", make(count // 5)))
            self.assertIn(result.returncode, (0, 1), result.stderr)
            return
        half, whole = (self.capture(name, make(times * count)) for times, name in ((1, "half.pcap"), (2, "whole.pcap")))
        seconds = [math.inf] * 2
        for _ in range(5):
            seconds = [min(best, self.measure(*options, path)[2]) for best, path in zip(seconds, (half, whole))]
            if seconds[1] < min(max(0.2, 3 * seconds[0]), 1 + whole.stat().st_size / (1 << 20)):  # 0.2: it starts
                return
        self.fail(f"{seconds[0]} s, twice as much {seconds[1]} s")

    def test_info_strings(self):
        for name, make in repeats.INFO_STRINGS.items():
            for action in "--check", "--dump":
                with self.subTest(name, action=action):
                    self.assert_linear(make, 20000, action)

    def test_too_long_info_strings_are_noted(self):
        for name, make in repeats.INFO_STRINGS.items():
            with self.subTest(name):
                for count, noted in ((20, False), (400, True)):
                    output, _ = self.tool("--dump", self.capture("info.pcap", make(count)))
                    self.assertEqual("Info string longer than the" in output, noted, output[-500:])

    def test_names_that_begin_like_others(self):
        self.assert_linear(repeats.names_in_texts, 4000, "--force", "--anonymize", "copy.pcapng", "--replace-names")

    def test_status_bars_are_read_once(self):
        """The statistics that a sanitized demo needs in each frame are those of the bar's conditions."""
        path = self.capture("bar.pcap", repeats.drawn(2000 if SANITIZED else 20000))
        plain, sanitized = (self.measure("--force", *options, "--output", "demos/", path)[2]
                            for options in ([], ["--sanitize"]))
        self.assertLess(sanitized, 2 * plain + 0.1)

    @unittest.skipIf(SANITIZED, "sanitizers keep what was freed")
    def test_lists_keep_what_engines_have_room_for(self):
        for name, (make, count) in repeats.LISTS.items():
            with self.subTest(name):
                short, long = (self.measure("--list", self.capture("list.pcap", make(count, size)))[1]
                               for size in (50, 4000))
                self.assertLess(long - short, 4)  # MiB; the long texts have 50 and 4 MiB

    def test_sessions_under_two_addresses(self):
        self.assert_linear(repeats.translated, 250, "--list")

    def test_messages_of_one_kind_are_counted(self):
        _, player = capture.read(SAMPLE)
        for count, lines in ((3, 3), (1200, 1001)):
            path = self.capture("many.pcap", damages.in_turn(player[:30], count, 10 * 10**9))
            _, error = self.tool("--output", "demos", path, status=1)
            printed = error.splitlines()
            self.assertEqual(len(printed), lines)
            self.assertIn("the session ended before the game began", printed[0])
        self.assertEqual(printed[-1], f"pcap2demo: {path}: 200 more messages")
        frames = list(damages.in_turn(player[:30], 2200, 10 * 10**9))
        paths = [self.capture(f"{half}.pcap", (frame for i, frame in enumerate(frames) if i // 30 % 2 == half))
                 for half in (0, 1)]
        self.assertEqual(self.tool("--output", "demos", *paths, status=1)[1].splitlines()[-2:],
                         [f"pcap2demo: {path}: 100 more messages" for path in paths])

    def test_long_lines_of_goldens(self):
        """Fields are not written out with the name of their group."""
        golden = self.folder / "goldens" / "qw-sample.golden"
        golden.parent.mkdir()
        self.tool("--check", "--golden", "goldens", "--update", SAMPLE)
        lines = golden.read_bytes().split(b"\n")
        for line in (b" " + b"g" * 1000 + b".a=1()" * 80000, b" g" + b".a=1()" * 80000):
            golden.write_bytes(b"\n".join(lines[:9] + [line] + lines[9:]))
            options = "--check", "--golden", "goldens", SAMPLE
            self.assertIn(self.run_tool(*options).returncode, (1, 2))
            _, memory, seconds = self.measure(*options)
            if not SANITIZED:
                self.assertLess(memory, 40)  # MiB; not 3,000
            self.assertLess(seconds, 5)

    def test_large_expectations(self):
        """Many rules, many items of a rule, many comments: none is looked through for each other."""
        many = 10 if SANITIZED else 100
        rules = "".join(f"svc_print {i} = bytes 9\n" for i in range(400 * many))
        items = "versions = " + ";".join(map(str, range(30 * many)))
        for text, status in (("[QuakeWorld s2c]\n" + rules, 1), ("[QuakeWorld]\n" + items + "\n", 1),
                             ("[QuakeWorld]\n" + items * 50, 1), ("# \n" * 1000 * many, 1)):
            (self.folder / "wire.expect").write_text(text)
            options = "--check", "--expect", "wire.expect", SAMPLE
            self.assertIn(self.run_tool(*options).returncode, (0, status))
            if not SANITIZED:
                self.assertLess(self.measure(*options)[2], 5)

    def test_pipes_that_are_no_input_are_not_opened(self):
        os.mkfifo(self.folder / "pipe.pcap")
        os.mkfifo(self.folder / "pipe.qwd")
        self.tool("--list", SAMPLE)
        self.assertEqual(self.run_tool("-R", "--check", ".").returncode, 2)
        (self.folder / "below").mkdir()
        shutil.copy(SAMPLE, self.folder / "below" / "sample.pcap")
        output, _ = self.tool("-R", "--list", ".")
        self.assertIn("labplayer", output)
        self.tool("--check", "--golden", "pipe.qwd", SAMPLE, status=2)
        _, error = self.tool("--check", "--sign-on", "pipe.qwd", SAMPLE)
        self.assertEqual(error, "pcap2demo: pipe.qwd: not used for --sign-on: it is not a regular file\n")
