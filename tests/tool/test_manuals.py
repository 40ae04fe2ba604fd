# SPDX-License-Identifier: GPL-2.0-or-later
"""The manuals: mandoc has no complaint, links go somewhere, and every option is explained."""

import json
import os
import re
import shutil
import subprocess
import unittest

import tool
from tool import ACKNEX, CAPTURES, SAMPLE, Capture, ToolTest

MANUALS = [tool.SOURCE / name for name in ("pcap2demo/pcap2demo.1", "common/dump/quakeshark-dump.5",
                                           "plugin/quakeshark.7")]
# The floors of CONTRIBUTING.md, from the lowest on.
GAMES = ["common/quakeworld", "common/quake2", "common/quake", "common/acknex"]
FLOORS = [["common/core"], ["common/netchan"], ["common/fte"], GAMES, ["common/demo"],
          ["common/dump", "common/sessions", "common/stats"], ["plugin", "pcap2demo"]]
DOCUMENTS = ("README.md", ".github/CONTRIBUTING.md")
# Whether other manuals are on this machine says nothing about ours.
ABOUT_THE_MACHINE = re.compile(r"referenced manual not found|outdated mandoc\.db")


# What programs find in members by what the input is: no words of the manual are wanted for these.
FREE = {"notes"}


def members(value):
    """The names of all members in it, of what is in them, too."""
    found = set()
    if isinstance(value, list):
        for each in value:
            found |= members(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            found |= {name} | (set() if name in FREE else members(each))
    return found


def shown(manual):
    """The text of a manual, with options as they are typed."""
    text = re.sub(r"^\.", "", manual.read_text(encoding="utf-8"), flags=re.M)
    return re.sub(r"\bFl (-?)", r"-\1", text)


class Reports(ToolTest):
    """The reports in JSON have the members that the manual names, no more and no fewer."""

    def report(self, *arguments):
        return json.loads(self.run_tool("--json", *arguments).stdout)

    def members(self):
        sample = Capture.read(SAMPLE)
        self.write("whole.pcap", sample.pcap())
        self.write("late.pcap", Capture(sample.link_type, sample.frames[300:]).pcap())
        self.run_tool("--output", "demo.qwd", "whole.pcap")
        self.run_tool("--golden", ".", "--update", ACKNEX)
        golden = self.folder / "acknex-generated.golden"
        golden.write_text(golden.read_text().replace("house.wmb", "hut.wmb"))
        self.run_tool("--expect", "wire.expect", "--update", ACKNEX)
        demo = CAPTURES / "q2-limits1.dm2"  # with a problem
        reports = {"list": self.report("--list", "--sign-on", "demo.qwd", "late.pcap"),
                   "check": self.report("--check", "--golden", ".", ACKNEX, demo),
                   "expect": self.report("--check", "--expect", "wire.expect", ACKNEX),
                   "stats": self.report("--stats", "whole.pcap")}
        for kind, report in reports.items():
            self.assertEqual(report["kind"], "check" if kind == "expect" else kind)
        return set().union(*map(members, reports.values()))

    def test_members(self):
        text = MANUALS[0].read_text(encoding="utf-8")
        section = re.search(r"^\.Sh JSON REPORTS$(.*?)^\.Sh ", text, re.M | re.S)[1]
        section = re.sub(r"^\.Pq Cm ", ".Cm ", section, flags=re.M)
        named = {word for line in re.findall(r"^\.(?:It )?Cm (.*)$", section, re.M)
                 for word in re.findall(r"\w+", line)}
        self.assertEqual(self.members() - {"?"}, named)


class Manuals(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is missing")
    def test_lint(self):
        lint = subprocess.run(["mandoc", "-Tlint", *MANUALS], capture_output=True, text=True,
                              check=False)
        self.assertEqual([line for line in (lint.stdout + lint.stderr).splitlines()
                          if not ABOUT_THE_MACHINE.search(line)], [])

    def test_options(self):
        usage = subprocess.run([tool.PROGRAM, "--help"], capture_output=True, text=True, check=True)
        options = set(re.findall(r"^  (?:-., )?--([a-z0-9-]+)", usage.stdout, re.M))
        self.assertGreater(len(options), 20)
        explained = set(re.findall(r"(?:--|, -)([a-z0-9-]{2,})", shown(MANUALS[0])))
        self.assertEqual(options - explained, set())

    def test_synopsis(self):
        """It has all that can be done, and the choices that are there."""
        usage = subprocess.run([tool.PROGRAM, "--help"], capture_output=True, text=True, check=True)
        choose = subprocess.run([tool.PROGRAM, "--list", "--dump"], capture_output=True, text=True,
                                check=False)
        names = "|".join(re.findall(r"--([a-z-]+)[ ,\n]", choose.stderr.splitlines()[0] + "\n"))
        actions = "\n".join(re.findall(rf"^  (?:-., )?--(?:{names})\b.*$", usage.stdout, re.M))
        synopsis = re.search(r"^Sh SYNOPSIS$.*?^Sh ", shown(MANUALS[0]), re.M | re.S)[0]
        synopsis = synopsis.replace("| -", "| --")
        self.assertGreater(len(actions.splitlines()), 8)
        for name, choices in re.findall(r"^  (?:-., )?--([a-z-]+)(=\[[a-z|]+\])?", actions, re.M):
            with self.subTest(name):
                self.assertIn(f"--{name}", synopsis)
                written = choices[2:-1].replace("|", " | Cm ")
                self.assertRegex(synopsis, rf"--{name}\b.*{re.escape(written)}")

    def test_options_of_protocols(self):
        result = subprocess.run([tool.PROGRAM, "--option", "none", ACKNEX], capture_output=True,
                                text=True, check=False)
        options = re.search(r"the options are: (.*)", result.stderr)[1].split(", ")
        for option in options:
            name, values = option.split("=")
            with self.subTest(name):
                self.assertIn(f"It Cm {name} Ns = Ns Cm {values.replace('|', ' | Cm ')}\n",
                              shown(MANUALS[0]))

    def test_version(self):
        """Versions stand in one place; the changelog's newest section is about that one."""
        changes = (tool.SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"^## \[([\d.]+)\]", changes, re.M)[1],
                         os.environ["PROJECT_VERSION"])

    def test_floors(self):
        """A folder includes headers of its own and of those on floors below, of no others."""
        below, files = [], 0
        for floor in FLOORS:
            for folder in floor:
                others = tuple(f"{name}/" for names in FLOORS for name in names
                               if name not in below and name != folder)
                for path in sorted((tool.SOURCE / folder).rglob("*.[ch]")):
                    text = path.read_text(encoding="utf-8")
                    included = re.findall(r'^#include "(.*)"', text, re.M)
                    above = [name for name in included if name.startswith(others)]
                    self.assertEqual(above, [], path)
                    files += 1
            below += floor
        self.assertGreater(files, 350)

    def test_links_between_documents(self):
        for name in DOCUMENTS:
            text = (tool.SOURCE / name).read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
                with self.subTest(name=name, target=target):
                    self.assertTrue(((tool.SOURCE / name).parent / target).exists())

    def test_anchors(self):
        texts = {name: (tool.SOURCE / name).read_text(encoding="utf-8") for name in DOCUMENTS}
        headings = {name: {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
                           for heading in re.findall(r"^#+ (.*)$", text, re.M)}
                    for name, text in texts.items()}
        for name, text in texts.items():
            for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]*)\)", text):
                with self.subTest(name=name, anchor=anchor):
                    self.assertIn(anchor, headings[target or name])


if __name__ == "__main__":
    unittest.main()
