# SPDX-License-Identifier: GPL-2.0-or-later
"""A message that a session has twice as often costs twice as much: those of made_messages.def, and of
every messages.def, are decoded N and 2N times, each time with other contents, and valgrind counts the
processor's instructions: of the core's decoder, of its streams, and of the plugin within libwireshark.
Memory does not grow with them. With REPEATS_STEP=1 in all sessions that may have them, for nights."""

import os
import re
import subprocess
import unittest

from tool import ToolTest

def instructions(program, folder, times, step, target):
    """Of each message, by its number and session."""
    folder.mkdir()
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--dump-line=no",
                    f"--callgrind-out-file={folder}/out", os.environ[program], str(times),
                    os.environ.get("REPEATS_STEP", step), target], check=True)
    counts = {}
    for path in folder.iterdir():
        text = path.read_text()
        if name := re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M):
            counts[name[1]] = int(re.search(r"^(?:totals|summary): (\d+)$", text, re.M)[1])
    return counts


class Repeats(ToolTest):
    def worst(self, program, n, step, target, messages):
        memory = [self.measure(times, step, target, program=(os.environ[program],))[1] for times in (n, 1000)]
        self.assertLess(memory[1] - memory[0], 8)  # MiB
        counts = instructions(program, self.folder / f"counts-{n}", n, step, target)
        once = [name for name in counts if not name.startswith("2 x ")]
        self.assertGreater(len(once), messages)
        worst = sorted((counts["2 x " + name] / counts[name], name, counts[name]) for name in once)[-5:]
        print(len(once), "messages; the worst:", worst)
        return worst[-1][0]

    def assert_linear(self, program, step, target, messages, n=40):
        # In few, what takes N² shows less, and a table that grows once shows more.
        self.assertTrue(self.worst(program, n, step, target, messages) < 2.2 or
                        self.worst(program, 2 * n, step, target, messages) < 2.3)

    def test_decoder(self):
        self.assert_linear("REPEAT_DECODE", "6", "datagrams", 1700)

    def test_streams(self):
        # At 40 a table of svc_nails2 grows, at 100 one of config strings.
        self.assert_linear("REPEAT_STREAM", "6", "streams", 300, 48)

    def test_files(self):
        self.assert_linear("REPEAT_RECORDING", "120", "files", 80, 200)

    @unittest.skipUnless("REPEAT_PLUGIN" in os.environ, "needs the plugin")
    def test_plugin(self):
        self.assertLess(self.worst("REPEAT_PLUGIN", 40, "600", "frames", 25), 2.3)  # its target takes 200
