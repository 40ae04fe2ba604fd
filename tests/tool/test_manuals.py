# SPDX-License-Identifier: GPL-2.0-or-later
"""The manuals: mandoc has no complaint, links go somewhere, and every option is explained."""

import os
import re
import shutil
import subprocess
import unittest

import tool

MANUALS = [tool.SOURCE / name for name in ("pcap2demo/pcap2demo.1", "common/dump/quakeshark-dump.5",
                                           "plugin/quakeshark.7")]
# Whether other manuals are on this machine says nothing about ours.
ABOUT_THE_MACHINE = re.compile(r"referenced manual not found|outdated mandoc\.db")


def shown(manual):
    """The text of a manual, with options as they are typed."""
    text = re.sub(r"^\.", "", manual.read_text(encoding="utf-8"), flags=re.M)
    return re.sub(r"\bFl (-?)", r"-\1", text)


class Manuals(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is missing")
    def test_lint(self):
        lint = subprocess.run(["mandoc", "-Tlint", *MANUALS], capture_output=True, text=True,
                              check=False)
        self.assertEqual([line for line in (lint.stdout + lint.stderr).splitlines()
                          if not ABOUT_THE_MACHINE.search(line)], [])

    def test_options(self):
        usage = subprocess.run([tool.PROGRAM, "--help"], capture_output=True, text=True, check=True)
        options = set(re.findall(r"^ .{0,5} --([a-z0-9-]+)", usage.stdout, re.M))
        self.assertGreater(len(options), 20)
        explained = set(re.findall(r"(?:--|, -)([a-z0-9-]{2,})", shown(MANUALS[0])))
        self.assertEqual(options - explained, set())

    def test_version(self):
        """Versions stand in one place; the changelog's newest section is about that one."""
        changes = (tool.SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"^## \[([\d.]+)\]", changes, re.M)[1],
                         os.environ["PROJECT_VERSION"])

    def test_links_between_documents(self):
        for name in ("README.md", "CONTRIBUTING.md"):
            text = (tool.SOURCE / name).read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
                with self.subTest(name=name, target=target):
                    self.assertTrue((tool.SOURCE / target).exists())

    def test_anchors(self):
        headings = {}
        for name in ("README.md", "CONTRIBUTING.md"):
            text = (tool.SOURCE / name).read_text(encoding="utf-8")
            headings[name] = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
                              for heading in re.findall(r"^#+ (.*)$", text, re.M)}
            for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]*)\)", text):
                with self.subTest(name=name, anchor=anchor):
                    self.assertIn(anchor, headings.get(target or name, {anchor}))


if __name__ == "__main__":
    unittest.main()
