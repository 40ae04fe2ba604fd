# SPDX-License-Identifier: GPL-2.0-or-later
"""The jobs for CI systems and the hook for git do what they say, on a repository as their users have.

Steps that install are left out, unless the variable PACKAGE names a package to be installed, or
FROM_SOURCE is set: then the action builds pcap2demo and installs it (Jobs.test_github alone)."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

import tool

EXAMPLES = tool.SOURCE / "pcap2demo/examples"
ACTION = tool.SOURCE / ".github/actions/check-goldens"
PACKAGE = os.environ.get("PACKAGE")
INSTALLS = bool(PACKAGE or os.environ.get("FROM_SOURCE"))
DAMAGE = 90522, b"\x19"  # the health that svc_damage of packet 1027 takes


def gitlab_steps(text):
    """The commands of the job: `script: COMMAND`, or a list below `before_script:` and `script:`."""
    steps = {}
    for name, one, many in re.findall(r"^ +(before_script|script):(?: (.+))?\n((?: +- .*\n)*)", text,
                                      re.M):
        steps[name] = [one] if one else re.findall(r"^ +- (.*)$", many, re.M)
    return (steps.get("before_script", []) if PACKAGE else []) + steps["script"]


def action_steps(text):
    """Of each step: its name, variables, and commands."""
    inputs = dict(re.findall(r"^  (\w+):\n    description: .*\n    default: (.*)$", text, re.M))
    inputs["package"] = PACKAGE or ""
    for name, env, script in re.findall(
            r"^    - name: (.*)\n      shell: bash\n      env:\n((?: {8}.*\n)*)"
            r"      run: ((?:\|\n(?: {8}.*\n)+)|.*\n)", text, re.M):
        variables = {key: inputs[value] for key, value
                     in re.findall(r"^ +(\w+): \$\{\{ inputs\.(\w+) \}\}$", env, re.M)}
        yield name, variables, textwrap.dedent(script.removeprefix("|\n"))


class Jobs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pcap2demo-jobs-"))
        self.addCleanup(shutil.rmtree, self.folder)
        wire = self.folder / "wire"
        wire.mkdir()
        shutil.copy(tool.SOURCE / "tests/captures/qw-sample.pcap", wire / "duel.pcap")
        shutil.copy(tool.SOURCE / "tests/captures/qw-ezquake37.qwd", wire)
        (wire / "README").write_text("not a capture\n")
        bin = self.folder.with_suffix(".bin")
        bin.mkdir()
        self.addCleanup(shutil.rmtree, bin)
        path = os.environ["PATH"]
        if not INSTALLS:
            (bin / "pcap2demo").symlink_to(tool.PROGRAM)
            path = f"{bin}:{path}"
        self.environment = {"PATH": path, "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
                            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
                            "DEBIAN_FRONTEND": "noninteractive"}
        if not INSTALLS:
            self.run_step("pcap2demo --golden wire --update wire")

    def run_step(self, script, **variables):
        return subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.folder,
                              env=self.environment | variables, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)

    def passes(self, script, **variables):
        result = self.run_step(script, **variables)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def damage(self):
        with open(self.folder / "wire/duel.pcap", "r+b") as capture:
            capture.seek(DAMAGE[0])
            capture.write(DAMAGE[1])

    def check_job(self, steps):
        """All steps pass; when a capture changes, the last one fails and says where."""
        *preparation, (check, variables) = steps
        for script, values in preparation:
            self.passes(script, **values)
        if INSTALLS:
            self.passes("pcap2demo --golden wire --update wire")
        self.passes(check, **variables)
        (self.folder / "report.xml").unlink()
        self.damage()
        result = self.run_step(check, **variables)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("- svc_damage() .armor=0 .health=10 .origin=(0 0 0)", result.stderr)
        self.assertIn("+ svc_damage() .armor=0 .health=25 ", (self.folder / "report.xml").read_text())

    def check_gitlab(self, example):
        steps = gitlab_steps(example.read_text(encoding="utf-8"))
        self.check_job([(step, {"PCAP2DEMO": PACKAGE or ""}) for step in steps])

    def test_gitlab(self):
        self.check_gitlab(EXAMPLES / "gitlab-ci.yml")

    def test_gitlab_of_readme(self):
        self.check_gitlab(tool.SOURCE / "README.md")

    def test_github(self):
        steps = list(action_steps((ACTION / "action.yml").read_text(encoding="utf-8")))
        self.assertEqual([name for name, _, _ in steps], ["Install pcap2demo", "Check"])
        self.check_job([(script, variables | {"GITHUB_ACTION_PATH": str(ACTION)})
                        for name, variables, script in steps if INSTALLS or name == "Check"])
        workflow = (EXAMPLES / "github-workflow.yml").read_text(encoding="utf-8")
        used = re.search(r"uses: \./quakeshark/(\S+)", workflow)[1]
        self.assertTrue((tool.SOURCE / used / "action.yml").exists())

    @unittest.skipUnless(shutil.which("git"), "git is missing")
    def test_git(self):
        if PACKAGE:
            self.passes("pcap2demo --golden wire --update wire")
        self.passes("git init -q . && mkdir -p .git/hooks")
        shutil.copy(EXAMPLES / "pre-commit", self.folder / ".git/hooks")
        self.passes("git add wire && git commit -q -m one")
        self.damage()
        self.passes("touch other && git add other && git commit -q -m 'not of wire'")
        result = self.run_step("git add wire && git commit -q -m two")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("- svc_damage() .armor=0 .health=10 .origin=(0 0 0)", result.stderr)

        shutil.copy(EXAMPLES / "gitattributes", self.folder / ".gitattributes")
        config = re.search(r"git config .*", (EXAMPLES / "gitattributes").read_text())[0]
        diff = self.passes(f"{config} && git diff --cached wire/duel.pcap")
        self.assertEqual(re.findall(r"^[-+] .*$", diff, re.M),
                         ["- svc_damage() .armor=0 .health=10 .origin=(0 0 0)", "+ svc_damage() .armor=0 .health=25 .origin=(0 0 0)"])

        self.passes("pcap2demo --golden wire --update wire; git add wire && git commit -q -m two")
