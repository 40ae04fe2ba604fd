#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Checks every Quake capture: what is decoded has no malformed, unknown or undecoded byte, and the notes
are those that the captures' own descriptions count.

    captures.py PCAP2DEMO SHARED
"""

import json
import subprocess
import sys

import checks

# capture, packets, notes, protocol versions of the sessions
CAPTURES = [
    ("a-protocol15/a-nq15.pcap", 8668, {}, ["15"]),
    ("b-protocol666/b-fitz666.pcap", 6366, {}, ["666"]),
    ("d1-darkplaces-server/d1-dpserver-qsclient-quake15.pcap", 6599, {}, ["15"]),
    ("e-lossy/e-lossy15-client-side.pcap", 4583,
     {"sequence.gap": 75, "sequence.stale": 37, "sequence.duplicate": 25, "retransmission": 2}, ["15"]),
    # A server that goes on sending to a client that has vanished; a packet of a wrong length.
    ("f-control/f-control.pcap", 4210, {"retransmission": 4, "unusual": 2}, ["15", None]),
    ("g-two-clients/g-two15.pcap", 7442, {}, ["15", "15"]),
    # The client that is stuck sends the same fragment for ever.
    ("g1-wedged-client/g-two15.pcap", 5241, {"retransmission": 55, "unusual": 40}, ["15", "15"]),
    ("d2-darkplaces-dp7/d2-dpserver-dpclient-dp7.pcap", 5570, {"unusual": 1}, ["3504"]),
    ("fte-d-nqclient/d-fte-nqclient.pcap", 4365, {}, ["999 flags 0x12"]),
    ("fte-d2-dpclient/d2-fte-dpclient.pcap", 4094, {},
     ["999 flags 0x12 FTE 0x40060600 FTE2 0x7f"]),
]


def check_report(tool, capture):
    run = subprocess.run([tool, "--check", "--json", capture], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False)
    return json.loads(run.stdout)


def check(tool, folder, row):
    name, packets, notes, versions = row
    report = check_report(tool, folder / name)
    found = report["files"][0]
    sessions = [session["version"] for session in report["sessions"]]
    good = (found["packets"] == packets and found["undecoded_bytes"] == 0
            and found["notes"] == notes and sessions == versions)
    print(f"{checks.verdict(good)} {name}: {found['packets']} packets, "
          f"{found['undecoded_bytes']} bytes undecoded, notes {found['notes']}, sessions {sessions}")
    return good


if __name__ == "__main__":
    sys.exit(checks.run((check, CAPTURES)))
