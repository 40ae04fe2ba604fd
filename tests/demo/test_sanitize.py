# SPDX-License-Identifier: GPL-2.0-or-later
"""--sanitize: what a hostile server sends so that some engine carries it out is not in the demo.

Each attack is put into a packet of a real session, and must be in the demo as long as nobody asks
for less, and decode to its end unless it is an attack because it does not: one that never arrives,
or that is left out as undecodable, proves nothing.
"""

import io
import os
import re
import struct
import subprocess
import zipfile

from attacks import (DARKPLACES, FITZQUAKE, MARKER, OUTSIDE, PARTS, PAYLOAD, Q2_STUFFTEXT, QUAKE,
                     QUAKE2, QUAKE2_OLD, QUAKE_FTE, QUAKEWORLD, QUAKEWORLD_ENTITIES, QUAKEWORLD_FTE,
                     STUFFTEXT, Game, archive,
                     changed, darkplaces_ambiguities, fitzquake_ambiguities, grow_quake,
                     is_quakeworld_frame, quake2_attacks, quake2_files, quake_ambiguities,
                     quake_attacks, quake_files, quake_fte_ambiguities, quake2_frames, quake2_stoppers, quake_stoppers,
                     quakeworld_ambiguities, quakeworld_attacks, quakeworld_files, quakeworld_fte_attacks,
                     quakeworld_stoppers, records_of, remarks, removals, text)
import capture
import streams
from tool import CAPTURES, ToolTest

CHECK = os.environ["CHECK_SANITIZED"]  # tests/sanitized


UNDECODABLE = "behind an unknown message", "config string"
END_OF_DEMO = b"\xff\xff\xff\xff\x02EndOfDemo\0"


def names_in(demo):
    """What a reader of zip archives finds, which searches as ezQuake does; None: no archive."""
    try:
        return zipfile.ZipFile(io.BytesIO(demo)).namelist()
    except zipfile.BadZipFile:
        return None


class Sanitize(ToolTest):
    def setUp(self):
        super().setUp()
        self.own_problems = {}

    def demos(self, capture, *options):
        folder = self.folder / "out"
        folder.mkdir()
        self.run_tool("--quiet", "--output", folder, *options, self.write("x.pcap", capture))
        demos = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        return demos

    def is_clean(self, demos):
        """Whether all texts and commands are on the lists, and all of it can be read."""
        names = [self.write(name, demo) for name, demo in demos.items()]
        result = subprocess.run([CHECK, *names], stdout=subprocess.PIPE, text=True, errors="replace")
        return result.returncode == 0 and result.stdout.count(" texts, 0 problems") == len(demos)

    def problems(self, capture):
        report, _ = self.tool("--check", "--no-rebuild", self.write("x.pcap", capture), status=None)
        return [line for line in report.splitlines() if "  note: " not in line]

    def assert_decodes(self, game, attacked):
        """The attack is no problem to the decoder; the capture itself may have some."""
        if os.environ["SANITIZED"]:
            return  # converting has decoded it; other builds look
        if game not in self.own_problems:
            self.own_problems[game] = self.problems(game.made())
        self.assertEqual(self.problems(attacked), self.own_problems[game])

    def check(self, game, attacks):
        for name, attack in attacks.items():
            with self.subTest(name):
                made = game.attacked(attack)
                plain, sanitized = self.demos(made), self.demos(made, "--sanitize")
                self.assertTrue(MARKER in b"".join(plain.values()), "it never arrives")
                if name not in UNDECODABLE:
                    self.assert_decodes(game, made)
                self.assertEqual(list(sanitized), list(plain))
                if name != "a text with 0xff":  # it is one text, without that byte
                    self.assertFalse(MARKER in b"".join(sanitized.values()))
                self.assertTrue(self.is_clean(sanitized))
                for path in sanitized:
                    self.assertGreater(len(sanitized[path]), len(plain[path]) // 2)

    def test_quakeworld(self):
        self.check(QUAKEWORLD, quakeworld_attacks())

    def test_quake(self):
        self.check(QUAKE, quake_attacks())

    def test_quake2(self):
        self.check(QUAKE2, quake2_attacks())

    def test_messages_that_engines_read_differently(self):
        """Where one engine still reads the message, another one is at the next."""
        for game, messages in ((QUAKEWORLD, quakeworld_ambiguities()),
                               (QUAKE, quake_ambiguities()),
                               (FITZQUAKE, fitzquake_ambiguities()),
                               (QUAKE_FTE, quake_fte_ambiguities()),
                               (DARKPLACES, darkplaces_ambiguities())):
            for name, message in messages.items():
                with self.subTest(name):
                    made = game.attacked(message)
                    self.assert_decodes(game, made)
                    self.assertTrue(message in b"".join(self.demos(made).values()))
                    self.assertFalse(message in b"".join(self.demos(made, "--sanitize").values()))

    def test_lent_messages_that_engines_read_differently(self):
        """DarkPlaces' svc_spawnstatic2 of 15 bytes is a sound of two to QuakeSpasm."""
        static = b"\x38\1\0\1\1" + text(STUFFTEXT, b"abcdefghi")
        head, *records = records_of(QUAKE.capture)
        greeting = b"\x08\x02\nFITZQUAKE", b"\x08\nServer: AA"
        donor = [changed(record, lambda payload: payload.replace(*greeting))
                  if greeting[0] in record else
                  changed(record, lambda payload: grow_quake(payload, static))
                  if record[16 + PAYLOAD + 8:][:1] == b"\x1d" else record for record in records]
        (demo,) = self.demos(b"".join([head, *donor])).values()
        self.assertIn(static, demo)
        options = "--sign-on", self.write("donor.dem", demo)
        late = b"".join([head, *records[len(records) // 3:]])
        (plain,), (sanitized,) = (self.demos(late, *options, *more).values()
                                  for more in ([], ["--sanitize"]))
        self.assertIn(static, plain)
        self.assertNotIn(static, sanitized)
        self.assertGreater(len(sanitized), len(plain) // 2)

    def check_gone(self, game, attacks, part):
        """Nothing but the message that has it is left out."""
        for name, attack in attacks.items():
            with self.subTest(name):
                made = game.attacked(attack)
                if name not in UNDECODABLE:
                    self.assert_decodes(game, made)
                plain, sanitized = self.demos(made), self.demos(made, "--sanitize")
                self.assertTrue((part or attack) in b"".join(plain.values()), "it never arrives")
                self.assertTrue(self.is_clean(sanitized))
                self.assertFalse((part or attack) in b"".join(sanitized.values()))
                for path in sanitized:
                    self.assertGreater(len(sanitized[path]), len(plain[path]) * 3 // 4)

    def test_files_outside_of_the_game(self):
        self.check_gone(QUAKEWORLD, quakeworld_files(), OUTSIDE)
        self.check_gone(QUAKE, quake_files(), OUTSIDE)
        self.check_gone(QUAKE2, quake2_files(), OUTSIDE)
        cut = b"\x0d\5\0%s..\0\x0d\6\0/outside\0" % b"1".ljust(62)
        self.check_gone(QUAKE2, {"two strings of the status bar": cut}, b"/outside\0")

    def test_info_without_what_is_obeyed(self):
        info = b'fullserverinfo "\\first\\1\\sv_dlurl\\x\\last\\\\SV_dlURL\\y"\n'
        made = QUAKEWORLD.attacked(text(STUFFTEXT, info))
        (demo,) = self.demos(made, "--sanitize").values()
        self.assertTrue(b'fullserverinfo "\\first\\1\\last"\n' in demo)

    def test_folder_of_the_game(self):
        """Of QuakeWorld's level nothing is left; Quake II goes on in the engine's own folder."""
        start = b"\x0b\x1c\0\0\0\1\0\0\0"
        for name in OUTSIDE, b"q..", b"", b"q\xc2\x9d", b"q'w":
            made = Game(QUAKEWORLD.capture, lambda payload: start in payload).made(
                lambda payload: payload.replace(start + b"qw\0", start + name + b"\0"))
            self.assertTrue(start + name + b"\0" in b"".join(self.demos(made).values()))
            self.assertFalse(start + name + b"\0" in b"".join(self.demos(made, "--sanitize").values()))
        made = Game(QUAKE2_OLD.capture, lambda payload: b"\0the walk\0" in payload).made(
            lambda payload: payload.replace(b"\0\0\0the walk", OUTSIDE + b"\0\0\0the walk"))
        self.assertTrue(OUTSIDE in b"".join(self.demos(made).values()))
        for demo in self.demos(made, "--sanitize").values():
            self.assertFalse(OUTSIDE in demo)
            self.assertTrue(b"\1\0\0\0the walk" in demo)

    def test_names_in_lists(self):
        """Another takes the place of an unsafe one, so that others keep their numbers: players stop
        at an entity whose model has none."""
        for listed, other in (b"progs/missile.mdl", b"progs/eyes.mdl"), (b"weapons/sgun1.wav",
                                                                         b"misc/null.wav"):
            (demo,) = self.demos(QUAKEWORLD.made()).values()
            around = demo[demo.index(listed) - 9:][:len(listed) + 19]
            game = Game(QUAKEWORLD.capture, lambda payload: listed in payload)
            for name in OUTSIDE + b".mdl", b"/outside.mdl", b"C:outside.mdl", b"a;b.mdl", b"a" * 128:
                made = game.made(*[lambda payload: payload.replace(listed, name)] * 2)
                (plain,), (demo,) = (self.demos(made, *more).values()
                                     for more in ([], ["--sanitize"]))
                self.assertTrue(around.replace(listed, name) in plain)
                self.assertTrue(around.replace(listed, other) in demo)

    def test_status_bars_that_stop_players(self):
        """They name a statistic that is none."""
        for attack in (text(4, b"xv 0 pic 99"), b"\x0d\5\0" + b"xv 0 stat_string 99\0",
                       b"\x0d\5\0" + b"pi".rjust(64) + b" xyz\0\x0d\6\0c 99\0"):
            made = QUAKE2.attacked(attack)
            self.assertIn(attack, b"".join(self.demos(made).values()))
            self.assertNotIn(attack, b"".join(self.demos(made, "--sanitize").values()))

    def test_what_stops_players(self):
        self.check_gone(QUAKEWORLD, quakeworld_stoppers(), None)
        self.check_gone(QUAKEWORLD_ENTITIES, {"entity": b"\xff\x81\x04\xfa\0\0"}, None)
        self.check_gone(QUAKE, quake_stoppers(), None)
        self.check_gone(QUAKE2, quake2_stoppers(), None)
        self.check_gone(QUAKEWORLD_FTE, quakeworld_fte_attacks(), None)
        self.check_gone(QUAKE2_OLD, {"baseline": b"\x0e\x80\1\xff\xff",
                                     "its bits": b"\x0e\x80\x80\x80\x80\1"}, None)

    def test_frames_that_stop_players(self):
        for name, change in quake2_frames().items():
            with self.subTest(name):
                made = QUAKE2_OLD.made(change)
                self.assertTrue(self.is_clean(self.demos(made, "--sanitize")))

    def test_models_behind_a_hole(self):
        """Players load none of them, and stop at an entity with one: the level ends there."""
        made = QUAKEWORLD.attacked(b"\x2d\xf0progs/a.mdl\0\0\0")
        plain, sanitized = self.demos(made), self.demos(made, "--sanitize")
        self.assertFalse(self.is_clean(plain))
        self.assertTrue(self.is_clean(sanitized))

    def test_map_outside_of_the_game(self):
        """Nothing can replace it: the level is left out. FTE's list has wider numbers."""
        for name, times, other in (("fidelity/qw-vanilla.pcap.gz", 2, b"-\0../m/\\1\\2"),
                                   ("fidelity/qw-fte.pcap.gz", 1, b"<\0\0../m/\\1\\2\0")):
            made = Game(name, lambda payload: b"\x2d\0maps/" in payload).made(
                *[lambda payload, other=other: re.sub(rb"(?s)\x2d\0maps/(.*?\0\0)(.)", other,
                                                      payload)] * times)
            (plain,), (demo,) = (self.demos(made, *more).values() for more in ([], ["--sanitize"]))
            for part in b"\0../m/", b"progs/player.mdl":
                self.assertTrue(part in plain)
                self.assertFalse(part in demo)
            self.assertLess(len(demo), len(plain) * 9 // 10)
        for name, demos in (QUAKE2_OLD.capture, 4), ("q2-gtv-plain.pcap", 1):
            made = Game(name, None).made().replace(b"maps/", b"../m/")
            self.assertEqual([len(self.demos(made, *more)) for more in ([], ["--sanitize"])], [demos, 0])

    def test_map_that_changes_in_the_game(self):
        """Players stop at one that is none; the level goes on without it."""
        attack = b"\x0d\x21\0x\0"
        made = QUAKE2.attacked(attack)
        plain, sanitized = self.demos(made), self.demos(made, "--sanitize")
        self.assertEqual(list(plain), list(sanitized))
        self.assertIn(attack, b"".join(plain.values()))
        self.assertNotIn(attack, b"".join(sanitized.values()))
        self.assertTrue(self.is_clean(sanitized))

    def test_user_info_without_what_is_unsafe(self):
        info = b"\x28\1\1\0\0\0%s\0"
        made = QUAKEWORLD.attacked(info % (b"\\name\\x\\skin\\" + OUTSIDE + b"\\team\\y"))
        (demo,) = self.demos(made, "--sanitize").values()
        self.assertTrue(info % b"\\name\\x\\team\\y" in demo)

    def test_commands_in_several_packets(self):
        for game, stufftext in (QUAKEWORLD, STUFFTEXT), (QUAKE, STUFFTEXT), (QUAKE2, Q2_STUFFTEXT):
            for name, parts in PARTS.items():
                with self.subTest(name, game=game.capture):
                    made = game.attacked(*(text(stufftext, part) for part in parts))
                    plain, sanitized = self.demos(made), self.demos(made, "--sanitize")
                    self.assertTrue(self.is_clean(sanitized))
                    self.assertFalse(MARKER[6:] in b"".join(sanitized.values()))

    def test_control_characters_of_utf8(self):
        """Terminals obey 0xc2 and 0x9d as they do ESC ], and the two may be in texts one after another."""
        for game, head in (QUAKEWORLD, b"\x08\2"), (QUAKE, b"\x08"), (QUAKE2, b"\x0a\2"):
            for sent, kept in ((b"\xc2\x9d52;c;x\xc2\x9c", b"B\x9d52;c;xB\x9c"), (b"x\xc2", b"xB"),
                               (b"\xc2\x07\x9dx", b"B\x9dx"), (b"\xc2\xa3 5", b"\xc2\xa3 5")):
                with self.subTest(game.capture, sent=sent):
                    demo = b"".join(self.demos(game.attacked(head + sent + b"\0"), "--sanitize").values())
                    self.assertIn(head + kept + b"\0", demo)
        info = b"\x28\1\1\0\0\0\\name\\%s\0"
        (demo,) = self.demos(QUAKEWORLD.attacked(info % b"\xc2\x9dx\xc2\\team\\\xc2"), "--sanitize").values()
        self.assertIn(info % b"B\x9dxB\\team\\B", demo)

    def test_hidden_messages(self):
        """Those with texts or other bytes are for no player; the damage is shown."""
        def hidden(number, content):
            return struct.pack("<BBIIIH", 1, 3, 0, len(content) + 6, len(content), number) + content
        start = b"\x0bMVD1" + struct.pack("<III", 0x20, 28, 1) + b"qw\0\0\0\0\0level\0" + bytes(40)
        damage, others = hidden(7, bytes(range(8))), [hidden(3, b"\0\0\x1b]52;c;x\7"), hidden(4, b"\0\x1b]"),
                                                      hidden(9, bytes(8)), hidden(77, b"x")]
        demo = b"".join([streams.mvd_block(start), damage, *others, streams.mvd_block(b"\x08\2x\0")])
        path = self.folder / "stream.pcap"
        capture.write(path, 1, [capture.Frame(at * 10**6, data, len(data)) for at, data in
                                enumerate(streams.stream(demo=demo).frames)])
        made = path.read_bytes()
        (plain,), (sanitized,) = self.demos(made).values(), self.demos(made, "--sanitize").values()
        self.assertEqual([plain.count(each) for each in (damage, *others)], [1, 1, 1, 1, 1])
        self.assertEqual([sanitized.count(each) for each in (damage, *others)], [1, 0, 0, 0, 0])

    def test_remarks_that_are_harmless(self):
        for line in (b'//tinfo 3 -12 40 8 100 5 4096 "name /x"\n', b"//vwep w_axe w_shot v_x.mdl\n",
                     b"//ktx matchstart\n", b"//wps 1 axe 3 2\n", b"//ktx took 7 20 32\n",
                     b"//ktx race end 1.500000 -0.250000 320.000000 0.000000 1\n", b"//at 5\n",
                     b"//ucmd 12.345000 3 2\n", b'//qul 1 2 "x"\n', b"//demomark\n", b"//vwep - x/y\n"):
            message = text(STUFFTEXT, line)
            (demo,) = self.demos(QUAKEWORLD.attacked(message), "--sanitize").values()
            self.assertTrue(message in demo)

    def test_other_servers(self):
        """QuakeWorld's players leave the demo for the last server: ezquake CL_Reconnect_f."""
        attack = {"reconnect": text(STUFFTEXT, b"reconnect\n")}
        self.check_gone(QUAKEWORLD, attack, None)

    def test_arguments_of_remarks(self):
        attack = {"weapons": text(STUFFTEXT, b"//vwep w_axe /outside\n")}
        self.check_gone(QUAKEWORLD, attack | remarks(), None)

    def test_removals_with_more(self):
        self.check_gone(QUAKEWORLD_ENTITIES, removals(), None)

    def test_effects_that_changed_their_meaning(self):
        """Up to protocol 31; players of such a demo read the newer one. Q2PRO parse.c,
        CL_ParseServerData, CL_ParseTEntPacket."""
        version = b"\x0c" + struct.pack("<I", 34)
        effect = b"\x03\x1a" + b"A" * 7 + text(Q2_STUFFTEXT, b"abcd")[:5]
        made = QUAKE2_OLD.attacked(effect)
        head, *records = capture.split(made)
        old = [changed(record, lambda payload: payload.replace(
            version, b"\x0c" + struct.pack("<I", 31))) for record in records]
        made = b"".join([head, *old])
        self.assertTrue(effect in b"".join(self.demos(made).values()))
        self.assertFalse(effect in b"".join(self.demos(made, "--sanitize").values()))

    def test_archive_within_packets(self):
        """ezQuake opens a demo as a zip archive, and carries out its autoexec.cfg."""
        attack = archive("autoexec.cfg", b"quit")

        def last(payload):
            return is_quakeworld_frame(payload) and payload[:4] > b"\x00\x07"

        made = Game(QUAKEWORLD.capture, last).attacked(*[attack] * 40)
        for options, names in ([], ["autoexec.cfg"]), (["--sanitize"], None):
            (demo,) = self.demos(made, *options).values()
            self.assertTrue(attack in demo)
            self.assertEqual(names_in(demo), names)
        self.assertEqual(demo[-len(END_OF_DEMO):], END_OF_DEMO)

    def test_other_form_of_commands(self):
        """A reader of the other form ends before it comes to a packet."""
        made = QUAKEWORLD.made()
        for form, other in ("classic", 40), ("ezquake-3.7", 36):
            (demo,) = self.demos(made, "--sanitize", f"--qwd-format={form}").values()
            self.assertEqual(demo[4], 0)
            self.assertEqual(demo[5 + other + 4] & 7, 7)

    def test_extensions_that_only_fte_knows(self):
        """Others pass over their bits in svc_serverdata, and would read on at a wrong place."""
        fte = Game("fidelity/qw-fte.pcap.gz", None)
        for game, word in (fte, b"\x0bvlen" + bytes(8) + b"FTEX"), (QUAKEWORLD, b"\x0b\x1c\0\0\0"):
            (demo,) = self.demos(game.made(), "--sanitize").values()
            self.assertTrue(word in demo)
        (demo,) = self.demos(fte.made()).values()
        self.assertFalse(b"vlen" in demo)

    def test_predictions_that_only_ezquake_knows(self):
        """Others would read them for messages: an empty one that they do not know comes before."""
        start, last_movevar = b"\x0b\x1c\0\0\0", struct.pack("<f", 1)
        made = Game(QUAKEWORLD.capture, lambda payload: start in payload).made(
            lambda payload: payload.replace(start, b"\x0bMVD1" + struct.pack("<I", 0x80) + start[1:]))
        (demo,) = self.demos(made, "--sanitize").values()
        self.assertTrue(last_movevar + b"\x64" + bytes(6) in demo)

    def test_protocol_that_is_not_decoded(self):
        """Nobody can say what is in its messages."""
        version = struct.pack("<I", 15)

        def serverinfo(payload):
            return b"\x0b" + version in payload[:120]

        made = Game(QUAKE.capture, serverinfo).made(lambda payload: payload.replace(
            b"\x0b" + version, b"\x0b" + struct.pack("<I", 77)))
        for path in self.demos(made, "--sanitize").values():
            self.assertFalse(b"\x0b\x4d\0\0\0" in path)
