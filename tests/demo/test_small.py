# SPDX-License-Identifier: GPL-2.0-or-later
"""Small demos of each variant: read whole, cut anywhere, damaged, compressed, under any name."""

import collections
import gzip
import itertools
import json
import pathlib
import re
import struct

import demos
from tool import ToolTest


class SmallDemos(ToolTest):
    def blocks(self, path):
        """How many blocks the dump has, without a DEM's line."""
        return sum(packet["packet"] > 0 for packet in demos.dumped(path))

    def blocks_by_session(self, *paths):
        """The same for the sessions of several files, in order."""
        counts = collections.Counter(packet["session"] for packet in demos.dumped(*paths)
                                     if packet["packet"] > 0)
        return [count for _, count in sorted(counts.items())]

    def check_every_byte(self, path, data, missing=b""):
        """Each byte is in a field, except these."""
        seen = bytearray(len(data))
        for packet in demos.dumped(path):
            for field in demos.flat(packet["fields"]):
                if "value" in field and not field.get("generated"):
                    end = field["offset"] + field["length"]
                    seen[field["offset"]:end] = b"\1" * field["length"]
        self.assertEqual(bytes(byte for byte, there in zip(data, seen) if not there), missing)

    def text_of(self, name, blocks):
        """A demo's dump."""
        return demos.run("--dump", self.write(name, b"".join(blocks)))[1]

    @staticmethod
    def split(text):
        """The dump before the first block, and each block from its time on."""
        return re.split(r"(?m)^\d+ \d+\+\d+ packet.time = ", text)

    def assert_lines(self, text, *lines):
        for line in lines:
            self.assertRegex(text, r"(?m)^\d+ \d+\+\d+ " + re.escape(line) + "$")


def ends_well(name, blocks, whole):
    """Whether a file of the first `whole` pieces lacks nothing."""
    if name.endswith((".mvd", ".dem")) or name == "server.dm2":
        return whole > 0  # these have no end mark
    return whole >= len(blocks) - name.startswith("appendix")


# Of a file: the number of good blocks, and the messages that name blocks.
Checked = collections.namedtuple("Checked", "frames errors")


def checked_together(paths):
    """What --check prints of each file, all in one process."""
    status, output, error = demos.run("--check", "--json", *paths)
    files = json.loads(output)["files"]
    assert status in (0, 1) and [file["file"] for file in files] == list(map(str, paths)), error
    messages = {path: [] for path in paths}
    for line in error.splitlines():
        named = re.match("pcap2demo: (.*?): block ", line)
        assert named, line
        messages[pathlib.Path(named[1])] += demos.block_messages(line)
    return [Checked(file["frames"], messages[path]) for file, path in zip(files, paths)]


class Whole(SmallDemos):
    def test_all_decode(self):
        paths = [self.write(name, b"".join(blocks)) for name, blocks in demos.SMALL]
        status, report = demos.report("--check", *paths)
        self.assertEqual((status, len(report["files"])), (0, len(demos.SMALL)))
        for (name, _), file in zip(demos.SMALL, report["files"]):
            self.assertEqual((name, file["problems"], file["undecoded_bytes"]), (name, [], 0))

    def test_every_byte_is_in_a_field(self):
        for name, blocks in demos.SMALL:
            with self.subTest(name):
                data = b"".join(blocks)
                # The NUL behind a connectionless text belongs to no word of it.
                self.check_every_byte(self.write(name, data), data,
                                      b"\0" if name.endswith(".qwd") else b"")

    def test_content_decides_the_format_whatever_the_name(self):
        protocols = {"qwd": "qw", "mvd": "qw", "mvd2": "q2", "dm2": "q2", "dem": "nq"}
        kinds = [name.rsplit(".")[-1] for name, _ in demos.SMALL]
        for other in (".qwd", ".mvd", ".mvd2", ".dm2", ".dem", ""):
            with self.subTest(other):
                paths = [self.write(f"{number}{other}", b"".join(blocks))
                         for number, (_, blocks) in enumerate(demos.SMALL)]
                status, report = demos.report("--list", *paths)
                self.assertEqual(status, 0)
                self.assertEqual([session["protocol"] for session in report["sessions"]],
                                 [protocols[kind] for kind in kinds])
                _, *lines = demos.run("--list", "--wide", *paths)[1].splitlines()
                for line, kind in zip(lines, kinds, strict=True):
                    self.assertIn(f" {kind} ", line)

    def test_standard_input_and_gzip_give_the_same_dump(self):
        for name, blocks in demos.SMALL:
            data = b"".join(blocks)
            expected = demos.run("--dump", self.write(name, data))
            with self.subTest(name):
                self.assertEqual(demos.run("--dump", "-", data=data), expected)
                self.assertEqual(demos.run("--dump", "-", data=gzip.compress(data)), expected)
                packed = self.write(name + ".gz", gzip.compress(data[:9]) + gzip.compress(data[9:]))
                self.assertEqual(demos.run("--dump", packed), expected)

    def test_values(self):
        text = self.text_of("x.qwd", demos.qwd_demo())
        for line in ("1 0+4 qw.block.time = 1.5", "1 4+1 qw.block.type = 0 (dem_cmd)",
                     "1 13+4 qw.usercmd.angles.yaw = 90", "1 21+2 qw.usercmd.forwardmove = 320",
                     "1 29+4 qw.block.viewangles.pitch = 0.25"):
            self.assertIn(line + "\n", text)
        self.assertIn("qw.block.outgoing = 4000\n", text)

    def test_commands_of_ezquake_37(self):
        blocks = self.split(self.text_of("x.qwd", demos.qwd_demo_37()))
        self.assertEqual(len(blocks), 1 + 15)
        for block in (blocks[1], *blocks[5:14]):
            self.assert_lines(block, "qw.block.type = 0 (dem_cmd)", "qw.block.impulse_pred = 7",
                              "qw.block.padding = 000000", "qw.usercmd.impulse = 7")
        self.assert_lines(blocks[5], "qw.block.viewangles.yaw = 48.8699989")

    def test_each_block_may_have_either_form_of_commands(self):
        for forms in itertools.product((demos.qwd_cmd, demos.qwd_cmd_37), repeat=2):
            data = demos.qwd_demo()
            data[0], data[4] = forms[0](1.5), forms[1](1.75)
            with self.subTest(forms):
                text = self.text_of("x.qwd", data)
                self.assertEqual(text.count("qw.block.impulse_pred"), forms.count(demos.qwd_cmd_37))
                self.assertEqual(demos.run("--check", self.folder / "x.qwd")[0], 0)

    def test_archive_behind_the_last_block(self):
        """It has the time of that block."""
        for name, demo in (("x.qwd", demos.qwd_demo()), ("x.mvd", demos.mvd_demo())):
            with self.subTest(name):
                text = self.text_of(name, [*demo, demos.appendix()])
                self.assertIn(f" qw.appendix = {demos.appendix().hex()}", text)
                last, archive = (block.split()[0] for block in self.split(text)[-2:])
                self.assertEqual(archive, last)

    def test_server_demo(self):
        text = self.text_of("x.mvd", demos.mvd_demo())
        blocks = self.split(text)
        self.assert_lines(text, "qw.serverdata.time = 12.5", 'qw.serverdata.level = "A level"')
        session, = demos.report("--list", self.folder / "x.mvd")[1]["sessions"]
        self.assertEqual((session["player"], session["maps"]), ("anna, bert", ["dm4"]))
        self.assert_lines(blocks[3], "qw.mvd.outgoing = 1", "qw.mvd.incoming = 2")
        self.assertTrue(blocks[4].startswith("0.039"))
        self.assert_lines(
            blocks[4], "qw.playerinfo.player = 3", 'qw.player.name := "anna"',
            "qw.playerinfo.df = 0xdff", "qw.playerinfo.df.dead = true",
            "qw.playerinfo.df.gib = false", "qw.playerinfo.origin.x = -64",
            "qw.playerinfo.origin.y = 512", "qw.playerinfo.origin.z = 0.5",
            "qw.playerinfo.angles.yaw = -90", "qw.playerinfo.angles.roll = 45",
            'qw.model.name := "progs/player.mdl"', "qw.playerinfo.skin = 1",
            "qw.playerinfo.effects = 0x48", "qw.playerinfo.weaponframe = 5")
        self.assertTrue(blocks[5].startswith("0.294"))
        self.assert_lines(
            blocks[5], "qw.playerinfo.df.gib = true", "qw.playerinfo.origin.y = 4.125",
            "qw.setangle.player = 7", "qw.setangle.angles.yaw = 90", "qw.nail.number = 9")
        self.assertNotIn("qw.playerinfo.origin.x", blocks[5])
        self.assertNotIn("qw.playerinfo.skin", blocks[5])
        self.assert_lines(blocks[7], "qw.mvd.to := 3", 'qw.player.name := "anna"')
        self.assert_lines(blocks[8], "qw.mvd.to := 7", 'qw.player.name := "bert"')
        for both in (blocks[9], blocks[10]):
            self.assert_lines(both, "qw.mvd.to := 3", 'qw.player.name := "anna"',
                              "qw.mvd.to := 7", 'qw.player.name := "bert"')
        self.assert_lines(blocks[13], 'qw.disconnect.reason = "EndOfDemo"')

    def test_hidden_messages(self):
        text = self.text_of("x.mvd", demos.mvd_hidden_demo())
        blocks = self.split(text)
        self.assert_lines(blocks[4], "qw.mvdhidden.type = 0x6 (mvdhidden_commentary_text_segment)")
        self.assert_lines(blocks[5], "qw.paused_duration = 30")
        self.assert_lines(
            text, "qw.antilag.players = 2", "qw.antilag.incoming_seq = 230",
            "qw.antilag.server_time = 20.625", "qw.antilag.target_time = 20.5",
            "qw.antilag.position.pos.z = 24.03125",
            "qw.antilag.position.player_byte.clientpos = true",
            "qw.antilag.position.player = 7", "qw.antilag.position.pos.x = 1.5",
            "qw.antilag.position.msec = 13", "qw.antilag.position.predmodel = 2",
            "qw.antilag.position.clientpos.z = 6.5",
            "qw.mvdhidden_usercmd.dropnum = 1", "qw.usercmd.msec = 13",
            "qw.usercmd.angles.yaw = 90", "qw.usercmd.forwardmove = 400",
            "qw.usercmd.sidemove = -200", "qw.usercmd.upmove = 8", "qw.usercmd.impulse = 7",
            "qw.updatestat.items.super_shotgun = true", "qw.mvd_debug.shells = 25",
            "qw.mvd_debug.cells = 6", "qw.mvd_debug.choice = 7",
            'qw.mvd_debug.weapons = "••" [0705]',
            "qw.demoinfo.block = 1", 'qw.demoinfo.text = "{\\"version\\": 3,"',
            "qw.demoinfo.block = 0", "qw.commentary.track = 2", "qw.commentary.data = 8081",
            "qw.dmgdone.type_word.splashdamage = true", "qw.dmgdone.deathtype = 7",
            "qw.dmgdone.attacker = 4", "qw.dmgdone.target = 8", "qw.dmgdone.damage = 110",
            "qw.weapon_instruction.flags.enabled = true",
            "qw.weapon_instruction.flags.pending = true",
            "qw.weapon_instruction.flags.wasfiring = false",
            "qw.weapon_instruction.sequence = 231",
            "qw.weapon_instruction.mode.iffiring = true", "qw.weapon_instruction.weapon = 5",
            "qw.paused_duration = 77", "qw.demo_start_timestamp = 2026-11-20T15:54:43.513Z")

    def test_undecodable_hidden_messages_are_reported(self):
        block = demos.mvd_beginning()[0]
        for name, messages, note in (
                ("unknown", demos.hidden(12, b"abc"), "unknown_message"),
                ("extended", struct.pack("<IHH", 3, 0xffff, 0x10) + b"abc", "unknown_message"),
                ("too long", struct.pack("<IH", 9, 7) + bytes(8), "malformed"),
                ("short of its layout", demos.hidden(1, bytes(20)), "malformed"),
                ("no header", b"\1\0\0\0\7", "malformed")):
            with self.subTest(name):
                good = demos.hidden(10, b"\x4d")
                path = self.write("x.mvd", block + demos.mvd_hidden(good + messages))
                status, report = demos.report("--check", path)
                self.assertEqual((status, report["files"][0]["notes"]), (1, {note: 1}))
                self.assertGreater(report["files"][0]["undecoded_bytes"], 0)

    def test_bytes_behind_a_hidden_message_are_undecoded(self):
        more = demos.hidden(7, struct.pack("<HHHh", 7, 4, 8, 110) + b"more") + demos.HIDDEN[11]
        path = self.write("x.mvd", demos.mvd_beginning()[0] + demos.mvd_hidden(more))
        status, report = demos.report("--check", path)
        self.assertEqual((status, report["files"][0]["undecoded_bytes"]), (1, 4))
        self.assert_lines(demos.run("--dump", path)[1], "qw.paused_duration = 77")

    def test_block_for_nobody_is_decoded_without_the_extension(self):
        blocks = [demos.mvd_block(demos.ALL, demos.serverdata_mvd()),
                  demos.mvd_hidden(b"\x08\x02for nobody\n\0")]
        self.assert_lines(self.text_of("x.mvd", blocks), 'qw.print.text = "for nobody\\n"')
        self.assertEqual(demos.run("--check", self.folder / "x.mvd")[0], 0)

    def test_server_demo_of_fte(self):
        blocks = self.split(self.text_of("x.mvd", demos.mvd_fte_demo()))
        self.assert_lines(blocks[4], "qw.delta.number := 1", 'qw.player.name := "anna"',
                          "qw.delta.origin.x = 1.5", "qw.delta.origin.z = 3.5")
        for stats in (blocks[5], blocks[6]):
            self.assert_lines(stats, "qw.mvd.to := 31", 'qw.player.name := "bert"')
        self.assert_lines(blocks[7], "qw.playerinfo.origin.x = 0.125",
                          "qw.playerinfo.origin.z = -0.5")
        self.assertNotIn("qw.mvd.to ", blocks[7])

    def test_relay_and_server_records(self):
        self.assertIn("q2.unicast.client = 5\n", self.text_of("r.dm2", demos.dm2_relay_demo()))
        self.assertIn('q2.print.text = "hello\\n"', self.text_of("s.dm2", demos.dm2_server_demo()))

    def test_test_release_is_named(self):
        path = self.write("old.dm2", b"".join(demos.dm2_test_release_demo()))
        status, report = demos.report("--check", path)
        self.assertEqual(status, 1)
        self.assertEqual(report["files"][0]["notes"], {"protocol.undecoded": 2})


# The demos whose framing is their own: versions of a protocol differ in their messages only.
FRAMINGS = ("qw28.qwd", "ezquake37.qwd", "appendix.qwd", "mvdsv.mvd", "appendix.mvd", "fte.mvd", "q2-34.dm2",
            "server.dm2", "relay.dm2", "nq15.dem", "nq999.dem", "track.dem", "2009.mvd2", "2013.mvd2")

# Starting the program takes longer than checking a small demo: so many files are checked at once.
TOGETHER = 200

# Every so many cuts are dumped as well as checked.
DUMP_EVERY = 8

# Every so many are also checked alone, and so is each at the end of a block.
ALONE_EVERY = 96


class Cut(SmallDemos):
    def test_cut_anywhere(self):
        for name, blocks in demos.SMALL:
            if name not in FRAMINGS:
                continue
            data = b"".join(blocks)
            # The form of the first command shows in what follows it.
            first = 1 if name != "ezquake37.qwd" else len(blocks[0]) + 5
            for start in range(first, len(data), TOGETHER):
                sizes = range(start, min(start + TOGETHER, len(data)))
                paths = [self.write(f"{size}-{name}", data[:size]) for size in sizes]
                files = checked_together(paths)
                for size, path, checked in zip(sizes, paths, files, strict=True):
                    with self.subTest(f"{name}, {size} bytes"):
                        self.check_cut(name, blocks, path, size, checked)
                # Each file with a good block is a session of the dump.
                self.assertEqual(self.blocks_by_session(*paths[::DUMP_EVERY]),
                                 [file.frames for file in files[::DUMP_EVERY] if file.frames])

    def check_cut(self, name, blocks, path, size, checked):
        """`checked` is what was printed of the file among others."""
        whole = start = 0
        while start + len(blocks[whole]) <= size:
            start += len(blocks[whole])
            whole += 1
        good = whole - (name.endswith((".dem", ".mvd2")) and whole > 0)
        at_an_end = start == size and ends_well(name, blocks, whole)
        if at_an_end:
            self.assertEqual(checked.errors, [])
        else:
            ours = [place for place in checked.errors if place[2].startswith("the file ends")]
            self.assertEqual([place[:2] for place in ours], [(good + 1, start)], checked.errors)
            self.assertEqual(checked.frames, good)
        if start == size or size % ALONE_EVERY == 0:
            self.check_alone(path, 0 if at_an_end else 1, checked)

    def check_alone(self, path, expected, checked):
        """The exit status shows whether the file is whole."""
        status, output, error = demos.run("--check", "--json", path)
        self.assertEqual(status, expected)
        self.assertEqual(bool(error), bool(expected))
        self.assertEqual(demos.block_messages(error), checked.errors)
        self.assertEqual(json.loads(output)["files"][0]["frames"], checked.frames)


class Damaged(SmallDemos):
    def test_wrong_length_ends_the_demo(self):
        for name, blocks, which, at in (("x.qwd", demos.qwd_demo(), 2, 5),
                                        ("x.mvd", demos.mvd_demo(), 6, 2),
                                        ("x.dm2", demos.dm2_demo(), 3, 0),
                                        ("x.dem", demos.dem_demo(), 3, 0)):
            for length in (0x7FFFFFFF, 0x80000000 - 2, 100000):
                with self.subTest(f"{name}, {length}"):
                    damaged = list(blocks)
                    block = bytearray(damaged[which])
                    block[at:at + 4] = struct.pack("<I", length)
                    damaged[which] = bytes(block)
                    path = self.write(name, b"".join(damaged))
                    status, _, error = demos.run("--check", path)
                    good = which - name.endswith(".dem")
                    self.assertEqual(status, 1)
                    self.assertEqual(demos.block_messages(error),
                                     [(good + 1, sum(map(len, blocks[:which])),
                                       "no block begins here")])
                    self.assertEqual(self.blocks(path), good)

    def test_messages_that_a_length_cuts_are_reported(self):
        blocks = demos.dm2_demo()
        blocks[3] = demos.dm2_block(b"\x0a\x02hello")
        status, report = demos.report("--check", self.write("x.dm2", b"".join(blocks)))
        problems = report["files"][0]["problems"]
        self.assertEqual(status, 1)
        self.assertEqual({problem["packet"] for problem in problems}, {4})
        self.assertTrue(all(problem["offset"] >= sum(map(len, blocks[:3])) for problem in problems))
        self.assertEqual(report["files"][0]["frames"], 5)

    def test_unknown_block_type_is_reported(self):
        blocks = demos.qwd_demo()
        blocks[3] = demos.qwd_head(1.75, 5) + bytes(8)
        status, _, error = demos.run("--check", self.write("x.qwd", b"".join(blocks)))
        self.assertEqual(status, 1)
        self.assertIn("block 4: offset", error)

    def test_bytes_behind_the_end_mark_are_reported(self):
        data = b"".join(demos.dm2_demo())
        status, _, error = demos.run("--check", self.write("x.dm2", data + b"more"))
        self.assertEqual(status, 1)
        self.assertEqual(demos.block_messages(error),
                         [(6, len(data), "there is more behind the end mark")])

    def test_files_that_are_no_demos(self):
        for name, data in (("empty", b""), ("text", b"hello world, this is no demo at all\n" * 9),
                           ("numbers", b"1\n2\n3\n"), ("short", b"12\n" + b"text " * 9)):
            status, output, error = demos.run("--check", self.write(name, data))
            self.assertEqual((status, output), (2, ""))
            self.assertIn("neither a capture nor a demo", error)
