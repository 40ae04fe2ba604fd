# SPDX-License-Identifier: GPL-2.0-or-later
"""Twice as much of one thing costs at most 2.2 times the instructions, whatever is asked: of what is in
one datagram, and of what is in all of a capture. valgrind counts them, so how busy the machine is makes
no difference. Some pairs of a thing and an action are tried; with QUAKESHARK_DOUBLING=all, all of them."""

import os
import re
import shutil
import subprocess
import unittest

import capture
import doubling
from tool import PROGRAM, SANITIZED, ToolTest

ALL = os.environ.get("QUAKESHARK_DOUBLING") == "all"
MOST = 2.2
COUNT_IN_ONE, COUNT_IN_ALL, FILES = 2000, 40, 20
ACTIONS = {
    "convert": ["--output", "out/"],
    "sanitize": ["--sanitize", "--output", "out/"],
    "list": ["--list"],
    "dump": ["--dump"],
    "dump as JSON": ["--dump=json"],
    "check": ["--check"],
    "golden": ["--check", "--no-rebuild", "--golden", "goldens", "--update"],
    "expectations": ["--check", "--expect", "wire.expect", "--update"],
    "statistics": ["--stats"],
    "report": ["--report", "report.html"],
    "pcap": ["--session", "1-", "--pcap", "copy.pcapng"],
    "anonymize": ["--anonymize", "copy.pcapng", "--replace-names", "--replace-chat"],
    "extract": ["--extract-files", "files/"],
}


@unittest.skipIf(SANITIZED, "in the build without sanitizers")
@unittest.skipUnless(shutil.which("valgrind"), "needs valgrind")
class Doubling(ToolTest):
    def instructions(self, action, *files):
        for name in "out", "goldens", "files", "wire.expect", "report.html", "copy.pcapng":
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        (self.folder / "goldens").mkdir()
        result = subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
             PROGRAM, "--quiet", *ACTIONS[action], *files],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = result.stderr.decode(errors="replace")
        self.assertIn(result.returncode, (0, 1), errors)
        return int(re.search(r"I +refs: +([\d,]+)", errors)[1].replace(",", ""))

    def cost(self, action, captures):
        """Instructions beyond those for a packet of nobody."""
        names = []
        for place, frames in enumerate(captures):
            names.append(self.folder / f"{place}.pcap")
            capture.write(names[-1], doubling.LINK_TYPE, frames)
        if action not in self.bases:
            capture.write(self.folder / "nothing.pcap", doubling.LINK_TYPE, doubling.unanswered(1))
            self.bases[action] = self.instructions(action, "nothing.pcap")
        return self.instructions(action, *names) - self.bases[action]

    bases = {}

    def check(self, name, action, make, count):
        with self.subTest(name, action=action):
            costs = [self.cost(action, make(number)) for number in (count, 2 * count)]
            if ALL:
                print(f"{costs[1] / costs[0]:5.2f} {name} | {action} {costs}", flush=True)
            self.assertLess(costs[1], MOST * costs[0])

    def check_table(self, table, count):
        for turn, (name, make) in enumerate(table.items()):
            for action in ACTIONS if ALL else [list(ACTIONS)[turn % len(ACTIONS)]] if turn % 6 == 0 else []:
                self.check(name, action, lambda number: [make(number)], count)

    def test_in_one_datagram(self):
        self.check_table(doubling.IN_ONE, COUNT_IN_ONE)

    def test_in_all(self):
        self.check_table(doubling.IN_ALL, COUNT_IN_ALL)

    def test_files(self):
        """So many files, each with a session of its own."""
        once = doubling.quakeworld(b"\x08\2a\0")
        gap = once[-1].time - once[0].time + doubling.MINUTE
        for action in ACTIONS if ALL else ["list"]:
            self.check("files", action, lambda count: [
                [own._replace(time=own.time + place * gap) for own in once] for place in range(count)], FILES)
