# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions that were running when the capture began: whose sign-on they get, and what comes out."""

import json
import pathlib
import re
import struct

from comparison import blocks_of
from late import PAYLOAD, cut, joined, merged, moved, readdressed
import tool
from tool import CAPTURES, Capture, ToolTest
import dem
import player
import recordings
from states import messages_of

QUAKE = CAPTURES / "nq-protocol15.pcap"
PLAYING = 100  # so many packets of it are the handshake and the sign-on


class Late(ToolTest):
    def convert(self, capture, *options, status=1):
        """What the tool printed. Demos are then called in-SESSION-MAP."""
        path = self.write("in.pcap", capture.pcap())
        (self.folder / "out").mkdir(exist_ok=True)
        output, error = self.tool("--force", "--output", "out", *options, path, status=status)
        self.assertNotIn("-19700101-", output)
        for name, session in re.findall(r"^out/(\S+): session (\d+),", output, re.MULTILINE):
            level = name.rsplit("-", 1)[1]
            (self.folder / "out" / name).rename(self.folder / "out" / f"in-{session}-{level}")
        return error

    def demos(self):
        """By name."""
        return {path.name: path for path in (self.folder / "out").iterdir()}

    def sessions(self, *options):
        output, _ = self.tool("--list", "--json", *options, "in.pcap")
        return json.loads(output)["sessions"]


class Quake(Late):
    def setUp(self):
        super().setUp()
        self.whole = Capture.read(QUAKE)
        self.convert(self.whole, status=0)
        self.recorded = self.messages("in-1-dm4.dem")
        (self.folder / "out" / "in-1-dm4.dem").rename(self.folder / "donor.dem")

    def messages(self, name):
        return [block.messages for block in dem.read(self.demos()[name])[1]]

    def assert_donated(self, name, blocks):
        """A sign-on of three blocks, then the end of the recording."""
        messages = self.messages(name)
        self.assertGreater(len(messages), blocks)
        self.assertEqual(messages[3:], self.recorded[-len(messages) + 3:])
        self.assertEqual(messages[:2], self.recorded[:2])
        return messages

    def late(self, *server):
        return cut(readdressed(self.whole, [10, 0, 0, 9], *server), PLAYING)

    def test_another_client_is_the_donor(self):
        error = self.convert(joined(self.late(), self.whole))
        self.assertIn("session 1: its start is missing (the capture lacks the beginning of "
                      "dm4); its sign-on is from session 2\n", error)
        messages = self.assert_donated("in-1-dm4.dem", 40)
        # The donor's own view and state are not lent, its clock is the session's.
        self.assertNotIn(b"\x0a", messages[2][:1])
        self.assertEqual(messages[2][:1] + messages[2][1:5], messages[3][:5])

    def test_no_other_client_is_the_donor(self):
        """One that signed on before the session was there, or behind it, or to another server."""
        late, hour = self.late(), 3600 * 10**6
        for capture in (merged(self.whole, late), merged(moved(self.whole, -hour), late),
                        merged(late, moved(self.whole, hour)),
                        joined(self.late(bytes([10, 0, 0, 8])), self.whole)):
            self.assertIn("no demo: ", self.convert(capture))

    def beginning(self):
        """A demo of the session's first moments, which the late one does not have."""
        self.convert(Capture(self.whole.link_type, self.whole.frames[:PLAYING - 4]), status=0)
        return self.demos()["in-1-dm4.dem"].rename(self.folder / "beginning.dem")

    def test_demo_is_the_donor(self):
        """The session's own recording proves the map; of another one the user says so."""
        for demo, printed, name in (("donor.dem", "the names", "in-1-dm4.dem"),
                                 (self.beginning(), "whether it was on the map of the session", "in-1-")):
            error = self.convert(cut(self.whole, PLAYING), "--sign-on", demo)
            self.assertIn(printed, error)
            self.assertEqual("whether it was" in error, "beginning" in str(demo))
            made, = self.demos()
            self.assertTrue(made.startswith(name))
            messages = self.assert_donated(made, 40)
            self.assertNotIn(b"alice", messages[2])
            self.demos()[made].unlink()

    def test_demo_that_is_contradicted(self):
        """Its baselines have the model that updates repeat, or none where they have none; its list is short."""
        demo = self.beginning().read_bytes()
        at = demo.index(b"progs/player.mdl")
        fewer = self.write("fewer.dem", demo[:at] + b"progs/player.mdl\0\0" +
                           demo[at:].split(b"\0\0", 1)[1])
        self.assertIn("fewer.dem: ", self.convert(cut(self.whole, PLAYING), "--sign-on", fewer))
        self.assertEqual(self.demos(), {})

    def test_demo_of_another_game(self):
        error = self.convert(cut(self.whole, PLAYING), "--sign-on", CAPTURES / "q2-limits1.dm2")
        self.assertIn("q2-limits1.dm2: it is of another game", error)

    def test_no_demo_without_a_donor(self):
        error = self.convert(cut(self.whole, PLAYING))
        self.assertIn("no demo: retry with --sign-on DEMO of the same map", error)
        self.assertEqual(self.demos(), {})

    def test_updates_of_fte_need_a_level(self):
        """They have no svc_time: the end of the first level is not dropped in silence."""
        capture = Capture.read(CAPTURES / "fidelity/nq-fte-qss.pcap.gz")
        self.assertIn("(the capture lacks the beginning of a level); the demo starts with dm4",
                      self.convert(cut(capture, 1409)))

    def test_list_names_the_donor(self):
        self.beginning()
        self.write("in.pcap", cut(self.whole, PLAYING).pcap())
        for demo, words, maps in (("donor.dem", "  from donor.dem", ["dm4"]),
                                  ("beginning.dem", "map unproven; from beginning.dem", [])):
            output, _ = self.tool("--list", "--wide", "--sign-on", demo, "in.pcap")
            self.assertIn(words, output)
            session, = self.sessions("--sign-on", demo)
            self.assertEqual((session["maps"], session["version"]), (maps, "15"))
            self.assertEqual(session["demo"]["sign_on"]["donor"], demo)
        session, = self.sessions()
        self.assertEqual(session["demo"]["sign_on"],
                         {"donor": None, "unknown": None, "refused": None})
        self.assertIn("missing", self.tool("--list", "in.pcap")[0])

    def test_column_is_there_only_when_needed(self):
        self.write("in.pcap", self.whole.pcap())
        self.assertNotIn("sign-on", self.tool("--list", "in.pcap")[0])
        session, = self.sessions()
        self.assertIsNone(session["demo"]["sign_on"])

    def test_donor_of_another_protocol_is_refused(self):
        path = self.write("other.pcap", Capture.read(CAPTURES / "nq-darkplaces.pcap").pcap())
        self.tool("--output", "other.dem", path, status=1)
        error = self.convert(cut(self.whole, PLAYING), "--sign-on", "other.dem")
        self.assertRegex(error, r"other.dem: with it, \d+ of \d+ packets of the session cannot be read: its client had other")
        self.assertEqual(self.demos(), {})

    def test_demo_without_a_sign_on_is_no_donor(self):
        self.write("empty.dem", b"-1\n" + bytes(16))
        error = self.convert(self.whole, "--sign-on", "empty.dem", status=0)
        self.assertIn("empty.dem: not used for --sign-on: it has no sign-on of a whole level", error)

    def test_sign_on_that_was_cut_off(self):
        """Without svc_serverinfo the level cannot be shown; it is never well."""
        serverinfo = next(index for index, (_, frame) in enumerate(self.whole.frames)
                          if b"\0\x0b\x0f\0\0\0" in frame)
        without = Capture(self.whole.link_type, self.whole.frames[:serverinfo] +
                          self.whole.frames[serverinfo + 1:])
        error = self.convert(without)
        self.assertEqual(self.demos(), {})
        self.assertIn("no demo: retry with --sign-on DEMO", error)
        self.convert(without, "--sign-on", "donor.dem")
        self.assertEqual(len(self.demos()), 1)


class Quake2(Late):
    """Of protocol 34, and of 36 with extended limits."""

    def lent(self, name, first, *options):
        """The demo of the late session as blocks, its frames, those of the whole one, and what was printed."""
        whole = Capture.read(CAPTURES / name)
        self.convert(whole, status=0)
        (self.folder / "out" / "in-1-lab1.dm2").rename(self.folder / "whole.dm2")
        late = cut(readdressed(whole, [10, 0, 0, 9]), first)
        if not options:
            error = self.convert(joined(late, whole), *options)
            late_demo = self.folder / "out" / "in-1-lab1.dm2"
        else:
            error = self.convert(late, *options)
            late_demo, = self.demos().values()
        _, printed = self.tool("--check", late_demo)
        self.assertEqual(printed, "")
        return blocks_of(late_demo), blocks_of(self.folder / "whole.dm2"), error

    def test_another_client_is_the_donor(self):
        got, whole, error = self.lent("q2-lossy.pcap", 100)
        self.assertIn("is from session 2", error)
        frames = len(got) - next(index for index, block in enumerate(got) if b"precache" in block) - 1
        self.assertGreater(frames, 20)
        # The first is written in full, all others are as they came.
        self.assertEqual(got[-frames + 1:], whole[-frames + 1:])
        self.assertEqual(got[0][13:], whole[0][13:])  # behind the server count

    def test_extended_limits(self):
        got, _, error = self.lent("q2-rates.pcap", 120)
        self.assertIn("is from session 2", error)
        self.assertGreater(len(got), 10)

    def test_demo_is_the_donor(self):
        whole = Capture.read(CAPTURES / "q2-lossy.pcap")
        self.convert(whole, status=0)
        donor = self.folder / "donor.dm2"
        (self.folder / "out" / "in-1-lab1.dm2").rename(donor)
        got, _, error = self.lent("q2-lossy.pcap", 100, "--sign-on", donor)
        self.assertIn("donor.dm2; unknown: ", error)
        self.assertIn("the names of players", error)
        self.assertGreater(len(got), 20)

    def lose(self, lost):
        """A session without one of its packets, and the same of another client, with all of them."""
        whole = Capture.read(CAPTURES / "q2-lossy.pcap")
        lossy = Capture(whole.link_type, whole.frames[:lost] + whole.frames[lost + 1:])
        return lossy, readdressed(whole, [10, 0, 0, 9])

    SIGN_ON = range(6, 21, 2)  # svc_serverdata, config strings, baselines

    def test_lost_part_of_a_sign_on(self):
        """The level is not shown, and that is reported: the client spoke of it, or acknowledged the packet."""
        for lost in self.SIGN_ON:
            lossy, _ = self.lose(lost)
            error = self.convert(lossy)
            self.assertRegex(error, r"session 1: (level lab1|a level) cannot be shown: part of its sign-on "
                             rf"\(before packet {lost + 1}\) was not captured; try --sign-on")
            self.assertEqual(self.demos(), {})

    def test_lost_part_of_a_sign_on_is_lent(self):
        _, whole = self.lose(0)
        self.convert(whole, status=0)
        (self.folder / "out" / "in-1-lab1.dm2").rename(self.folder / "whole.dm2")
        expected = blocks_of(self.folder / "whole.dm2")
        for lost in self.SIGN_ON:
            lossy, whole = self.lose(lost)
            error = self.convert(merged(lossy, whole))
            self.assertIn("its start is missing (part of the sign-on of lab1 (before packet ", error)
            self.assertIn("its sign-on is from session 2", error)
            self.assertEqual(blocks_of(self.folder / "out" / "in-1-lab1.dm2"), expected)


class QuakeWorld(Late):
    """Updates that a player of the demo would drop, and states that it would show, as in player.py."""

    def setUp(self):
        super().setUp()
        self.whole = Capture.read(CAPTURES / "qw-sample.pcap")
        self.convert(self.whole, status=0)
        self.recorded = self.only_demo()
        self.recorded = self.recorded.rename(self.folder / "donor.qwd")

    def only_demo(self):
        demo, = self.demos().values()
        return demo

    def seen(self, demo):
        played = player.play(tool.PROGRAM, demo)
        self.assertEqual(played.dropped, 0)
        return {sequence: states for (_, sequence), states in played.seen.items()}

    def assert_right(self, demo, share):
        """So much of the states that the late demo shows are as the whole one has them."""
        late, whole = self.seen(demo), self.seen(self.recorded)
        self.assertGreater(len(late), 10)
        states = [(sequence, number) for sequence in late for number in whole.get(sequence, {})]
        right = sum(late[sequence].get(number) == whole[sequence][number]
                    for sequence, number in states)
        self.assertGreaterEqual(right, share * len(states))
        _, printed = self.tool("--check", demo)
        self.assertEqual(printed, "")

    def playing(self, share):
        return int(len(self.whole.frames) * share)

    def test_demo_is_the_donor(self):
        for share in 0.2, 0.5:
            error = self.convert(cut(self.whole, self.playing(share)), "--sign-on", "donor.qwd")
            self.assertIn("its sign-on is from donor.qwd; unknown: the player's statistics",
                          error)
            demo = self.only_demo()
            self.assert_right(demo, 0.98)
            demo.unlink()

    def test_demo_that_is_contradicted(self):
        """Sounds that its list lacks, weapons of other numbers, and FTE's extensions."""
        self.convert(Capture(self.whole.link_type, self.whole.frames[:self.playing(0.1)]), status=0)
        beginning = self.only_demo()
        other = self.write("other.qwd", beginning.read_bytes().replace(b"/v_", b"/x_"))
        beginning.unlink()
        for name, why in ((other, "the player's weapon, model "), ("qw-fte.mvd", "its client had other")):
            error = self.convert(cut(self.whole, self.playing(0.2)), "--sign-on", CAPTURES / name)
            self.assertIn(f"{pathlib.Path(name).name}: ", error)
            self.assertIn(why, error)
            self.assertEqual(self.demos(), {})

    def test_another_client_is_the_donor(self):
        late = cut(readdressed(self.whole, [10, 0, 0, 9]), self.playing(0.3))
        error = self.convert(joined(late, self.whole))
        self.assertIn("session 1: its start is missing (the capture lacks the beginning of "
                      "dm4); its sign-on is from session 2; ", error)
        self.assertEqual(len(self.demos()), 2)
        for demo in self.demos().values():
            self.assert_right(demo, 0.98)

    def test_client_with_other_extensions(self):
        """Packets cannot be read with its sign-on: it is no donor, and the next one is."""
        late = cut(readdressed(self.whole, [10, 0, 0, 9]), self.playing(0.3))
        extended = readdressed(Capture.read(CAPTURES / "qw-extended.pcap"), [10, 0, 0, 20])
        self.assertIn("no demo: retry", self.convert(joined(late, extended)))
        self.assertIn("session 1: its start is missing (the capture lacks the beginning of dm4); its sign-on is from",
                      self.convert(joined(late, self.whole, extended)))

    def test_no_demo_without_a_donor(self):
        """Even --force writes nothing at which players would stop."""
        error = self.convert(cut(self.whole, self.playing(0.9)))
        self.assertIn("no demo: retry with --sign-on DEMO of the same map", error)
        self.assertEqual(self.demos(), {})


class QuakeWorldSignOnLost(Late):
    """A session with two levels, of which the capture lacks a packet of the second one's sign-on."""

    def setUp(self):
        super().setUp()
        self.whole = Capture.read(self.write("whole.pcap", recordings.own("qw-vanilla.pcap")))
        self.recorded = self.write("donor.qwd", recordings.own("qw-vanilla.qwd"))
        messages = messages_of(tool.PROGRAM, self.folder / "whole.pcap")
        levels = [number for number, names in messages.items() if "qw.svc_serverdata" in names]
        playing = next(number for number, names in messages.items()
                       if number > levels[1] and names & UPDATES)
        self.sign_on = [number for number in messages if levels[1] <= number < playing]
        self.lists_until = max(number for number in self.sign_on if "qw.svc_modellist" in messages[number])

    def without(self, number, count=1):
        """Nor the packets before it, to that count."""
        frames = self.whole.frames
        return Capture(self.whole.link_type, frames[:number - count] + frames[number:])

    def levels(self, demo):
        """The states by level and number, and how many levels there are."""
        played = player.play(tool.PROGRAM, demo)
        self.assertEqual(played.dropped, 0)
        return played.seen

    def convert_without(self, number, *options):
        error = self.convert(self.without(number), *options)
        demo, = self.demos().values()
        seen = self.levels(demo)
        demo.unlink()
        return error, seen

    def test_no_donor_for_lists(self):
        """The level is left out, and the one before it is there."""
        whole = self.levels(self.recorded)
        first = {sequence: states for (level, sequence), states in whole.items() if level == 1}
        lists = [number for number in self.sign_on if number <= self.lists_until]
        self.assertGreater(len(lists), 3)
        for number in lists:
            error, seen = self.convert_without(number)
            self.assertRegex(error, r"(level dm6|a level) cannot be shown: part of its sign-on "
                                    r"\(before packet \d+\) was not captured")
            shown = {sequence: states for (_, sequence), states in seen.items()
                     if sequence in first}
            self.assertEqual(shown, {sequence: first[sequence] for sequence in shown})
            self.assertGreater(len(shown), 1600)
            self.assertLess(len(seen), 1720)

    def test_no_donor_behind_lists(self):
        """Players show the level; the message says that entities may be missing, which the baselines have."""
        whole = self.levels(self.recorded)
        behind = [number for number in self.sign_on if number > self.lists_until]
        self.assertGreater(len(behind), 3)
        for number in behind:
            error, seen = self.convert_without(number)
            self.assertRegex(error, r"level dm6 may lack entities, names or texts: part of its sign-on "
                                    r"\(before packet \d+\) was not captured", number)
            self.assertTrue(all(seen[key].keys() == states.keys() for key, states in whole.items()), number)

    def test_demo_of_another_map(self):
        """Nothing of the session contradicts it, and nothing shows that it is of its map."""
        self.tool("--split", "level", "--output", "levels/", "whole.pcap")
        donor, = (self.folder / "levels").glob("*-dm6.qwd")
        late = Capture(self.whole.link_type, self.whole.frames[2000:3200])
        error = self.convert(late, "--sign-on", donor)
        self.assertIn("lacks the beginning of a level)", error)
        self.assertIn("whether it was on the map of the session", error)
        demo, = self.demos().values()
        self.assertNotIn("dm6", demo.name)

    def test_demos_of_several_maps(self):
        """The session's own recording counts more than the order."""
        self.tool("--split", "level", "--output", "levels/", "whole.pcap")
        own, other = (next((self.folder / "levels").glob(name)) for name in ("*-dm4*", "*-dm6*"))
        late = Capture(self.whole.link_type, self.whole.frames[2000:3200])
        error = self.convert(late, "--sign-on", other, "--sign-on", own)
        self.assertIn(f"the beginning of dm4); its sign-on is from {own}", error)
        self.assertNotIn("whether it was", error)
        # The same of one demo with both levels.
        error = self.convert(late, "--sign-on", "donor.qwd")
        self.assertIn("the beginning of dm4); its sign-on is from donor.qwd", error)

    def test_ends_within_its_sign_on(self):
        self.assertIn("no demo: the session ended before the game began",
                      self.convert(Capture(self.whole.link_type, self.whole.frames[:30])))
        self.assertEqual(self.demos(), {})

    def test_request_is_lost_too(self):
        """Then the client's bit for reliable packets shows that there was an answer."""
        for number in self.sign_on[1:]:
            error = self.convert(self.without(number, 2))
            self.assertRegex(error, "(cannot be shown|may lack entities, names or texts): part of its sign-on", number)

    def test_hole_up_to_another_connection(self):
        """The client connects again in it, to a level that may be another one: numbers restart, and fit."""
        whole = Capture.read(self.write("id.pcap", recordings.own("qw-id.pcap")))
        error = self.convert(Capture(whole.link_type, whole.frames[:57] + whole.frames[245:]))
        self.assertRegex(error, r"level dm4 cannot be shown: part of its sign-on \(before packet 58\)")

    def test_demo_is_the_donor(self):
        whole = {sequence: states for (_, sequence), states in self.levels(self.recorded).items()}
        for number in self.sign_on:
            error, seen = self.convert_without(number, "--sign-on", "donor.qwd")
            self.assertIn("its sign-on is from donor.qwd", error)
            self.assertNotIn("cannot be shown", error)
            shown = {sequence: states for (_, sequence), states in seen.items() if sequence in whole}
            right = sum(states == whole[sequence] for sequence, states in shown.items())
            self.assertGreater(len(shown), 2150)
            self.assertGreater(right, 0.99 * len(shown))


class QuakeSignOnLost(Late):
    """The same for Quake: each reliable message of the second level's sign-on."""

    def setUp(self):
        super().setUp()
        self.whole = Capture.read(self.write("whole.pcap", recordings.own("nq-protocol15.pcap")))
        self.write("donor.dem", recordings.own("nq-protocol15.dem"))
        messages = messages_of(tool.PROGRAM, self.folder / "whole.pcap", "nq.svc_")
        levels = [number for number, names in messages.items() if "nq.svc_serverinfo" in names]
        self.sign_on = [number for number, names in messages.items()
                        if number >= levels[1] and names & {"nq.svc_signonnum"}][:3]

    def blocks(self, number, *options):
        lost = Capture(self.whole.link_type,
                       self.whole.frames[:number - 1] + self.whole.frames[number:])
        error = self.convert(lost, *options)
        demo, = self.demos().values()
        _, printed = self.tool("--check", demo)
        self.assertEqual(printed, "")
        blocks = dem.read(demo)[1]
        demo.unlink()
        return error, blocks

    def test_each_part(self):
        self.assertEqual(len(self.sign_on), 3)
        for number, outcome in zip(self.sign_on, ["cannot be shown", "may lack entities, names or texts",
                                                  "cannot be shown"]):
            error, without = self.blocks(number)
            self.assertRegex(error, rf"(level dm6|a level) {outcome}: part of its sign-on "
                                    r"\(before packet \d+\) was not captured")
            error, lent = self.blocks(number, "--sign-on", "donor.dem")
            self.assertIn("its sign-on is from donor.dem", error)
            self.assertNotIn(outcome, error)
            self.assertGreater(len(lent) - len(without), 300 if outcome == "cannot be shown" else -1)

    def test_demo_of_another_map(self):
        """The session knows its map by what there is of its sign-on."""
        self.convert(Capture.read(QUAKE), status=0)
        self.demos()["in-1-dm4.dem"].rename(self.folder / "dm4.dem")
        error, _ = self.blocks(self.sign_on[-1], "--sign-on", "dm4.dem")
        self.assertIn("dm4.dem: it is of dm4, and the session of dm6", error)


class QuakeFragments(Late):
    """DarkPlaces cuts the message that begins a level into many fragments. A capture that begins before the
    first of them has the level, also where no message's end comes before; one that begins behind it has not."""

    STEP = 20  # packets between the cuts

    def setUp(self):
        super().setUp()
        self.whole = Capture.read(self.write("whole.pcap", recordings.own("nq-dp7.pcap")))
        self.convert(self.whole, status=0)
        demo, = self.demos().values()
        self.recorded = self.blocks(demo)
        demo.rename(self.folder / "donor.dem")
        messages = [message for _, message in self.recorded]
        # By the number of frames before it: where in the demo a level begins. And where its message ends.
        self.levels, self.ends, block = {}, [], 0
        for first, last, message in fragmented(self.whole):
            if SERVERINFO in message:
                block = messages.index(message, block + 1 if block else 0)
                self.levels[first] = block
                self.ends.append(last)

    @staticmethod
    def blocks(path):
        return [(block.angles, block.messages) for block in dem.read(path)[1]]

    def rebuilt(self, first, *options):
        """The demo's blocks without so many frames of the capture; None without a demo."""
        path = self.write("in.pcap", cut(self.whole, first).pcap())
        demo = self.folder / "in.dem"
        demo.unlink(missing_ok=True)
        self.run_tool("--quiet", "--output", demo, *options, path)
        return self.blocks(demo) if demo.exists() else None

    def expected(self, first):
        block = next((block for start, block in sorted(self.levels.items()) if start >= first), None)
        return None if block is None else self.recorded[block:]

    def test_every_beginning(self):
        self.assertEqual(len(self.levels), 4)
        cuts = set(range(self.STEP, len(self.whole.frames), self.STEP))
        for start, end in zip(self.levels, self.ends):
            self.assertGreater(end, start + 3)
            cuts |= set(range(max(start - 3, HANDSHAKE), end + 3))
        for first in sorted(cuts):
            self.assertEqual(self.rebuilt(first), self.expected(first), f"from packet {first + 1}")

    def test_with_donor(self):
        """Another session's demo lends what is before; the level itself is the capture's."""
        last = max(self.levels)
        for first in last - 400, last, last + 1:
            blocks = self.rebuilt(first, "--sign-on", "donor.dem")
            expected = self.expected(first) or self.recorded[-50:]
            self.assertEqual(blocks[-len(expected):], expected, f"from packet {first + 1}")
            self.assertEqual(len(blocks) > len(expected), first != last)

    def test_gap_before_a_level(self):
        """What is lost is reported, and the level is there."""
        for start, block in list(self.levels.items())[1:]:
            before = next(number for number in range(start - 1, 0, -1)
                          if is_reliable(self.whole.frames[number][1]))
            frames = self.whole.frames
            error = self.convert(Capture(self.whole.link_type, frames[:before] + frames[before + 1:]))
            self.assertIn("the capture lacks messages that the client had", error)
            demo, = self.demos().values()
            blocks = self.blocks(demo)
            demo.unlink()
            self.assertEqual(blocks[-len(self.recorded) + block:], self.recorded[block:])


DATA_FLAG, END_FLAG = 1, 8  # of a packet's first and second 16 bits: see common/quake/constants.h
HANDSHAKE = 7  # frames
SERVERINFO = b"\x0b\xb0\x0d\0\0"  # of DP7


def is_reliable(frame):
    """A fragment from the server, which has the lower port."""
    source, destination = struct.unpack_from(">HH", frame, PAYLOAD - 8)
    return source < destination and frame[PAYLOAD] == 0 and frame[PAYLOAD + 1] & DATA_FLAG != 0


def fragmented(capture):
    """The server's messages of several fragments: indices of the first and last frame, and all bytes."""
    pieces, sent = [], None
    for number, (_, frame) in enumerate(capture.frames):
        if not is_reliable(frame) or frame[PAYLOAD + 4:PAYLOAD + 8] == sent:
            continue
        sent = frame[PAYLOAD + 4:PAYLOAD + 8]
        pieces.append((number, frame[PAYLOAD + 8:]))
        if frame[PAYLOAD + 1] & END_FLAG:
            if len(pieces) > 1:
                yield pieces[0][0], number, b"".join(piece for _, piece in pieces)
            pieces = []


UPDATES = {"qw.svc_packetentities", "qw.svc_deltapacketentities"}
