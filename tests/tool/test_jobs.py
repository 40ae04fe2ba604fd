# SPDX-License-Identifier: GPL-2.0-or-later
"""The examples for CI systems and for git, in a repository of captures: they pass, and fail when a capture changes."""

import re
import shutil
import subprocess
import unittest

import tool
from tool import CAPTURES, ToolTest

EXAMPLES = tool.SOURCE / "pcap2demo/examples"
JOBS = (tool.SOURCE / "README.md", EXAMPLES / "gitlab-ci.yml", tool.SOURCE / ".github/actions/check-goldens/action.yml")
OLD, NEW = (f"svc_damage() .armor=0 .health={health} .origin=(0 0 0)" for health in (10, 25))


class Jobs(ToolTest):
    def setUp(self):
        super().setUp()
        for name in "wire", "bin":
            (self.folder / name).mkdir()
        shutil.copy(CAPTURES / "qw-sample.pcap", self.folder / "wire/duel.pcap")
        shutil.copy(CAPTURES / "qw-ezquake37.qwd", self.folder / "wire")
        self.write("wire/README", b"not a capture\n")
        (self.folder / "bin/pcap2demo").symlink_to(tool.PROGRAM)
        self.shell("pcap2demo --golden wire --update wire")

    def shell(self, script, status=0):
        """Returns the output."""
        script = f"PATH={self.folder}/bin:$PATH HOME={self.folder} LC_ALL=C.UTF-8 FOLDER=wire REPORT=report.xml\n" \
                 f"export PATH HOME LC_ALL\n{script}"
        result = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(result.returncode, status, result.stdout)
        return result.stdout

    def damage(self):
        """Changes the health that svc_damage of packet 1027 takes."""
        with (self.folder / "wire/duel.pcap").open("r+b") as capture:
            capture.seek(90522)
            capture.write(b"\x19")

    def test_jobs_fail_when_a_capture_changes(self):
        commands = [command for path in JOBS for command in
                    re.findall(r"^ +(?:script:|run:|-) (pcap2demo --check .*)$", path.read_text(encoding="utf-8"), re.M)]
        self.assertEqual(len(commands), len(JOBS))
        for command in commands:
            self.shell(command)
        self.damage()
        for command in commands:
            (self.folder / "report.xml").unlink()
            self.assertIn("- " + OLD, self.shell(command, status=1))
            self.assertIn("+ " + NEW, (self.folder / "report.xml").read_text())

    @unittest.skipUnless(shutil.which("git"), "git is missing")
    def test_hook_refuses_a_commit_and_diff_shows_the_change(self):
        self.shell("git init -q . && git config user.name a && git config user.email a@example.org; mkdir -p .git/hooks")
        shutil.copy(EXAMPLES / "pre-commit", self.folder / ".git/hooks")
        self.shell("git add wire && git commit -q -m one")
        self.damage()
        self.shell("touch other && git add other && git commit -q -m 'not of wire'")
        self.assertIn("- " + OLD, self.shell("git add wire && git commit -q -m two", status=1))
        shutil.copy(EXAMPLES / "gitattributes", self.folder / ".gitattributes")
        config = re.search(r"git config .*", (EXAMPLES / "gitattributes").read_text())[0]
        diff = self.shell(f"{config} && git diff --cached wire/duel.pcap")
        self.assertEqual(re.findall(r"^[-+] .*$", diff, re.M), ["- " + OLD, "+ " + NEW])
        self.shell("pcap2demo --golden wire --update wire; git add wire && git commit -q -m two")
