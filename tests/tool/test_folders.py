# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders as inputs: the captures and demos in them."""

import gzip
import os
import re

from tool import ACKNEX, CAPTURES, ToolTest

DEMO = next(CAPTURES.glob("*.dm2"))


class Inputs(ToolTest):
    def setUp(self):
        super().setUp()
        self.put("all/b.pcap", ACKNEX.read_bytes())
        self.put("all/a.dm2", DEMO.read_bytes())
        self.put("all/c.PCAPNG.gz", gzip.compress(ACKNEX.read_bytes()))
        self.put("all/notes.txt", b"no capture")
        self.put("all/.hidden.pcap", b"no capture")
        self.put("all/below/d.pcap", ACKNEX.read_bytes())
        (self.folder / "all" / "round").symlink_to("..")

    def put(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def inputs(self, *arguments):
        """The inputs in order, from the report of --check."""
        self.run_tool("--check", "--junit", "report.xml", *arguments)
        return re.findall(r'<testsuite name="(.*?)"', (self.folder / "report.xml").read_text())

    def test_captures_and_demos_of_a_folder(self):
        """Without hidden files and others; with -R also those of folders below; each file once."""
        for arguments, names in ((["all"], "a.dm2 b.pcap c.PCAPNG.gz"),
                                 (["-R", "all/"], "a.dm2 b.pcap below/d.pcap c.PCAPNG.gz"),
                                 (["all/b.pcap", "all/below"], "b.pcap below/d.pcap")):
            self.assertEqual(self.inputs(*arguments), ["all/" + name for name in names.split()])

    def test_demos_in_the_folder_of_their_captures_are_not_converted(self):
        self.put("games/one.pcap", (CAPTURES / "qw-sample.pcap").read_bytes())
        for _ in range(2):
            output, error = self.tool("-f", "-o", "games", "games")
            self.assertIn("session 1,", output)
            self.assertEqual(error, "")
        self.put("only/a.dm2", DEMO.read_bytes())
        self.assertIn("only: no captures in this folder; -R", self.tool("only", status=2)[1])

    def test_folder_below_that_cannot_be_read(self):
        closed = self.folder / "all" / "closed"
        closed.mkdir(mode=0)
        self.addCleanup(closed.rmdir)
        self.folder.chmod(0o755)
        user = {"user": 65534} if os.geteuid() == 0 else {}
        output, error = self.tool("--check", "-R", "all", status=2, **user)
        self.assertRegex(error + output, "(?s)pcap2demo: all/closed: Permission denied\n.*all/below/d.pcap: ")

    def test_empty_folder(self):
        (self.folder / "empty" / "below").mkdir(parents=True)
        text = "empty: no captures and no demos in this folder"
        self.assertIn(text + "; -R looks into those below it, too\n", self.tool("--list", "empty", status=2)[1])
        self.assertIn(text + "\n", self.tool("--list", "-R", "empty", status=2)[1])
