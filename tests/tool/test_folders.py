# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders: those that stand for the captures and demos in them, and those that are made."""

import gzip
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
        """The inputs in order: --check tells each."""
        self.run_tool("--check", "--junit", "report.xml", *arguments)
        files = re.findall(r'<testsuite name="(.*?)"', (self.folder / "report.xml").read_text())
        self.assertTrue(files)
        return files

    def test_folder(self):
        self.assertEqual(self.inputs("all"), ["all/a.dm2", "all/b.pcap", "all/c.PCAPNG.gz"])

    def test_recursive(self):
        self.assertEqual(self.inputs("-R", "all/"),
                         ["all/a.dm2", "all/b.pcap", "all/below/d.pcap", "all/c.PCAPNG.gz"])

    def test_among_files(self):
        self.assertEqual(self.inputs("all/b.pcap", "all/below"), ["all/b.pcap", "all/below/d.pcap"])

    def test_converted_again(self):
        """Demos that were written into the folder of their captures are not converted."""
        self.put("games/one.pcap", (CAPTURES / "qw-sample.pcap").read_bytes())
        for _ in range(2):
            output, error = self.tool("-f", "-o", "games", "games")
            self.assertIn("session 1,", output)
            self.assertEqual(error, "")
        self.put("only/a.dm2", DEMO.read_bytes())
        _, error = self.tool("only", status=2)
        self.assertIn("only: no captures in this folder; -R", error)

    def test_nothing_in_it(self):
        (self.folder / "empty" / "below").mkdir(parents=True)
        _, error = self.tool("--list", "empty", status=2)
        self.assertIn("empty: no captures and no demos in this folder; "
                      "-R looks into those below it, too\n", error)
        _, error = self.tool("--list", "-R", "empty", status=2)
        self.assertIn("empty: no captures and no demos in this folder\n", error)
