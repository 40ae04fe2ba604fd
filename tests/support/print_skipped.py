# SPDX-License-Identifier: GPL-2.0-or-later
"""ctest runs this behind its summary: prints what skipped tests, and cases of tests, lack."""

import pathlib
import re
import sys

logs = [pathlib.Path(sys.argv[1]) / name for name in ("LastTest.log.tmp", "LastTest.log")]
text = next((log.read_text(errors="replace") for log in logs if log.exists()), "")
skipped = [(test, line) for test, output in re.findall(r'^\d+/\d+ Test: (\S+)$(.*?)^"\1" end time:', text, re.M | re.S)
           for line in dict.fromkeys(re.findall(r"^skipped: (.*)$", output, re.M))]
if skipped:
    print("\nSkipped, as something is not here (parts of tests, too):")
for test, line in skipped:
    print(f"  {test}: {line}")
