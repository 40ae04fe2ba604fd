# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures of ../shared, whole: how much of them decodes, with which notes, as which protocols.

captures.expected has a line for each: its path, packets of a known game, bytes that are not decoded,
notes, and the versions of its sessions. What differs is printed in that form.
"""

import pathlib
import sys

from late import cut
from tool import SHARED, Capture, ToolTest

if not SHARED.is_dir():
    print(f"skipped: there is no {SHARED}")
    sys.exit(77)
EXPECTED = pathlib.Path(__file__).with_name("captures.expected")
# Begun anew behind so many packets: what the handshake tells must be found out without it.
LATE = [("quakeworld/fte-a/a-fte-fte.pcap", 100), ("quakeworld/a-vanilla/a-vanilla.pcap", 400)]


class Captures(ToolTest):
    def line(self, name):
        report = self.report("--check", SHARED / name, status=None)
        file, = report["files"]
        notes = ",".join(f"{note}={count}" for note, count in sorted(file["notes"].items()))
        versions = ",".join(str(session["version"]) for session in report["sessions"])
        return f"{name} {file['packets']} {file['undecoded_bytes']} {notes or '-'} {versions or '-'}"

    def test_all(self):
        expected = EXPECTED.read_text().splitlines()
        found = [self.line(str(path.relative_to(SHARED))) for path in sorted(SHARED.rglob("*.pcap*"))
                 if path.suffix in (".pcap", ".pcapng")]
        self.maxDiff = None
        self.assertEqual(found, expected)

    def test_late(self):
        for name, packets in LATE:
            late = self.write("late.pcap", cut(Capture.read(SHARED / name), packets).pcap())
            file, = self.report("--check", "--no-rebuild", late, status=None)["files"]
            self.assertGreater(file["packets"], 1000)
            self.assertEqual((file["problem_count"], file["undecoded_bytes"]), (0, 0))
