# SPDX-License-Identifier: GPL-2.0-or-later
"""Twice as much of one thing costs at most 2.2 times the instructions, whatever is asked: of what is in
one datagram, and of what is in all of a capture. valgrind counts them, so how busy the machine is makes
no difference. Some pairs of a thing and an action are tried; with QUAKESHARK_DOUBLING=all, all of them."""

import os
import re
import shutil
import subprocess
import unittest

import repeats
from tool import PROGRAM, SANITIZED
from traffic import TrafficTest

ALL = os.environ.get("QUAKESHARK_DOUBLING") == "all"
MOST = 2.2
COUNT_IN_ONE, COUNT_IN_ALL, COUNT_OF_SAME, FILES = 2000, 40, 5000, 20
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
# Each starts valgrind twice, which takes half a second.
PAIRS = {
    ("commands: QuakeWorld, commands", "golden"), ("words: Quake II, commands", "dump"),
    ("names: QuakeWorld", "anonymize"), ("IP fragments", "dump as JSON"), ("levels: Quake", "convert"),
    ("sessions, one after another", "check"), ("files", "list"), ("datagrams with the same bytes", "list"),
}


@unittest.skipIf(SANITIZED, "needs a build without sanitizers")
@unittest.skipUnless(shutil.which("valgrind"), "needs valgrind")
class Doubling(TrafficTest):
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

    def test_all_costs_are_linear(self):
        tables = {name: (lambda count, make=make: [make(count)], COUNT_IN_ONE) for name, make in repeats.IN_ONE.items()}
        tables.update((name, (lambda count, make=make: [make(count)], COUNT_IN_ALL)) for name, make in repeats.IN_ALL.items())
        tables["datagrams with the same bytes"] = lambda count: [repeats.same_bytes(count)], COUNT_OF_SAME
        # So many files, each with a session of its own.
        tables["files"] = lambda count: [repeats.quakeworld([b"\x08\2a\0"], number=number) for number in range(count)], FILES
        start = self.instructions("list", self.capture("nothing.pcap", repeats.unanswered(1)))
        for name, action in [(name, action) for name in tables for action in ACTIONS] if ALL else sorted(PAIRS):
            make, count = tables[name]
            costs = [self.instructions(action, *(self.capture(f"{place}.pcap", frames)
                                                 for place, frames in enumerate(make(number)))) - start
                     for number in (count, 2 * count)]
            print(f"{costs[1] / costs[0]:5.2f} {name} | {action} {costs}", flush=True)
            with self.subTest(name, action=action):
                self.assertLess(costs[1], MOST * costs[0])
