#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Times the project's programs against others on the same long captures, and prints ratios.

The long captures are copies of short ones, one for each kind of session. The two commands of a row
run in turn, and the median of the pairs' ratios counts. Rows whose goal is not reached are marked
with "<-". Memory is the peak resident set.

What commands write goes to new files, and none is removed before the end: file systems are slow to
give out anew what was removed just now.
"""

import argparse
import gzip
import os
import pathlib
import shutil
import sys
import tempfile

from measure import MEGABYTE, Comparison, Run, median

TESTS = pathlib.Path(__file__).resolve().parent.parent
CAPTURES = TESTS / "captures" / "fidelity"
sys.path.insert(0, str(TESTS / "support"))
import capture as captures
import damages

# Kind of session: its capture, and how often `tcpdump -r IN -w OUT` a conversion may take.
KINDS = {
    "QuakeWorld": ("qw-vanilla", 1.2),
    "Quake": ("nq-protocol15", 1.2),
    "Quake II 34": ("q2-protocol34", 1.6),
    "Quake II 35": ("q2-protocol35", 2.0),
    "Quake II 36": ("q2-protocol36", 2.0),
}
DAMAGES = {
    "lossy": lambda frames: damages.lose(frames, 0.01, 1),
    "disordered": lambda frames: damages.displace(frames, 0.1, 3, 1),
}
DISSECTED = "QuakeWorld"
PAUSE = 30 * captures.NANOSECONDS  # between copies
MEMORY_GROWS = 10 * MEGABYTE


class Build:
    """A folder that the project was built in."""

    def __init__(self, folder):
        self.pcap2demo = folder / "pcap2demo" / "pcap2demo"
        self.plugins = folder / "plugin" / "wireshark"
        if not self.pcap2demo.exists():
            sys.exit(f"bench: {self.pcap2demo} is not there")


class Inputs:
    """The long captures."""

    def __init__(self, folder, size):
        self.folder, self.size = folder, size
        self.long, self.short = {}, {}
        for kind, (name, _) in KINDS.items():
            self.add(kind, name)
        link_type, frames = captures.read(self.short["QuakeWorld"])
        for name, damage in DAMAGES.items():
            damaged = folder / f"{name}.pcap"
            captures.write(damaged, link_type, damage(frames))
            self.long[name] = self.copies(damaged, size)

    def add(self, kind, name):
        self.short[kind] = self.folder / f"{name}.pcap"
        with gzip.open(CAPTURES / f"{name}.pcap.gz") as packed:
            self.short[kind].write_bytes(packed.read())
        self.long[kind] = self.copies(self.short[kind], self.size)

    def copies(self, short, size):
        times = max(1, round(size * MEGABYTE / short.stat().st_size))
        long = self.folder / f"{short.stem}-{times}.pcap"
        link_type, frames = captures.read(short)
        captures.write(long, link_type, damages.in_turn(frames, times, PAUSE))
        return long

    def at_once(self, short, sessions):
        link_type, frames = captures.read(short)
        many = self.folder / f"{short.stem}-at-once-{sessions}.pcap"
        captures.write(many, link_type, damages.at_once(frames[:200], sessions))
        return many


def new_place(folder):
    """An empty folder."""
    return pathlib.Path(tempfile.mkdtemp(dir=folder))


class Work:
    """The commands that are timed, of one build."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.home = folder / "home"

    def convert(self, *files, stdin=None):
        demos = new_place(self.folder)
        run = Run([self.build.pcap2demo, "--quiet", "-o", demos, *files], stdin=stdin)
        if not any(demos.iterdir()):
            sys.exit("bench: no demo was written")
        return run

    def dump(self, file, *options):
        return Run([self.build.pcap2demo, *(options or ["--dump"]), file])

    def list(self, *words):
        return Run([self.build.pcap2demo, "--list", "--wide", *words])

    def check(self, *words):
        return Run([self.build.pcap2demo, "--check", "--quiet", *words])

    def golden(self, *words):
        return self.check("--golden", self.folder, *words)

    def environment(self, plugin=True):
        """Of Wireshark's programs, which run as nobody."""
        self.home.mkdir(mode=0o777, exist_ok=True)
        return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.home),
                "WIRESHARK_PLUGIN_DIR": str(self.build.plugins if plugin else self.home)}

    def tshark(self, file, *options, plugin=True):
        return Run(["tshark", "-r", file, "-d",
                    f"udp.port==27500,{'qw' if plugin else 'quakeworld'}", *options],
                   self.environment(plugin), as_nobody=True)


def tcpdump(file, folder):
    return Run(["tcpdump", "-r", file, "-w", new_place(folder) / "copy.pcap"])


class Table:
    """Rows of the form: what, the ratio, the goal, what each command took."""

    def __init__(self, pairs, time="seconds"):
        self.pairs, self.time = pairs, time

    def row(self, what, value, goal, reached, remark=""):
        print(f"  {what:<52} {value:>9}  {goal:>10}  {'  ' if reached else '<-'} {remark}",
              flush=True)

    def at_most(self, what, goal, over, under):
        """`goal` None: there is none."""
        both = Comparison(over, under, self.pairs)
        ratio = both.ratio(self.time)
        self.row(what, f"{ratio:.2f} x", f"<= {goal} x" if goal else "", not goal or ratio <= goal,
                 self.times(both, self.time))

    def at_least(self, what, goal, over, under, time=None):
        time = time or self.time
        both = Comparison(under, over, self.pairs)
        ratio = both.ratio(time)
        self.row(what, f"{ratio:.2f} x", f">= {goal} x", ratio >= goal, self.times(both, time))

    @staticmethod
    def times(both, time):
        return f"{median(both.over, time):.2f} s to {median(both.under, time):.2f} s"


# --- The rows


def conversion(table, work, inputs):
    for kind, (_, goal) in KINDS.items():
        file = inputs.long[kind]
        table.at_most(f"convert {kind} : tcpdump -r IN -w OUT", goal,
                      lambda file=file: work.convert(file),
                      lambda file=file: tcpdump(file, inputs.folder))
    for name in DAMAGES:
        table.at_most(f"convert, {name} : undamaged", 1.3,
                      lambda name=name: work.convert(inputs.long[name]),
                      lambda: work.convert(inputs.long["QuakeWorld"]))


def reports(table, work, inputs, dissects):
    file = inputs.copies(inputs.short[DISSECTED], inputs.size / 20)
    work.golden(file, "--update")
    table.at_most("--list : convert", 0.5, lambda: work.list(inputs.long[DISSECTED]),
                  lambda: work.convert(inputs.long[DISSECTED]))
    table.at_most("--dump=json : --dump", 1.2, lambda: work.dump(file, "--dump=json"),
                  lambda: work.dump(file))
    if dissects:
        table.at_least("tshark -T json with the plugin : --dump=json", 5,
                       lambda: work.dump(file, "--dump=json"),
                       lambda: work.tshark(file, "-T", "json"))
    table.at_most("--check --golden : --dump", 1.5, lambda: work.golden(file),
                  lambda: work.dump(file))


def count_packets(file):
    return len(captures.read(file)[1])


def dissection(table, work, inputs):
    file = inputs.copies(inputs.short[DISSECTED], inputs.size / 20)
    table.at_most("tshark -V with the plugin : built-in dissector", 1.2,
                  lambda: work.tshark(file, "-V"),
                  lambda: work.tshark(file, "-V", plugin=False))
    table.at_most("tshark -T json with the plugin : built-in dissector", None,
                  lambda: work.tshark(file, "-T", "json"),
                  lambda: work.tshark(file, "-T", "json", plugin=False))
    table.at_most("tshark -2 : one pass, with the plugin", 2,
                  lambda: work.tshark(file, "-2"), lambda: work.tshark(file))
    more = memory_of_packet(table, work, inputs)
    table.row("memory of a packet above the built-in's", f"{more:.0f} B", "<= 150 B", more <= 150)


def memory_of_packet(table, work, inputs):
    """By how much a longer capture takes more than a shorter one: the program itself is in both."""
    taken = []
    files = [inputs.copies(inputs.short[DISSECTED], inputs.size / part) for part in (20, 5)]
    for plugin in (True, False):
        both = Comparison(lambda: work.tshark(files[1], "-2", plugin=plugin),
                          lambda: work.tshark(files[0], "-2", plugin=plugin), table.pairs)
        taken.append(median(both.over, "memory") - median(both.under, "memory"))
    return (taken[0] - taken[1]) / (count_packets(files[1]) - count_packets(files[0]))


def memory(table, work, inputs):
    """The largest of the captures as it is, and 100 times."""
    short = inputs.short["Quake"]
    many = inputs.copies(short, 100 * short.stat().st_size / MEGABYTE)
    one, hundred = work.convert(short).memory, work.convert(many).memory
    table.row("memory at 100 x the capture - at 1 x", f"{(hundred - one) / MEGABYTE:.1f} MB",
              "<= 10 MB", hundred - one <= MEMORY_GROWS,
              f"{hundred / MEGABYTE:.1f} MB to {one / MEGABYTE:.1f} MB")


def sessions_at_once(table, work, inputs):
    few, many = 100, 10000
    captures_of = {number: inputs.at_once(inputs.short[DISSECTED], number) for number in (few, many)}
    for what, do, goal in (("convert", work.convert, 25), ("--list", work.list, 6)):
        both = Comparison(lambda do=do: do(captures_of[many]), lambda do=do: do(captures_of[few]), 3)
        each = (median(both.over, "memory") - median(both.under, "memory")) / (many - few) / 1000
        ratio = both.ratio("cpu") * few / many
        table.row(f"memory of an open session, {what}", f"{each:.0f} kB", f"<= {goal} kB", each <= goal)
        table.row(f"{what}, {many} sessions : {few}, CPU time a packet", f"{ratio:.2f} x", "<= 2 x",
                  ratio <= 2)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, metavar="DIR",
                        help="the folder that the project was built in")
    parser.add_argument("--size", type=float, default=60, help="of the long captures, in MB (60)")
    parser.add_argument("--pairs", type=int, default=5, help="how often the two commands run (5)")
    parser.add_argument("--cpu", action="store_const", const="cpu", default="seconds",
                        help="compare CPU time, which other work of the machine disturbs less")
    return parser.parse_args()


def bench(options, folder):
    build = Build(options.build)
    inputs, work = Inputs(folder, options.size), Work(build, folder)
    table = Table(options.pairs, options.cpu)
    dissects = bool(shutil.which("tshark")) and build.plugins.exists()
    conversion(table, work, inputs)
    reports(table, work, inputs, dissects)
    if dissects:
        dissection(table, work, inputs)
    memory(table, work, inputs)
    sessions_at_once(table, work, inputs)


def main():
    with tempfile.TemporaryDirectory(prefix="quakeshark-bench-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        bench(arguments(), folder)


if __name__ == "__main__":
    main()
