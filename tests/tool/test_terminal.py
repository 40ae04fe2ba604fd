# SPDX-License-Identifier: GPL-2.0-or-later
"""What a terminal gets: lists as wide as it is, and colors."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from tool import ACKNEX, CAPTURES, PROGRAM, ToolTest

WIDE = CAPTURES / "qw-extended.pcap"


class Terminal(ToolTest):
    def run_on_terminal(self, *arguments, columns=80, stream="stdout", **environment):
        """What a terminal shows of one stream, the other being none."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
        process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)], cwd=self.folder,
            stdin=subprocess.DEVNULL, **streams,
            env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "", **environment})
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # Linux says so when the other end is closed
            pass
        os.close(ours)
        process.wait()
        return shown.decode().replace("\r\n", "\n")


class List(Terminal):
    TITLES = ["#", "player", "map", "game", "duration", "ping", "loss↑", "loss↓", "demo", "start",
              "packets", "client", "server", "score"]
    SHOWN = {80: 9, 100: 10, 120: 11, 140: 12}

    def test_fits(self):
        whole = self.tool("--list", "--wide", WIDE)[0].splitlines()
        self.assertEqual(whole[0].split(), self.TITLES)
        for columns in (80, 100, 120, 140):
            shown = self.run_on_terminal("--list", WIDE, columns=columns, NO_COLOR="1")
            lines = shown.splitlines()
            self.assertEqual(len(lines), len(whole))
            self.assertLessEqual(max(map(len, lines)), columns)
            titles = shown.split("\n", 1)[0].split()
            self.assertEqual(titles, self.TITLES[:self.SHOWN[columns]])
            # COLUMNS does the same where there is no terminal.
            piped = subprocess.run([PROGRAM, "--list", WIDE], stdout=subprocess.PIPE, check=True,
                                   env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": str(columns)})
            self.assertEqual(piped.stdout.decode(), shown)
        # On a very narrow one, what no column is without.
        shown = self.run_on_terminal("--list", WIDE, columns=12, NO_COLOR="1")
        self.assertEqual(shown.splitlines()[0].split(), ["#", "player"])

    def test_several_files(self):
        """Rows say which file they are of, without the folders that all have."""
        other = CAPTURES / "lines/qw-g-server.pcap.gz"
        folder = self.folder / "Übung"
        folder.symlink_to(CAPTURES)
        shown = self.run_on_terminal("--list", folder / WIDE.name, folder / "lines" / other.name,
                                     columns=200, NO_COLOR="1")
        self.assertRegex(shown, r"\n1 +qw-extended\.pcap +(?s:.*)\n2 +lines/qw-g-server\.pcap\.gz +anna ")
        shown = self.run_on_terminal("--list", WIDE, other, columns=80, NO_COLOR="1")
        self.assertEqual(shown.splitlines()[0].split(),
                         ["#", "file", "player", "map", "game", "duration", "ping", "loss↑", "loss↓"])
        self.assertRegex(shown, r"\n2  …[a-z-]*\.pcap\.gz  anna ")

    def test_flags(self):
        """Flags of extensions are for those who ask."""
        self.assertRegex(self.tool("--list", WIDE)[0], r" QW 28 FTE  ")
        self.assertRegex(self.tool("--list", "-v", WIDE)[0], r" QW 28 FTE 0x[0-9a-f]+ FTE2 0x")

    def test_whole(self):
        whole, _ = self.tool("--list", "--wide", WIDE)
        for options, columns in ((["--wide"], 60), ([], 500)):
            shown = self.run_on_terminal("--list", *options, WIDE, columns=columns, NO_COLOR="1")
            self.assertEqual(shown, whole)

    def test_pipe(self):
        """A pipe, and a terminal of unknown width, get the columns of 80 characters."""
        piped, _ = self.tool("--list", WIDE)
        for columns in (80, 0):
            self.assertEqual(self.run_on_terminal("--list", WIDE, columns=columns, NO_COLOR="1"), piped)

    def test_misplaced(self):
        _, error = self.tool("--wide", WIDE, status=2)
        self.assertIn("--wide goes with --list", error)


class Color(Terminal):
    def test_when(self):
        arguments = ("--list", ACKNEX)
        title = "\033[1m#  "
        for environment, options, colored in (
                ({}, [], True), ({"NO_COLOR": "1"}, [], False), ({"TERM": "dumb"}, [], False),
                ({"NO_COLOR": "1"}, ["--color=always"], True), ({}, ["--color=never"], False),
                ({"NO_COLOR": "1"}, ["--color", "auto"], False)):
            with self.subTest(environment=environment, options=options):
                shown = self.run_on_terminal(*options, *arguments, columns=500, **environment)
                self.assertEqual(shown.startswith(title), colored)
                self.assertEqual("\033" in shown, colored)
        plain, _ = self.tool(*arguments)
        self.assertNotIn("\033", plain)
        colored, _ = self.tool("--color=always", *arguments)
        self.assertEqual(re.sub("\033\\[[0-9;]*m", "", colored), plain)

    def test_messages(self):
        shown = self.run_on_terminal("--list", "nothing.pcap", stream="stderr")
        self.assertTrue(shown.startswith("\033[1;31mpcap2demo:\033[0m nothing.pcap: "))
        _, error = self.tool("--color=always", "--list", "--json", ACKNEX)
        self.assertEqual(error, "")
        output, _ = self.tool("--color=always", "--list", "--json", ACKNEX)
        self.assertNotIn("\033", output)
