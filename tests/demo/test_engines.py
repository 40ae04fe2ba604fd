# SPDX-License-Identifier: GPL-2.0-or-later
"""Demos written under --sanitize, read again by every engine's rules (tests/engine_reader).

All captures at hand are converted; none of their demos may hold a command that is not on the
manual's list, nor a message that engines cannot read. What is crafted to do harm must be found where
nobody asks for --sanitize: a reader that never complains proves nothing. test_sanitize.py does the
same with attacks of its own.
"""

import os
import re
import subprocess
import unittest

from tool import CAPTURES, SHARED, ToolTest

READER = os.environ["ENGINE_READER"]
ATTACKS = SHARED.parent / "attacks"

# What does no harm in itself (bombs, names, floods), or no engine's demo can have.
HARMLESS = re.compile(r"^(dl|q2maps|names|zbomb|storm-slow|san-q2-r1q2-hi)")


def captures():
    for folder in (CAPTURES, SHARED, ATTACKS):
        if folder.is_dir():
            yield from sorted(path for path in folder.rglob("*") if ".pcap" in path.name)


def read(demos):
    """(findings, bytes unread), and all that the reader says."""
    if not demos:
        return 0, 0, ""
    result = subprocess.run([READER, "--unread", *demos], stdout=subprocess.PIPE, text=True, errors="replace")
    lines = re.findall(r"(\d+) findings, (\d+) of", result.stdout)
    findings = sum(int(found) for found, _ in lines)
    assert len(lines) == len(demos) and bool(findings) == (result.returncode == 1)
    return findings, sum(int(unread) for _, unread in lines), result.stdout


class Engines(ToolTest):
    def demos(self, capture, *options):
        folder = self.folder / re.sub(r"\W", "_", str(capture)) / ("plain", "sane")[bool(options)]
        folder.mkdir(parents=True)
        self.run_tool("--quiet", *options, "--output", folder, capture)
        return sorted(path for path in folder.iterdir() if path.is_file())

    def test_sanitized(self):
        demos = 0
        for capture in captures():
            with self.subTest(str(capture)):
                written = self.demos(capture, "--sanitize")
                findings, unread, text = read(written)
                self.assertEqual((findings, unread), (0, 0), text)
                demos += len(written)
        self.assertGreater(demos, 50)
        print(f"{demos} demos")

    @unittest.skipUnless(ATTACKS.is_dir(), "the attacks are not there")
    def test_attacks(self):
        """Each demo of an attack shows it; some attacks tear the sign-on, and give no demo."""
        played = 0
        for capture in sorted(ATTACKS.glob("*.pcap")):
            demos = [] if HARMLESS.match(capture.name) else self.demos(capture)
            played += bool(demos)
            with self.subTest(capture.name):
                findings, unread, _ = read(demos)
                self.assertEqual(bool(findings or unread), bool(demos))
        self.assertGreater(played, 15)
