# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions that were running when the capture began, and those whose sign-on the capture lacks in part: which donor
they get, and their demos."""

import pathlib
import re
import shutil
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
PLAYING = 100  # its packets before the game: the handshake and the sign-on
ANOTHER_CLIENT, THIRD_CLIENT = [10, 0, 0, 9], [10, 0, 0, 20]
RETRY = "no demo: retry with --sign-on DEMO of the same map"


def until(capture, count):
    """The first packets of a capture."""
    return capture.of(capture.frames[:count])


def without(capture, first, last=None):
    """A capture without the packets from `first` on to that before `last`; None: without that packet alone."""
    return capture.of(capture.frames[:first] + capture.frames[last or first + 1:])


class Late(ToolTest):
    def convert(self, capture, *options, status=1):
        """What the tool printed. The folder out has the demos then, as in-SESSION-MAP."""
        path = self.write("in.pcap", capture.pcap())
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "out").mkdir()
        output, error = self.tool("--output", "out", *options, path, status=status)
        self.assertNotIn("-19700101-", output)
        for name, session in re.findall(r"^out/(\S+): session (\d+),", output, re.MULTILINE):
            level = name.rsplit("-", 1)[1]
            (self.folder / "out" / name).rename(self.folder / "out" / f"in-{session}-{level}")
        return error

    def demos(self):
        """By name."""
        return {path.name: path for path in (self.folder / "out").iterdir()}

    def only_demo(self):
        demo, = self.demos().values()
        return demo

    def recorded(self, capture, name):
        """The demo of a capture that has the whole sign-on, under another name."""
        self.convert(capture, status=0)
        return self.only_demo().rename(self.folder / name)

    def assert_no_demo(self, error, why):
        self.assertIn(why, error)
        self.assertEqual(self.demos(), {})

    def assert_decodes(self, demo):
        _, printed = self.tool("--check", demo)
        self.assertEqual(printed, "")


class Quake(Late):
    def setUp(self):
        super().setUp()
        self.whole = Capture.read(QUAKE)
        self.expected = self.messages(self.recorded(self.whole, "donor.dem"))

    @staticmethod
    def messages(demo):
        return [block.messages for block in dem.read(demo)[1]]

    def assert_donated(self, demo):
        """A sign-on of three blocks, then the end of the recording."""
        messages = self.messages(demo)
        self.assertGreater(len(messages), 40)
        self.assertEqual(messages[3:], self.expected[-len(messages) + 3:])
        self.assertEqual(messages[:2], self.expected[:2])
        return messages

    def late(self, *server):
        return cut(readdressed(self.whole, ANOTHER_CLIENT, *server), PLAYING)

    def test_another_client_is_the_donor(self):
        error = self.convert(joined(self.late(), self.whole))
        self.assertIn("session 1: its start is missing (the capture lacks the beginning of "
                      "dm4); its sign-on is from session 2\n", error)
        messages = self.assert_donated(self.demos()["in-1-dm4.dem"])
        # The view and the state of the donor's own player are left out, and the clock is the session's.
        self.assertNotIn(b"\x0a", messages[2][:1])
        self.assertEqual(messages[2][:1] + messages[2][1:5], messages[3][:5])

    def test_no_donor_at_another_time_or_of_another_server(self):
        late, hour = self.late(), 3600 * 10**6
        for capture in (merged(self.whole, late), merged(moved(self.whole, -hour), late),
                        merged(late, moved(self.whole, hour)),
                        joined(self.late(bytes([10, 0, 0, 8])), self.whole)):
            self.assertIn("no demo: ", self.convert(capture))

    def beginning(self):
        """A demo of the session's first moments, which the late one does not have."""
        return self.recorded(until(self.whole, PLAYING - 4), "beginning.dem")

    def test_demo_is_the_donor(self):
        """The session's own recording proves the map; that of another one does not."""
        self.beginning()
        for demo, unknown, name in (("donor.dem", "the names", "in-1-dm4.dem"),
                                    ("beginning.dem", "whether the demo is of the session's map", "in-1-")):
            error = self.convert(cut(self.whole, PLAYING), "--sign-on", demo)
            self.assertIn(unknown, error)
            self.assertEqual("whether the demo is" in error, demo == "beginning.dem")
            self.assertTrue(self.only_demo().name.startswith(name))
            self.assertNotIn(b"alice", self.assert_donated(self.only_demo())[2])

    def test_demo_with_fewer_models_than_the_session_is_refused(self):
        demo = self.beginning().read_bytes()
        at = demo.index(b"progs/player.mdl")
        fewer = self.write("fewer.dem", demo[:at] + b"progs/player.mdl\0\0" + demo[at:].split(b"\0\0", 1)[1])
        self.assert_no_demo(self.convert(cut(self.whole, PLAYING), "--sign-on", fewer), "fewer.dem: ")

    def test_demo_of_another_game_is_refused(self):
        error = self.convert(cut(self.whole, PLAYING), "--sign-on", CAPTURES / "q2-limits1.dm2")
        self.assertIn("q2-limits1.dm2: it is of another game", error)

    def test_donor_of_another_protocol_is_refused(self):
        path = self.write("other.pcap", Capture.read(CAPTURES / "nq-darkplaces.pcap").pcap())
        self.tool("--output", "other.dem", path, status=1)
        error = self.convert(cut(self.whole, PLAYING), "--sign-on", "other.dem")
        self.assert_no_demo(error, "other.dem: with it, 43 of 44 packets of the session cannot be read: its client had "
                                   "other protocol extensions")

    def test_demo_without_a_sign_on_is_no_donor(self):
        self.write("empty.dem", b"-1\n" + bytes(16))
        error = self.convert(self.whole, "--sign-on", "empty.dem", status=0)
        self.assertIn("empty.dem: not used for --sign-on: it has no sign-on of a whole level", error)

    def test_no_demo_without_a_donor(self):
        self.assert_no_demo(self.convert(cut(self.whole, PLAYING)), RETRY)

    def test_updates_of_fte_need_a_level(self):
        """They have no svc_time: the end of the first level is reported as missing all the same."""
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
            session, = self.listed("--sign-on", demo, "in.pcap")
            self.assertEqual((session["maps"], session["version"]), (maps, "15"))
            self.assertEqual(session["demo"]["sign_on"]["donor"], demo)
        session, = self.listed("in.pcap")
        self.assertEqual(session["demo"]["sign_on"],
                         {"donor": None, "unknown": None, "refused": None})
        self.assertIn("missing", self.tool("--list", "in.pcap")[0])

    def test_list_describes_a_session_that_ends_without_a_donor(self):
        session, = self.listed(CAPTURES / "nq-fte.pcap")
        self.assertEqual([session[key] for key in ("version", "maps", "players")],
                         ["999 flags 0x12 FTE 0x40060600 FTE2 0x7f", ["dm4"], ["labplayer"]])

    def test_list_has_no_column_for_donors_if_there_is_none(self):
        self.write("in.pcap", self.whole.pcap())
        self.assertNotIn("sign-on", self.tool("--list", "in.pcap")[0])
        session, = self.listed("in.pcap")
        self.assertIsNone(session["demo"]["sign_on"])

    def test_level_without_serverinfo_needs_a_donor(self):
        serverinfo = next(index for index, (_, frame) in enumerate(self.whole.frames)
                          if b"\0\x0b\x0f\0\0\0" in frame)
        capture = without(self.whole, serverinfo)
        self.assert_no_demo(self.convert(capture), "no demo: retry with --sign-on DEMO")
        self.convert(capture, "--sign-on", "donor.dem")
        self.assertEqual(len(self.demos()), 1)


class Quake2(Late):
    def donated(self, name, first, *options):
        """The blocks of the demo without the first packets, those of the whole one, and what was printed. The donor is
        another client with the whole session, unless the options name one."""
        whole = Capture.read(CAPTURES / name)
        expected = blocks_of(self.recorded(whole, "whole.dm2"))
        late = cut(readdressed(whole, ANOTHER_CLIENT), first)
        error = self.convert(late if options else joined(late, whole), *options)
        demo = next(path for name, path in self.demos().items() if name.startswith("in-1-"))
        self.assert_decodes(demo)
        return blocks_of(demo), expected, error

    def test_another_client_is_the_donor(self):
        got, whole, error = self.donated("q2-lossy.pcap", 100)
        self.assertIn("is from session 2", error)
        frames = len(got) - next(index for index, block in enumerate(got) if b"precache" in block) - 1
        self.assertGreater(frames, 20)
        # The first is written in full, all others are as they came.
        self.assertEqual(got[-frames + 1:], whole[-frames + 1:])
        self.assertEqual(got[0][13:], whole[0][13:])  # behind the server count

    def test_extended_limits(self):
        """Protocol 36."""
        got, _, error = self.donated("q2-rates.pcap", 120)
        self.assertIn("is from session 2", error)
        self.assertGreater(len(got), 10)

    def test_demo_is_the_donor(self):
        got, _, error = self.donated("q2-lossy.pcap", 100, "--sign-on", "whole.dm2")
        self.assertIn("whole.dm2; unknown: ", error)
        self.assertIn("the names of players", error)
        self.assertGreater(len(got), 20)

    def test_each_part_of_a_sign_on_is_missed(self):
        """Of svc_serverdata, config strings and baselines: the level is shown if another client has the sign-on."""
        whole = Capture.read(CAPTURES / "q2-lossy.pcap")
        expected = blocks_of(self.recorded(whole, "whole.dm2"))
        for lost in range(6, 21, 2):
            lossy = without(whole, lost)
            error = self.convert(lossy)
            self.assertRegex(error, r"session 1: (level lab1|a level) cannot be shown: part of its sign-on "
                             rf"\(before packet {lost + 1}\) was not captured; try --sign-on")
            self.assertEqual(self.demos(), {})
            error = self.convert(merged(lossy, readdressed(whole, ANOTHER_CLIENT)))
            self.assertIn("its start is missing (part of the sign-on of lab1 (before packet "
                          f"{2 * lost + 2}) was not captured); its sign-on is from session 2", error)
            self.assertEqual(blocks_of(self.demos()["in-1-lab1.dm2"]), expected)


UNKNOWN = ("unknown: the player's statistics, until they change; the names and frags of players, until they change; "
           "what was in view and is never mentioned\n")


class QuakeWorldTest(Late):
    def seen(self, demo):
        """The states that a player of the demo shows, by level and packet, then by entity. It drops no update."""
        played = player.play(tool.PROGRAM, demo)
        self.assertEqual(played.dropped, 0)
        return played.seen


class QuakeWorld(QuakeWorldTest):
    def setUp(self):
        super().setUp()
        self.whole = Capture.read(CAPTURES / "qw-sample.pcap")
        self.donor = self.recorded(self.whole, "donor.qwd")

    def assert_right(self, demo):
        """Nearly all states that the late demo shows are as the whole one has them."""
        late, whole = ({number: states for (_, number), states in self.seen(path).items()}
                       for path in (demo, self.donor))
        self.assertGreater(len(late), 10)
        states = [(packet, entity) for packet in late for entity in whole.get(packet, {})]
        right = sum(late[packet].get(entity) == whole[packet][entity] for packet, entity in states)
        self.assertGreaterEqual(right, 0.98 * len(states))
        self.assert_decodes(demo)

    def playing(self, share):
        return int(len(self.whole.frames) * share)

    def late(self):
        return cut(readdressed(self.whole, ANOTHER_CLIENT), self.playing(0.3))

    def test_demo_is_the_donor(self):
        for share in 0.2, 0.5:
            error = self.convert(cut(self.whole, self.playing(share)), "--sign-on", "donor.qwd")
            self.assertIn("its sign-on is from donor.qwd; " + UNKNOWN, error)
            self.assert_right(self.only_demo())

    def test_replacement_deltas_mention_no_entity_that_stays(self):
        """FTE's, as deltas from a frame that the capture lacks."""
        whole = Capture.read(CAPTURES / "fidelity" / "qw-fte.pcap.gz")
        self.recorded(whole, "fte.qwd")
        error = self.convert(cut(whole, len(whole.frames) // 2), "--sign-on", "fte.qwd")
        self.assertIn("its sign-on is from fte.qwd; " + UNKNOWN, error)

    def test_demo_that_is_contradicted_is_refused(self):
        """Its weapons have other models, or it has FTE's extensions."""
        beginning = self.recorded(until(self.whole, self.playing(0.1)), "beginning.qwd")
        other = self.write("other.qwd", beginning.read_bytes().replace(b"/v_", b"/x_"))
        for name, why in ((other, "the player's weapon, model "), ("qw-fte.mvd", "its client had other")):
            error = self.convert(cut(self.whole, self.playing(0.2)), "--sign-on", CAPTURES / name)
            self.assertIn(f"{pathlib.Path(name).name}: ", error)
            self.assert_no_demo(error, why)

    def test_another_client_is_the_donor(self):
        error = self.convert(joined(self.late(), self.whole))
        self.assertIn("session 1: its start is missing (the capture lacks the beginning of "
                      "dm4); its sign-on is from session 2; ", error)
        self.assertEqual(len(self.demos()), 2)
        for demo in self.demos().values():
            self.assert_right(demo)

    def test_client_with_other_extensions_is_no_donor(self):
        """Packets cannot be read with its sign-on; the next client is the donor."""
        extended = readdressed(Capture.read(CAPTURES / "qw-extended.pcap"), THIRD_CLIENT)
        self.assertIn("no demo: retry", self.convert(joined(self.late(), extended)))
        self.assertIn("session 1: its start is missing (the capture lacks the beginning of dm4); its sign-on is from",
                      self.convert(joined(self.late(), self.whole, extended)))

    def test_no_demo_without_a_donor(self):
        self.assert_no_demo(self.convert(cut(self.whole, self.playing(0.9)), "--force"), RETRY)


UPDATES = {"qw.svc_packetentities", "qw.svc_deltapacketentities"}


class QuakeWorldSignOnLost(QuakeWorldTest):
    """A session with two levels, of which the capture lacks a packet of the second one's sign-on."""

    def setUp(self):
        super().setUp()
        self.whole = Capture.read(self.write("whole.pcap", recordings.own("qw-vanilla.pcap")))
        self.donor = self.write("donor.qwd", recordings.own("qw-vanilla.qwd"))
        messages = messages_of(tool.PROGRAM, self.folder / "whole.pcap")
        levels = [number for number, names in messages.items() if "qw.svc_serverdata" in names]
        playing = next(number for number, names in messages.items()
                       if number > levels[1] and names & UPDATES)
        self.sign_on = [number for number in messages if levels[1] <= number < playing]
        lists_until = max(number for number in self.sign_on if "qw.svc_modellist" in messages[number])
        self.lists = [number for number in self.sign_on if number <= lists_until]
        self.behind_lists = [number for number in self.sign_on if number > lists_until]
        self.assertGreater(min(len(self.lists), len(self.behind_lists)), 3)

    def convert_without(self, number, *options):
        """What was printed without the packet of that number (from 1), and the states of the demo."""
        error = self.convert(without(self.whole, number - 1), *options)
        return error, self.seen(self.only_demo())

    def test_level_without_its_lists_is_left_out(self):
        first = {number: states for (level, number), states in self.seen(self.donor).items() if level == 1}
        for number in self.lists:
            error, seen = self.convert_without(number)
            self.assertRegex(error, r"(level dm6|a level) cannot be shown: part of its sign-on "
                                    rf"\(before packet {number}\) was not captured")
            shown = {number: states for (_, number), states in seen.items() if number in first}
            self.assertEqual(shown, {number: first[number] for number in shown})
            self.assertGreater(len(shown), 1600)
            self.assertLess(len(seen), 1720)

    def test_level_without_what_follows_its_lists_is_shown(self):
        """The message says that entities may be missing, which the baselines have."""
        whole = self.seen(self.donor)
        for number in self.behind_lists:
            error, seen = self.convert_without(number)
            self.assertIn("level dm6 may lack entities, names or texts: part of its sign-on "
                          f"(before packet {number}) was not captured", error)
            self.assertTrue(all(seen[key].keys() == states.keys() for key, states in whole.items()), number)

    def test_demo_is_the_donor(self):
        whole = {number: states for (_, number), states in self.seen(self.donor).items()}
        for number in self.sign_on:
            error, seen = self.convert_without(number, "--sign-on", "donor.qwd")
            self.assertIn("its sign-on is from donor.qwd", error)
            self.assertNotIn("cannot be shown", error)
            shown = {number: states for (_, number), states in seen.items() if number in whole}
            right = sum(states == whole[number] for number, states in shown.items())
            self.assertGreater(len(shown), 2150)
            self.assertGreater(right, 0.99 * len(shown))

    def test_map_of_the_donor(self):
        """The session's own recording counts more than the order; of another map, the demo does not name it."""
        self.tool("--split", "level", "--output", "levels/", "whole.pcap")
        own, other = (next((self.folder / "levels").glob(name)) for name in ("*-dm4*", "*-dm6*"))
        late = until(cut(self.whole, 2000), 1200)
        error = self.convert(late, "--sign-on", other)
        self.assertIn("lacks the beginning of a level)", error)
        self.assertIn("whether the demo is of the session's map", error)
        self.assertNotIn("dm6", self.only_demo().name)
        error = self.convert(late, "--sign-on", other, "--sign-on", own)
        self.assertIn(f"the beginning of dm4); its sign-on is from {own}", error)
        self.assertNotIn("whether the demo is", error)
        # One demo has both levels.
        error = self.convert(late, "--sign-on", "donor.qwd")
        self.assertIn("the beginning of dm4); its sign-on is from donor.qwd", error)

    def test_no_demo_of_a_session_that_ends_within_its_sign_on(self):
        self.assert_no_demo(self.convert(until(self.whole, 30)), "no demo: the session ended before the game began")

    def test_request_is_lost_too(self):
        """The client's bit for reliable packets shows that there was an answer."""
        for number in self.sign_on[1:]:
            error = self.convert(without(self.whole, number - 2, number))
            self.assertRegex(error, r"(cannot be shown|may lack entities, names or texts): part of its sign-on "
                                    rf"\(before packet {number - 1}\)")

    def test_hole_up_to_another_connection(self):
        """The client connects again in it, to a level that may be another one: numbers restart, and fit."""
        whole = Capture.read(self.write("id.pcap", recordings.own("qw-id.pcap")))
        self.assertRegex(self.convert(without(whole, 57, 245)),
                         r"level dm4 cannot be shown: part of its sign-on \(before packet 58\)")


class QuakeSignOnLost(Late):
    """The capture lacks one of the three reliable messages of the second level's sign-on."""

    def setUp(self):
        super().setUp()
        self.whole = Capture.read(self.write("whole.pcap", recordings.own("nq-protocol15.pcap")))
        self.write("donor.dem", recordings.own("nq-protocol15.dem"))
        messages = messages_of(tool.PROGRAM, self.folder / "whole.pcap", "nq.svc_")
        levels = [number for number, names in messages.items() if "nq.svc_serverinfo" in names]
        self.sign_on = [number for number, names in messages.items()
                        if number >= levels[1] and names & {"nq.svc_signonnum"}][:3]

    def blocks(self, number, *options):
        error = self.convert(without(self.whole, number - 1), *options)
        self.assert_decodes(self.only_demo())
        return error, dem.read(self.only_demo())[1]

    def test_each_part(self):
        outcomes = ("cannot be shown", 1539), ("may lack entities, names or texts", 1545), ("cannot be shown", 1547)
        for number, (outcome, shown_by) in zip(self.sign_on, outcomes, strict=True):
            error, alone = self.blocks(number)
            self.assertRegex(error, rf"(level dm6|a level) {outcome}: part of its sign-on "
                                    rf"\(before packet {shown_by}\) was not captured")
            error, donated = self.blocks(number, "--sign-on", "donor.dem")
            self.assertIn("its sign-on is from donor.dem", error)
            self.assertNotIn(outcome, error)
            self.assertGreater(len(donated) - len(alone), 300 if outcome == "cannot be shown" else -1)

    def test_demo_of_another_map_is_refused(self):
        """The rest of the sign-on has the session's map."""
        self.recorded(Capture.read(QUAKE), "dm4.dem")
        error, _ = self.blocks(self.sign_on[-1], "--sign-on", "dm4.dem")
        self.assertIn("dm4.dem: its map is dm4, but the session's is dm6", error)


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


class QuakeFragments(Late):
    """DarkPlaces cuts the message that begins a level into many fragments. A capture that begins before the
    first of them has the level, also where no message's end comes before; one that begins behind it has not."""

    STEP = 20  # packets between the cuts

    def setUp(self):
        super().setUp()
        self.whole = Capture.read(self.write("whole.pcap", recordings.own("nq-dp7.pcap")))
        self.expected = self.blocks(self.recorded(self.whole, "donor.dem"))
        messages = [message for _, message in self.expected]
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
        """The blocks of the demo without the first frames of the capture; None: no demo."""
        path = self.write("in.pcap", cut(self.whole, first).pcap())
        demo = self.folder / "in.dem"
        demo.unlink(missing_ok=True)
        self.run_tool("--quiet", "--output", demo, *options, path)
        return self.blocks(demo) if demo.exists() else None

    def rest(self, first):
        """The blocks from the first level on that begins behind these frames; None: none does."""
        block = next((block for start, block in sorted(self.levels.items()) if start >= first), None)
        return None if block is None else self.expected[block:]

    def test_every_beginning(self):
        self.assertEqual(len(self.levels), 4)
        cuts = set(range(self.STEP, len(self.whole.frames), self.STEP))
        for start, end in zip(self.levels, self.ends):
            self.assertGreater(end, start + 3)
            cuts |= set(range(max(start - 3, HANDSHAKE), end + 3))
        for first in sorted(cuts):
            self.assertEqual(self.rebuilt(first), self.rest(first), f"from packet {first + 1}")

    def test_donor_has_what_is_before_the_first_level(self):
        last = max(self.levels)
        for first in last - 400, last, last + 1:
            blocks = self.rebuilt(first, "--sign-on", "donor.dem")
            expected = self.rest(first) or self.expected[-50:]
            self.assertEqual(blocks[-len(expected):], expected, f"from packet {first + 1}")
            self.assertEqual(len(blocks) > len(expected), first != last)

    def test_gap_before_a_level_is_reported(self):
        for start, block in list(self.levels.items())[1:]:
            before = next(number for number in range(start - 1, 0, -1)
                          if is_reliable(self.whole.frames[number][1]))
            self.assertIn("the capture lacks messages that the client had",
                          self.convert(without(self.whole, before)))
            self.assertEqual(self.blocks(self.only_demo())[block - len(self.expected):], self.expected[block:])
