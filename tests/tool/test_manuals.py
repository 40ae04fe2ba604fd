# SPDX-License-Identifier: GPL-2.0-or-later
"""The manuals explain every option and every member of the JSON reports; their examples and RECORDING.md's run."""

import os
import re
import shutil
import subprocess

import tool
from tool import ACKNEX, CAPTURES, SAMPLE, Capture, ToolTest

MANUALS = [(tool.SOURCE / name).read_text(encoding="utf-8") for name in (
    "pcap2demo/pcap2demo.1", "common/dump/quakeshark-dump.5", "plugin/quakeshark.7")]
# A stand-in for tcpdump, which needs privileges.
TCPDUMP = "#!/bin/sh\nexec cat duel.pcap\n"


def section(manual, title):
    return re.search(rf"^\.Sh {title}$(.*?)^\.Sh ", manual, re.M | re.S)[1]


def members(value):
    """The names of all members. The members of notes depend on the input, and the manual does not name them."""
    if isinstance(value, list):
        return set().union(*map(members, value))
    if isinstance(value, dict):
        return set(value).union(*(members(each) for name, each in value.items() if name != "notes"))
    return set()


class Manuals(ToolTest):
    def test_manual_has_every_option(self):
        options = set(re.findall(r"^  (?:-., )?--([a-z0-9-]+)", self.tool("--help")[0], re.M))
        self.assertGreater(len(options), 20)
        self.assertLessEqual(options, set(re.findall(r"(?:\bFl |, )-([a-z0-9-]{2,})", MANUALS[0])))

    def test_manual_names_the_members_of_reports_and_no_others(self):
        frames = Capture.read(SAMPLE).frames
        self.write_capture("late.pcap", frames[300:600] + frames[630:])
        self.tool("-o", "demo.qwd", SAMPLE)
        self.tool("--golden", ".", "--update", ACKNEX)
        golden = self.folder / "acknex-generated.golden"
        golden.write_text(golden.read_text().replace("house.wmb", "hut.wmb"))
        self.tool("--expect", "wire.expect", "--update", ACKNEX)
        reports = [self.report(*arguments, status=None) for arguments in (
            ("--list", "--sign-on", "demo.qwd", "late.pcap"), ("--stats", SAMPLE),
            ("--check", "--golden", ".", ACKNEX, CAPTURES / "q2-limits1.dm2"), ("--check", "--expect", "wire.expect", ACKNEX))]
        text = re.sub(r"^\.Pq Cm ", ".Cm ", section(MANUALS[0], "JSON REPORTS"), flags=re.M)
        named = " ".join(re.findall(r"^\.(?:It )?Cm (.*)$", text, re.M))
        self.assertEqual(members(reports) - {"?"}, set(re.findall(r"\w+", named)))

    def test_examples_run(self):
        sample = Capture.read(SAMPLE)
        for folder in "wire", "evening", "bin":
            (self.folder / folder).mkdir()
        for name in "wire/a.pcap", "evening/a.pcap", "duel.pcap":
            self.write_capture(name, sorted(sample.frames + Capture.read(CAPTURES / "nq-control.pcap").frames))
        for name in "run1.pcap", "run2.pcap", "new.pcap":
            self.write(name, SAMPLE.read_bytes())
        self.write_capture("late.pcap", sample.frames[300:])
        self.tool("-o", "older.qwd", SAMPLE)
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        (self.folder / "bin/pcap2demo").symlink_to(tool.PROGRAM)
        self.write("bin/tcpdump", TCPDUMP.encode()).chmod(0o755)
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        commands = [command.replace("\\e", "\\") for manual in MANUALS
                    for command in re.findall(r"^\.Dl (?:\$ )?(.*)$", section(manual, "EXAMPLES"), re.M)]
        self.assertGreater(len(commands), 15)
        for command in commands:
            program = command.split("|")[-1].split()[0]
            if program == "tshark" or not shutil.which(program, path=path):
                continue
            with self.subTest(command):
                result = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, capture_output=True,
                                        env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL)
                # 1 and xargs' 123: the late capture is not whole.
                self.assertIn(result.returncode, (0, 1, 123), result.stderr)
                self.assertNotRegex(result.stderr, "Try .pcap2demo --help|[Nn]o such file|not used for")
                if "|" in command and "-o " not in command:
                    self.assertNotEqual(result.stdout, "")

    def test_commands_of_the_guide_are_accepted(self):
        """RECORDING.md's commands get as far as a folder that does not exist; the lists of captures are printed."""
        text = (tool.SOURCE / "pcap2demo/RECORDING.md").read_text(encoding="utf-8")
        table = re.search(r"^\| you want .*?\n\n", text, re.M | re.S)[0]
        options = re.findall(r"^OPTIONS=(.*)$", text, re.M) + re.findall(r"`(--(?!status`)[^`]*)`", table)
        self.assertGreater(len(options), 5)
        for each in re.findall(r"^sudo pcap2demo -i any (.*)$", text, re.M) + options:
            with self.subTest(each):
                log, _ = self.tool("--follow", "no-such", *each.split(), status=2)
                self.assertIn("no-such: there is no such folder", log)
        (self.folder / "ring").mkdir()
        self.write("ring/wire.pcap07", SAMPLE.read_bytes())
        for command in re.findall(r"`pcap2demo (--list .*?)`", text):
            self.assertIn("labplayer", self.tool(*command.replace("/var/lib/pcap2demo/", "").split())[0])
