# SPDX-License-Identifier: GPL-2.0-or-later
"""The counts of a rebuilt demo are the same in the report and in the message."""

from tool import CAPTURES, ToolTest

COUNTS = {"blocks": 184, "stripped": 1, "repaired": 33, "missing": 281}  # of q2-vanilla.pcap


class Counts(ToolTest):
    def test_report_and_message(self):
        capture = CAPTURES / "q2-vanilla.pcap"
        demo = self.report("--check", capture, status=None)["sessions"][0]["demo"]
        self.assertEqual({name: demo[name] for name in COUNTS}, COUNTS)
        _, error = self.tool("--verbose", "--output", "out.dm2", capture, status=None)
        self.assertIn("session 1: blocks: 184, messages left out: 1, frames repaired: 33, missing: 281\n", error)
