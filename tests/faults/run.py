#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts how many faults the tests notice.

Puts the faults of faults.py one at a time into a copy of the tree, builds it, and runs the tests that need neither engines
nor captures from elsewhere, those of the fault's area first, until one fails. Prints which test noticed each fault, and at the
end the share of those that were noticed.

    tests/faults/run.py [--jobs N] [--only AREA] [--part I/N] [--check] [--scratch FOLDER] [--list FILE.py]

A fault costs about ten seconds on a machine that does nothing else. With --scratch the copy stays in FOLDER, so that the next
run has less to build; --list takes other faults. --check only says which texts are not found exactly once.
Exit status: 0 when 90 % are noticed and every text was found, else 1.
"""

import argparse
import os
import pathlib
import re
import resource
import runpy
import shutil
import subprocess
import sys
import tempfile
import time

from faults import AREAS, FAULTS

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WANTED = 0.9
# Slow, or with files that are not in the tree, or only about crashes.
NOT_RUN = (r"^(demo.stored|regression.readme|plugin.(passes|cut|corpus)|hostile.(attacks|doubling))$|"
           r"engine|^truncate|^fuzz.replay|^faults")
FOLDERS = ["unit", "acknex", "quake", "quakeworld", "quake2", "golden", "demo", "tool", "sessions", "sanitized", "regression",
           "damage", "fuzz"]
PLUGIN, RECORDER = "plugin", "recorder"


def find(tree, area, text):
    """The title of a fault; and the one file of the area that has the text once, or None."""
    found = [path for folder in AREAS[area][0] for path in sorted((tree / folder).rglob("*.[ch]"))
             for _ in range(path.read_text().count(text))]
    return f"{area}: {' '.join(text.split())[:70]}", found[0] if len(found) == 1 else None


class Tree:
    """A copy of the project, built."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, str(jobs)
        names = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, check=True, capture_output=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            origin, copy = SOURCE / name, folder / name
            if origin.is_file() and not (copy.is_file() and origin.read_bytes() == copy.read_bytes()):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(origin, copy)
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        for result in (self.run("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", *launcher),
                       self.make([*FOLDERS, PLUGIN])):
            if result.returncode:
                sys.exit(result.stdout[-2000:] + result.stderr[-2000:])

    def run(self, *command):
        # No test computes for longer: a fault may make a loop endless.
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, errors="replace",
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (120, 120)))

    def make(self, folders):
        """Builds the programs, and what is in these folders of tests/: linking takes longest."""
        parts = ["pcap2demo", *(f"tests/{folder}" for folder in folders), *([PLUGIN] if PLUGIN in folders else [])]
        return self.run("cmake", "--build", "build", "--parallel", self.jobs, "--target", *(f"{part}/all" for part in parts))

    def first_failure(self, chosen, left_out):
        """The name of a test that fails, or None: of the quick ones, or then of the others."""
        for label in "-L", "-LE":
            result = self.run("ctest", "--test-dir", "build", "--stop-on-failure", label, "quick", "-R", chosen, "-E", left_out)
            failed = re.search(r"Test\s+#\d+: (\S+) .*\*\*\*(?:Failed|Timeout|Exception|Not Run)", result.stdout)
            if failed:
                return failed[1]
        return None

    def who_notices(self, area):
        """Which test notices, None if none does; "" if it cannot be built. Tests of the area come first, then all."""
        _, first, folders = AREAS[area]
        left_out = NOT_RUN + ("" if area == RECORDER else "|^tool.follow")  # half a minute, which only recording needs
        for built, chosen, without in (folders, first, left_out), (FOLDERS, ".", f"{left_out}|^plugin|{first}"):
            if self.make(built).returncode:
                return ""
            failed = self.first_failure(chosen, without)
            if failed or area == PLUGIN:
                return failed
        return None


def run_in(tree, faults):
    tests, unnoticed, care = [], [], []
    for area, text, replacement in faults:
        begun, (title, path) = time.monotonic(), find(tree.folder, area, text)
        if not path:
            care.append(title + ": not found once")
            continue
        original = path.read_text()
        path.write_text(original.replace(text, replacement))
        test = tree.who_notices(area)
        path.write_text(original)
        (care if test == "" else tests if test else unnoticed).append(test or title)
        print(f"{title}: {'noticed by ' + test if test else 'NOT NOTICED'}, {time.monotonic() - begun:.0f} s", flush=True)
    tree.make([*FOLDERS, PLUGIN])
    failed = tests and tree.first_failure(f"^({'|'.join(map(re.escape, sorted(set(tests))))})$", "^$")
    if failed:
        care.append(f"{failed} fails without any fault")
    print(*(f"not noticed: {title}" for title in unnoticed), *(f"needs care: {title}" for title in care), sep="\n")
    total = len(tests) + len(unnoticed)
    if total:
        print(f"{len(tests)} of {total} faults noticed, {100 * len(tests) / total:.0f} %")
    return 0 if total and len(tests) >= WANTED * total and not care else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", choices=sorted(AREAS))
    parser.add_argument("--part", default="0/1", help="I/N: every Nth fault from the Ith on")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--scratch", type=pathlib.Path)
    parser.add_argument("--list", help="a file with other FAULTS")
    wanted = parser.parse_args()
    first, step = map(int, wanted.part.split("/"))
    faults = runpy.run_path(wanted.list)["FAULTS"] if wanted.list else FAULTS
    faults = [fault for fault in faults if not wanted.only or fault[0] in wanted.only][first::step]
    if wanted.check:
        missing = [title for title, path in (find(SOURCE, area, text) for area, text, _ in faults) if not path]
        for title in missing:
            print(f"the list needs care: {title}: not found once")
        return 1 if missing else 0
    os.nice(10)  # all other programs go first
    with tempfile.TemporaryDirectory(prefix="quakeshark-faults-") as folder:
        scratch = (wanted.scratch or pathlib.Path(folder)).resolve() / "tree"
        scratch.mkdir(parents=True, exist_ok=True)
        return run_in(Tree(scratch, wanted.jobs), faults)


if __name__ == "__main__":
    sys.exit(main())
