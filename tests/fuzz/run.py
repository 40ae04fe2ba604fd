#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs all fuzz targets, one after the other, and reports runs and findings.

    run.py BUILD [--minutes N] [--targets decode,tool] [--corpus DIR] [--minimize]

BUILD is a build folder of the preset `fuzz`. Targets take turns of a minute until each has had N
minutes of CPU time. New inputs stay in the corpus folder (default: BUILD/corpus). With --minimize, those that
add coverage are written to the archives in tests/fuzz/corpus. The exit status is 1 if a defect was found.
"""

import argparse
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tarfile

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER.parents[1]
TARGETS = ("decode", "rebuild", "late_join", "tool", "recording", "golden", "stream", "capture",
           "expect", "archive")
MAX_LENGTH = {"decode": 3072, "rebuild": 16384, "late_join": 16384, "tool": 12288, "recording": 16384}
MALLOC_MAX = {"tool": 1100, "recording": 1100, "archive": 1100}  # MB at once: xz may allocate as much
SEEDS = {"rebuild": ("rebuild", "decode")}
TURN = 60  # seconds
CORPUS_MAX = 2000000  # bytes of all inputs
SHARE = {"tool": 3, "rebuild": 2, "late_join": 2, "decode": 2}


def processor_seconds():
    """CPU time of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Fuzzing:
    def __init__(self, arguments):
        self.programs = pathlib.Path(arguments.build) / "tests" / "fuzz"
        self.corpus = pathlib.Path(arguments.corpus or arguments.build + "/corpus").resolve()
        self.found = self.corpus / "found"
        self.found.mkdir(parents=True, exist_ok=True)
        self.runs = dict.fromkeys(TARGETS, 0)
        self.seconds = dict.fromkeys(TARGETS, 0)
        self.features = dict.fromkeys(TARGETS, 0)

    def folders(self, target):
        """Folders of inputs: first the one for new inputs."""
        own = self.corpus / target
        own.mkdir(exist_ok=True)
        others = [*(self.programs / "corpus" / name for name in SEEDS.get(target, (target,))),
                  FOLDER / "regressions" / target]
        return [own, *(folder for folder in others if folder.is_dir())]

    def command(self, target, *options):
        return [self.programs / f"fuzz_{target}", f"-dict={FOLDER}/words.dict",
                f"-max_len={MAX_LENGTH.get(target, 8192)}", "-rss_limit_mb=1500",
                f"-malloc_limit_mb={MALLOC_MAX.get(target, 64)}", "-print_final_stats=1",
                # For endless loops; fuzz_check_cost() limits CPU time.
                "-timeout=300", "-report_slow_units=300", "-entropic=0",
                f"-artifact_prefix={self.found}/{target}-", *options]

    def turn(self, target, seconds):
        """Runs a target. Returns its CPU time in seconds."""
        start = processor_seconds()
        result = subprocess.run([*self.command(target, f"-max_total_time={seconds}"), *self.folders(target)],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                errors="replace")
        runs = re.search(r"number_of_executed_units: (\d+)", result.stderr)
        features = re.findall(r" ft: (\d+)", result.stderr)
        self.runs[target] += int(runs[1]) if runs else 0
        used = processor_seconds() - start
        self.seconds[target] += used
        self.features[target] = max([self.features[target], *map(int, features)])
        if result.returncode:
            (self.found / f"{target}-{self.seconds[target]:.0f}.log").write_text(result.stderr[-20000:])
        return used

    def findings(self):
        return sorted(path.name for path in self.found.iterdir() if path.suffix != ".log")

    def report(self):
        for target in TARGETS:
            if self.runs[target]:
                print(f"{target:10} {self.runs[target]:9} runs in {self.seconds[target] / 60:5.1f} "
                      f"minutes of CPU time, {self.features[target]} features")
        print(f"{sum(self.runs.values())} runs, {sum(self.seconds.values()) / 60:.1f} minutes of CPU time, "
              f"{len(self.findings())} findings", *self.findings(), sep="\n  ")
        sys.stdout.flush()

    def minimize(self):
        """Writes tests/fuzz/corpus: of each target its share, small inputs first."""
        total = sum(SHARE.get(target, 1) for target in TARGETS)
        for target in TARGETS:
            merged = self.corpus / "merged" / target
            shutil.rmtree(merged, ignore_errors=True)
            merged.mkdir(parents=True)
            subprocess.run([*self.command(target, "-merge=1"), merged, *self.folders(target)],
                           stderr=subprocess.DEVNULL)
            left = CORPUS_MAX * SHARE.get(target, 1) // total
            kept = []
            for path in sorted(merged.iterdir(), key=lambda path: path.stat().st_size):
                left -= path.stat().st_size
                if left < 0:
                    break
                kept.append(path)
            pack(FOLDER / "corpus" / f"{target}.tar.xz", target, kept)
            print(f"{target}: {len(kept)} of {len(list(merged.iterdir()))} inputs")


def pack(archive, folder, paths):
    """Writes an archive, with the same bytes for the same inputs."""
    with tarfile.open(archive, "w:xz", format=tarfile.USTAR_FORMAT, preset=9) as packed:
        for path in sorted(paths, key=lambda path: path.name):
            about = tarfile.TarInfo(f"{folder}/{path.name[:16]}")
            about.size = path.stat().st_size
            with open(path, "rb") as stream:
                packed.addfile(about, stream)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--corpus")
    parser.add_argument("--minimize", action="store_true")
    arguments = parser.parse_args()
    fuzzing = Fuzzing(arguments)
    left = {target: arguments.minutes * 60
            for target in arguments.targets.split(",")}
    while any(seconds >= 1 for seconds in left.values()):
        for target, seconds in left.items():
            if seconds >= 1:
                left[target] -= max(fuzzing.turn(target, int(min(seconds, TURN))), 0.1)
        fuzzing.report()
    if arguments.minimize:
        fuzzing.minimize()
    return 1 if fuzzing.findings() else 0


if __name__ == "__main__":
    sys.exit(main())
