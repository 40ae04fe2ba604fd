# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs commands, and says what they cost: time, CPU time, memory; and ratios of two of them."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

NOBODY = 65534
MEGABYTE = 2**20


class Run:
    """What one run of a command cost."""

    def __init__(self, command, environment=None, as_nobody=False, stdin=None, stdout=None):
        # Wireshark ignores WIRESHARK_PLUGIN_DIR for root.
        identity = ({"user": NOBODY, "group": NOBODY, "extra_groups": []}
                    if as_nobody and os.getuid() == 0 else {})
        with tempfile.TemporaryFile() as complaint:
            start = time.monotonic()
            child = subprocess.Popen(list(map(str, command)), env=environment, stdin=stdin,
                                     stdout=stdout or subprocess.DEVNULL, stderr=complaint, **identity)
            self.wait(child)
            self.seconds = time.monotonic() - start
            if child.returncode not in (0, 1):
                complaint.seek(0)
                sys.exit(f"bench: {' '.join(map(str, command))} ended with status "
                         f"{child.returncode}:\n{complaint.read().decode(errors='replace')}")

    def wait(self, child):
        """Waits for the end, and sees the peak memory rise: rusage has that of the fork, too."""
        self.memory = 0
        while True:
            self.memory = max(self.memory, peak_memory(child.pid))
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if ended:
                break
            time.sleep(0.002)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime


def peak_memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


class Comparison:
    """
    Two commands, each a function that gives a Run, in turn. A pair runs under the same load, so
    that the median of the pairs' ratios tells more than the ratio of the medians.
    """

    def __init__(self, over, under, pairs):
        runs = [(over(), under()) for _ in range(pairs)]
        self.over, self.under = [pair[0] for pair in runs], [pair[1] for pair in runs]

    def ratio(self, what="seconds"):
        return statistics.median(getattr(over, what) / max(getattr(under, what), 1e-6)
                                 for over, under in zip(self.over, self.under))


def median(runs, what="seconds"):
    return statistics.median(getattr(run, what) for run in runs)
