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


# Wrong command lines, and their messages. F: a capture; {}: the first word; …: any text; |: between lines with one message.
GUESSES = """\
= no input: name a capture or a demo, "-" for standard input, or -i IFACE
--lsit F | --list-sessions F | -list F = unknown option {}; did you mean --list?
--stat F = unknown option {}; did you mean --stats or --status?
--outpu=x F | -output x F = unknown option {}; did you mean --output?
--sanitise F = unknown option {}; did you mean --sanitize?
--recurse F = unknown option {}; did you mean --recursive?
--signon x F | --sign_on x F = unknown option {}; did you mean --sign-on?
--xyzzy F | -fX F | --buffer=1 F | --keep-days=3 F = unknown option {}
--format json F | --fmt=qwd F = unknown option {}: --dump=json and --dump=text choose how packets are printed; …
--csv F | --tsv F = unknown option {}: --list --json prints JSON, which jq converts to CSV
--name x F | --who x F = unknown option {}: --player NAME takes the sessions of a player
--map dm4 F | --team x F = unknown option {}: --list shows who played what; --session takes the number
-n F | --numeric F = unknown option {}: addresses are always numeric
-Z nobody F | --user x F = unknown option {}: as root, -i becomes the user of sudo, or the owner of the demos' folder
--dry-run F = unknown option {}: --list shows which demos it would write
--server h F | --host h F | --ip=h F = unknown option {}: --filter "host ADDRESS" takes its packets
--input F | --in=x F = unknown option {}: name the file alone, or "-" for standard input
--diff F | --compare x F = unknown option {}: --golden DIR --update keeps how a capture decodes, --golden DIR compares
--mvd F | --qwd F | --demo F | --convert F = unknown option {}: without an action, it writes a demo of each session, …
--outdir d F | --output-dir=d F | --dest d F | -O d F = unknown option {}: --output DIR, or --output FILE for one demo
--text F | --print F | --chat F | -x F = unknown option {}: --dump prints every field of every packet
--overwrite F | --clobber F | -y F = unknown option {}: --force overwrites files
--start 0:10 F | --since 20:00 F | --time 60 F = unknown option {}: editcap -A START -B END cuts captures by time
--jobs 4 F | --threads=4 F = unknown option {}: run several with xargs -P: see EXAMPLES in the manual
--usage | -? = unknown option {}: -h prints one screen, --help all options
--debug F | --log x F = unknown option {}: --verbose prints more; messages go to standard error
--verify F | --test F = unknown option {}: --check reports what cannot be decoded or rebuilt
--merge x F = unknown option {}: name several captures: they are read as one
--cut 1-9 F | --frames 1-9 F = unknown option {}: --pcap FILE with --session N or --packets N-M copies a part
--statistics F = unknown option {}: --stats counts messages by type
--loss F | --ping F = unknown option {}: --list shows ping and loss, --stats more about path quality
--files F | --download F = unknown option {}: --extract-files DIR writes the files that servers sent
--no-color F = unknown option {}: --color=never
--silent F = unknown option {}: --quiet prints only what is wrong
--list-interfaces | -D = unknown option {}: tcpdump -D lists the interfaces
--live | --record lo | --watch d = unknown option {}: -i IFACE records
-Y qw.damage F = unknown option {}: --filter takes tcpdump's expressions, and tshark -Y display filters
-d udp.port==28500,quakeworld F | --game qw F = unknown option {}: --port GAME=PORT decodes a port, such as qw=27500
--anon x F = unknown option {}: --anonymize FILE copies captures without passwords
--all F = unknown option {}: without --session, it takes all sessions
list F | help = {}: no such file; did you mean --{}?
--dump compact F = compact: no such file; did you mean --dump=compact?
convert F = {}: no such file; without an action, it writes a demo of each session, in its game's format
F final.qwd = final.qwd: no such file; --output final.qwd writes there
F demos/ = demos/: no such file; --output demos/ writes there
-f 'udp port 1' F = udp port 1: no such file; did you mean --filter "udp port 1"? -f is --force
-i any -f 'udp port 1' | -i any -f 'host 10.0.0.1' = …: no such file; did you mean --filter "…"? -f is --force
-c 10 F = 10: no such file; --session 10 takes one session, and --pcap FILE --packets 1-10 the first packets
-o=x.qwd F | -w=x F = {}: write -… x…, without the "="
--follow F = F is a file, and --follow takes the folder that it is in: pcap2demo F reads it once
-i lo --player x = --player does not go with --follow and --interface
--golden x --player x F = --player does not go with --golden, --expect and --junit, …
--filter qw.damage F = F: filter "qw.damage": …: syntax error (filters are tcpdump's, …
-i F = F is a file: pcap2demo F
-i lo F = choose files, or --follow or --interface, not both
--fields -i lo = --interface records demos: --fields does not go with it
-i lo --check --junit x = --interface records demos: --check does not go with it
-i lo --dump = --interface records demos: --dump does not go with it
--follow . --pcap x.pcapng = --follow records demos: --pcap does not go with it
-i lo -s 2 | --follow . --force = --session and --force do not go with --follow and --interface
-i lo --follow . = --interface follows what it captures: choose --ring, not --follow
--follow . --ring x = --ring goes with --interface
--players-only F = --players-only goes with --follow or --interface
-p F = no input: --port took F as its value; write --port=GAME=RANGES F
--output F = no input: {} took F as its value; write {}=DIR|FILE F
--anonymize F | --pcap F = no input: {} took F as its value; write {}=FILE F
--sign-on F = no input: {} took F as its value; write {}=DEMO F
-o --list F = --output needs a value (DIR|FILE), and "--list" is an option; …
--golden = --golden needs a value: --golden=DIR
--force=no F = --force takes no value: leave "=no" out
--list=json F = --list takes no value: leave "=json" out
--dump=xml F = --dump takes text, compact or json, not "xml"; leave out the "=" if it is a name
--split=map F = --split takes level or connection, not "map"
--list --sort=player F = --sort takes start or loss, not "player"
--color=on F = --color takes auto, always or never, not "on"
--replace-names F = --replace-names goes with --anonymize
--sort loss F = --sort goes with --list
--wide F = --wide goes with --list
--min-free 3 F = --min-free goes with --follow or --interface
--json F = --json goes with --list, --dump, --check, --stats or --fields
-w x.qwd F = --pcap x.qwd: writes a capture; for a demo use --output x.qwd
-p doom=5029 F | -p 27500 F | -p qw F = --port …: expected GAME=PORTS, one of qw=…, q2=…, nq=…, acknex=…
-s 1,x F | -s 0 F | --session=--list F = --session …: sessions are numbers from 1, such as 2 or 1,3-5
--max-sessions many F = --max-sessions takes a number from 1, not "many"
--max-sessions 0 F = --max-sessions takes a number from 1, not "0"
--max-sessions -1 F = --max-sessions takes a number from 1, not "-1"
--follow no-such --idle-timeout 30x = --idle-timeout 30x: a time is a number with s, m, h, d or w, such as 90s or 30d
--follow no-such --min-free 1Q = --min-free 1Q: a size is a number with k, M, G or T, such as 500M
--list --check F | --list --dump F = choose one of --list, --dump, …
--list -o x F = --output goes with converting, not with --list, …
-o /dev/null/folder/x.qwd F = --output /dev/null/folder: Not a directory
-o - F | --pcap - F | --check --junit - F = … "-": name a file
--option qw.x=1 F = --option qw.x=1: no such option or value; the options are: acknex.pos_resolution=packed|fixed, …
--option acknex.pos_resolution F = --option acknex.pos_resolution: no such option or value; …
"""


class Usage(ToolTest):
    def test_version(self):
        self.assertEqual(self.tool("--version"), (f"pcap2demo {os.environ['PROJECT_VERSION']}\n", ""))

    def test_wrong_words_are_named_with_what_may_be_meant(self):
        count = 0
        for row in GUESSES.splitlines():
            lines, text = row.split("= ", 1)
            for line in lines.split(" | "):
                with self.subTest(line):
                    words = [str(ACKNEX) if word == "F" else word for word in shlex.split(line)]
                    output, error = self.tool(*words, status=2)
                    printed = re.escape(text.replace("{}", (words or [""])[0])).replace("…", ".*")
                    printed = re.sub(r"\bF\b", str(ACKNEX), printed)
                    self.assertRegex(error, rf"\Apcap2demo: {printed}\n")
                    self.assertEqual(output, "")
                    count += 1
        self.assertGreater(count, 100)
        self.assertEqual(self.left(), [])

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
        for option, values in {"--idle-timeout": ("5min", "90", "90sec", "2H", "1 m"),
                               "--min-free": ("20GB", "20GiB", "1.5G", "20g", "100000")}.items():
            for value in values:
                output, _ = self.tool("--follow", "no-such", option, value, status=2)
                self.assertIn("no-such: there is no such folder", output)
        earlier = ("--max-disk", "20G", "--keep", "30d", "--buffer-size", "256M", "--write-pcap", "packets")
        _, error = self.tool("--follow", "no-such", *earlier, status=2)
        for option in earlier[::2]:
            self.assertIn(f"{option} is not used any more", error)

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
