# SPDX-License-Identifier: GPL-2.0-or-later
"""--sanitize: what a hostile server sends so that some engine carries it out is not in the demo.

Each attack is put into a packet of a real session. It must be in the demo without --sanitize, and decode to its end
unless it is an attack because it does not: one that never arrives, or that is left out as undecodable, proves nothing.
"""

import functools
import io
import os
import re
import shutil
import struct
import subprocess
import zipfile

from attacks import (ATTACKS, MARKER, OUTSIDE, PARTS, PAYLOAD, Q2_STUFFTEXT, QUAKE, QUAKE2, QUAKE2_OLD, QUAKEWORLD,
                     STUFFTEXT, Game, archive, changed, grow_quake, is_quakeworld_frame, quake2_frames, records_of,
                     text)
import capture
import streams
from tool import ETHERNET, Capture, ToolTest

CHECK = os.environ["CHECK_SANITIZED"]  # tests/sanitized

UNDECODABLE = "behind an unknown message", "config string"
ONE_TEXT = "a text with 0xff"  # engines end it there; without that byte it is one text, which is printed
END_OF_DEMO = b"\xff\xff\xff\xff\x02EndOfDemo\0"


def names_in(demo):
    """What a reader of zip archives finds, which searches as ezQuake does; None: no archive."""
    try:
        return zipfile.ZipFile(io.BytesIO(demo)).namelist()
    except zipfile.BadZipFile:
        return None


class Sanitize(ToolTest):
    def demos(self, capture, *options):
        """The demos of a capture by name."""
        folder = self.folder / "out"
        folder.mkdir()
        self.run_tool("--quiet", "--output", folder, *options, self.write("x.pcap", capture))
        demos = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        shutil.rmtree(folder)
        return demos

    def both(self, capture, *options):
        """All bytes of its demos without and with --sanitize."""
        return [b"".join(self.demos(capture, *options, *more).values()) for more in ([], ["--sanitize"])]

    def is_clean(self, demos):
        """Whether all texts and commands are on the lists, and all of it can be read."""
        names = [self.write(name, demo) for name, demo in demos.items()]
        result = subprocess.run([CHECK, *names], stdout=subprocess.PIPE, text=True, errors="replace")
        return result.returncode == 0 and result.stdout.count(" texts, 0 problems") == len(demos)

    def problems(self, capture):
        report, _ = self.tool("--check", "--no-rebuild", self.write("x.pcap", capture), status=None)
        return [line for line in report.splitlines() if "  note: " not in line]

    def check(self, game, name, attack, part):
        """Only the attack is left out; the `part` of it is gone."""
        made = game.attacked(attack)
        if name not in UNDECODABLE and not os.environ["SANITIZED"]:  # converting has decoded it; other builds look
            self.assertEqual(self.problems(made), self.problems_of(game))
        plain, sanitized = self.demos(made), self.demos(made, "--sanitize")
        self.assertTrue(part in b"".join(plain.values()), "it never arrives")
        self.assertEqual(part in b"".join(sanitized.values()), name == ONE_TEXT)
        self.assertTrue(self.is_clean(sanitized))
        self.assertEqual(list(sanitized), list(plain))
        for path in sanitized:
            self.assertGreater(len(sanitized[path]), len(plain[path]) * 3 // 4)

    @functools.cache
    def problems_of(self, game):
        """Those of the capture without an attack."""
        return self.problems(game.made())

    def test_attacks(self):
        for game, attacks, part in ATTACKS:
            for name, attack in attacks.items():
                with self.subTest(name, game=game.capture):
                    self.check(game, name, attack, part or attack)

    def test_message_of_a_donor_that_engines_read_differently(self):
        """DarkPlaces' svc_spawnstatic2 of 15 bytes is a sound of two to QuakeSpasm."""
        static = b"\x38\1\0\1\1" + text(STUFFTEXT, b"abcdefghi")
        head, *records = records_of(QUAKE.capture)
        greeting = b"\x08\x02\nFITZQUAKE", b"\x08\nServer: AA"
        donor = [changed(record, lambda payload: payload.replace(*greeting)) if greeting[0] in record else
                 changed(record, lambda payload: grow_quake(payload, static))
                 if record[16 + PAYLOAD + 8:][:1] == b"\x1d" else record for record in records]
        (demo,) = self.demos(b"".join([head, *donor])).values()
        self.assertIn(static, demo)
        late = b"".join([head, *records[len(records) // 3:]])
        plain, sanitized = self.both(late, "--sign-on", self.write("donor.dem", demo))
        self.assertIn(static, plain)
        self.assertNotIn(static, sanitized)
        self.assertGreater(len(sanitized), len(plain) // 2)

    def test_settings_that_engines_obey_are_left_out_of_infos(self):
        for attack, kept in (
                (text(STUFFTEXT, b'fullserverinfo "\\first\\1\\sv_dlurl\\x\\*sky\\C:x\\last\\\\SV_dlURL\\y"\n'),
                 b'fullserverinfo "\\first\\1\\last"\n'),
                (b"\x28\1\1\0\0\0\\name\\x\\skin\\" + OUTSIDE + b"\\team\\y\0",
                 b"\x28\1\1\0\0\0\\name\\x\\team\\y\0")):
            (demo,) = self.demos(QUAKEWORLD.attacked(attack), "--sanitize").values()
            self.assertTrue(kept in demo)

    def test_folder_of_the_game(self):
        """QuakeWorld's level is left out; Quake II's has the engine's own folder."""
        start = b"\x0b\x1c\0\0\0\1\0\0\0"
        for name in OUTSIDE, b"q..", b".q", b"", b"q\xc2\x9d", b"q'w":
            made = Game(QUAKEWORLD.capture, lambda payload: start in payload).made(
                lambda payload: payload.replace(start + b"qw\0", start + name + b"\0"))
            self.assertEqual([start + name + b"\0" in demos for demos in self.both(made)], [True, False])
        made = Game(QUAKE2_OLD.capture, lambda payload: b"\0the walk\0" in payload).made(
            lambda payload: payload.replace(b"\0\0\0the walk", OUTSIDE + b"\0\0\0the walk"))
        self.assertEqual([OUTSIDE in demos for demos in self.both(made)], [True, False])
        for demo in self.demos(made, "--sanitize").values():
            self.assertTrue(b"\1\0\0\0the walk" in demo)

    def test_unsafe_names_in_lists_are_replaced(self):
        """The names behind keep their numbers: players stop at an entity whose model has no name."""
        for listed, other in (b"progs/missile.mdl", b"progs/eyes.mdl"), (b"weapons/sgun1.wav", b"misc/null.wav"):
            (demo,) = self.demos(QUAKEWORLD.made()).values()
            around = demo[demo.index(listed) - 9:][:len(listed) + 19]
            game = Game(QUAKEWORLD.capture, lambda payload: listed in payload)
            for name in OUTSIDE + b".mdl", b"/outside.mdl", b"C:outside.mdl", b"a;b.mdl", b"a" * 128:
                plain, sanitized = self.both(game.made(*[lambda payload: payload.replace(listed, name)] * 2))
                self.assertTrue(around.replace(listed, name) in plain)
                self.assertTrue(around.replace(listed, other) in sanitized)

    def test_more_statics_than_ezquake_has_are_left_out(self):
        static = b"\x14\1\0\0\0" + 3 * b"\1\0\0"
        plain, sanitized = self.both(QUAKEWORLD.attacked(513 * static))
        self.assertEqual(plain.count(static), 513)
        self.assertIn(sanitized.count(static), range(400, 513))

    def test_each_level_may_have_all_statics(self):
        """The second attack is in the second level."""
        static = b"\x14\1\0\0\0" + 3 * b"\1\0\0"
        demos = self.both(QUAKEWORLD.attacked(300 * static, *7 * [b""], 300 * static))
        self.assertEqual([demo.count(static) for demo in demos], [600, 600])

    def test_frames_that_stop_players(self):
        for name, change in quake2_frames().items():
            with self.subTest(name):
                demos = self.demos(QUAKE2_OLD.made(change), "--sanitize")
                self.assertTrue(self.is_clean(demos))
                for path in demos:  # entities do not stay without their frame
                    dump, _ = self.tool("--dump", path)
                    self.assertEqual(*(dump.count(f" q2.{name}\n") for name in ("svc_frame", "svc_packetentities")))

    def test_models_behind_a_hole_end_the_level(self):
        """Players load none of them, and stop at an entity with one."""
        made = QUAKEWORLD.attacked(b"\x2d\xf0progs/a.mdl\0\0\0")
        self.assertEqual([self.is_clean(self.demos(made, *more)) for more in ([], ["--sanitize"])], [False, True])

    def test_level_whose_map_is_outside_of_the_game_is_left_out(self):
        """FTE's list has wider numbers."""
        for name, times, other in (("fidelity/qw-vanilla.pcap.gz", 2, b"-\0../m/\\1\\2"),
                                   ("fidelity/qw-fte.pcap.gz", 1, b"<\0\0../m/\\1\\2\0")):
            plain, sanitized = self.both(Game(name, lambda payload: b"\x2d\0maps/" in payload).made(
                *[lambda payload, other=other: re.sub(rb"(?s)\x2d\0maps/(.*?\0\0)(.)", other, payload)] * times))
            for part in b"\0../m/", b"progs/player.mdl":
                self.assertEqual((part in plain, part in sanitized), (True, False))
            self.assertLess(len(sanitized), len(plain) * 9 // 10)
        for name, demos in (QUAKE2_OLD.capture, 4), ("q2-gtv-plain.pcap", 1):
            made = Game(name, None).made().replace(b"maps/", b"../m/")
            self.assertEqual([len(self.demos(made, *more)) for more in ([], ["--sanitize"])], [demos, 0])

    def test_commands_in_several_packets(self):
        for game, stufftext in (QUAKEWORLD, STUFFTEXT), (QUAKE, STUFFTEXT), (QUAKE2, Q2_STUFFTEXT):
            for name, parts in PARTS.items():
                with self.subTest(name, game=game.capture):
                    made = game.attacked(*(text(stufftext, part) for part in parts))
                    self.assertTrue(self.is_clean(self.demos(made, "--sanitize")))
                    self.assertEqual([MARKER[6:] in demos for demos in self.both(made)], [True, False])

    def test_control_characters_of_utf8_are_replaced(self):
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

    def test_texts_keep_letters_and_glyphs_only(self):
        """Quake's font has glyphs from 0x10 on, and its chat begins with a color; terminals obey the others."""
        font = b"\t\n" + bytes({*range(0x10, 0xff)} - {0x1b, 0x7f, 0x9b})
        for game, head, kept in ((QUAKEWORLD, b"\x08\2", b"\1" + font), (QUAKE, b"\x08", b"\1" + font),
                                 (QUAKE2, b"\x0a\2", font.translate(None, bytes(range(0x10, 0x20))))):
            with self.subTest(game.capture):
                attack = head + bytes(range(1, 0xff)) + b"\0"
                demo = b"".join(self.demos(game.attacked(attack), "--sanitize").values())
                self.assertIn(head + kept + b"\0", demo)

    def test_messages_that_are_left_out_of_mvd(self):
        """Players show no hidden texts; they show the damage. A block without a download has its own length."""
        def hidden(number, content):
            return struct.pack("<BBIIIH", 1, 3, 0, len(content) + 6, len(content), number) + content
        start = b"\x0bMVD1" + struct.pack("<III", 0x20, 28, 1) + b"qw\0\0\0\0\0level\0" + bytes(40)
        damage, others = hidden(7, bytes(range(8))), [hidden(3, b"\0\0\x1b]52;c;x\7"), hidden(4, b"\0\x1b]"),
                                                      hidden(9, bytes(8)), hidden(77, b"x")]
        download, kept = b"\x29\2\0\x64ab", b"\x08\2x\0"
        last = streams.mvd_block(download + b"\x09quit\n\0" + kept)
        demo = b"".join([streams.mvd_block(start), damage, *others, last])
        frames = [(at * 1000, frame) for at, frame in enumerate(streams.stream(demo=demo).frames)]
        plain, sanitized = self.both(Capture(ETHERNET, frames).pcap())
        self.assertEqual([plain.count(each) for each in (damage, *others)], [1, 1, 1, 1, 1])
        self.assertEqual([sanitized.count(each) for each in (damage, *others)], [1, 0, 0, 0, 0])
        self.assertIn(streams.mvd_block(b"\x09quit\n\0" + kept), plain)
        self.assertIn(streams.mvd_block(kept), sanitized)

    def test_harmless_remarks_are_kept(self):
        for line in (b'//tinfo 3 -12 40 8 100 5 4096 "name /x"\n', b"//vwep w_axe w_shot v_x.mdl\n",
                     b"//ktx matchstart\n", b"//wps 1 axe 3 2\n", b"//ktx took 7 20 32\n",
                     b"//ktx race end 1.500000 -0.250000 320.000000 0.000000 1\n", b"//at 5\n",
                     b"//ucmd 12.345000 3 2\n", b'//qul 1 2 "x"\n', b"//demomark\n", b"//vwep - x/y\n"):
            message = text(STUFFTEXT, line)
            (demo,) = self.demos(QUAKEWORLD.attacked(message), "--sanitize").values()
            self.assertTrue(message in demo)

    def test_layout_names_only_clients_that_can_be(self):
        """Behind "client" and "ctf" come two coordinates, then the number."""
        for layout, is_kept in ((b"ctf -8 8 1 0 0", True), (b"ctf 0 8 999 0 0", False),
                                (b"client 0 -8 255 0 0 0", True), (b"client 0 8 256 0 0 0", False)):
            message = text(4, layout)
            demos = self.demos(QUAKE2.attacked(message), "--sanitize").values()
            self.assertEqual(any(message in demo for demo in demos), is_kept, layout)

    def test_effects_that_changed_their_meaning_are_left_out(self):
        """Up to protocol 31; players of such a demo read the newer one. Q2PRO parse.c,
        CL_ParseServerData, CL_ParseTEntPacket."""
        version = b"\x0c" + struct.pack("<I", 34)
        effect = b"\x03\x1a" + b"A" * 7 + text(Q2_STUFFTEXT, b"abcd")[:5]
        head, *records = capture.split(QUAKE2_OLD.attacked(effect))
        old = [changed(record, lambda payload: payload.replace(version, b"\x0c" + struct.pack("<I", 31)))
               for record in records]
        self.assertEqual([effect in demos for demos in self.both(b"".join([head, *old]))], [False, False])

    def test_packets_are_no_archive(self):
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

    def test_reader_of_the_other_form_of_commands_ends_before_a_packet(self):
        """It finds an unknown type where it expects that of the next block."""
        made = QUAKEWORLD.made()
        for form, other in ("classic", 40), ("ezquake-3.7", 36):
            (demo,) = self.demos(made, "--sanitize", f"--qwd-format={form}").values()
            self.assertEqual(demo[4], 0)
            self.assertEqual(demo[5 + other + 4] & 7, 7)

    def test_extensions_that_only_fte_knows_come_first(self):
        """Others pass over their bits in svc_serverdata, and would read on at a wrong place."""
        fte = Game("fidelity/qw-fte.pcap.gz", None)
        for game, word in (fte, b"\x0bvlen" + bytes(8) + b"FTEX"), (QUAKEWORLD, b"\x0b\x1c\0\0\0"):
            (demo,) = self.demos(game.made(), "--sanitize").values()
            self.assertTrue(word in demo)
        (demo,) = self.demos(fte.made()).values()
        self.assertFalse(b"vlen" in demo)

    def test_predictions_that_only_ezquake_knows_follow_an_unknown_message(self):
        """Others would read them for messages: an empty one that they do not know comes before."""
        start, last_movevar = b"\x0b\x1c\0\0\0", struct.pack("<f", 1)
        made = Game(QUAKEWORLD.capture, lambda payload: start in payload).made(
            lambda payload: payload.replace(start, b"\x0bMVD1" + struct.pack("<I", 0x80) + start[1:]))
        (demo,) = self.demos(made, "--sanitize").values()
        self.assertTrue(last_movevar + b"\x64" + bytes(6) in demo)

    def test_level_of_an_unknown_protocol_is_left_out(self):
        version, other = b"\x0b" + struct.pack("<I", 15), b"\x0b" + struct.pack("<I", 77)
        made = Game(QUAKE.capture, lambda payload: version in payload[:120]).made(
            lambda payload: payload.replace(version, other))
        self.assertFalse(other in self.both(made)[1])
