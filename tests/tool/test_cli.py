# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: options, exit statuses, and where output goes."""

import os
import re
import shlex
import signal
import subprocess
import unittest

import capture
import damages
import tool
from tool import ACKNEX, CAPTURES, ETHERNET, SAMPLE, Capture, ToolTest


class Usage(ToolTest):
    def test_version(self):
        self.assertEqual(self.tool("--version"), (f"pcap2demo {os.environ['PROJECT_VERSION']}\n", ""))

    def test_command_lines_that_are_accepted(self):
        """Files may have names that look like actions or options; values may stand in their option's word."""
        for name in ("list", "json", "udp", "--list"):
            self.write(name, ACKNEX.read_bytes())
        for line in ("--list list", "--dump json", "-f --list udp", "--dump -- --list", "--list -qs1 F", "--list -s1 F",
                     "--list -s 1 F", "--list --session=1 F", "--list -qs 1 F", "--list -p acknex=2300 F",
                     "--list -p Acknex=2300 F", "--list -p '3D GameStudio=2300' F", "--list -s 1-5 F", "--list --filter udp F"):
            with self.subTest(line):
                output, _ = self.tool(*(ACKNEX if word == "F" else word for word in shlex.split(line)))
                self.assertIn("house.wmb", output)
        for name in ("quake", "Quake", "NetQuake", "quakeworld", "QW", "quake2", "Quake II"):
            self.tool("--list", "--port", f"{name}=2301", ACKNEX)

    def test_command_lines_that_mean_the_same(self):
        for one, other in ((["--dump", ACKNEX], ["--dump", "-r", ACKNEX]), (["--dump", ACKNEX], [ACKNEX, "--dump=text"]),
                           (["--dump=json", ACKNEX], ["--dump", "--json", ACKNEX]),
                           (["--golden", "new/goldens", ACKNEX], ["--check", "--golden", "new/goldens", ACKNEX])):
            self.tool("--force", "--golden", "new/goldens", "--update", ACKNEX)
            self.assertEqual(self.tool(*one), self.tool(*other))
        self.assertTrue(self.tool("--dump", ACKNEX)[0].startswith("1 0+5 packet.time = 1000000000.000000000\n"))
        output, _ = self.tool("-r", CAPTURES / "qw-ezquake37.qwd", "-w", "made.pcapng")
        self.assertEqual(output, "made.pcapng: 57 packets of 1 demo\n")

    def test_every_value_that_a_wrong_protocol_option_lists_is_accepted(self):
        _, error = self.tool("--option", "acknex.pos_resolution=foo", ACKNEX, status=2)
        options = re.search(r"the options are: (.*)", error)[1].split(", ")
        self.assertIn("acknex.pos_resolution=packed|fixed", options)
        for option in options:
            name, values = option.split("=")
            for value in values.split("|"):
                self.tool("--list", "--option", f"{name}={value}", ACKNEX)

    def test_help_fits_and_short_help_is_one_screen_of_it(self):
        (short, error), (long, _) = self.tool("-h"), self.tool("--help")
        self.assertEqual(error, "")
        for text, width in (short, 80), (long, 95):
            for line in text.splitlines():
                self.assertLessEqual(len(line), width)
                self.assertEqual(line, line.rstrip())
        self.assertLessEqual(len(short.splitlines()), 24)
        options = re.findall(r"^ +(?:(-.), )?(--[a-z-]+)", short, re.M)
        self.assertEqual(len(options), 10)
        for letter, name in options:
            self.assertRegex(long, rf"(?m)^  {letter + ', ' if letter else ''}{name}\b")
        section, = (part for part in long.split("\n\n") if part.startswith("Make captures:"))
        self.assertLessEqual({"anonymize", "replace-names", "replace-chat"}, set(re.findall(r"--([a-z-]+)", section)))


class Inputs(ToolTest):
    def test_why_an_input_cannot_be_read(self):
        printed = {
            "empty.pcap": (b"", "it is empty"),
            "a.pcap.bz2": (b"BZh91AY", ""),
            "a.7z": (b"7z\xbc\xaf\x27\x1c\0", "a 7z archive: unpack it first"),
            "any.dem": (b"7z\xbc\xaf\x27\x1c\0\0\0", "a 7z archive: unpack it first"),
            "a.snoop": (b"snoop\0\0\0\0\0\0\2", "a capture of Solaris: convert it with editcap -F pcap"),
            "a.rar": (b"Rar!\x1a\x07\0", "a rar archive: unpack it first"),
            "lfs.dem": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer: get .*"),
            "page.mvd": (b"<!DOCTYPE html><html></html>", "a web page: download the file itself.*"),
            "cs.dem": (b"HLDEMO\0\0\5\0\0\0", "a demo of Half-Life: .*"),
            "duel.qwz": (b"\1\2\3\4\5\6\7\10", "Qizmo packed: unpack it with qizmo -D.*"),
            "run.dz": (b"DZ\2\11\0\0\0\0", "a Dzip archive: unpack it with dzip -x.*")}
        for name, (data, end) in printed.items():
            with self.subTest(name):
                self.assertRegex(self.tool(self.write(name, data), status=2)[1],
                                 rf"^pcap2demo: .*{name}: neither a capture nor a demo([:,].*)?{end}\n")
                if name != "duel.qwz":  # only its name shows what it is
                    self.assertRegex(self.tool("-", input=data, status=2)[1],
                                     rf"^pcap2demo: standard input: neither a capture nor a demo([:,].*)?{end}\n")

    def test_standard_input_has_one_name(self):
        """Also a demo, in results and in messages."""
        output, error = self.tool("--check", "-", input=(CAPTURES / "q2-limits1.dm2").read_bytes(), status=1)
        self.assertTrue(output.startswith("standard input: 14 blocks, "), output)
        self.assertTrue(error.startswith("pcap2demo: standard input: block 13: "), error)

    def test_other_inputs_are_read_beside_an_unreadable_one(self):
        output, error = self.tool("--list", "missing.pcap", ACKNEX, status=2)
        self.assertIn("missing.pcap: No such file", error)
        self.assertIn("house.wmb", output)

    def test_file_name_that_is_not_utf_8(self):
        path = os.path.join(os.fsencode(self.folder), b"caf\xe9.pcap")
        with open(path, "wb") as file:
            file.write(ACKNEX.read_bytes())
        for mode in ("--list", "--check"):
            session, = self.report(mode, os.fsdecode(path))["sessions"]
            self.assertIn("caf", session["file"])

    def test_capture_without_a_session(self):
        path = self.write_capture("x.pcap", [(0, bytes(60))])
        output, error = self.tool("--list", path, status=1)
        self.assertEqual(len(output.splitlines()), 1)
        self.assertIn("x.pcap: no session found: none of 1 packet (0 of UDP, 0 of TCP) is of a game's", error)
        self.assertEqual(self.tool(path, status=1)[1], error)
        self.assertEqual(self.listed(path, status=1), [])
        capture = bytearray(path.read_bytes())
        capture[24 + 12:24 + 16] = (1000).to_bytes(4, "little")  # the packet was longer on the wire
        self.assertIn("connection; the capture has only the beginning of packets: record with tcpdump -s 0",
                      self.tool(self.write("x.pcap", capture), status=1)[1])

    def test_empty_results_have_a_message_and_a_status(self):
        for actions, options, printed in (
                (("--list", "--dump", "--check", "--stats", "-q"), ("--filter", "tcp"),
                 'filter "tcp" matches none of 25 packets'),
                (("--list", "--dump", "--check", "--stats"), ("-s", "2-3"), "no session 2: the input has 1 session"),
                (("--extract-files=out",), (), "no server sent a file")):
            for action in actions:
                self.assertEqual(self.tool(action, *options, ACKNEX, status=1)[1], f"pcap2demo: {printed}\n")
        self.tool("--list", "--filter", "tcp", ACKNEX, CAPTURES / "qw-qtv.pcap")  # one of both matches

    def test_goldens_without_an_input(self):
        """A folder's goldens all need an input; beside files that are named, there may be others."""
        for name in ("a", "b", "c"):
            self.write(f"{name}.pcap", ACKNEX.read_bytes())
        self.tool("-q", "--golden", "goldens", "--update", "a.pcap", "b.pcap", "c.pcap")
        (self.folder / "c.pcap").unlink()
        stray = "pcap2demo: goldens/c.golden: no input has this golden\n"
        self.assertEqual(self.tool("-q", "--golden", "goldens", ".", status=1)[1], stray)
        self.assertEqual(self.tool("-q", "--golden", "goldens", "a.pcap", "b.pcap")[1], stray)
        self.assertEqual(self.tool("-q", "--golden", "goldens", "a.pcap")[1], "")


class List(ToolTest):
    def test_table(self):
        output, error = self.tool("--list", "--wide", ACKNEX)
        head, row = output.splitlines()
        self.assertEqual(error, "")
        self.assertEqual(head.split(), ["#", "player", "map", "game", "duration", "ping", "loss↑",
                                        "loss↓", "demo", "start", "packets", "client", "server"])
        for text in ("1  Bob     house.wmb  Acknex ", "10.0.0.2:51000  10.0.0.1:2300",
                     "2001-09-09T01:46:40Z", "  25  ", "has no demo format"):
            self.assertIn(text, row)


class Check(ToolTest):
    def damaged(self, count):
        """The capture with its last `count` packets' payloads overwritten."""
        frames = Capture.read(ACKNEX).frames
        frames[-count:] = [(time, frame[:42] + b"\xee" * (len(frame) - 42)) for time, frame in frames[-count:]]
        return self.write_capture("bad.pcap", frames)

    def test_ten_of_many_problems_are_printed_and_all_are_counted(self):
        _, error = self.tool("--check", self.damaged(20), status=1)
        self.assertEqual(error.count(": offset "), 10)
        self.assertRegex(error, r"bad.pcap: and \d+ more\n")

    def test_problems_of_other_sessions_do_not_count(self):
        path = self.damaged(1)
        self.assertIn("packet 25: offset 0: Acknex: ", self.tool("--check", "--session", "1", path, status=1)[1])
        output, error = self.tool("--check", "--session", "2", path, status=1)
        self.assertIn("0 of a known game", output)
        self.assertEqual(error, "pcap2demo: no session 2: the input has 1 session\n")
        for many, first in (("98,99", 98), ("4294967297", 4294967297)):
            _, error = self.tool("--list", "-s", many, SAMPLE, status=1)
            self.assertEqual(error, f"pcap2demo: no session {first}: the input has 1 session\n")


class Output(ToolTest):
    def test_closed_pipe(self):
        """As `pcap2demo ... | head -1`: SIGPIPE ends it without a message."""
        for arguments in (["--dump"], ["--dump=json"], ["--list"]):
            with self.subTest(arguments):
                read, write = os.pipe()
                os.close(read)
                result = self.run_tool(*arguments, ACKNEX, stdout=write)
                os.close(write)
                self.assertEqual((result.returncode, result.stderr), (-signal.SIGPIPE, b""))

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full_disk(self):
        for arguments in (["--dump"], ["--list"], ["--check"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                _, error = self.tool(*arguments, ACKNEX, stdout=full, status=2)
                self.assertEqual(error, "pcap2demo: standard output: No space left on device\n")

    def test_one_packet_is_not_packets(self):
        self.write_capture("one.pcap", Capture.read(SAMPLE).frames[1026:1027])
        output = "".join(self.tool(*action, "one.pcap", status=status)[0] for action, status in (
            (["--check"], 1), (["--stats"], 0), (["--list"], 0),
            (["--check", "--no-rebuild", "--golden=.", "--update"], 0),
            (["--pcap=cut.pcapng", "--packets=1"], 0)))
        self.assertRegex(output, r"\b1 packet\b")
        self.assertNotRegex(output, r"\b1 (packets|bytes|blocks|gaps|problems|sessions)\b")

    def test_nothing_is_overwritten_without_force(self):
        for action, path in ("--pcap", SAMPLE), ("--pcap", CAPTURES / "q2-limits1.dm2"), ("--anonymize", SAMPLE):
            self.write("x.pcapng", b"mine")
            output, error = self.tool(action, "x.pcapng", path, status=1)
            self.assertIn("x.pcapng: exists already; --force", error)
            self.assertEqual((output, self.contents("x.pcapng")), ("", b"mine"))
            self.tool("--force", action, "x.pcapng", path)
            self.assertNotEqual(self.contents("x.pcapng"), b"mine")

    def test_current_folder_that_is_gone_or_read_only(self):
        (self.folder / "gone").mkdir()
        script = 'cd gone && rmdir ../gone && exec "$0" "$@"'
        result = subprocess.run(["sh", "-c", script, tool.PROGRAM, SAMPLE], cwd=self.folder,
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("the current folder: No such file or directory; choose another one, as -o DIR does\n",
                      result.stderr)
        if os.getuid() == 0:  # root writes everywhere
            (self.folder / "read-only").mkdir(mode=0o555)
            self.folder.chmod(0o755)
            for arguments, status in (["--list"], 0), ([], 1):
                with open(SAMPLE, "rb") as capture:
                    result = subprocess.run([tool.PROGRAM, *arguments, "-"], cwd=self.folder / "read-only", stdin=capture,
                                            capture_output=True, text=True, user=65534, group=65534, extra_groups=[])
                self.assertEqual(result.returncode, status)
                self.assertEqual("folder: Permission denied; choose another one, as -o DIR does" in result.stderr, status == 1)

    def test_output_is_never_compressed(self):
        """A file's name must not end as if it were; a folder's may."""
        for arguments in (["--pcap", "o.pcap.gz"], ["--anonymize", "o.pcapng.xz"],
                          ["--output", "O.QWD.ZST"], ["--check", "--junit", "o.xml.bz2"]):
            with self.subTest(arguments):
                _, error = self.tool(*arguments, ACKNEX, status=2)
                self.assertRegex(error, r"files are written uncompressed: name it [oO]\.\w+, and compress it afterwards")
        self.assertEqual(self.left(), [])
        (self.folder / "old.gz").mkdir()
        self.tool("--output", "old.gz", CAPTURES / "qw-vanilla.pcap", status=1)
        self.assertEqual(len(list(self.folder.glob("old.gz/*.qwd"))), 1)


class Choices(ToolTest):
    def test_port(self):
        """A port that is not Acknex's needs --port."""
        moved = [(time, frame[:34] + frame[34:38].replace(b"\x08\xfc", b"\x12\x34") + frame[38:])
                 for time, frame in Capture.read(ACKNEX).frames]
        path = self.write_capture("x.pcap", moved)
        self.assertEqual(self.dump(path), [])
        self.assertEqual([packet["fields"] for packet in self.dump("--port", "acknex=4660", path)],
                         [packet["fields"] for packet in self.dump(ACKNEX)])

    def test_player_in_the_captured_order(self):
        """A queue of the capture is late by 15 ms: the second player's packets stand before the first one's."""
        queue = [(frame.time + 15 * 10**6, frame) for frame in capture.read(SAMPLE)[1]]
        queue += [(frame.time, damages.copy(frame._replace(
            time=frame.time + 5 * 10**6, data=frame.data.replace(b"labp", b"zzzp")), 9)) for _, frame in queue]
        capture.write(self.folder / "x.pcap", ETHERNET, [frame for _, frame in sorted(queue)])
        output, _ = self.tool("--dump", "--player", "labp", "x.pcap")
        self.assertEqual(["labplayer" in output, "zzzplayer" in output], [True, False])

    def test_player_is_a_part_of_the_name_in_any_case(self):
        several = CAPTURES / "lines" / "qw-g-server.pcap.gz"  # anna and bert
        for action in (["--list"], ["--dump"], ["--stats"], ["--pcap", "x.pcap", "--force"]):
            self.assertEqual(self.tool(*action, "--player", "ER", several)[0], self.tool(*action, "--session", "2", several)[0])
        self.assertEqual(self.tool("--list", "-s", "1", "--player", "N", several),
                         self.tool("--list", "-s", "1", several))
        _, error = self.tool("--player", "x", "-", input=several.read_bytes(), status=2)
        self.assertIn("is read twice, and must be a file", error)
