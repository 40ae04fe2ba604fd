# SPDX-License-Identifier: GPL-2.0-or-later
"""--expect: identical runs are as expected, changed ones are not; the file's errors; its updates."""

import itertools
import json
import pathlib
import re
import struct
import unittest
import xml.etree.ElementTree

import edits
import recordings
import tool
from tool import ACKNEX, CAPTURES, SAMPLE, Capture, ToolTest

SHARED = tool.SOURCE.parent / "shared" / "expect"

# Identical runs, and what a run with one change fails with.
KINDS = {
    "qw": (["qw/same1", "qw/same2", "qw/same3", "qw/unchanged-ssw-off"], {
        "qw/changed-bigcoords": "protocol extensions: FTE 0x8000 (floatcoords) more than expected",
        "qw/changed-rate": "s2c packets-per-second: 52, expected "}),
    "q2": (["q2/same1", "q2/same2", "q2/changed-map"], {
        "q2/changed-protocol35": "protocol versions: 35 (1905), expected 36 (1026)"}),
    "nq": (["nq/same1", "nq/same2"], {
        "nq/changed-protocol15": "protocol versions: 15, expected 666"}),
    "dp": (["nq/dp-same1", "nq/dp-same2"], {}),
}

# What the edits fail with; where a kind has no message for one of them, it changes nothing.
EDITED = {
    edits.extra: r"s2c (svc_smallkick|svc_nop|svc_killedmonster): new message, in every second \(\d+ packets, first \d+\)$",
    edits.removal: r"s2c svc_\w+: [\d.]+ [\w.]*remove a message, expected 0\.\.0\.\d \(\d+ packets, first \d+\)$",
    edits.sound: r"s2c svc_sound: new field (qw|q2|nq)\.sound\.volume \(",
    edits.statistic: r"s2c svc_updatestat: never seen, expected in each sign-on$",
}


class Expect(ToolTest):
    def update(self, *inputs, status=0):
        return self.tool("--check", "--expect", "wire.expect", "--update", *inputs,
                         status=status)[0]

    def failures(self, *inputs, options=()):
        result = self.run_tool("--check", "--expect", "wire.expect", *options, *inputs)
        lines = [re.sub(r"^pcap2demo: [^:]*: ", "", line) for line in result.stderr.decode().splitlines()]
        self.assertEqual(result.returncode, 1 if lines else 0, result.stderr)
        return lines

    def text(self):
        return (self.folder / "wire.expect").read_text()

    def rules(self):
        return sorted(line for line in self.text().splitlines() if line and line[0] != "#")

    def edit(self, *pairs):
        text = self.text()
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        (self.folder / "wire.expect").write_text(text)


@unittest.skipUnless(SHARED.is_dir(), f"there is no {SHARED}")
class Recordings(Expect):
    @staticmethod
    def files(names):
        return [SHARED / f"{name}.pcap" for name in names]

    def learn(self, files):
        (self.folder / "wire.expect").unlink(missing_ok=True)
        self.update(*files)

    def test_each_pair_and_triple(self):
        """Learned from two or three, the others are as expected: at most one in twenty is not."""
        checked, failed = 0, []
        for same, changed in KINDS.values():
            for learned in itertools.chain(*(itertools.combinations(same, size) for size in (2, 3))):
                self.learn(self.files(learned))
                for name, file in zip(same, self.files(same)):
                    lines = self.failures(file)
                    checked += name not in learned
                    failed += [(learned, name, lines)] if lines else []
                for name, cause in changed.items():
                    with self.subTest(name, learned=learned):
                        lines = self.failures(SHARED / f"{name}.pcap")
                        self.assertTrue(any(line.startswith(cause) for line in lines), lines)
                        self.assertLess(len(lines), 15)
        self.assertLessEqual(20 * len(failed), checked, failed)

    def test_edits(self):
        """A changed message is found among others, in a recording that was learned; in one that was not, also alone."""
        for kind, (same, _) in KINDS.items():
            self.learn(self.files(same[:2]))
            for file in self.files((same[0], same[-1])):
                packets, found = self.dump(file), []
                for edit in EDITED:
                    capture, changed = edits.edited(file, packets, [edit])
                    found += [edit] if changed else []
                    if changed and file.stem != pathlib.Path(same[0]).stem:
                        self.found([edit], capture)
                self.assertEqual(found, [edit for edit in EDITED if kind == "qw" or edit != edits.statistic
                                         and (edit != edits.removal or kind in ("q2", "dp"))], file)
                self.found(found, edits.edited(file, packets, found)[0])

    def found(self, changes, capture):
        self.write("edited.pcap", capture.pcap())
        lines = self.failures("edited.pcap")
        for change in changes:
            self.assertTrue(any(re.match(EDITED[change], line) for line in lines), (change, changes, lines))

    def test_order(self):
        """In any order, in one call or in several: the file allows the same."""
        for same, _ in KINDS.values():
            files = self.files(same)
            self.learn(files)
            lines = self.rules()
            self.assertEqual(self.failures(*files), [])
            for order in (files, files[::-1]):
                (self.folder / "wire.expect").unlink()
                for file in order:
                    self.update(file)
                self.assertEqual(self.rules(), lines)


class Files(Expect):
    def test_every_capture_is_as_it_was_learned(self):
        """What was learned of a file is true of it, and a second update changes nothing."""
        for file in sorted(CAPTURES.glob("*.*")):
            if file.suffix not in {".pcap", ".qwd", ".dm2", ".mvd", ".mvd2"}:
                continue
            with self.subTest(file.name):
                (self.folder / "wire.expect").unlink(missing_ok=True)
                if not json.loads(self.run_tool("--list", "--json", file).stdout)["sessions"]:
                    self.update(file, status=1)
                    continue
                self.update(file)
                before = self.text()
                self.assertNotIn("wire.expect", self.update(file))
                self.assertEqual(self.text(), before)
                self.assertEqual(self.failures(file), [])

    def test_first_run_writes_the_file(self):
        """A check asks for --update, which writes the file."""
        _, error = self.tool("--check", "--expect", "wire.expect", SAMPLE, status=2)
        self.assertIn("wire.expect: there is no such file; --update writes it", error)
        self.assertIn("wire.expect: written\n", self.update(SAMPLE))
        self.assertRegex(self.text(), r"^# What recordings .*\n(#.*\n)+\n?\[QuakeWorld\]\n")
        self.assertEqual(self.failures(SAMPLE), [])

    def test_an_update_keeps_comments(self):
        self.update(SAMPLE)
        self.edit(("versions=28", "# the last\nversions = 28"), ("[QuakeWorld c2s]", "# ours\n[QuakeWorld c2s]"))
        before = self.text()
        self.assertNotIn("wire.expect", self.update(SAMPLE))
        self.update(CAPTURES / "qw-spectator.pcap")
        self.assertNotEqual(self.text(), before)
        self.assertEqual(self.failures(SAMPLE, CAPTURES / "qw-spectator.pcap"), [])
        for comment in ("# the last\nversions", "\n# ours\n"):
            self.assertIn(comment, self.text())

    def test_an_input_without_a_session_fails(self):
        self.update(SAMPLE)
        self.write("empty.pcap", Capture(1, []).pcap())
        capture = Capture.read(SAMPLE)
        self.write("unanswered.pcap", Capture(capture.link_type, [
            frame for frame in capture.frames if frame[1][36:38] == b"\x6b\x6c"]).pcap())
        for name in "empty.pcap", "unanswered.pcap", CAPTURES / "qw-oob.pcap":
            self.assertEqual(self.failures(name), ["no session"])
            self.assertEqual(self.failures(name, options=["--update"]), ["no session"])

    def test_groups_that_are_missing_allow_everything(self):
        (self.folder / "wire.expect").write_text("[QuakeWorld]\nversions = 28\n")
        self.assertEqual(self.failures(SAMPLE), [])

    def test_extensions_of_similar_names(self):
        """FTE's first bits are missing, or are what only FTE2 was expected beside."""
        capture, extended = Capture.read(CAPTURES / "qw-extended.pcap"), CAPTURES / "qw-extended.pcap"
        self.write("fte2.pcap", Capture(capture.link_type, [
            (time, re.sub(rb"FTEX....", b"FTEX" + bytes(4), frame)) for time, frame in capture.frames]).pcap())
        for learned, checked, how in ((extended, "fte2.pcap", "less"), ("fte2.pcap", extended, "more")):
            (self.folder / "wire.expect").unlink(missing_ok=True)
            self.update(learned)
            line, = [line for line in self.failures(checked) if "extensions" in line]
            self.assertRegex(line, rf"^protocol extensions: FTE 0x21407000 \([^()]*\) {how} than expected$")

    def test_another_game_fails(self):
        self.update(SAMPLE)
        self.assertEqual(self.failures(CAPTURES / "nq-protocol15.pcap")[0], "protocol game: Quake, not expected")

    def test_lines_of_each_kind_of_failure(self):
        """By an edit of the file: each number can be edited."""
        self.update(SAMPLE)
        for old, new, line in (
                ("versions=28", "versions = 27; 29", "protocol versions: 28, expected 27, 29"),
                ("packets-per-second=", "packets-per-second=..9\n#", "c2s packets-per-second: 55, expected ..9"),
                ("svc_damage=bytes", "svc_damage=every-second; bytes",
                 "s2c svc_damage: in 2 of 14 seconds of play, expected in each"),
                ("svc_serverdata=per-level 1\n", "",
                 "s2c svc_serverdata: new message of the sign-on (packet 18)"),
                ("svc_serverdata=per-level 1\n", "svc_serverdata=per-level 1\nsvc_intermission=per-level 1..\n",
                 "s2c svc_intermission: never seen, expected in each sign-on"),
                ("extensions=", "extensions = FTE 0x8000",
                 "protocol extensions: FTE 0x8000 (floatcoords) less than expected"),
                ("svc_lightstyle=per-level 64", "svc_lightstyle = per-level 60..63",
                 "s2c svc_lightstyle: 64 a level, expected 60..63 (packet 39)"),
                ("svc_damage=bytes", "svc_intermission=every-second\nsvc_damage=bytes",
                 "s2c svc_intermission: never seen, expected in each second"),
                ("svc_damage=bytes 9;", "svc_damage=bytes 10;",
                 "s2c svc_damage: 9 bytes, expected 10 (10 packets, first 1027)"),
                ("svc_playerinfo=bytes 0..17;", "svc_playerinfo=bytes 1;",  # of several sizes the first
                 "s2c svc_playerinfo: 11 bytes, expected 1 (729 packets, first 43)"),
                ("; armor; health", "; health",
                 "s2c svc_damage: new field qw.damage.armor (10 packets, first 1027)")):
            with self.subTest(line):
                before = self.text()
                self.edit((old, new))
                lines = self.failures(SAMPLE)
                (self.folder / "wire.expect").write_text(before)
                self.assertIn(line, lines)
        self.update(ACKNEX)
        self.edit(("svc_create=bytes 5;", "svc_create=bytes 6;"))
        self.assertEqual(self.failures(ACKNEX), ["s2c svc_create: 5 bytes, expected 6 (packet 5)"])

    def test_thousands_have_all_their_digits(self):
        """The packet with the light styles has 1200 more."""
        self.update(SAMPLE)
        capture, more = Capture.read(SAMPLE), 1200 * b"\x0c\0a\0"
        time, frame = capture.frames[38]
        ip, udp = (struct.pack(">H", len(frame) - start + len(more)) for start in (14, 34))
        capture.frames[38] = time, frame[:16] + ip + frame[18:38] + udp + frame[40:] + more
        self.write("more.pcap", capture.pcap())
        self.assertIn("s2c svc_lightstyle: 1264 a level, expected 64 (packet 39)", self.failures("more.pcap"))

    def test_margins_that_a_first_run_allows(self):
        """3/4 of the packets in a median second, 55, to 4/3 of those in the busiest, 67; the same of movements as quick as
        the first quarter, 59.7 a second; half to twice the messages that come in each second, 54.4; five and 2.5 times
        others; few removals where there was none."""
        self.update(SAMPLE)
        for part in ("[QuakeWorld c2s]\npackets-per-second=41.2..89.4\n", "\nmoves-per-second=44.7..79.6\n",
                     "clc_delta=bytes 2; every-second; per-second 27.2..108.9;",
                     "svc_damage=bytes 9; per-second 0..8.8;", "; word 0..2.7; word.remove 0..0.6\n"):
            self.assertIn(part, self.text())

    def test_each_of_two_levels_has_a_sign_on(self):
        self.write("two.pcap", recordings.own("qw-vanilla.pcap"))
        self.update("two.pcap")
        self.assertIn("\nsvc_serverdata=per-level 1\n", self.text())

    def test_problems_maps_and_new_messages_fail_if_the_user_asks(self):
        """A problem, a map or a message that is not listed."""
        self.update(SAMPLE)
        self.edit(("maps=dm4", "maps=dm6"))
        self.tool("--check", "--expect", "wire.expect", SAMPLE)
        self.edit(("maps=dm6", "maps=dm6\nnew=fail"))
        self.assertEqual(self.failures(SAMPLE), ["protocol maps: dm4, expected dm6"])
        capture = Capture.read(SAMPLE)
        frames = [(time, frame if number != 800 else frame[:42 + 8] + b"\xfe" * (len(frame) - 50))
                  for number, (time, frame) in enumerate(capture.frames)]
        self.write("bad.pcap", Capture(capture.link_type, frames).pcap())
        self.assertTrue(any(line.startswith("protocol problems: ") for line in self.failures("bad.pcap")))
        self.update("bad.pcap")
        self.assertEqual(self.failures("bad.pcap"), [])


class Changes(Expect):
    """Reports about a changed recording, for its reviewer."""

    def setUp(self):
        super().setUp()
        self.update(SAMPLE)
        capture, _ = edits.edited(SAMPLE, self.dump(SAMPLE), [edits.sound])
        self.write("new.pcap", capture.pcap())
        self.lines = self.failures("new.pcap")

    def test_a_new_field_of_svc_sound_as_in_the_readme(self):
        self.assertEqual(self.failures(SAMPLE), [])
        self.assertRegex(self.lines[-1], r"^s2c svc_sound: new field qw\.sound\.volume \(\d+ packets, first 47\)$")
        readme = (tool.SOURCE / "README.md").read_text(encoding="utf-8")
        for line in self.lines:
            self.assertTrue(line in readme, line)

    def test_junit_and_json_have_the_failures(self):
        self.tool("--check", "--expect", "wire.expect", "--junit", "report.xml", "new.pcap", status=1)
        cases = xml.etree.ElementTree.parse(self.folder / "report.xml").iter("testcase")
        failed = [(case.get("name"), case.find("failure").get("message")) for case in cases
                  if case.find("failure") is not None]
        self.assertEqual(failed, [("s2c svc_sound", self.lines[0])])
        report = json.loads(self.tool("--check", "--expect", "wire.expect", "--json", "new.pcap",
                                      status=1)[0])
        found = report["files"][0]["expectations"]
        self.assertEqual([each["text"] for each in found if each["failed"]], self.lines)
        self.assertGreater(len(found), 40)

    def test_update_prints_what_it_widens(self):
        """It prints the rules that it widens; then both recordings are as expected."""
        changes = self.update("new.pcap")
        self.assertRegex(changes, r"wire\.expect: \[QuakeWorld s2c\] svc_sound = .*; volume, was .*\n")
        self.assertEqual(self.failures(SAMPLE, "new.pcap"), [])

    def test_a_new_message_of_play_is_a_note(self):
        text = re.sub(r"\nsvc_damage=.*", "", self.text())
        (self.folder / "wire.expect").write_text(text)
        output, _ = self.tool("--check", "--expect", "wire.expect", SAMPLE)
        self.assertIn("  note: s2c svc_damage: new message of play (10 packets, first ", output)
        self.assertEqual(self.tool("--check", "--quiet", "--expect", "wire.expect", SAMPLE), ("", ""))
        self.edit(("[QuakeWorld]\n", "[QuakeWorld]\nnew = fail\n"))
        self.assertTrue(any("s2c svc_damage: new" in line for line in self.failures(SAMPLE)))


class Errors(Expect):
    def test_syntax(self):
        for text, problem in (
                ("[QuakeWorld]\nversions\n", "versions"),
                ("versions=28\n", ""),
                ("\n# a\n[Quake III]\n", "[Quake III]: no such group"),
                ("[QuakeWorlds2c]\n", "[QuakeWorlds2c]: no such group"),
                ("[QuakeWorld]\nmap = dm4\n", "[QuakeWorld] map = dm4: no such key"),
                ("[QuakeWorld s2c]\nsvc_sond=bytes 9\n", "[QuakeWorld s2c] svc_sond = bytes 9: no such key"),
                ("[QuakeWorld s2c]\npackets-per-second = 9...12\n",
                 "[QuakeWorld s2c] packets-per-second = 9...12: not a number or a range"),
                ("[QuakeWorld s2c]\nmoves-per-second = 12..9\n", "not a number"),
                ("[QuakeWorld s2c]\nmoves-per-second = nan\n", "not a number"),
                ("[QuakeWorld s2c]\nsvc_sound = bytes nine\n", "not a number"),
                ("[QuakeWorld s2c]\nsvc_sound = byte 9\n", "not a measure"),
                ("[QuakeWorld s2c]\nsvc_sound = bytes 9; indx\n", "not a measure"),
                ("[QuakeWorld]\nnew = yes\n", "not fail")):
            with self.subTest(text):
                (self.folder / "wire.expect").write_text(text)
                _, error = self.tool("--check", "--expect", "wire.expect", SAMPLE, status=2)
                self.assertIn("pcap2demo: wire.expect: ", error)
                self.assertIn(problem, error)

    def test_options(self):
        for options in (("--expect", "a", "--golden", "b"), ("--expect", "a", "--ignore", "qw")):
            self.tool("--check", *options, SAMPLE, status=2)
