# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion on the command line, in bash, and in fish and zsh if they are installed."""

import os
import shlex
import shutil
import subprocess
import unittest

import tool

SCRIPTS = tool.SOURCE / "pcap2demo" / "completions"

# The words as readline splits them: "=" is one of its own.
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

    def test_options_values_and_files(self):
        """Readline completes files if there is no other word."""
        for words, completions in (("--ex", ["--extract-files", "--expect"]), ("--split = le", ["level"]),
                                   ("--dump = ''", ["text", "compact", "json"]), ("--qwd-format ez", ["ezquake-3.7"]),
                                   ("--output ''", [""]), ("duel", [""])):
            self.assertEqual(self.complete(words), completions)
        self.assertLessEqual({"--list", "--output", "--split", "--help"}, set(self.complete("--")))


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(unittest.TestCase):
    def complete(self, line):
        found = run("fish", f"source {shlex.quote(f'{SCRIPTS}/pcap2demo.fish')}; complete -C 'pcap2demo {line}'")
        return [word.partition("\t")[0] for word in found]

    def test_options_and_values(self):
        self.assertEqual(self.complete("--ex"), ["--extract-files", "--expect"])
        self.assertEqual(self.complete("--split=le"), ["--split=level"])
        self.assertEqual(self.complete("--dump="), ["--dump=compact", "--dump=json", "--dump=text"])


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(unittest.TestCase):
    def test_syntax(self):
        """The script is one of zsh; its words come from --help, as fish's."""
        run("zsh", f"zsh -n {shlex.quote(f'{SCRIPTS}/_pcap2demo')}")
