# SPDX-License-Identifier: GPL-2.0-or-later
"""A message that a session has twice as often costs twice as much: those of made_messages.def, and of
every number, are decoded N and 2N times, each time with other contents, and valgrind counts the
processor's instructions. Of the numbers it takes each 11th; with REPEATS_STEP=1 all, for nights."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TIMES = 100
STEP = os.environ.get("REPEATS_STEP", "11")  # prime to 256: all numbers, in one session or other
RATIO_MAX = 2.3


def instructions(folder, times):
    """Of each message, by its number and session."""
    folder.mkdir()
    subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
                    os.environ["REPEAT_MESSAGES"], str(times), STEP], check=True)
    counts = {}
    for path in folder.iterdir():
        text = path.read_text()
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
        if name:
            counts[name[1]] = int(re.search(r"^(?:totals|summary): (\d+)$", text, re.M)[1])
    return counts


class Repeats(unittest.TestCase):
    def test_messages(self):
        with tempfile.TemporaryDirectory() as name:
            once, twice = (instructions(pathlib.Path(name) / str(times), times)
                           for times in (TIMES, 2 * TIMES))
        self.assertGreater(len(once), 500)
        worst = sorted((twice[name] / once[name], name, once[name]) for name in once)[-5:]
        print(len(once), "messages; the worst:", worst)
        self.assertLess(worst[-1][0], RATIO_MAX, worst)
