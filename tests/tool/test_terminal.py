# SPDX-License-Identifier: GPL-2.0-or-later
"""Output to a terminal: lists as wide as it is, and colors."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from tool import ACKNEX, CAPTURES, PROGRAM, SAMPLE, Capture, ToolTest

WIDE = CAPTURES / "qw-extended.pcap"


class Terminal(ToolTest):
    def run_on_terminal(self, *arguments, columns=80, stream="stdout", stdin=subprocess.DEVNULL, **environment):
        """The output of one stream to a terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
        process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)], cwd=self.folder,
            stdin=stdin, **streams,
            env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "", **environment})
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the other end is closed, on Linux
            pass
        os.close(ours)
        process.wait()
        return shown.decode().replace("\r\n", "\n")


class List(Terminal):
    TITLES = ["#", "player", "map", "game", "duration", "ping", "loss↑", "loss↓", "demo", "start",
              "packets", "client", "server", "score"]
    SHOWN = {80: 9, 100: 10, 120: 11, 140: 12}

    def test_list_is_as_wide_as_the_terminal_or_as_columns(self):
        """The least important columns are left out, but never the player."""
        whole = self.tool("--list", "--wide", WIDE)[0]
        self.assertEqual(whole.splitlines()[0].split(), self.TITLES)
        for columns, count in self.SHOWN.items():
            shown = self.run_on_terminal("--list", WIDE, columns=columns, NO_COLOR="1")
            self.assertEqual(len(shown.splitlines()), len(whole.splitlines()))
            self.assertLessEqual(max(map(len, shown.splitlines())), columns)
            self.assertEqual(shown.splitlines()[0].split(), self.TITLES[:count])
            piped, _ = self.tool("--list", WIDE, variables={"COLUMNS": str(columns)})
            self.assertEqual(piped, shown)
        shown = self.run_on_terminal("--list", WIDE, columns=12, NO_COLOR="1")
        self.assertEqual(shown.splitlines()[0].split(), ["#", "player"])
        for options, columns in ((["--wide"], 60), ([], 500)):
            self.assertEqual(self.run_on_terminal("--list", *options, WIDE, columns=columns, NO_COLOR="1"), whole)
        # A pipe, and a terminal of unknown width, get 80 columns.
        for columns in (80, 0):
            self.assertEqual(self.run_on_terminal("--list", WIDE, columns=columns, NO_COLOR="1"), self.tool("--list", WIDE)[0])

    def test_widest_columns_are_narrowed(self):
        """They are as wide as each other then."""
        shown = self.run_on_terminal("--list", CAPTURES / "qw-spectator.pcap", NO_COLOR="1")
        self.assertRegex(shown, r"\n1  spec \(spectat…  dm4 .*  no demo: level…")

    def test_several_files(self):
        """Rows have the file's name, without folders that all have in common."""
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

    def test_flags_of_extensions_need_verbose(self):
        self.assertRegex(self.tool("--list", WIDE)[0], r" QW 28 FTE  ")
        self.assertRegex(self.tool("--list", "-v", WIDE)[0], r" QW 28 FTE 0x[0-9a-f]+ FTE2 0x")

    def test_columns_are_added_by_importance(self):
        """To a list of a session whose sign-on is from a demo."""
        self.tool("-o", "x.qwd", SAMPLE)
        late, order = self.write_capture("late.pcap", Capture.read(SAMPLE).frames[300:]), []
        for columns in range(12, 150, 2):
            titles = self.tool("--list", "--sign-on", "x.qwd", late, variables={"COLUMNS": str(columns)})[0].splitlines()[0]
            order += [title for title in titles.split() if title not in order]
        self.assertEqual(order, ["#", "player", "loss↑", "loss↓", "ping", "map", "game", "duration", "demo", "sign-on", "start",
                                 "packets", "client", "server", "score"])


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
        output, error = self.tool("--color=always", "--list", "--json", ACKNEX)
        self.assertEqual(error, "")
        self.assertNotIn("\033", output)
