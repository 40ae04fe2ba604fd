# SPDX-License-Identifier: GPL-2.0-or-later
"""--stats and --list: players, teams and scores."""

import struct

import demos
from demos import ALL, mvd_block
from tool import SANITIZED, ToolTest

END = mvd_block(ALL, b"\x02EndOfDemo\0")


def userinfo(slot, user, **pairs):
    text = "".join(f"\\{key}\\{value}" for key, value in pairs.items())
    return struct.pack("<BBi", 40, slot, user) + text.encode("latin-1") + b"\0"


def frags(slot, count):
    return struct.pack("<BBh", 14, slot, count)


def ping(slot, ms, loss):
    return struct.pack("<BBhBBB", 36, slot, ms, 53, slot, loss)


def setinfo(slot, key, value):
    return struct.pack("<BB", 51, slot) + f"{key}\0{value}\0".encode()


def left(slot):
    """The messages of a server that drops a client: no frags and no name."""
    return frags(slot, 0) + ping(slot, 0, 0) + struct.pack("<BBi", 40, slot, 0) + b"\0"


INTERMISSION = struct.pack("<B3h3b", 30, 0, 0, 0, 0, 0, 0)


def mvd(*frames, info="", map_name="dm4"):
    """A block each tenth of a second."""
    start = (demos.serverdata_mvd((b"MVD1", 0x20)) + f'\x09fullserverinfo "{info}"\n\0'.encode() +
             f"\x2d\0maps/{map_name}.bsp\0\0\0".encode())
    blocks = [mvd_block(ALL, start)]
    blocks += [mvd_block(ALL, frame, milliseconds=100) for frame in frames]
    return b"".join(blocks + [END])


class MatchTest(ToolTest):
    def session(self, name, data, *arguments):
        session, = self.report("--stats", self.write(name, data), *arguments)["sessions"]
        return session

    def level(self, name, data):
        level, = self.session(name, data)["levels"]
        return level

    def assert_players(self, level, keys, *rows):
        self.assertEqual([tuple(player[key] for key in keys.split()) for player in level["players"]], [*rows])

    def assert_score(self, level, **frags):
        """In this order."""
        self.assertEqual(level["score"], [{"name": name, "frags": count} for name, count in frags.items()])


class QuakeWorld(MatchTest):
    DUEL = [userinfo(0, 1, name="anna", team="red") + userinfo(1, 2, name="bert", team="blue") +
            userinfo(2, 3, name="carla", **{"*spectator": "1"}),
            frags(0, 1), frags(0, 2) + frags(1, 1), ping(0, 25, 1) + ping(1, 60, 0)]

    def duel(self, *more, **options):
        """The level of a duel, with more blocks at its end."""
        return self.level("x.mvd", mvd(*self.DUEL, *more, **options))

    def test_duel(self):
        level = self.duel(INTERMISSION, frags(0, 0) + frags(1, 7))
        self.assert_players(level, "name team frags ping loss from to spectator",
                            ("anna", "red", 2, 25, 1, 0.1, 0.6, False), ("bert", "blue", 1, 60, 0, 0.1, 0.6, False),
                            ("carla", None, 0, None, None, 0.1, 0.6, True))
        self.assert_score(level, anna=2, bert=1)
        self.assertEqual((level["map"], level["over"], level["team_game"], level["winner"]),
                         ("dm4", True, False, "anna"))
        self.assertEqual([change for change in level["changes"] if "frags" in change],
                         [{"time": 0.2, "player": 0, "frags": 1}, {"time": 0.3, "player": 0, "frags": 2},
                          {"time": 0.3, "player": 1, "frags": 1}])

    def test_draw_has_no_winner(self):
        """Players with the same score are listed by name."""
        level = self.duel(frags(1, 2) + setinfo(0, "name", "zoe"))
        self.assertIsNone(level["winner"])
        self.assert_score(level, bert=2, zoe=2)

    def test_list_has_players_and_score(self):
        path = self.write("x.mvd", mvd(*self.DUEL))
        self.assertIn("  anna 2, bert 1\n", self.tool("--list", "--wide", path)[0])
        listed, = self.listed(path)
        self.assertEqual((listed["player"], listed["players"], listed["score"]),
                         ("anna, bert", ["anna", "bert"], "anna 2, bert 1"))
        # Without a score there is no such column.
        self.assertNotIn("score", self.tool("--list", "--wide", self.write("y.mvd", mvd(self.DUEL[0])))[0])

    def test_match_that_begins_again_on_the_same_level(self):
        """The last score stands until a player scores. A death takes one or two frags, and is no new match."""
        reset = frags(0, 4), frags(0, 0) + frags(1, 0)
        self.assert_score(self.duel(*reset), anna=4, bert=1)
        self.assert_score(self.duel(*reset, frags(1, 1)), bert=1, anna=0)
        self.assert_score(self.duel(frags(0, 0)), bert=1, anna=0)

    def test_two_levels(self):
        data = mvd(*self.DUEL)[:-len(END)] + mvd(*self.DUEL, frags(1, 8), map_name="dm6")
        session = self.session("x.mvd", data)
        self.assertEqual(session["score"], "dm4: anna 2, bert 1; dm6: bert 8, anna 2")
        self.assertEqual([(level["map"], level["winner"]) for level in session["levels"]],
                         [("dm4", "anna"), ("dm6", "bert")])

    def test_scoreboard_before_the_first_level_is_of_no_level(self):
        """Servers send it to each client that has connected."""
        bert = userinfo(3, 9, name="bert")
        packets = (demos.qwd_packet(1, bert), demos.qwd_packet(2, demos.serverdata_qw(28) + bert),
                   b"\xff\xff\xff\xff\x02EndOfDemo\0")
        self.write("x.qwd", b"".join(demos.qwd_read(number / 10, packet) for number, packet in enumerate(packets)))
        self.tool("--pcap", "x.pcap", "x.qwd")
        session, = self.report("--stats", "x.pcap")["sessions"]
        self.assertEqual([level["from"] for level in session["levels"]], [0.1])

    def test_teams(self):
        level = self.duel(userinfo(3, 4, name="dora", team="blue"), frags(3, 2), info="\\teamplay\\2")
        self.assertEqual((level["team_game"], level["winner"], level["score"]), (True, "blue", level["teams"]))
        self.assert_score(level, blue=3, red=2)

    def test_player_who_leaves(self):
        """The server takes the frags away. A player who left before others scored is not in the score."""
        level = self.duel(left(1))
        self.assert_players(level, "name frags to", ("anna", 2, 0.5), ("bert", 1, 0.5), ("carla", 0, 0.5))
        self.assertEqual(level["winner"], "anna")
        self.assert_score(self.duel(left(1), frags(0, 3)), anna=3)

    def test_player_who_returns(self):
        level = self.duel(left(1), userinfo(4, 9, name="bert") + frags(4, 5))
        self.assert_players(level, "name frags to", ("anna", 2, 0.6), ("bert", 5, 0.6), ("carla", 0, 0.6))

    def test_player_who_becomes_a_spectator(self):
        """The player has left the game; the frags stand if no player scores later."""
        level = self.duel(userinfo(1, 2, name="bert", **{"*spectator": "1"}), frags(1, -999))
        self.assert_players(level, "name frags to spectator", ("anna", 2, 0.6, False), ("bert", 1, 0.5, False),
                            ("carla", 0, 0.6, True), ("bert", -999, 0.6, True))
        self.assert_score(level, anna=2, bert=1)

    def test_ghosts(self):
        """KTX lists players who left as user 0, with a mark before the name; the team keeps the frags."""
        ghost = userinfo(9, 0, name="\x83 bert", team="blue") + frags(9, 1) + left(1)
        self.assert_score(self.duel(ghost, info="\\teamplay\\2"), red=2, blue=1)
        level = self.duel(ghost, frags(0, 3), userinfo(5, 7, name="bert", team="blue") + frags(5, 4) + left(9),
                          info="\\teamplay\\2")
        self.assert_score(level, blue=4, red=3)
        self.assertEqual({each["name"] for each in level["players"]}, {"anna", "bert", "carla"})

    def test_name_that_changes_is_the_same_player(self):
        """Another user in the slot is another player."""
        level = self.duel(setinfo(0, "name", "anne"), userinfo(1, 8, name="emil"))
        self.assertEqual([each["name"] for each in level["players"]], ["anne", "bert", "carla", "emil"])
        self.assertIn({"time": 0.5, "player": 0, "name": "anne"}, level["changes"])

    def test_names_of_any_bytes_and_number_are_listed(self):
        names = ['qu"ote', "back/slash", "\x01\x07control\x7f", "\xe1\xec\xec", "ansi\x1b[31m", "\x80wide\xff"]
        session = self.session("x.mvd", mvd(*(userinfo(slot, slot + 1, name=name) + frags(slot, 9 - slot)
                                              for slot, name in enumerate(names))))
        shown = [each["name"] for each in session["levels"][0]["players"]]
        self.assertEqual(shown[:2] + shown[3:4], ['qu"ote', "back/slash", "all"])
        self.assertTrue("".join(shown).isprintable(), shown)
        self.assertEqual(session["players"], shown)
        long = [f"a-player-with-a-long-name-{number:02}" for number in range(32)]
        session = self.session("y.mvd", mvd(b"".join(userinfo(slot, slot + 1, name=name) for slot, name in enumerate(long))))
        self.assertEqual((session["players"], session["player"]), (long, ", ".join(long)))
        self.assertIn(f"1  {', '.join(long)}  dm4 ", self.tool("--list", "--wide", "y.mvd")[0])

    def test_64_players_who_join_and_leave_1000_times(self):
        """Under new names, or the old ones."""
        for name, label in (("p{slot}", "same"), ("p{user}", "new")):
            blocks = [mvd()[:-len(END)]]
            for turn in range(1000):
                users = ((slot, turn * 64 + slot) for slot in range(64))
                blocks.append(mvd_block(ALL, b"".join(
                    userinfo(slot, user + 1, name=name.format(slot=slot, user=user)) + frags(slot, turn % 99)
                    for slot, user in users), milliseconds=10))
                blocks.append(mvd_block(ALL, b"".join(map(left, range(64))), milliseconds=10))
            path = self.write(f"{label}.mvd", b"".join(blocks + [END]))
            level = self.level(path.name, path.read_bytes())
            self.assertEqual(level["players_left_out"], 64000 - 1024 if label == "new" else 0)
            size, memory, seconds = self.measure("--stats", "--json", path)
            self.assertLess(size, 2 << 20)
            if not SANITIZED:
                self.assertLess(memory, 60)
            self.assertLess(seconds, 6)


class Quake(MatchTest):
    def test_match(self):
        def player(slot, name, colors, count=0):
            return struct.pack("<BB", 13, slot) + name + b"\0" + frags(slot, count) + struct.pack("<BBB", 17, slot, colors)

        start = b"\x0b" + struct.pack("<iBB", 15, 4, 1) + b"A level\0maps/dm3.bsp\0\0\0"
        sign_on = player(0, b"anna", 0x44) + player(1, b"bert", 0x0d) + player(2, b"", 0)
        blocks = [b"-1\n", demos.dem_block(start, (0.0, 0.0, 0.0))]
        for number, frame in enumerate((sign_on, frags(0, 3), frags(1, 2), player(1, b"", 0), b"\x1e", frags(0, 9))):
            blocks.append(demos.dem_block(b"\x07" + struct.pack("<f", 400 + number) + frame))
        level = self.level("x.dem", b"".join(blocks + [demos.dem_block(b"\x02")]))
        self.assert_players(level, "name team frags", ("anna", "4", 3), ("bert", "13", 2))
        self.assertEqual((level["map"], level["over"], level["team_game"], level["winner"]),
                         ("dm3", True, False, "anna"))


class Quake2(MatchTest):
    def test_scoreboard_layout_has_the_frags_of_others(self):
        layout = b"\x04xv 32 client 0 32 0 21 40 7 client 0 64 1 17 90 7 client 1\0"
        blocks = [demos.dm2_block(demos.serverdata_q2(34, 0) + demos.configstring(33, b"maps/q2dm1.bsp")),
                  demos.dm2_block(demos.configstring(1312, b"anna\\male/grunt") +
                                  demos.configstring(1313, b"bert\\female/ctf_r")),
                  demos.dm2_block(layout), demos.DM2_END]
        level = self.level("x.dm2", b"".join(blocks))
        self.assert_players(level, "name team frags ping", ("anna", "grunt", 21, 40), ("bert", "ctf_r", 17, 90))
        self.assertEqual((level["winner"], level["team_game"]), ("anna", False))

    def test_recording_client_of_a_server_demo_is_no_player(self):
        """Its number is 7."""
        blocks = demos.mvd2_demo()
        blocks.insert(2, demos.mvd2_block(b"\x05" + struct.pack("<H", 1312 + 7) + b"[MVDSPEC]\\male/grunt\0"))
        self.assertEqual(self.session("x.mvd2", b"".join(blocks))["players"], ["anna", "bert"])


class Times(MatchTest):
    def test_start_time_of_an_mvd(self):
        """8 bytes, or a LEB128 of other engines; as type 9 in March 2026."""
        for kind, body, start in ((11, "ac93b7fee733", 1780260653.484), (11, "725d7a2e9d010000", 1774601264.498),
                                  (9, "725d7a2e9d010000", 1774601264.498)):
            blocks = demos.mvd_beginning() + [demos.mvd_hidden(demos.hidden(kind, bytes.fromhex(body))), END]
            with self.subTest(kind=kind, body=body):
                session = self.session("x.mvd", b"".join(blocks))
                self.assertEqual((session["start"], session["problems"]), (start, 0))
                self.assertIn("  2026-0", self.tool("--list", "--wide", "x.mvd")[0])

    def test_duration_of_a_demo_whose_clock_begins_late(self):
        """At 4,000 s; also of a capture that is made of it."""
        blocks = [struct.pack("<f", struct.unpack_from("<f", block)[0] + 4000) + block[4:]
                  for block in demos.qwd_demo()]
        self.write("x.qwd", b"".join(blocks))
        self.tool("--pcap", "x.pcap", "x.qwd")
        self.assertIn("  0:01  ", self.tool("--list", "x.qwd")[0])
        self.assertIn(", 0:01, ", self.tool("--output", "y.qwd", "x.pcap")[0])
