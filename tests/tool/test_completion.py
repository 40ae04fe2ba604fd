# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion on the command line, by the shells that are there. bash always is."""

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import time
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


# A key lists what there is, another prints the line; both end with a mark that typing does not show.
ZSH = r"""
PS1= PS2= RPS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp; LISTMAX=1000
fpath=({folder} $fpath); autoload -Uz compinit; compinit -D -u
show() {{ print -r -- "<<$BUFFER>>" }}; zle -N show; bindkey '^X' show
zstyle ':completion:*' verbose no
print READY$((1 + 1))
"""


@unittest.skipUnless(shutil.which("zsh"), "zsh is not there")
class Zsh(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("duel.pcap", "duel.qwd"):
            open(os.path.join(self.folder.name, name), "w").close()
        os.mkdir(os.path.join(self.folder.name, "wire"))
        self.process, self.terminal = pty.fork()
        if not self.process:
            os.chdir(self.folder.name)
            program = os.path.dirname(tool.PROGRAM)
            os.environ.update(TERM="dumb", HOME=self.folder.name, COLUMNS="200",
                              PATH=f"{program}:{os.environ['PATH']}")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.addCleanup(os.waitpid, self.process, 0)
        self.addCleanup(os.close, self.terminal)
        os.write(self.terminal, ZSH.format(folder=shlex.quote(str(SCRIPTS))).replace("\n", ";").encode() + b"\n")
        self.read_to("READY2")

    def read_to(self, end):
        text, limit = "", time.monotonic() + 300
        while not re.search(end, text):
            self.assertLess(time.monotonic(), limit, text)
            if select.select([self.terminal], [], [], 1)[0]:
                text += os.read(self.terminal, 65536).decode(errors="replace")
        return text

    def complete(self, words):
        """The line behind a tabulator, and what was listed."""
        os.write(self.terminal, f"pcap2demo {words}\t\x18".encode())
        text = self.read_to("<<.*>>")
        os.write(self.terminal, b"\x15")
        return re.search("<<pcap2demo (.*)>>", text)[1], text.partition("<<")[0]

    def test_options(self):
        self.assertEqual(self.complete("--ex")[0], "--extract-files=")
        self.assertEqual(self.complete("--lis")[0], "--list ")
        listed = self.complete("-")[1]
        for option in ("--output", "--split", "--help", "-o"):
            self.assertIn(option, listed)
        # The line has a single blank before it, the list has more or a new line.
        self.assertNotRegex(self.complete("--list --")[1], r"(\n|  )--list\b")
        self.assertEqual(self.complete("--session=1 --sess")[0], "--session=1 --session=")

    def test_values(self):
        self.assertEqual(self.complete("--split=le")[0], "--split=level ")
        self.assertEqual(self.complete("--split le")[0], "--split level ")
        self.assertEqual(self.complete("--dump=c")[0], "--dump=compact ")
        for value in ("compact", "json", "text"):
            self.assertIn(value, self.complete("--dump=")[1])

    def test_files(self):
        self.assertEqual(self.complete("--dump duel.p")[0], "--dump duel.pcap ")
        self.assertEqual(self.complete("--read=duel.q")[0], "--read=duel.qwd ")
        self.assertEqual(self.complete("-r duel.q")[0], "-r duel.qwd ")
        self.assertEqual(self.complete("--golden=")[0], "--golden=wire/")  # no folder else
        self.assertEqual(self.complete("-l wi")[0], "-l wire/")
