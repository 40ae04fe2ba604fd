# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that once did harm, beside the checkout: whatever is asked of them costs no more than a
second and one a megabyte, takes little memory, and shows no control characters."""

import os
import unittest

import recordings
from tool import SHARED, ToolTest

ATTACKS = SHARED.parent / "attacks"
MEMORY_MAX = 64  # MiB
ASKED = {
    "demos": ["--force", "--output", "out/"],
    "sanitized demos": ["--force", "--sanitize", "--output", "out/"],
    "list": ["--list"],
    "check": ["--check"],
    "dump": ["--dump"],
    "dump as JSON": ["--dump=json"],
    "compact dump": ["--dump=compact"],
    "statistics": ["--stats"],
    "anonymized copy": ["--force", "--anonymize", "copy.pcapng", "--replace-names",
                        "--replace-chat"],
}


@unittest.skipUnless(ATTACKS.is_dir(), "needs the attacks beside the checkout")
class Attacks(ToolTest):
    @unittest.skipIf(os.environ.get("SANITIZED"), "sanitizers take time and memory")
    def test_time_and_memory(self):
        for path in sorted(ATTACKS.glob("*.pcap*")):
            size = len(recordings.read(path))
            for name, options in ASKED.items():
                with self.subTest(path.name, asked=name):
                    _, memory, seconds = self.measure(*options, path)
                    self.assertLess(seconds, 1 + size / (1 << 20))
                    self.assertLess(memory, MEMORY_MAX)

    def test_output(self):
        for path in sorted(ATTACKS.glob("*.pcap*")):
            for name, options in ASKED.items():
                with self.subTest(path.name, asked=name):
                    result = self.run_tool(*options, path)
                    self.assertIn(result.returncode, (0, 1))
                    for text in result.stdout.decode(), result.stderr.decode():
                        self.assertRegex(text, r"\A[^\x00-\x08\x0b-\x1f\x7f-\x9f]*\Z")
