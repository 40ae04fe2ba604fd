# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that once did harm, beside the checkout: whatever is asked of them costs no more than a
second and one a megabyte, takes little memory, and shows no control characters."""

import os
import re
import subprocess
import unittest

from tool import PROGRAM, SANITIZED, SHARED, ToolTest

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

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@unittest.skipUnless(ATTACKS.is_dir(), f"there is no {ATTACKS}")
class Attacks(ToolTest):
    def test_attacks(self):
        for path in sorted(ATTACKS.glob("*.pcap*")):
            data = path.read_bytes()
            size = int.from_bytes(data[-4:], "little") if path.suffix == ".gz" else len(data)
            for name, options in ASKED.items():
                with self.subTest(path.name, asked=name), open(self.folder / "output", "w+", encoding="utf-8", newline="") as output:
                    process = subprocess.Popen([PROGRAM, *options, path], cwd=self.folder, stdout=output, stderr=output)
                    _, status, usage = os.wait4(process.pid, 0)
                    process.returncode = os.waitstatus_to_exitcode(status)
                    self.assertIn(process.returncode, (0, 1))
                    if not SANITIZED:
                        self.assertLess(usage.ru_utime + usage.ru_stime, 1 + size / (1 << 20))
                        # A process counts as its own memory what the one had that started it: this one holds no large data.
                        self.assertLess(usage.ru_maxrss / 1024, MEMORY_MAX)
                    output.seek(0)
                    while piece := output.read(1 << 16):
                        self.assertIsNone(CONTROL.search(piece))
