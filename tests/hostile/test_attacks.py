# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that once did harm, beside the checkout: whatever is asked of them costs no more than a
second and one a megabyte, takes little memory, and shows no control characters."""

import os
import unittest

import recordings
from tool import PROGRAM, SHARED, ToolTest

SANITIZED = bool(os.environ["SANITIZED"])

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
if SANITIZED:  # they take time, and see the same code in fewer actions
    for other in "demos", "list", "dump", "compact dump":
        del ASKED[other]


# Keeps what it prints.
RUN = "sh", "-c", '"$0" "$@" >output 2>errors; echo $? >status', PROGRAM


@unittest.skipUnless(ATTACKS.is_dir(), "needs the attacks beside the checkout")
class Attacks(ToolTest):
    def test_attacks(self):
        for path in sorted(ATTACKS.glob("*.pcap*")):
            size = len(recordings.read(path))
            for name, options in ASKED.items():
                with self.subTest(path.name, asked=name):
                    _, memory, seconds = self.measure(*options, path, program=RUN)
                    if not SANITIZED:
                        self.assertLess(seconds, 1 + size / (1 << 20))
                        self.assertLess(memory, MEMORY_MAX)
                    status, output, errors = ((self.folder / file).read_bytes().decode()
                                              for file in ("status", "output", "errors"))
                    self.assertIn(status, ("0\n", "1\n"), errors)
                    for text in output, errors:
                        self.assertRegex(text, r"\A[^\x00-\x08\x0b-\x1f\x7f-\x9f]*\Z")
