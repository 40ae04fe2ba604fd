# SPDX-License-Identifier: GPL-2.0-or-later
"""ctest runs this behind its summary: prints the programs and files that skipped tests, and cases of tests, need."""

import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
logs = [folder / "Temporary" / name for name in ("LastTest.log.tmp", "LastTest.log")]
text = next((log.read_text(errors="replace") for log in logs if log.exists()), "")
skipped = [f"{test}: {line}" for test, output in re.findall(r'^\d+/\d+ Test: (\S+)$(.*?)^"\1" end time:', text, re.M | re.S)
           for line in dict.fromkeys(re.findall(r"^skipped: (.*)$", output, re.M))]
skipped += (folder / "left_out").read_text().splitlines()
if skipped:
    print("\nSkipped, because something is missing (parts of tests, too):", *skipped, sep="\n  ")
