# SPDX-License-Identifier: GPL-2.0-or-later
"""All captures at hand are converted under --sanitize: no demo may have a text, a command or a file's name
that is on none of the lists, and all of it must decode (tests/sanitized). test_sanitize.py does the same with
attacks of its own."""

import os
import re
import subprocess

from tool import CAPTURES, SHARED, ToolTest

CHECK = os.environ["CHECK_SANITIZED"]
ATTACKS = SHARED.parent / "attacks"
CASES = SHARED.parent / "cases/attacks"


def captures():
    for folder in (CAPTURES, SHARED, ATTACKS, CASES):
        if folder.is_dir():
            yield from sorted(path for path in folder.rglob("*") if ".pcap" in path.name)


class Sanitized(ToolTest):
    def demos(self, capture):
        folder = self.folder / re.sub(r"\W", "_", str(capture))
        folder.mkdir()
        self.run_tool("--quiet", "--sanitize", "--output", folder, capture)
        return sorted(path for path in folder.iterdir() if path.is_file())

    def test_lists(self):
        demos = 0
        for capture in captures():
            with self.subTest(str(capture)):
                written = self.demos(capture)
                result = subprocess.run([CHECK, *written], stdout=subprocess.PIPE, text=True, errors="replace")
                self.assertEqual(result.returncode, 0, result.stdout)
                demos += len(written)
        self.assertGreater(demos, 50)
        print(f"{demos} demos")
