#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the tests notice faults?

Puts the faults of faults.py one at a time into a copy of the tree, builds it, and runs the tests
that need neither engines nor captures from elsewhere, those of the fault's area first, until one
fails. Prints which test noticed each fault, and at the end the share of those that were noticed.

    tests/faults/run.py [--jobs N] [--only AREA] [--part I/N] [--check]
                        [--scratch FOLDER] [--tests FOLDER]

A fault costs about ten seconds on a machine that does nothing else. With --scratch the copy stays
in FOLDER, so that the next run has less to build.
--check only says which texts are not found exactly once, so that the list needs care.
--tests takes the tests from another tree, to compare what older ones noticed.
Exit status: 0 when 90 % are noticed and every text was found, else 1.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from faults import AREAS, FAULTS

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WANTED = 0.9
# Slow, of what is not in the tree, or only about crashes.
NOT_RUN = ("^(demo.stored|quakeworld.mvd|quakeworld.captures)$|engine|^truncate|^fuzz|"
           "^faults|^regression.readme$|^plugin.(passes|cut)$")
PLUGIN = "plugin"
# Folders below tests/: no fuzzers, benchmarks and plugin.
FOLDERS = ["unit", "acknex", "quake", "quakeworld", "quake2", "golden", "demo", "tool",
           "sessions", "sanitized", "regression"]
GAMES = ("quakeworld", "quake2", "quake", "fte", "acknex")
GAMES_TESTS = r"|^(quakeworld|quake2|quake|acknex)\."
# Half a minute, which only recording needs.
RECORDING = "|^tool.follow"
# Whole sessions in every format: slow, so last.
WHOLE_SESSIONS = "^demo.small$"


def files_of(tree, area):
    for folder in AREAS[area][0]:
        for path in sorted((tree / folder).rglob("*.[ch]")):
            yield path


def find(tree, area, text):
    """The one file that has the text once, or None."""
    found = [path for path in files_of(tree, area) if text in path.read_text()]
    return found[0] if len(found) == 1 and found[0].read_text().count(text) == 1 else None


def differs(origin, copy):
    """Whether the copy is not as its origin: what is the same need not be built again."""
    return origin.is_file() and not (copy.is_file() and
                                     origin.read_bytes() == copy.read_bytes())


def copy_tree(to, tests):
    names = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, check=True, capture_output=True,
                           text=True).stdout.split("\0")
    for name in filter(None, names):
        origin = tests if tests and name.startswith("tests/") else SOURCE
        if differs(origin / name, to / name):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(origin / name, to / name)


def limit_computing():
    """No test computes for longer: a fault may make a loop endless."""
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))


class Tree:
    """A copy of the project, built."""

    def __init__(self, folder, jobs):
        self.folder, self.build, self.jobs = folder, folder / "build", str(jobs)

    def run(self, *command, **options):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, errors="replace",
                              **options)

    def configure(self):
        options = ["-DCMAKE_BUILD_TYPE=Debug"]
        if shutil.which("ccache"):
            options.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
        if shutil.which("ninja"):
            options += ["-G", "Ninja"]
        return self.run("cmake", "-S", ".", "-B", self.build, *options)

    def make(self, folders):
        """Builds the programs, and what is in these folders of tests/: linking takes longest.

        Only Ninja can build a folder's targets alone.
        """
        parts = ["pcap2demo", *(f"tests/{folder}" for folder in folders)]
        if PLUGIN in folders:
            parts.append(PLUGIN)
        ninja = (self.build / "build.ninja").exists()
        targets = ["--target", *(f"{part}/all" for part in parts)] if ninja else []
        return self.run("cmake", "--build", self.build, "--parallel", self.jobs, *targets)

    def first_failure(self, chosen=None, left_out=NOT_RUN):
        """The name of a test that fails, or None: of the quick ones, or then of the others.

        One test at a time: of several that run at once, ctest starts the slowest first.
        """
        options = ["-R", chosen] if chosen else []
        for label in "-L", "-LE":
            result = self.run("ctest", "--test-dir", self.build, "--stop-on-failure", label, "quick",
                              "-E", left_out, *options, preexec_fn=limit_computing)
            if result.returncode:
                failed = re.search(r"Test\s+#\d+: (\S+) .*\*\*\*(?:Failed|Timeout|Exception|Not Run)",
                                   result.stdout)
                return failed[1] if failed else "a test"
        return None


def stages(area):
    """What is run one after the other: folders to build, chosen tests, and tests left out."""
    _, first, folders = AREAS[area]
    left_out = f"{NOT_RUN}|{WHOLE_SESSIONS}"
    if area != "recorder":
        left_out += RECORDING
    yield folders, first, left_out
    if area == PLUGIN:
        return
    left_out += f"|^plugin|{first}"
    if area in GAMES:
        yield FOLDERS, "demo.(rebuil|late)|tool|sessions|regression|unit|golden", left_out + GAMES_TESTS
    else:
        yield FOLDERS, None, left_out + "|^acknex"
    if area == "demo":
        yield FOLDERS, WHOLE_SESSIONS, NOT_RUN


def who_notices(tree, area):
    """Which test noticed, None where none did; "" where it cannot be built."""
    for folders, chosen, left_out in stages(area):
        if tree.make(folders).returncode:
            return ""
        failed = tree.first_failure(chosen, left_out)
        if failed:
            return failed
    return None


def try_fault(tree, area, text, replacement):
    """As who_notices, of this fault."""
    path = find(tree.folder, area, text)
    original = path.read_text()
    path.write_text(original.replace(text, replacement))
    try:
        return who_notices(tree, area)
    finally:
        path.write_text(original)


def title_of(area, text):
    return f"{area}: {' '.join(text.split())[:70]}"


def run_all(tree, faults):
    """The tests that noticed, the faults that none noticed, and what needs care."""
    noticed, unnoticed, care = [], [], []
    for area, text, replacement in faults:
        title, began = title_of(area, text), time.monotonic()
        if not find(tree.folder, area, text):
            care.append(title + ": not found once")
        else:
            test = try_fault(tree, area, text, replacement)
            seconds = time.monotonic() - began
            if test == "":
                care.append(title + ": cannot be built")
            elif test:
                noticed.append(test)
                print(f"{title}: noticed by {test}, {seconds:.0f} s", flush=True)
            else:
                unnoticed.append(title)
                print(f"{title}: NOT NOTICED, {seconds:.0f} s", flush=True)
    return noticed, unnoticed, care


def report(noticed, unnoticed, care):
    total = noticed + len(unnoticed)
    for title in unnoticed:
        print(f"not noticed: {title}")
    for title in care:
        print(f"needs care: {title}")
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


def run_in(folder, wanted, faults):
    tree = Tree(folder / "tree", wanted.jobs)
    tree.folder.mkdir(parents=True, exist_ok=True)
    copy_tree(tree.folder, wanted.tests)
    for step_result in (tree.configure(), tree.make([*FOLDERS, PLUGIN])):
        if step_result.returncode:
            sys.exit(step_result.stdout[-2000:] + step_result.stderr[-2000:])
    noticed, unnoticed, care = run_all(tree, faults)
    tree.make([*FOLDERS, PLUGIN])
    names = "|".join(re.escape(name) for name in sorted(set(noticed)))
    failed = tree.first_failure(f"^({names})$") if names else None
    if failed:
        care.append(f"{failed} fails without any fault")
    return report(len(noticed), unnoticed, care)


def main():
    wanted = options()
    first, step = map(int, wanted.part.split("/"))
    faults = [fault for fault in FAULTS if not wanted.only or fault[0] in wanted.only][first::step]
    if wanted.check:
        missing = [(area, text) for area, text, _ in faults if not find(SOURCE, area, text)]
        for area, text in missing:
            print(f"the list needs care: {title_of(area, text)}: not found once")
        return 1 if missing else 0
    os.nice(10)  # whatever else the machine does goes first
    if wanted.scratch:
        return run_in(wanted.scratch.resolve(), wanted, faults)
    with tempfile.TemporaryDirectory(prefix="quakeshark-faults-") as folder:
        return run_in(pathlib.Path(folder), wanted, faults)


if __name__ == "__main__":
    sys.exit(main())
