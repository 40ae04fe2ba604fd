#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Times the project's programs against others on the same long captures, and prints ratios.

The long captures are copies of short ones, one for each kind of session. The two commands of a row
run in turn, and the median of the pairs' ratios counts. Rows whose goal is not reached are marked
with "<-". Memory is the peak resident set.

What commands write goes to new files, and none is removed before the end: file systems are slow to
give out anew what was removed just now (TMPDIR: where nothing was).
"""

import argparse
import gzip
import heapq
import os
import pathlib
import shutil
import struct
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

    def at_once(self, kind, sessions):
        link_type, frames = captures.read(self.short[kind])
        many = self.folder / f"{kind}-at-once-{sessions}.pcap"
        client = captures.ends(frames[0])[0]
        frames = [frame for frame in frames if client in captures.ends(frame)][:200]
        captures.write(many, link_type, heapq.merge(
            *(distinct(frame, client[1], sessions, kind == "Quake") for frame in frames),
            key=lambda frame: frame.time))
        return many


def distinct(frame, port, sessions, is_quake):
    """Copies of a packet, a millisecond apart: a client's with a qport (Quake: angles) of its own."""
    at = len(frame.data) - len(captures.payload(frame))
    start = frame.data[at:at + 4]
    for number in range(sessions):
        own = damages.copy(frame, number)
        data = bytearray(own.data)
        if captures.ends(frame)[0][1] == port and len(data) >= at + 16 and start != b"\xff" * 4 and (
                not is_quake or start[:2] == b"\0\x10"):
            struct.pack_into("<H", data, at + (13 if is_quake else 8), number)
        yield own._replace(time=frame.time + number * 1000000, data=bytes(data))


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

    def golden(self, *words, folder=None):
        return Run([self.build.pcap2demo, "--check", "--quiet", "--golden", folder or self.folder,
                    *words])

    def environment(self, plugin=True):
        """Of Wireshark's programs, which run as nobody."""
        self.home.mkdir(mode=0o777, exist_ok=True)
        return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.home),
                "WIRESHARK_PLUGIN_DIR": str(self.build.plugins if plugin else self.home)}

    def tshark(self, file, *options, plugin=True, stdout=None):
        return Run(["tshark", "-r", file, "-d",
                    f"udp.port==27500,{'qw' if plugin else 'quakeworld'}", *options],
                   self.environment(plugin), as_nobody=True, stdout=stdout)

    def printed(self, file, plugin):
        """Bytes."""
        with tempfile.TemporaryFile() as output:
            self.tshark(file, "-V", plugin=plugin, stdout=output)
            return output.seek(0, os.SEEK_END)


def tcpdump(file, folder):
    return Run(["tcpdump", "-r", file, "-w", new_place(folder) / "copy.pcap"])


class Table:
    """Rows of the form: what, the ratio, the goal, what each command took."""

    def __init__(self, pairs, time="seconds"):
        self.pairs, self.time = pairs, time

    def row(self, what, value, goal, reached, remark=""):
        print(f"  {what:<52} {value:>9}  {goal:>10}  {'  ' if reached else '<-'} {remark}",
              flush=True)

    def at_most(self, what, goal, over, under, more=1):
        """`more`: how many times as much work it is."""
        both = Comparison(over, under, self.pairs)
        ratio = both.ratio(self.time) / more
        self.row(what, f"{ratio:.2f} x", f"<= {goal} x", ratio <= goal,
                 f"{median(both.over, self.time):.2f} s to {median(both.under, self.time):.2f} s")


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


def reports(table, work, inputs):
    file = inputs.copies(inputs.short[DISSECTED], inputs.size / 20)
    work.golden(file, "--update")
    table.at_most("--list : convert", 0.5, lambda: work.list(inputs.long[DISSECTED]),
                  lambda: work.convert(inputs.long[DISSECTED]))
    table.at_most("--dump=json : --dump", 1.2, lambda: work.dump(file, "--dump=json"),
                  lambda: work.dump(file))
    table.at_most("--check --golden : --dump", 1.5, lambda: work.golden(file),
                  lambda: work.dump(file))
    other = new_place(inputs.folder) / file.name
    inputs.copies(inputs.short["Quake"], inputs.size / 20).rename(other)
    work.golden(other, "--update", folder=other.parent)
    table.at_most("--check, unrelated golden : matching one", 2,
                  lambda: work.golden(file, folder=other.parent), lambda: work.golden(file))


def dissection(table, work, inputs):
    file = inputs.copies(inputs.short[DISSECTED], inputs.size / 20)
    more = work.printed(file, True) / work.printed(file, False)
    table.at_most(f"tshark -V with the plugin : built-in, by byte (x {more:.1f})", 0.9,
                  lambda: work.tshark(file, "-V"),
                  lambda: work.tshark(file, "-V", plugin=False), more)
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
    packets = [len(captures.read(file)[1]) for file in files]
    return (taken[0] - taken[1]) / (packets[1] - packets[0])


def memory(table, work, inputs):
    """The largest of the captures as it is, and 100 times."""
    short = inputs.short["Quake"]
    many = inputs.copies(short, 100 * short.stat().st_size / MEGABYTE)
    one, hundred = work.convert(short).memory, work.convert(many).memory
    table.row("memory at 100 x the capture - at 1 x", f"{(hundred - one) / MEGABYTE:.1f} MB",
              "<= 10 MB", hundred - one <= 10 * MEGABYTE,
              f"{hundred / MEGABYTE:.1f} MB to {one / MEGABYTE:.1f} MB")


def sessions_at_once(table, work, inputs):
    few, many = 100, 4000
    for kind in ("QuakeWorld", "Quake", "Quake II 34"):
        short, long, over = (inputs.at_once(kind, number) for number in (few, many, 10000))
        for what, do, goal in (("convert", work.convert, 25), ("--list", work.list, 6)):
            each = (do(long).memory - do(short).memory) / (many - few) / 1000
            table.row(f"memory of an open session, {what} {kind}", f"{each:.0f} kB", f"<= {goal} kB",
                      each <= goal)
            table.at_most(f"{what} {kind}, 10000 sessions : {few}, by packet", 2,
                          lambda do=do, file=over: do(file), lambda do=do, file=short: do(file),
                          10000 / few)


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
    reports(table, work, inputs)
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
