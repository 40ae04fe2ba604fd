#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Rebuilds demos from captures that begin late, and compares them with those of the whole captures.

    late.py PCAP2DEMO COMPARE_DM2 CAPTURES SHARED

The first packet that is left may be the sign-on itself, as fragments or compressed: nothing of the level is
missing then.
"""

import gzip
import pathlib
import subprocess
import sys
import tempfile

from pcap import HEADER, records

# captures, how many packets are cut off. What is left begins with the client's first packet, or the
# server's.
WHOLE = [
    ("b36-q2pro/b36-q2pro.pcap", [4, 5]),  # three fragments
    ("b36-q2pro-norec/b36-q2pro-norec.pcap", [4, 5]),
    ("gs-q36m1021/gs-q36m1021.pcap", [4, 5]),  # svc_gamestate in svc_zpacket
]
OWN_WHOLE = [("q2-protocol36", [3, 4]), ("q2-protocol35", [3]), ("q2-protocol34", [3])]


class Rebuilding:
    def __init__(self, tools, folder):
        self.tools, self.folder, self.count = tools, pathlib.Path(folder), 0

    def rebuild(self, data, *options):
        """The demos of the capture, in order."""
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        capture = self.folder / f"{self.count}.pcap"
        capture.write_bytes(data)
        subprocess.run([self.tools[0], "--quiet", "--output", folder, *options, capture], check=False,
                       stderr=subprocess.DEVNULL)
        return sorted(folder.iterdir())


def without_first(data, count):
    return data[:HEADER] + b"".join(list(records(data))[count:])


def is_whole(rebuilding, data, cut):
    """The demos are those of the capture that is not cut."""
    whole, late = rebuilding.rebuild(data), rebuilding.rebuild(without_first(data, cut))
    return len(whole) > 0 and [demo.read_bytes() for demo in whole] == [demo.read_bytes() for demo in late]


def check_whole(rebuilding, captures, shared):
    files = [(captures / "fidelity" / f"{name}.pcap.gz", cuts) for name, cuts in OWN_WHOLE]
    files += [(shared / name, cuts) for name, cuts in WHOLE if shared.is_dir()]
    for path, cuts in files:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        for cut in cuts:
            good = is_whole(rebuilding, data, cut)
            print(f"{'ok  ' if good else 'FAIL'} {path.name} from packet {cut + 1}")
            yield good


def main():
    tools = sys.argv[1:3]
    captures, shared = pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]) / "captures" / "quake2"
    with tempfile.TemporaryDirectory() as folder:
        rebuilding = Rebuilding(tools, folder)
        results = list(check_whole(rebuilding, captures, shared))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
