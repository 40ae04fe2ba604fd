# SPDX-License-Identifier: GPL-2.0-or-later
"""The manuals and the guide explain every option and every member of reports; their examples run."""

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
        lossy = sample.frames[300:600] + sample.frames[630:]
        self.write("late.pcap", Capture(sample.link_type, lossy).pcap())
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


# Programs of the examples that record, or that are on other machines.
STAND_INS = {"tcpdump": 'exec cat duel.pcap',
             "parallel": 'for file; do shift; [ "$file" = ::: ] && break; done\n'
                         'for file; do pcap2demo -f -o "${file%.*}-demos/" "$file"; done'}


def examples(manual):
    """The commands of a manual's EXAMPLES."""
    section = re.search(r"^\.Sh EXAMPLES$(.*?)^\.Sh ", manual.read_text(encoding="utf-8"), re.M | re.S)
    return [line.replace("\\e", "\\") for line in re.findall(r"^\.Dl (?:\$ )?(.*)$", section[1], re.M)]


class Examples(ToolTest):
    """Every command of the manuals' EXAMPLES runs, on captures as they describe them."""

    def prepare(self):
        sample, second = Capture.read(SAMPLE), Capture.read(CAPTURES / "nq-control.pcap")
        both = Capture(sample.link_type, sorted(sample.frames + second.frames)).pcap()
        files = {"duel.pcap": both, "run1.pcap": SAMPLE.read_bytes(),
                 "run2.pcap": SAMPLE.read_bytes(), "new.pcap": SAMPLE.read_bytes(),
                 "late.pcap": Capture(sample.link_type, sample.frames[300:]).pcap()}
        for folder in "wire", "evening", "bin":
            (self.folder / folder).mkdir()
        for name in "wire/a.pcap", "evening/a.pcap", *files:
            self.write(name, files.get(name, both))
        self.run_tool("-o", "older.qwd", SAMPLE)
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        (self.folder / "bin/pcap2demo").symlink_to(tool.PROGRAM)
        for name, script in STAND_INS.items():
            (self.folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
            (self.folder / "bin" / name).chmod(0o755)

    def test_run(self):
        self.prepare()
        commands = [command for manual in MANUALS for command in examples(manual)]
        self.assertGreater(len(commands), 15)
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        for command in commands:
            program = command.split("|")[-1].split()[0]
            if program == "tshark" or not shutil.which(program, path=path):
                continue
            with self.subTest(command):
                result = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True,
                                        env={**os.environ, "PATH": path}, capture_output=True,
                                        stdin=subprocess.DEVNULL)
                # 1 and xargs' 123: the late capture is not whole.
                self.assertIn(result.returncode, (0, 1, 123), result.stderr)
                self.assertNotRegex(result.stderr, "Try .pcap2demo --help|[Nn]o such file|not used for")
                if "|" in command and "-o " not in command:
                    self.assertNotEqual(result.stdout, "")


class Guide(ToolTest):
    """RECORDING.md: what it has pcap2demo do is understood, up to a folder that does not exist."""

    def test_options(self):
        text = (tool.SOURCE / "pcap2demo/RECORDING.md").read_text(encoding="utf-8")
        commands = re.findall(r"^sudo pcap2demo (-i .*)$", text, re.M)
        table = re.search(r"^\| you want .*?\n\n", text, re.M | re.S)[0]
        options = re.findall(r"^OPTIONS=(.*)$", text, re.M) + [option for option in re.findall(r"`(--[^`]*?)`", table) if option != "--status"]
        self.assertGreater(len(options), 5)
        for each in [*commands, *(f"-i any {option}" for option in options)]:
            with self.subTest(each):
                output, _ = self.tool(*each.replace("-i any", "--follow no-such").split(), status=2)
                self.assertIn("no-such: there is no such folder", output)

    def test_lists(self):
        """The evening's captures in one list."""
        text = (tool.SOURCE / "pcap2demo/RECORDING.md").read_text(encoding="utf-8")
        (self.folder / "ring").mkdir()
        self.write("ring/wire.pcap07", SAMPLE.read_bytes())
        for command in re.findall(r"`pcap2demo (--list .*?)`", text):
            self.assertIn("labplayer", self.tool(*command.replace("/var/lib/pcap2demo/", "").split())[0])


class Manuals(unittest.TestCase):
    def test_options(self):
        usage = subprocess.run([tool.PROGRAM, "--help"], capture_output=True, text=True, check=True)
        options = set(re.findall(r"^  (?:-., )?--([a-z0-9-]+)", usage.stdout, re.M))
        self.assertGreater(len(options), 20)
        explained = set(re.findall(r"(?:--|, -)([a-z0-9-]{2,})", shown(MANUALS[0])))
        self.assertEqual(options - explained, set())

    def test_synopsis(self):
        """It has all that can be done, and the choices that are there."""
        usage = subprocess.run([tool.PROGRAM, "--help"], capture_output=True, text=True, check=True)
        choose = subprocess.run([tool.PROGRAM, "--list", "--dump"], capture_output=True, text=True)
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
        result = subprocess.run([tool.PROGRAM, "--option", "none", ACKNEX], capture_output=True, text=True)
        options = re.search(r"the options are: (.*)", result.stderr)[1].split(", ")
        for option in options:
            name, values = option.split("=")
            with self.subTest(name):
                self.assertIn(f"It Cm {name} Ns = Ns Cm {values.replace('|', ' | Cm ')}\n",
                              shown(MANUALS[0]))
