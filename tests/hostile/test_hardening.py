# SPDX-License-Identifier: GPL-2.0-or-later
"""The program and the plugin are built with the options that make defects harder to exploit.

    test_hardening.py FILE...

Reads the files with readelf.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import unittest

import run_tests

FILES = sys.argv[1:]
SANITIZED = bool(os.environ.get("SANITIZED"))
OPTIMIZED = os.environ.get("BUILD_TYPE") in ("Release", "RelWithDebInfo", "MinSizeRel")


def readelf(option, path):
    return subprocess.run(["readelf", "--wide", option, path], check=True, capture_output=True,
                          env=dict(os.environ, LC_ALL="C")).stdout.decode()


class Hardening(unittest.TestCase):
    def test_addresses_are_random_and_links_read_only(self):
        for path in FILES:
            self.assertRegex(readelf("--file-header", path), r"Type:\s+DYN")
            self.assertNotIn("TEXTREL", readelf("--dynamic", path))
            self.assertIn("GNU_RELRO", readelf("--segments", path))
            self.assertRegex(readelf("--dynamic", path), r"BIND_NOW|Flags:.*\bNOW\b")

    def test_nothing_is_writable_and_run(self):
        for path in FILES:
            segments = readelf("--segments", path)
            stack = re.search(r"GNU_STACK\s.*?((?:R|W|E| )+)\s+0x", segments)
            self.assertTrue(stack, segments)
            self.assertNotIn("E", stack[1])
            self.assertNotRegex(segments, r"\n *LOAD.*\bRWE\b")

    def test_stacks_are_guarded(self):
        for path in FILES:
            self.assertIn("__stack_chk_fail", readelf("--symbols", path))

    @unittest.skipIf(SANITIZED or not OPTIMIZED, "needs an optimized build without sanitizers")
    def test_library_calls_are_checked(self):
        for path in FILES:
            self.assertRegex(readelf("--symbols", path), r"__\w+_chk@")

    @unittest.skipIf(platform.machine() != "x86_64", "needs an x86-64 processor")
    def test_jumps_are_marked(self):
        """The property of the whole file also depends on the C library's start files."""
        for path in FILES:
            functions = readelf("--symbols", path).count(" FUNC ")
            marks = pathlib.Path(path).read_bytes().count(b"\xf3\x0f\x1e\xfa")
            self.assertGreater(marks, functions // 4)


if __name__ == "__main__":
    if not shutil.which("readelf"):
        print("skipped: needs readelf")
        sys.exit(77)
    del sys.argv[1:]
    run_tests.run_cases()
