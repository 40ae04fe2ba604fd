# SPDX-License-Identifier: GPL-2.0-or-later
"""Who played, and how it ended: players, teams and scores; and files that are no demos."""

import json
import struct
import unittest

import demos
from demos import ALL, mvd_block
from tool import CAPTURES, SANITIZED, ToolTest

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
    """As servers drop a client: all of it anew, without frags and name."""
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
    def session(self, name, data, *arguments, status=0):
        output, _ = self.tool("--stats", "--json", self.write(name, data), *arguments, status=status)
        session, = json.loads(output)["sessions"]
        return session

    def level(self, name, data, **options):
        level, = self.session(name, data, **options)["levels"]
        return level


class QuakeWorld(MatchTest):
    DUEL = [userinfo(0, 1, name="anna", team="red") + userinfo(1, 2, name="bert", team="blue") +
            userinfo(2, 3, name="carla", **{"*spectator": "1"}),
            frags(0, 1), frags(0, 2) + frags(1, 1), ping(0, 25, 1) + ping(1, 60, 0)]

    def test_duel(self):
        level = self.level("x.mvd", mvd(*self.DUEL, INTERMISSION, frags(0, 0) + frags(1, 7)))
        anna = {"name": "anna", "team": "red", "frags": 2, "ping": 25, "loss": 1, "from": 0.1, "to": 0.6,
                "spectator": False}
        bert = {**anna, "name": "bert", "team": "blue", "frags": 1, "ping": 60, "loss": 0}
        carla = {**anna, "name": "carla", "team": None, "frags": 0, "ping": None, "loss": None, "spectator": True}
        self.assertEqual(level["players"], [anna, bert, carla])
        self.assertEqual(level["score"], [{"name": "anna", "frags": 2}, {"name": "bert", "frags": 1}])
        self.assertEqual((level["map"], level["over"], level["team_game"], level["winner"]),
                         ("dm4", True, False, "anna"))
        self.assertEqual([change for change in level["changes"] if "frags" in change],
                         [{"time": 0.2, "player": 0, "frags": 1}, {"time": 0.3, "player": 0, "frags": 2},
                          {"time": 0.3, "player": 1, "frags": 1}])

    def test_draw(self):
        """Nobody has won; of equal scores the names are in order."""
        level = self.level("x.mvd", mvd(*self.DUEL, frags(1, 2) + setinfo(0, "name", "zoe")))
        self.assertIsNone(level["winner"])
        self.assertEqual([each["name"] for each in level["score"]], ["bert", "zoe"])

    def test_list(self):
        data = mvd(*self.DUEL)
        self.assertIn("  anna 2, bert 1\n", self.tool("--list", "--wide", self.write("x.mvd", data))[0])
        listed, = json.loads(self.tool("--list", "--json", "x.mvd")[0])["sessions"]
        self.assertEqual((listed["player"], listed["players"], listed["score"]),
                         ("anna, bert", ["anna", "bert"], "anna 2, bert 1"))
        # Where nobody scored there is no such column.
        self.assertNotIn("score", self.tool("--list", "--wide", self.write("y.mvd", mvd(self.DUEL[0])))[0])

    def test_reset(self):
        """A match that begins anew on the same level: the score stands until somebody scores."""
        frames = [*self.DUEL, frags(0, 4), frags(0, 0) + frags(1, 0)]
        self.assertEqual(self.level("x.mvd", mvd(*frames))["score"],
                         [{"name": "anna", "frags": 4}, {"name": "bert", "frags": 1}])
        self.assertEqual(self.level("y.mvd", mvd(*frames, frags(1, 1)))["score"],
                         [{"name": "bert", "frags": 1}, {"name": "anna", "frags": 0}])
        # A death takes one or two.
        self.assertEqual(self.level("z.mvd", mvd(*self.DUEL, frags(0, 0)))["score"],
                         [{"name": "bert", "frags": 1}, {"name": "anna", "frags": 0}])

    def test_levels(self):
        data = mvd(*self.DUEL)[:-len(END)] + mvd(*self.DUEL, frags(1, 8), map_name="dm6")
        session = self.session("x.mvd", data)
        self.assertEqual(session["score"], "dm4: anna 2, bert 1; dm6: bert 8, anna 2")
        self.assertEqual([(level["map"], level["winner"]) for level in session["levels"]],
                         [("dm4", "anna"), ("dm6", "bert")])

    def test_teams(self):
        level = self.level("x.mvd", mvd(*self.DUEL, userinfo(3, 4, name="dora", team="blue"), frags(3, 2),
                                        info="\\teamplay\\2"))
        self.assertEqual((level["team_game"], level["winner"]), (True, "blue"))
        self.assertEqual(level["score"], [{"name": "blue", "frags": 3}, {"name": "red", "frags": 2}])
        self.assertEqual(level["score"], level["teams"])

    def test_leave(self):
        """The server takes frags away when a player leaves. Who left before others scored is not in the score."""
        level = self.level("x.mvd", mvd(*self.DUEL, left(1)))
        self.assertEqual([(each["frags"], each["to"]) for each in level["players"][:2]], [(2, 0.5), (1, 0.5)])
        self.assertEqual(level["winner"], "anna")
        level = self.level("y.mvd", mvd(*self.DUEL, left(1), frags(0, 3)))
        self.assertEqual(level["score"], [{"name": "anna", "frags": 3}])

    def test_return(self):
        level = self.level("x.mvd", mvd(*self.DUEL, left(1), userinfo(4, 9, name="bert") + frags(4, 5)))
        self.assertEqual([(each["name"], each["frags"], each["to"]) for each in level["players"][:2]],
                         [("anna", 2, 0.6), ("bert", 5, 0.6)])
        self.assertEqual(len(level["players"]), 3)

    def test_spectator(self):
        """Who becomes a spectator has left the game; the frags stand if nobody scores later."""
        level = self.level("x.mvd", mvd(*self.DUEL, userinfo(1, 2, name="bert", **{"*spectator": "1"}) + frags(1, -999)))
        self.assertEqual([(each["name"], each["frags"], each["to"], each["spectator"]) for each in level["players"]],
                         [("anna", 2, 0.5, False), ("bert", 1, 0.5, False), ("carla", 0, 0.5, True),
                          ("bert", -999, 0.5, True)])
        self.assertEqual(level["score"], [{"name": "anna", "frags": 2}, {"name": "bert", "frags": 1}])

    def test_ghost(self):
        """KTX lists who left as user 0, with a mark before the name; the team keeps the frags."""
        ghost = userinfo(9, 0, name="\x83 bert", team="blue") + frags(9, 1)
        level = self.level("x.mvd", mvd(*self.DUEL, ghost + left(1), info="\\teamplay\\2"))
        self.assertEqual(level["score"], [{"name": "red", "frags": 2}, {"name": "blue", "frags": 1}])
        level = self.level("y.mvd", mvd(*self.DUEL, ghost + left(1), frags(0, 3),
                                        userinfo(5, 7, name="bert", team="blue") + frags(5, 4) + left(9),
                                        info="\\teamplay\\2"))
        self.assertEqual(level["score"], [{"name": "blue", "frags": 4}, {"name": "red", "frags": 3}])
        self.assertEqual({each["name"] for each in level["players"]}, {"anna", "bert", "carla"})

    def test_rename(self):
        """A name that changes is the same player's; another user in the slot is another player."""
        level = self.level("x.mvd", mvd(*self.DUEL, setinfo(0, "name", "anne"), userinfo(1, 8, name="emil")))
        self.assertEqual([each["name"] for each in level["players"]], ["anne", "bert", "carla", "emil"])
        self.assertIn({"time": 0.5, "player": 0, "name": "anne"}, level["changes"])

    def test_names(self):
        """All of them, whatever characters they have."""
        names = ['qu"ote', "back/slash", "\x01\x07control\x7f", "\xe1\xec\xec", "ansi\x1b[31m", "\x80wide\xff"]
        data = mvd(*(userinfo(slot, slot + 1, name=name) + frags(slot, 9 - slot)
                     for slot, name in enumerate(names)))
        session = self.session("x.mvd", data)
        shown = [each["name"] for each in session["levels"][0]["players"]]
        self.assertEqual(shown[:2] + shown[3:4], ['qu"ote', "back/slash", "all"])
        for name in shown:
            self.assertTrue(name.isprintable(), name)
        self.assertEqual(session["players"], shown)
        long = [f"a-player-with-a-long-name-{number:02}" for number in range(32)]
        data = mvd(b"".join(userinfo(slot, slot + 1, name=name) for slot, name in enumerate(long)))
        session = self.session("y.mvd", data)
        self.assertEqual((session["players"], session["player"]), (long, ", ".join(long)))
        self.assertIn(f"1  {', '.join(long)}  dm4 ", self.tool("--list", "--wide", "y.mvd")[0])

    def test_many(self):
        """64 players who join and leave 1,000 times, under new names or the old ones."""
        for name, label in (("p{slot}", "same"), ("p{user}", "new")):
            path = self.write(f"{label}.mvd", b"")
            with path.open("wb") as out:
                out.write(mvd()[:-len(END)])
                for turn in range(1000):
                    block = b"".join(
                        userinfo(slot, turn * 64 + slot + 1, name=name.format(slot=slot, user=turn * 64 + slot)) +
                        frags(slot, turn % 99) for slot in range(64))
                    out.write(mvd_block(ALL, block, milliseconds=10) +
                              mvd_block(ALL, b"".join(map(left, range(64))), milliseconds=10))
                out.write(END)
            level, = self.session(path.name, path.read_bytes())["levels"]
            self.assertEqual(level["players_left_out"] > 0, label == "new")
            size, memory, seconds = self.measure("--stats", "--json", path)
            self.assertLess(size, 2 << 20)
            if not SANITIZED:
                self.assertLess(memory, 60)
            self.assertLess(seconds, 6)


class Quake(MatchTest):
    @staticmethod
    def name(slot, text):
        return struct.pack("<BB", 13, slot) + text + b"\0"

    @staticmethod
    def colors(slot, colors):
        return struct.pack("<BBB", 17, slot, colors)

    def dem(self, *frames):
        start = b"\x0b" + struct.pack("<iBB", 15, 4, 1) + b"A level\0maps/dm3.bsp\0\0\0"
        blocks = [b"-1\n", demos.dem_block(start, (0.0, 0.0, 0.0))]
        blocks += [demos.dem_block(b"\x07" + struct.pack("<f", 400 + number) + frame)
                   for number, frame in enumerate(frames)]
        return b"".join(blocks + [demos.dem_block(b"\x02")])

    def test_match(self):
        sign_on = (self.name(0, b"anna") + frags(0, 0) + self.colors(0, 0x44) + self.name(1, b"bert") +
                   frags(1, 0) + self.colors(1, 0x0d) + self.name(2, b"") + frags(2, 0) + self.colors(2, 0))
        gone = self.name(1, b"") + frags(1, 0) + self.colors(1, 0)
        level = self.level("x.dem", self.dem(sign_on, frags(0, 3), frags(1, 2), gone, b"\x1e", frags(0, 9)))
        self.assertEqual([(each["name"], each["team"], each["frags"]) for each in level["players"]],
                         [("anna", "4", 3), ("bert", "13", 2)])
        self.assertEqual((level["map"], level["over"], level["team_game"], level["winner"]),
                         ("dm3", True, False, "anna"))


class Quake2(MatchTest):
    def test_scoreboard(self):
        """A client is told the frags of others by the layout of the scoreboard."""
        layout = b"\x04xv 32 client 0 32 0 21 40 7 client 0 64 1 17 90 7 client 1\0"
        blocks = [demos.dm2_block(demos.serverdata_q2(34, 0) + demos.configstring(33, b"maps/q2dm1.bsp")),
                  demos.dm2_block(demos.configstring(1312, b"anna\\male/grunt") +
                                  demos.configstring(1313, b"bert\\female/ctf_r")),
                  demos.dm2_block(layout), demos.DM2_END]
        level = self.level("x.dm2", b"".join(blocks))
        self.assertEqual([(each["name"], each["team"], each["frags"], each["ping"]) for each in level["players"]],
                         [("anna", "grunt", 21, 40), ("bert", "ctf_r", 17, 90)])
        self.assertEqual((level["winner"], level["team_game"]), ("anna", False))

    def test_server(self):
        """In a server's demo are all but its own client, which is number 7."""
        blocks = demos.mvd2_demo()
        session = self.session("x.mvd2", b"".join(blocks))
        blocks.insert(2, demos.mvd2_block(b"\x05" + struct.pack("<H", 1312 + 7) + b"[MVDSPEC]\\male/grunt\0"))
        self.assertEqual(session["players"], ["anna", "bert"])


class Files(MatchTest):
    def test_start(self):
        """8 bytes, or a LEB128 of others; as type 9 in March 2026."""
        for kind, body, start in ((11, "ac93b7fee733", 1780260653.484), (11, "725d7a2e9d010000", 1774601264.498),
                                  (9, "725d7a2e9d010000", 1774601264.498)):
            blocks = demos.mvd_beginning() + [demos.mvd_hidden(demos.hidden(kind, bytes.fromhex(body))), END]
            with self.subTest(kind=kind, body=body):
                session = self.session("x.mvd", b"".join(blocks))
                self.assertEqual((session["start"], session["problems"]), (start, 0))
                self.assertIn("  2026-0", self.tool("--list", "--wide", "x.mvd")[0])

    def test_clock(self):
        """A clock that begins at 4,000 s, of a capture that was made of a demo."""
        blocks = [struct.pack("<f", struct.unpack_from("<f", block)[0] + 4000) + block[4:]
                  for block in demos.qwd_demo()]
        self.write("x.qwd", b"".join(blocks))
        self.tool("--pcap", "x.pcap", "x.qwd")
        self.assertIn("  0:01  ", self.tool("--list", "x.qwd")[0])
        output, _ = self.tool("--output", "y.qwd", "x.pcap")
        self.assertIn(", 0:01, ", output)

    def test_foreign(self):
        for name, data, text in (
                ("empty.mvd", b"", "it is empty"),
                ("lfs.dem", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer: get "),
                ("page.mvd", b"<!DOCTYPE html><html></html>", "a web page: download the file itself"),
                ("cs.dem", b"HLDEMO\0\0\5\0\0\0", "a demo of Half-Life: "),
                ("duel.qwz", b"\1\2\3\4\5\6\7\10", "Qizmo packed: unpack it with qizmo -D"),
                ("run.dz", b"DZ\2\11\0\0\0\0", "a Dzip archive: unpack it with dzip -x"),
                ("any.dem", b"7z\xbc\xaf\x27\x1c\0\0\0", "a 7z archive: unpack it first")):
            with self.subTest(name):
                output, error = self.tool("--list", self.write(name, data), status=2)
                self.assertRegex(error, f"^pcap2demo: .*{name}: neither a capture nor a demo[:,].*{text}")


# --- An independent count: the last svc_updatefrags of each player who is named, before the intermission

LARGEST = 40  # so many of the stored demos, the smallest first


def counted(path):
    """Of each session and level: name -> frags."""
    levels = {}
    for packet in demos.dumped(path):
        for message in packet["fields"]:
            kind = message["name"].partition(".")[2]
            values = {field["name"].partition(".")[2]: field.get("value") for field in demos.flat([message])}
            session = levels.setdefault(packet.get("session"), [])
            if "serverdata.protocol" in values or "serverinfo.protocol" in values:
                if session and not session[-1]["names"]:
                    session.pop()
                session.append({"names": {}, "frags": {}, "over": False})
            elif not session:
                continue
            elif kind == "svc_updatename":
                session[-1]["names"][values["updatename.player"]] = values["updatename.name"]
            elif kind == "svc_updateuserinfo":
                pairs = {}
                for pair in message["fields"]:
                    parts = {part["name"].partition(".")[2]: part["value"] for part in pair.get("fields", [])}
                    if "info.key" in parts:
                        pairs.setdefault(parts["info.key"], parts.get("info.value", ""))
                player = values["updateuserinfo.player"]
                session[-1]["names"][player] = None if "*spectator" in pairs else pairs.get("name")
            elif kind == "svc_setinfo" and values["setinfo.key"] == "name":
                session[-1]["names"][values["setinfo.player"]] = values["setinfo.value"]
            elif kind == "svc_updatefrags" and not session[-1]["over"]:
                session[-1]["frags"][values["updatefrags.player"]] = values["updatefrags.frags"]
            elif kind == "svc_intermission":
                session[-1]["over"] = True
    return levels


class Counted(ToolTest):
    def test_captures(self):
        """What is on the scoreboard at the end is in the score."""
        paths = [path for path in demos.stored_demos() if path.suffix in (".qwd", ".dem", ".mvd")][:LARGEST]
        paths += sorted(CAPTURES.glob("[qn][wq]-*.pcap")) + sorted(CAPTURES.glob("fidelity/[qn][wq]*.pcap"))
        compared = 0
        for path in paths:
            with self.subTest(path.name):
                report = json.loads(self.run_tool("--stats", "--json", path).stdout)
                count = counted(path)
                for session in report["sessions"]:
                    compared += self.compare(session, count.get(session["number"], []))
        self.assertGreater(compared, 20)

    def compare(self, session, count):
        levels = session["levels"]
        if len(levels) != len(count):  # it began without a sign-on
            return 0
        for level, right in zip(levels, count):
            known = {each["name"]: each["frags"] for each in level["players"]}
            for slot, name in right["names"].items():
                if name:
                    self.assertEqual(known.get(name), right["frags"].get(slot, 0), name)
        return len(levels)
