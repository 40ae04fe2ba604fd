#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the tests notice faults?

Puts the faults of faults.py one at a time into a copy of the tree, builds it, and runs the tests
that need neither engines nor captures from elsewhere, those of the fault's area first, until one
fails. Prints which test noticed each fault, and at the end the share of those that were noticed.

    tests/faults/run.py [--jobs N] [--only AREA] [--part I/N] [--check]
                        [--scratch FOLDER] [--tests FOLDER]

--check only says which texts are not found exactly once, so that the list needs care.
--tests takes the tests from another tree, to compare what older ones noticed.
Exit status: 0 when 90 % are noticed and every text was found, else 1.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from faults import AREAS, FAULTS

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WANTED = 0.9
# Slow, of what is not in the tree, or only about crashes.
NOT_RUN = ("^(demo.stored|tool.live|quakeworld.mvd|quakeworld.captures)$|engine|^truncate|^fuzz|"
           "^regression.readme$")
PLUGIN = "plugin"


def files_of(tree, area):
    for folder in AREAS[area][0]:
        for path in sorted((tree / folder).rglob("*.[ch]")):
            yield path


def find(tree, area, text):
    """The one file that has the text once, or None."""
    found = [path for path in files_of(tree, area) if text in path.read_text()]
    return found[0] if len(found) == 1 and found[0].read_text().count(text) == 1 else None


def missing_texts(tree, faults):
    return [(area, text) for area, text, _ in faults if not find(tree, area, text)]


def copy_tree(to, tests):
    names = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, check=True,
                           capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        origin = tests if tests and name.startswith("tests/") else SOURCE
        if (origin / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin / name, to / name)


class Tree:
    """A copy of the project, built."""

    def __init__(self, folder, jobs):
        self.folder, self.build, self.jobs = folder, folder / "build", str(jobs)

    def run(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              errors="replace")

    def configure(self):
        options = ["-DCMAKE_BUILD_TYPE=Debug"]
        if shutil.which("ccache"):
            options.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
        if shutil.which("ninja"):
            options += ["-G", "Ninja"]
        return self.run("cmake", "-S", ".", "-B", self.build, *options)

    def make(self):
        return self.run("cmake", "--build", self.build, "--parallel", self.jobs)

    def first_failure(self, chosen=None, left_out=NOT_RUN):
        """The name of a test that fails, or None."""
        options = ["-R", chosen] if chosen else []
        result = self.run("ctest", "--test-dir", self.build, "-j", self.jobs, "--stop-on-failure",
                          "--timeout", "120", "-E", left_out, *options)
        if result.returncode == 0:
            return None
        failed = re.search(r"Test\s+#\d+: (\S+) .*(?:\*\*\*|Failed)", result.stdout)
        return failed[1] if failed else "a test"


def stages(area):
    """What is run one after the other: chosen tests, and tests left out."""
    slow = NOT_RUN + r"|^plugin\.(cut|passes|dump|demos)$|^demo\.small$"
    yield AREAS[area][1], slow
    if area == PLUGIN:
        yield "plugin", NOT_RUN
    else:
        yield None, slow + "|plugin"
        yield "demo.small", NOT_RUN


def who_notices(tree, area):
    for chosen, left_out in stages(area):
        failed = tree.first_failure(chosen, left_out)
        if failed:
            return failed
    return None


def try_fault(tree, area, text, replacement):
    """Which test noticed, None where none did; "" where it cannot be built."""
    path = find(tree.folder, area, text)
    original = path.read_text()
    path.write_text(original.replace(text, replacement))
    try:
        if tree.make().returncode:
            return ""
        return who_notices(tree, area)
    finally:
        path.write_text(original)


def title_of(area, text):
    return f"{area}: {' '.join(text.split())[:70]}"


def run_all(tree, faults):
    """Counts of noticed and of all, and what needs care."""
    noticed, unnoticed, care = 0, [], []
    for area, text, replacement in faults:
        title = title_of(area, text)
        if not find(tree.folder, area, text):
            care.append(title + ": not found once")
        else:
            test = try_fault(tree, area, text, replacement)
            if test == "":
                care.append(title + ": cannot be built")
            elif test:
                noticed += 1
                print(f"{title}: noticed by {test}", flush=True)
            else:
                unnoticed.append(title)
                print(f"{title}: NOT NOTICED", flush=True)
    return noticed, unnoticed, care


def report(noticed, unnoticed, care):
    total = noticed + len(unnoticed)
    for title in unnoticed:
        print(f"not noticed: {title}")
    for title in care:
        print(f"the list needs care: {title}")
    if total:
        print(f"{noticed} of {total} faults noticed, {100 * noticed / total:.0f} %")
    return 0 if total and noticed >= WANTED * total and not care else 1


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", choices=sorted(AREAS))
    parser.add_argument("--part", default="0/1", help="I/N: every Nth fault from the Ith on")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--scratch", type=pathlib.Path)
    parser.add_argument("--tests", type=pathlib.Path)
    return parser.parse_args()


def main():
    wanted = options()
    first, step = map(int, wanted.part.split("/"))
    faults = [fault for fault in FAULTS if not wanted.only or fault[0] in wanted.only][first::step]
    if wanted.check:
        missing = missing_texts(SOURCE, faults)
        for area, text in missing:
            print(f"the list needs care: {title_of(area, text)}: not found once")
        return 1 if missing else 0
    os.nice(19)  # whatever else the machine does goes first
    with tempfile.TemporaryDirectory(prefix="quakeshark-faults-", dir=wanted.scratch) as folder:
        tree = Tree(pathlib.Path(folder) / "tree", wanted.jobs)
        tree.folder.mkdir()
        copy_tree(tree.folder, wanted.tests)
        for step_result in (tree.configure(), tree.make()):
            if step_result.returncode:
                sys.exit(step_result.stdout[-2000:] + step_result.stderr[-2000:])
        failed = tree.first_failure(left_out=NOT_RUN + "|plugin|demo.small")
        if failed:
            sys.exit(f"{failed} fails without any fault")
        return report(*run_all(tree, faults))


if __name__ == "__main__":
    sys.exit(main())
