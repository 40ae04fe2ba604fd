# SPDX-License-Identifier: GPL-2.0-or-later
"""
Decodes captures that begin within a connection: all that keeps its meaning must still be decoded.

    midsession.py PCAP2DEMO SHARED

Cuts packets off the front of whole captures: the protocol, the qport's width and the direction must be found
out from the packets alone. Only svc_playerupdate cannot be decoded without knowing the level's beginning.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from pcap import HEADER, records

# capture, messages on purpose that no client can read, svc_playerupdates
CAPTURES = [
    ("a-v34-yquake2/a.pcap", 0, 0),
    ("b35-r1q2/b35-r1q2.pcap", 0, 0),
    ("b36-q2pro/b36-q2pro.pcap", 0, 0),
    ("b36-q2pro-norec/b36-q2pro-norec.pcap", 0, 0),
    ("c-q2pro36-zdownload/c-q2pro36z.pcap", 0, 0),
    ("gs-q36m1021/gs-q36m1021.pcap", 0, 0),
    ("p-r35pu/p-r35pu.pcap", 0, 140),
    ("w-r35/w-r35.pcap", 1, 0),
    ("x-q36e2/x-q36e2.pcap", 2, 0),
]
CUTS = [1, 3, 5, 7, 10, 50, 700]


def problems(tool, capture):
    """The notes that are problems, and how often each was given."""
    run = subprocess.run([tool, "--check", "--port=q2=27910-27930", capture], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False)
    return {name: int(count) for name, count in re.findall(r"^  ([\w.]+): (\d+)$", run.stdout, re.M)}


def check(tool, capture, unreadable, updates):
    data = capture.read_bytes()
    packets = list(records(data))
    good = True
    with tempfile.TemporaryDirectory() as folder:
        late = pathlib.Path(folder) / "late.pcap"
        for cut in CUTS:
            late.write_bytes(data[:HEADER] + b"".join(packets[cut:]))
            found = problems(tool, late)
            allowed = {"unknown_message": unreadable, "protocol.undecoded": updates}
            bad = {name: count for name, count in found.items() if count > allowed.get(name, 0)}
            good = good and not bad
            print(f"{'FAIL' if bad else 'ok  '} {capture.name} from packet {cut}: {found or 'no problem'}")
    return good


def main():
    tool, shared = sys.argv[1], pathlib.Path(sys.argv[2]) / "captures" / "quake2"
    if not shared.is_dir():
        print(f"skipped: no captures in {shared}")
        return 77
    results = [check(tool, shared / name, unreadable, updates)
               for name, unreadable, updates in CAPTURES]
    return results
