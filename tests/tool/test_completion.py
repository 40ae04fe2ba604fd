# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion on the command line, by the shells that are there. bash always is."""

import os
import shlex
import shutil
import subprocess
import unittest

import tool

SCRIPTS = tool.SOURCE / "pcap2demo" / "completions"

# As readline splits words: "=" is one of its own.
BASH = """
source {script}
COMP_WORDS=(pcap2demo {words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_pcap2demo pcap2demo "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def run(shell, script):
    program = os.path.dirname(tool.PROGRAM)
    environment = {**os.environ, "PATH": f"{program}:{os.environ['PATH']}"}
    result = subprocess.run([shell, "-c", script], env=environment, capture_output=True, text=True,
                            check=True)
    return result.stdout.split("\n")[:-1]


class Bash(unittest.TestCase):
    def complete(self, words):
        return run("bash", BASH.format(script=shlex.quote(f"{SCRIPTS}/pcap2demo.bash"), words=words))

    def test_options(self):
        self.assertEqual(self.complete("--ex"), ["--extract-files", "--expect"])
        self.assertLessEqual({"--list", "--output", "--split", "--help"},
                             set(self.complete("--")))

    def test_values(self):
        self.assertEqual(self.complete("--split = le"), ["level"])
        self.assertEqual(self.complete("--dump = ''"), ["text", "compact", "json"])
        self.assertEqual(self.complete("--qwd-format ez"), ["ezquake-3.7"])

    def test_files(self):
        """Readline completes them where there is nothing else."""
        self.assertEqual(self.complete("--output ''"), [""])
        self.assertEqual(self.complete("duel"), [""])


@unittest.skipUnless(shutil.which("fish"), "fish is not there")
class Fish(unittest.TestCase):
    def complete(self, line):
        found = run("fish", f"source {shlex.quote(f'{SCRIPTS}/pcap2demo.fish')}; complete -C 'pcap2demo {line}'")
        return [word.partition("\t")[0] for word in found]

    def test_options_and_values(self):
        self.assertEqual(self.complete("--ex"), ["--extract-files", "--expect"])
        self.assertEqual(self.complete("--split=le"), ["--split=level"])
        self.assertEqual(self.complete("--dump="), ["--dump=compact", "--dump=json", "--dump=text"])


@unittest.skipUnless(shutil.which("zsh"), "zsh is not there")
class Zsh(unittest.TestCase):
    def test_syntax(self):
        """The script is one of zsh; its words come from --help, as fish's."""
        run("zsh", f"zsh -n {shlex.quote(f'{SCRIPTS}/_pcap2demo')}")
