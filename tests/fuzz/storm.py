#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Storms: damaged captures and demos through all actions of pcap2demo.

    storm.py [--runs N] [--seed N] [--keep DIR]

Small captures and demos are damaged: bytes of packets, as `editcap -E` does, packets that are
shuffled, doubled, swapped, left out or cut, files that end early, several in one. Each is read by
all actions, a run of the program each. No run may crash, take more than a second of the processor a
megabyte (and one to begin with), or print a control character; names of files are safe; what
--sanitize writes is harmless to every engine; a golden of a file is what the same file gives.

CTest sets PCAP2DEMO, CHECK_SANITIZED and PROJECT_SOURCE_DIR. Prints how many runs of how many damaged
files there were, and which were wrong; their inputs are kept in DIR.
"""

import argparse
import gzip
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

import capture
import damages
from tool import CAPTURES, ETHERNET, PROGRAM, Capture

CHECK = os.environ.get("CHECK_SANITIZED")
TIMEOUT = 600
SECONDS, SECONDS_A_MEGABYTE = 1, 1
CONTROL = re.compile(rb"[\0-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
SAFE_NAME = re.compile(r"[A-Za-z0-9_+][A-Za-z0-9_+.-]*$")
LENT = ["--sign-on"]  # and a demo
ACTIONS = ([], ["--sanitize"], ["--list"], ["--list", "--json"], ["--dump"], ["--dump=json"],
           ["--check"], ["--check", "--json"], ["--stats"], ["--stats", "--json"],
           ["--extract-files=files"], ["--pcap=made.pcapng"], ["--check", "--golden=.", "--update"],
           ["--check", "--golden=."], ["--split=level", "--verbose"],
           ["--pcap=made.pcapng", "--packets=5-40,60-"],
           ["--pcap=made.pcapng", "--session=1", "--packets=8-"],
           ["--anonymize=made.pcapng", "--replace-names", "--replace-chat"], LENT)
UNSAFE = ("made.pcapng",)  # named by the caller


# --- Damages -------------------------------------------------------------------------------------

def flip(frames, rand, start=0):
    """Some bytes of some packets, from `start` on; 42 is where UDP's payload begins."""
    rate = rand.choice([0.001, 0.01, 0.05])
    out = []
    for frame in frames:
        data = bytearray(frame.data)
        for _ in range(max(0, round(rand.expovariate(1) * rate * len(data)))):
            if len(data) > start:
                data[rand.randrange(start, len(data))] = rand.randrange(256)
        out.append(frame._replace(data=bytes(data)))
    return out


def flip_payload(frames, rand):
    return flip(frames, rand, 42)


def grow(frames, rand):
    """Payloads that end in the middle of others."""
    out = []
    for frame in frames:
        if rand.random() < 0.1:
            tail = rand.choice(frames).data[42:]
            data = bytearray(frame.data + tail[rand.randrange(1 + len(tail)):][:600])
            if len(data) > 42:
                struct.pack_into(">H", data, 16, len(data) - 14)
                struct.pack_into(">HH", data, 38, len(data) - 34, 0)
            frame = frame._replace(data=bytes(data))
        out.append(frame)
    return out


def some(frames, rand, share):
    return damages.lose(frames, 1 - share, rand.random())


DAMAGES = (flip, flip_payload, flip_payload, flip_payload, grow,
           lambda frames, rand: damages.displace(frames, rand.random(), rand.randrange(1, 8), rand.random(), True),
           lambda frames, rand: damages.merged(frames, some(frames, rand, 0.2)),
           lambda frames, rand: some(frames, rand, rand.choice([0.98, 0.8, 0.3])) or frames[:1],
           lambda frames, rand: damages.begin_late(frames, rand.random()),
           lambda frames, rand: damages.cut(frames, rand.randrange(14, 400)),
           lambda frames, rand: damages.set_clock(frames, rand.random(), rand.randrange(-10 ** 13, 10 ** 13)))


class Sources:
    """Captures and demos to be damaged."""

    def __init__(self, rand):
        self.rand = rand
        self.paths = sorted(CAPTURES.glob("*.pcap"))
        self.captures = [frames for link_type, frames in map(capture.read, self.paths)
                         if link_type == ETHERNET]
        self.demos = [(path.suffix, path.read_bytes()) for path in sorted(CAPTURES.iterdir())
                      if path.suffix in (".qwd", ".mvd", ".mvd2", ".dm2")]
        for path in sorted((CAPTURES / "fidelity").glob("*.d[em][m2].gz")):
            self.demos.append((path.suffixes[-2], gzip.decompress(path.read_bytes())[:60000]))

    def make_donors(self, folder):
        """The demos of all captures, which late sessions may be lent from."""
        subprocess.run([PROGRAM, "--quiet", "-o", folder, *self.paths], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return sorted(folder.iterdir())

    def frames(self):
        frames = self.rand.choice(self.captures)[:400]
        for damage in self.rand.choices(DAMAGES, k=self.rand.choice([1, 1, 2, 3])):
            frames = damage(frames, self.rand)
        return frames

    def capture(self):
        frames = self.frames()
        if self.rand.random() < 0.2:
            frames += self.frames()
        made = Capture(ETHERNET, [(frame.time // 1000, frame.data) for frame in frames])
        data = made.pcapng() if self.rand.random() < 0.2 else made.pcap()
        if self.rand.random() < 0.1:
            data = data[:self.rand.randrange(len(data))]
        return ".pcap", data

    def demo(self):
        suffix, data = self.rand.choice(self.demos)
        data = bytearray(data[:self.rand.choice([2000, 20000, 60000])])
        for _ in range(self.rand.randrange(1, 30)):
            data[self.rand.randrange(len(data))] = self.rand.randrange(256)
        return suffix, bytes(data)

    def file(self):
        kind, data = self.demo() if self.rand.random() < 0.25 else self.capture()
        if self.rand.random() < 0.05:
            return kind + ".gz", gzip.compress(data)
        return kind, data


# --- Runs ----------------------------------------------------------------------------------------

class Storm:
    def __init__(self, arguments):
        self.arguments = arguments
        self.rand = random.Random(arguments.seed)
        self.sources = Sources(self.rand)
        self.runs = 0
        self.files = 0
        self.bytes = 0
        self.slowest = 0
        self.wrong = []

    def blame(self, path, words, what):
        self.wrong.append(f"{path.name} {' '.join(map(str, words))}: {what}")
        if self.arguments.keep:
            kept = pathlib.Path(self.arguments.keep)
            kept.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, kept / f"{len(self.wrong)}-{path.name}")

    def run(self, command, path, words, folder, statuses=(0, 1, 2), size=0):
        """Runs it, and looks at all that can be seen from outside."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            result = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.blame(path, words, "hangs")
            return b""
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        limit = SECONDS + SECONDS_A_MEGABYTE * size / 1e6
        self.slowest = max(self.slowest, seconds / limit)
        if result.returncode not in statuses:
            self.blame(path, words, f"ends with {result.returncode}: {result.stdout[-2000:]}")
        if seconds > limit * self.arguments.slower:
            self.blame(path, words, f"takes {seconds:.1f} s for {size} bytes")
        control = CONTROL.search(result.stdout)
        if control:
            self.blame(path, words, f"prints {result.stdout[max(0, control.start() - 40):][:80]}")
        return result.stdout

    def look_at_files(self, path, words, folder):
        written = [file for file in folder.rglob("*") if file.is_file()]
        for file in written:
            if file.name not in UNSAFE and not SAFE_NAME.match(file.name):
                self.blame(path, words, f"writes {file.name!r}")
        if words == ["--sanitize"] and written:
            result = subprocess.run([CHECK, *written], stdout=subprocess.PIPE)
            if result.returncode:
                self.blame(path, words, result.stdout[:2000])

    def act(self, path, words, size):
        with tempfile.TemporaryDirectory(prefix="quakeshark-storm-") as name:
            folder = pathlib.Path(name)
            if words[-1:] == ["--golden=."]:
                self.run([PROGRAM, "--quiet", *words, "--update", path], path, words, folder,
                         size=size)
            text = self.run([PROGRAM, *words, path], path, words, folder, size=size)
            if words[-1:] == ["--golden=."] and b"differ" in text:
                self.blame(path, words, text[:2000])
            self.look_at_files(path, words, folder)
        self.runs += 1

    def storm(self, count):
        with tempfile.TemporaryDirectory(prefix="quakeshark-storm-") as name:
            folder = pathlib.Path(name)
            donors = self.sources.make_donors(folder / "donors")
            while self.runs < count:
                kind, data = self.sources.file()
                path = folder / f"{self.arguments.seed}-{self.runs}{kind}"
                path.write_bytes(data)
                self.bytes += len(data)
                self.files += 1
                for words in ACTIONS:
                    donor = [self.rand.choice(donors)] if words == LENT else []
                    self.act(path, words + donor, len(data) + sum(
                        demo.stat().st_size for demo in donor))
                path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300,
                        help=f"at least so many of pcap2demo, {len(ACTIONS)} a damaged file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slower", type=float, default=1, help="of a build with sanitizers")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    storm = Storm(arguments)
    storm.storm(arguments.runs)
    print(f"{storm.runs} runs, {storm.files} damaged files, {storm.bytes} bytes, "
          f"{len(storm.wrong)} went wrong; "
          f"the slowest took {100 * storm.slowest:.0f} % of its time", *storm.wrong, sep="\n")
    return 1 if storm.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
