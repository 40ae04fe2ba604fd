#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Times the project's programs against others on the same long capture, and prints ratios.

The long capture is made of CAPTURE (see multiply.py). Every command runs several times in turn
with the others; the least time counts. Memory is the peak resident set.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from multiply import multiply

NOBODY = 65534
MEGABYTE = 2**20


class Run:
    """What one run of a command cost."""

    def __init__(self, command, environment=None, as_nobody=False):
        # Wireshark ignores WIRESHARK_PLUGIN_DIR for root.
        identity = ({"user": NOBODY, "group": NOBODY, "extra_groups": []}
                    if as_nobody and os.getuid() == 0 else {})
        with tempfile.TemporaryFile() as complaint:
            start = time.monotonic()
            child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL,
                                     stderr=complaint, **identity)
            self.wait(child)
            self.seconds = time.monotonic() - start
            if child.returncode not in (0, 1):
                complaint.seek(0)
                sys.exit(f"bench.py: {' '.join(map(str, command))} ended with status "
                         f"{child.returncode}:\n{complaint.read().decode(errors='replace')}")

    def wait(self, child):
        """Waits for the end, and sees the peak memory rise: rusage has that of the fork, too."""
        self.memory = 0
        while True:
            self.memory = max(self.memory, peak_memory(child.pid))
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if ended:
                break
            time.sleep(0.005)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime


def peak_memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def best(runs):
    """The least of each, since whatever else the machine does only adds."""
    run = runs[0]
    run.seconds = min(other.seconds for other in runs)
    run.cpu = min(other.cpu for other in runs)
    run.memory = max(other.memory for other in runs)
    return run


def in_turn(commands, times):
    """Runs the commands, each a function that gives a Run, `times` times in turn."""
    runs = {name: [] for name in commands}
    for _ in range(times):
        for name, run in commands.items():
            runs[name].append(run())
    return {name: best(costs) for name, costs in runs.items()}


def print_table(title, results, base):
    print(f"\n{title}; ratios to {base}")
    for name, cost in results.items():
        reference = results[base]
        print(f"  {name:<22} {cost.seconds:7.2f} s ({cost.seconds / reference.seconds:.2f} x)"
              f" {cost.cpu:7.2f} s of CPU ({cost.cpu / reference.cpu:.2f} x)"
              f" {cost.memory / MEGABYTE:7.1f} MiB")


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.large = folder / "large.pcap"
        self.small = folder / "small.pcap"
        copies = max(20, round(arguments.size * MEGABYTE / arguments.capture.stat().st_size))
        multiply(arguments.capture, self.large, copies)
        multiply(arguments.capture, self.small, max(1, copies // 20))
        print(f"{arguments.capture.name}: {copies} copies, "
              f"{self.large.stat().st_size / MEGABYTE:.0f} MiB")

    def convert(self, capture):
        demos = self.folder / "demos"
        shutil.rmtree(demos, ignore_errors=True)
        demos.mkdir()
        run = Run([self.arguments.pcap2demo, "--quiet", "-o", demos, capture])
        if not any(demos.iterdir()):
            sys.exit("bench.py: no demo was written")
        return run

    def conversion(self):
        copy = self.folder / "copy.pcap"
        self.check("--update")
        print_table("Conversion", in_turn({
            "tcpdump -r IN -w OUT": lambda: Run(["tcpdump", "-r", self.large, "-w", copy]),
            "bare libpcap loop": lambda: Run([self.arguments.pcap_loop, self.large]),
            "pcap2demo": lambda: self.convert(self.large),
            "pcap2demo --check": lambda: Run([self.arguments.pcap2demo, "--check", self.large]),
            "pcap2demo --golden": self.check,
            "pcap2demo --list": lambda: Run([self.arguments.pcap2demo, "--list", self.large]),
        }, self.arguments.runs), "tcpdump -r IN -w OUT")

    def check(self, *options):
        """Against a golden in the folder."""
        return Run([self.arguments.pcap2demo, "--check", "--quiet", "--golden", self.folder,
                    *options, self.large])

    def memory(self):
        small, large = self.convert(self.small), self.convert(self.large)
        print("\nPeak memory of pcap2demo")
        for name, capture, run in (("1 x", self.small, small), ("20 x", self.large, large)):
            print(f"  {name:<5} {capture.stat().st_size / MEGABYTE:8.1f} MiB of capture"
                  f" {run.memory / MEGABYTE:8.1f} MiB")
        print(f"  ratio {large.memory / small.memory:.2f}")

    def tshark(self, plugins, dissector, options, capture):
        home = self.folder / "home"
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(home)}
        if plugins:
            environment["WIRESHARK_PLUGIN_DIR"] = str(plugins)
        port = f"udp.port=={self.arguments.server_port},{dissector}"
        return Run(["tshark", "-r", capture, "-d", port, *options], environment, as_nobody=True)

    def dissection(self):
        plugins = self.folder / "plugins"
        shutil.copytree(self.arguments.plugins, plugins)
        (self.folder / "home").mkdir(mode=0o777)
        medium = self.folder / "medium.pcap"
        multiply(self.arguments.capture, medium, 20)
        for title, options in (("One line a packet", []), ("Two passes", ["-2"]),
                               ("Whole trees", ["-V"])):
            print_table(f"tshark, {title.lower()}", in_turn({
                "built-in dissector":
                    lambda: self.tshark(None, "quakeworld", options, medium),
                "quakeshark":
                    lambda: self.tshark(plugins, "qw", options, medium),
            }, self.arguments.runs), "built-in dissector")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pcap2demo", type=pathlib.Path, required=True)
    parser.add_argument("--pcap-loop", type=pathlib.Path, required=True)
    parser.add_argument("--plugins", type=pathlib.Path,
                        help="the folder to load the plugin from; without it tshark is left out")
    parser.add_argument("--size", type=int, default=200, help="of the long capture, in MiB")
    parser.add_argument("--runs", type=int, default=3, help="how often each command runs")
    parser.add_argument("--server-port", type=int, default=27500,
                        help="the QuakeWorld server's port in the capture")
    parser.add_argument("capture", type=pathlib.Path)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="quakeshark-bench-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        bench = Bench(arguments, folder)
        bench.conversion()
        bench.memory()
        if arguments.plugins and shutil.which("tshark"):
            bench.dissection()


if __name__ == "__main__":
    main()
