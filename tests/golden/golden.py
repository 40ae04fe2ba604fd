#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what `pcap2demo --dump` prints of a capture with the dump that is kept beside it.

    golden.py PCAP2DEMO CAPTURE...            compare: status 1 where they differ, 77 without one
    golden.py --update PCAP2DEMO CAPTURE...   keep what is printed now; read the change before it
                                              is committed

The kept dump of NAME.pcap is NAME.dump, or NAME.dump.gz where the text is long.
"""

import argparse
import difflib
import gzip
import itertools
import pathlib
import subprocess
import sys

SKIPPED = 77
LONG = 64 * 1024
SHOWN_LINES = 200


def print_dump(pcap2demo, capture):
    """The dump, as lines. Status 1 is a capture with something wrong in it: that is kept as well."""
    result = subprocess.run([pcap2demo, "--dump=text", capture], stdout=subprocess.PIPE,
                            encoding="utf-8")
    if result.returncode not in (0, 1):
        sys.exit(f"{capture}: pcap2demo --dump ended with status {result.returncode}")
    return result.stdout.splitlines(keepends=True)


def kept_files(capture):
    return capture.with_suffix(".dump"), capture.with_suffix(".dump.gz")


def read_kept(capture):
    """The kept dump's lines, or None."""
    plain, packed = kept_files(capture)
    if plain.exists():
        return plain.read_text(encoding="utf-8").splitlines(keepends=True)
    if packed.exists():
        return gzip.decompress(packed.read_bytes()).decode().splitlines(keepends=True)
    return None


def keep(capture, lines):
    plain, packed = kept_files(capture)
    text = "".join(lines).encode()
    for path in (plain, packed):
        path.unlink(missing_ok=True)
    if len(text) < LONG:
        plain.write_bytes(text)
    else:
        packed.write_bytes(gzip.compress(text, mtime=0))


def by_packet(lines):
    """Groups lines by their packet's number, with which each begins."""
    packets = {}
    for line in lines:
        packets.setdefault(line.split(" ", 1)[0], []).append(line)
    return packets


def differences(kept, printed):
    """A unified diff, packet by packet."""
    kept, printed = by_packet(kept), by_packet(printed)
    for number in dict.fromkeys((*kept, *printed)):
        before, after = kept.get(number, []), printed.get(number, [])
        if before != after:
            yield from difflib.unified_diff(before, after, f"kept, packet {number}",
                                            f"printed, packet {number}", n=2)


def compare(capture, printed):
    """Whether the kept dump is what is printed; None where there is no kept dump."""
    kept = read_kept(capture)
    if kept is None:
        print(f"{capture.name}: skipped, it has no kept dump")
        return None
    if kept == printed:
        print(f"{capture.name}: {len(kept)} lines, the same")
        return True
    diff = differences(kept, printed)
    sys.stdout.writelines(itertools.islice(diff, SHOWN_LINES))
    rest = sum(1 for _ in diff)
    print(f"{capture.name}: the dump changed" + (f" ({rest} more lines)" if rest else ""))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="keep what is printed now")
    parser.add_argument("pcap2demo")
    parser.add_argument("captures", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()

    results = []
    for capture in arguments.captures:
        printed = print_dump(arguments.pcap2demo, capture)
        if arguments.update:
            keep(capture, printed)
        else:
            results.append(compare(capture, printed))
    if False in results:
        return 1
    return SKIPPED if None in results else 0


if __name__ == "__main__":
    sys.exit(main())
