# SPDX-License-Identifier: GPL-2.0-or-later
"""--expect: identical runs are as expected, changed ones are not; the file's errors; its updates."""

import gzip
import itertools
import json
import re
import struct
import unittest
import xml.etree.ElementTree

import tool
from tool import CAPTURES, SAMPLE, Capture, ToolTest

SHARED = tool.SOURCE.parent / "shared" / "expect"

# Identical runs, and what a run with one change fails with.
KINDS = {
    "qw": (["qw/same1", "qw/same2", "qw/same3", "qw/unchanged-ssw-off"], {
        "qw/changed-bigcoords": "protocol extensions: FTE 0x8000 (floatcoords) more than expected",
        "qw/changed-rate": "s2c packets-per-second: 51.5, expected "}),
    "q2": (["q2/same1", "q2/same2", "q2/changed-map"], {
        "q2/changed-protocol35": "protocol versions: 35 (1905), expected 36 (1026)"}),
    "nq": (["nq/same1", "nq/same2"], {
        "nq/changed-protocol15": "protocol versions: 15, expected 666"}),
    "dp": (["nq/dp-same1", "nq/dp-same2"], {}),
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

    def edit(self, *pairs):
        text = self.text()
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        (self.folder / "wire.expect").write_text(text)


def is_to_server(frame):
    return frame[1][36:38] == b"\x6b\x6c"


def resized(frame):
    """With the lengths of its headers."""
    return b"".join([frame[:16], struct.pack(">H", len(frame) - 14), frame[18:38],
                     struct.pack(">H", len(frame) - 34), frame[40:]])


@unittest.skipUnless(SHARED.is_dir(), "the recordings are not there")
class Recordings(Expect):
    def test_each_pair_and_triple(self):
        for same, changed in KINDS.values():
            for size in (2, 3):
                for learned in itertools.combinations(same, size):
                    with self.subTest(learned):
                        self.check(learned, same, changed)

    def check(self, learned, same, changed):
        (self.folder / "wire.expect").unlink(missing_ok=True)
        self.update(*[SHARED / f"{name}.pcap" for name in learned])
        for name in same:
            self.assertEqual(self.failures(SHARED / f"{name}.pcap"), [], name)
        for name, cause in changed.items():
            lines = self.failures(SHARED / f"{name}.pcap")
            self.assertTrue(any(line.startswith(cause) for line in lines), lines)
            self.assertLess(len(lines), 10)

    def test_order(self):
        """In any order, in one call or in several: the file is the same, and allows all of them."""
        for same, changed in KINDS.values():
            files = [SHARED / f"{name}.pcap" for name in [*same, *changed]]
            self.update(*files)
            text = self.text()
            self.assertEqual(self.failures(*files), [])
            for order in (files, files[::-1]):
                (self.folder / "wire.expect").unlink()
                for file in order:
                    self.update(file)
                self.assertEqual(self.text(), text)
            (self.folder / "wire.expect").unlink()


class Files(Expect):
    def test_every_capture_is_as_it_was(self):
        """What was learned of a file is true of it, and a second update changes nothing."""
        for file in sorted(CAPTURES.glob("*.*")):
            if file.suffix not in {".pcap", ".qwd", ".dm2", ".mvd", ".mvd2"}:
                continue
            with self.subTest(file.name):
                (self.folder / "wire.expect").unlink(missing_ok=True)
                if not self.report(file)["sessions"]:
                    self.update(file, status=1)
                    continue
                self.update(file)
                before = self.text()
                self.assertNotIn("wire.expect", self.update(file))
                self.assertEqual(self.text(), before)
                self.assertEqual(self.failures(file), [])

    def report(self, file):
        return json.loads(self.run_tool("--list", "--json", file).stdout)

    def test_comments_stay(self):
        self.update(SAMPLE)
        self.edit(("versions = 28", "# the last\nversions = 28"), ("[QuakeWorld c2s]", "# ours\n[QuakeWorld c2s]"))
        (self.folder / "wire.expect").write_text(self.text() + "# end\n")
        before = self.text()
        self.assertNotIn("wire.expect", self.update(SAMPLE))
        self.update(CAPTURES / "qw-spectator.pcap")
        self.assertNotEqual(self.text(), before)
        self.assertEqual(self.failures(SAMPLE, CAPTURES / "qw-spectator.pcap"), [])
        for comment in ("# the last\nversions = ", "# ours\n[QuakeWorld c2s]\n", "\n# end\n"):
            self.assertIn(comment, self.text())

    def test_no_session(self):
        self.update(SAMPLE)
        self.write("empty.pcap", Capture(1, []).pcap())
        capture = Capture.read(SAMPLE)
        self.write("unanswered.pcap", Capture(capture.link_type, [
            frame for frame in capture.frames if is_to_server(frame)]).pcap())
        for name in "empty.pcap", "unanswered.pcap", CAPTURES / "qw-oob.pcap":
            self.assertEqual(self.failures(name), ["no session"])
            self.assertEqual(self.failures(name, options=["--update"]), ["no session"])

    def test_each_input_has_its_own_words(self):
        self.update(SAMPLE)
        self.edit(("connectionless = connect; getchallenge; ip", "connectionless = connect; ip"))
        capture = Capture.read(SAMPLE)
        self.write("later.pcap", Capture(capture.link_type, capture.frames[100:]).pcap())
        lines = self.failures(SAMPLE, "later.pcap")
        self.assertEqual(sum("new word" in line for line in lines), 1, lines)

    def test_no_group_of_messages(self):
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

    def test_message_that_begins_late(self):
        """It is in every second since then."""
        capture = Capture.read(SAMPLE)
        frames = [(time, frame if number < 700 or is_to_server((time, frame)) else resized(frame + b"\1"))
                  for number, (time, frame) in enumerate(capture.frames)]
        self.write("late.pcap", Capture(capture.link_type, frames).pcap())
        self.update("late.pcap")
        self.assertIn("svc_nop = every second", self.text())

    def test_last_second(self):
        """It is not whole, and counts for no rate."""
        capture = Capture.read(SAMPLE)
        self.write("short.pcap", Capture(capture.link_type, capture.frames[:500]).pcap())
        self.update("short.pcap")
        self.assertEqual(re.findall(r"packets-per-second = (\S+)", self.text()), ["44..96", "44..96"])

    def test_another_game(self):
        self.update(SAMPLE)
        self.assertEqual(self.failures(CAPTURES / "nq-protocol15.pcap")[0],
                         "protocol game: Quake, not expected")

    def test_lines(self):
        """Each kind of failure, by an edit of what is expected."""
        self.update(SAMPLE)
        for old, new, line in (
                ("versions = 28", "versions = 27; 29", "protocol versions: 28, expected 27, 29"),
                ("connectionless = connect; getchallenge; ip", "connectionless = connect; ip",
                 'c2s connectionless: new word "getchallenge" (packet 1)'),
                ("svc_damage = play", "svc_damage = every second",
                 "s2c svc_damage: in 3 of 14 seconds of play, expected in every one (packet 1027)"),
                ("svc_serverdata = sign-on, once", "svc_intermission = sign-on",
                 "s2c svc_serverdata: new message of the sign-on (packet 18)"),
                ("extensions = ", "extensions = FTE 0x8000",
                 "protocol extensions: FTE 0x8000 (floatcoords) less than expected"),
                ("svc_lightstyle = sign-on", "svc_lightstyle = sign-on, once",
                 "s2c svc_lightstyle: seen 64 times, expected once (packet 39)"),
                ("svc_damage = play;", "svc_intermission = every second\nsvc_damage = play;",
                 "s2c svc_intermission: never seen, expected always"),
                ("svc_deltapacketentities = every second; 4..72 bytes",
                 "svc_deltapacketentities = every second; 90 bytes",
                 "s2c svc_deltapacketentities: 4 bytes, expected 90 (packet 43)")):
            with self.subTest(line):
                before = self.text()
                self.edit((old, new))
                lines = self.failures(SAMPLE)
                (self.folder / "wire.expect").write_text(before)
                self.assertIn(line, lines)

    def test_what_is_no_change(self):
        """Of updates some differ; an event of play does not come; packets come twice."""
        self.update(SAMPLE)
        for line in ("svc_packetentities = sign-on, once", "largest-packet = ..950",
                     "moves-per-second = 35..86"):
            self.assertIn(f"\n{line}\n", self.text())
        capture = Capture.read(SAMPLE)
        again = [(time + 200000, frame) for time, frame in capture.frames[600:]]
        self.write("twice.pcap", Capture(capture.link_type, sorted(capture.frames + again)).pcap())
        self.assertEqual(self.failures("twice.pcap"), [])
        self.edit(("svc_deltapacketentities = every second; 4..72 bytes",
                   "svc_deltapacketentities = every second; 4..20 bytes"),
                  ("svc_damage = play;", "svc_intermission = play\nsvc_damage = play;"))
        self.assertEqual(self.failures(SAMPLE), [])

    def test_busy(self):
        """A busy program sends fewer packets, but some as soon as before. A slower one sends none so soon."""
        self.write("nq.pcap", gzip.decompress((CAPTURES / "fidelity" / "nq-protocol15.pcap.gz").read_bytes()))
        for name, at, port, flags, way in ((SAMPLE, 36, 27500, None, "c2s"),
                                          ("nq.pcap", 34, 40264, b"\x02\x10", "s2c")):
            (self.folder / "wire.expect").unlink(missing_ok=True)
            self.update(name)
            capture = Capture.read(self.folder / name)
            sent = [(0, [])]  # the packets of each frame of the program
            for i, (time, frame) in enumerate(capture.frames[100:], 100):
                if frame[at:at + 2] == port.to_bytes(2, "big") and (not flags or frame[43] in flags):
                    if time > sent[-1][0] + 1000:
                        sent.append((time, []))
                    sent[-1][1].append(i)
            for period, rate in ((4, None), (2, f"{way} packets-per-second: ")):
                left_out = {i for number, (_, packets) in enumerate(sent) for i in packets
                            if number % period >= period // 2}
                frames = [frame for i, frame in enumerate(capture.frames) if i not in left_out]
                self.write("less.pcap", Capture(capture.link_type, frames).pcap())
                lines = self.failures("less.pcap")
                self.assertEqual(len(lines), 1 if rate else 0, lines)
                self.assertTrue(not rate or lines[0].startswith(rate), lines)


def with_volume(capture, packets):
    """The capture with another field in each svc_sound: its volume, as SND_VOLUME announces."""
    frames = list(capture.frames)
    for packet in packets:
        sounds = [field["offset"] for field in packet["fields"] if field["name"] == "qw.svc_sound"]
        time, frame = frames[packet["packet"] - 1]
        frame = bytearray(frame)
        for offset in sorted(sounds, reverse=True):
            at = 42 + offset + 1
            if frame[at + 1] & 0x80:
                continue
            frame[at + 1] |= 0x80
            frame.insert(at + 2, 100)
        frames[packet["packet"] - 1] = time, resized(frame)
    return Capture(capture.link_type, frames)


class Changes(Expect):
    """What a reviewer reads of a change."""

    sound = ("svc_sound = play; 10..11 bytes, few; attenuation; ", "svc_sound = play; 10 bytes; ")
    lines = ["s2c svc_sound: 11 bytes, expected 10 (packet 47)",
             "s2c svc_sound: new field qw.sound.volume (packet 47)"]

    def setUp(self):
        super().setUp()
        self.update(SAMPLE)
        self.edit(self.sound)
        changed = with_volume(Capture.read(SAMPLE), self.dump(SAMPLE))
        self.write("new.pcap", changed.pcap())

    def test_flag_of_svc_sound(self):
        self.assertEqual(self.failures(SAMPLE), [])
        self.assertEqual(self.failures("new.pcap"), self.lines)
        readme = (tool.SOURCE / "README.md").read_text(encoding="utf-8")
        for line in self.lines:
            self.assertTrue(line in readme, line)

    def test_reports(self):
        output, _ = self.tool("--check", "--expect", "wire.expect", "--tap", "--junit", "report.xml",
                              "new.pcap", status=1)
        self.assertRegex(output, r"\nnot ok \d+ - new.pcap: s2c svc_sound\n"
                                 rf"#   {re.escape(self.lines[0])}\n#   {re.escape(self.lines[1])}\nok ")
        self.assertEqual(output.count("\nnot ok "), 1)
        cases = xml.etree.ElementTree.parse(self.folder / "report.xml").iter("testcase")
        failed = [(case.get("name"), case.find("failure").get("message")) for case in cases
                  if case.find("failure") is not None]
        self.assertEqual(failed, [("s2c svc_sound", self.lines[0])])
        report = json.loads(self.tool("--check", "--expect", "wire.expect", "--json", "new.pcap",
                                      status=1)[0])
        found = report["files"][0]["expectations"]
        self.assertEqual([each["text"] for each in found if each["failed"]], self.lines)
        self.assertGreater(len(found), 40)

    def test_update(self):
        """It says what it widens, and after it all is as expected."""
        changes = self.update("new.pcap")
        self.assertIn("wire.expect: [QuakeWorld s2c] svc_sound = play; 10..12 bytes; attenuation; entity_channel; "
                      "index; origin.x; origin.y; origin.z; volume, was play; 10 bytes; entity_channel; ", changes)
        self.assertEqual(self.failures(SAMPLE, "new.pcap"), [])

    def test_strict(self):
        """Then single messages count: one of the sounds had an attenuation all the time."""
        self.edit(("[QuakeWorld]\n", "[QuakeWorld]\nstrict = true\n"))
        self.assertEqual(self.failures(SAMPLE), [
            "s2c svc_sound: 11 bytes, expected 10 (packet 1231)",
            "s2c svc_sound: new field qw.sound.attenuation (packet 1231)"])
        self.edit(("strict = true", "strict = false"))
        self.assertEqual(self.failures(SAMPLE), [])

    def test_new_message_of_play(self):
        self.edit(("svc_damage = play; 9 bytes; armor; health; origin.x; origin.y; origin.z\n", ""))
        output, _ = self.tool("--check", "--expect", "wire.expect", SAMPLE)
        self.assertIn("  note: s2c svc_damage: new message of play (packet ", output)
        self.edit(("[QuakeWorld]\n", "[QuakeWorld]\nstrict = true\n"))
        self.assertTrue(any("s2c svc_damage: new" in line for line in self.failures(SAMPLE)))

    def test_what_the_user_writes(self):
        """Maps and measures that are not written, but checked and widened where they are."""
        self.edit(("[QuakeWorld]\n", "[QuakeWorld]\nmaps = dm6\nround-trip = ..0.001\n"),
                  ("[QuakeWorld s2c]\n", "[QuakeWorld s2c]\nbytes-per-second = 9\nloss = 50..\n"))
        lines = self.failures(SAMPLE)
        self.assertEqual(len(lines), 4)
        for line, start in zip(lines, ("protocol maps: dm4, expected dm6", "protocol round-trip: ",
                                       "s2c bytes-per-second: ", "s2c loss: ")):
            self.assertTrue(line.startswith(start), line)
        self.update(SAMPLE)
        self.assertIn("maps = dm4; dm6\n", self.text())
        self.assertEqual(self.failures(SAMPLE), [])

    def test_spectators(self):
        """A group of their own; the others stay with the group without a name."""
        (self.folder / "wire.expect").write_text("[QuakeWorld s2c spectator]\n")
        files = SAMPLE, CAPTURES / "qw-spectator.pcap"
        self.update(*files)
        self.assertEqual(self.failures(*files), [])
        self.assertIn("[QuakeWorld s2c]\n", self.text())
        self.edit(("[QuakeWorld s2c spectator]\n", "[QuakeWorld s2c spectator]\nsvc_intermission = sign-on\n"))
        self.assertEqual(self.failures(SAMPLE), [])
        self.assertTrue(self.failures(files[1]))


class Errors(Expect):
    def wrong(self, text):
        (self.folder / "wire.expect").write_text(text)
        return self.tool("--check", "--expect", "wire.expect", SAMPLE, status=2)[1]

    def test_syntax(self):
        for text, problem in (
                ("[QuakeWorld]\nversions\n", 'line 2: "versions" is neither a [GROUP]'),
                ("versions=28\n", 'line 1: "versions=28" is neither a [GROUP]'),
                ("\n# a\n[Quake III]\n", "line 3: [Quake III]: no such group"),
                ("[QuakeWorlds2c]\n", "line 1: [QuakeWorlds2c]: no such group"),
                ("[QuakeWorld]\nmap = dm4\n", "line 2: [QuakeWorld] map = dm4: no such key"),
                ("[QuakeWorld s2c]\nsvc_sond=play\n",
                 "line 2: [QuakeWorld s2c] svc_sond = play: no such key"),
                ("[QuakeWorld s2c]\npackets-per-second = 9..\npackets-per-second = 9...12\n",
                 "line 3: [QuakeWorld s2c] packets-per-second = 9...12: not a number or a range"),
                ("[QuakeWorld s2c]\nloss = 9\n[QuakeWorld s2c]\nloss = 9\n",
                 "line 4: [QuakeWorld s2c] loss = 9: is there twice"),
                ("[QuakeWorld s2c]\nloss = 12..9\n", "line 2: "),
                ("[QuakeWorld s2c]\nloss = nan\n", "line 2: "),
                ("[QuakeWorld s2c]\nsvc_sound = play, 9 byte\n", "line 2: "),
                ("[QuakeWorld s2c]\nsvc_sound = play; sign-on\n", "line 2: "),
                ("[QuakeWorld s2c]\nsvc_sound = 9 bytes\n", "line 2: "),
                ("[QuakeWorld s2c]\nsvc_sound = play; 9 bytes; indx\n", "line 2: "),
                ("[QuakeWorld problems]\nqw.sequence.gap = 0\n", "line 2: "),
                ("[QuakeWorld]\nstrict = yes\n", "line 2: ")):
            with self.subTest(text):
                self.assertIn(f"pcap2demo: wire.expect: {problem}", self.wrong(text))

    def test_missing(self):
        self.assertIn("none.expect: ", self.tool("--check", "--expect", "none.expect", SAMPLE,
                                                 status=2)[1])

    def test_options(self):
        for options in (("--expect", "a", "--golden", "b"), ("--expect", "a", "--ignore", "qw"),
                        ("--update",)):
            self.tool("--check", *options, SAMPLE, status=2)
