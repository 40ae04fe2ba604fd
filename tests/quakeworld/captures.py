#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Decodes every QuakeWorld capture: none may hold malformed, unknown or undecoded bytes or a bad checksum.

    captures.py PCAP2DEMO SHARED
"""

import collections
import pathlib
import struct
import subprocess
import sys
import tempfile

VANILLA = [
    "a-vanilla/a-vanilla.pcap", "a2-record-after-connect/a2-record-after-connect.pcap",
    "c-download-old/c-download-old.pcap", "e-multi/e-multi.pcap", "j-idqwcl/j-idqwcl.pcap",
    "g-midjoin/g-midjoin.pcap", "g-midjoin/g2-midjoin-no-serverdata.pcap",
]
EXTENDED = [
    "b-extended/b-extended.pcap", "d-lossy/d-lossy.pcap", "fte-b-ezquake/b-fte-ezquake.pcap",
    "fte-c-mvdsv/c-mvdsv-fte.pcap", "fte-e-mvdext/e-mvdsv-ezquake-mvdext.pcap",
    "fte-a/a-fte-fte.pcap", "fte-g-qcext/g-fte-qcext.pcap", "i-qtv/i-qtv.pcap",
]
# Begun anew behind so many packets: what the handshake tells must be found out without it.
LATE = [("fte-a/a-fte-fte.pcap", 100), ("a-vanilla/a-vanilla.pcap", 400)]
BAD = ("qw.malformed", "qw.unknown_message", "qw.protocol.undecoded", "qw.undecoded",
       "qw.move.checksum.bad")


def write_late(capture, packets, path):
    """A copy of the capture (in the classic format) without its first packets."""
    data = capture.read_bytes()
    at = 24
    for _ in range(packets):
        at += 16 + struct.unpack_from("<I", data, at + 8)[0]
    path.write_bytes(data[:24] + data[at:])


def check_late(tool, capture, packets):
    with tempfile.TemporaryDirectory() as folder:
        late = pathlib.Path(folder) / f"{capture.stem}-behind-{packets}.pcap"
        write_late(capture, packets, late)
        return check(tool, late)


def check(tool, capture):
    # A line is a packet's number, a position, a name, and as a rule a value.
    run = subprocess.run([tool, "--dump", capture], stdout=subprocess.PIPE, text=True, check=False)
    lines = [line.split(" ", 3) for line in run.stdout.splitlines()]
    names = collections.Counter(words[2] for words in lines)
    packets, moves = names["packet.protocol"], names["qw.clc_move"]
    good = sum(words[2:] == ["qw.move.checksum.good", ":= true"] for words in lines)
    bad = sum(names[name] for name in BAD)
    passed = packets > 0 and bad == 0 and moves == good
    print(f"{'ok  ' if passed else 'FAIL'} {capture.parent.name}/{capture.name}: {packets} packets, "
          f"{good} of {moves} move checksums good, {bad} problems")
    return passed


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "captures" / "quakeworld"
    if not folder.is_dir():
        print(f"skipped: no captures in {folder}")
        return 77
    results = [check(tool, folder / name) for name in VANILLA + EXTENDED]
    results += [check_late(tool, folder / name, packets) for name, packets in LATE]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
