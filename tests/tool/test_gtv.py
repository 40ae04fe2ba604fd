# SPDX-License-Identifier: GPL-2.0-or-later
"""MVD2 demos from GTV streams: the same blocks, from the first gamestate on."""

import struct

import recordings
from demos import flat
from test_qtv import StreamTest
from tool import CAPTURES

from streams import CLIENT, GTV_BLOCKS, GTV_PONG, MAGIC, gamestate, gtv_frame, gtv_message, gtv_stream, mvd2

SHARED = CAPTURES.parents[2] / "shared" / "newest" / "quake2-gtv"

# svc_stufftext and svc_print for player 0, and for all.
STUFFED = b"\x09\x05\0\x0bbad\0"
PRINTED = b"\x09\x06\0\x0a\x02bad\0"
STUFFED_ALL = b"\x0d\x05\x0bbad\0"
RECONNECT = b"\x09\x01\0\x08"  # svc_reconnect for player 0


def blocks_of(demo):
    """The blocks between the magic and the end mark."""
    assert demo[:4] == MAGIC and demo[-2:] == b"\0\0"
    found, at = [], 4
    while at < len(demo) - 2:
        size, = struct.unpack_from("<H", demo, at)
        found.append(demo[at + 2:at + 2 + size])
        at += 2 + size
    return found


class Demos(StreamTest):
    extension = "mvd2"

    def test_whole_streams(self):
        for deflate in (False, True):
            conversation = gtv_stream(deflate=deflate)
            conversation.finish()
            self.assertEqual(self.demo(conversation.frames), (mvd2(GTV_BLOCKS), ""))
        frames = [frame.replace(struct.pack(">H", 27910), struct.pack(">H", 3000)) for frame in gtv_stream().frames]
        self.assertEqual(self.demo(frames), (mvd2(GTV_BLOCKS), ""))

    def test_levels_are_in_one_demo(self):
        """Without the blocks before the first gamestate."""
        blocks = [gtv_frame("early"), gamestate(1), gtv_frame("a"), gamestate(2), gtv_frame("b")]
        frames = gtv_stream(blocks=blocks).frames
        self.assertEqual(self.demo(frames), (mvd2(blocks[1:]), ""))
        self.assertRegex(self.tool("--list", self.folder / "a.pcap")[0], r" level1, level2  Q2 MVD 37 ")

    def test_stream_without_a_gamestate(self):
        demo, error = self.demo(gtv_stream(blocks=[gtv_frame("a")]).frames, status=1)
        self.assertIsNone(demo)
        self.assertIn("the capture lacks the beginning of a level", error)

    def test_blocks_before_a_missing_segment_are_kept(self):
        """Each segment is missing once."""
        frames = gtv_stream([3000]).frames
        first = next(at for at, frame in enumerate(frames) if b"maps/level1" in frame)
        for lost in range(first + 1, len(frames) - 1):
            with self.subTest(lost):
                demo, error = self.demo(frames[:lost] + frames[lost + 1:], status=1)
                kept = blocks_of(demo)
                self.assertEqual(kept, GTV_BLOCKS[:len(kept)])
                self.assertLess(len(kept), len(GTV_BLOCKS))
                self.assertIn(f"lacks 3000 bytes of the stream before packet {lost + 1}", error)
        # Without the first gamestate there is no demo, for one reason.
        demo, error = self.demo(frames[:first] + frames[first + 1:], status=1)
        self.assertIsNone(demo)
        self.assertIn(f"lacks 3000 bytes of the stream before packet {first + 1}", error)
        self.assertNotIn("beginning of a level", error)

    def test_sanitize(self):
        blocks = [gamestate(), PRINTED + STUFFED + gtv_frame("a") + STUFFED_ALL + RECONNECT, gtv_frame("b")]
        for deflate in (False, True):
            frames = gtv_stream(blocks=blocks, deflate=deflate).frames
            self.assertEqual(self.demo(frames), (mvd2(blocks), ""))
            demo, _ = self.demo(frames, "--sanitize")
            self.assertEqual(blocks_of(demo), [blocks[0], PRINTED + gtv_frame("a"), blocks[2]])

    def test_messages_of_the_relay(self):
        conversation = gtv_stream()
        conversation.send(CLIENT, gtv_message(GTV_PONG) + gtv_message(4, b"say hello\0"))
        dumped = self.dump(self.capture(conversation.frames), "--show-secrets")
        values = {field["name"]: field.get("value") for packet in dumped for field in flat(packet["fields"])}
        self.assertEqual([values["q2.gtv." + name] for name in ("stringcmd", "name", "password", "version", "maxbuf")],
                         ["say hello", "relay", "secret", "q2pro", 10])


class Recordings(StreamTest):
    """Recordings of servers while they streamed."""

    def check(self, capture, recording, blocks, status=0):
        """Except for the gamestate, which is made for each listener, the blocks are the server's. The demo or the
        recording may begin earlier."""
        path = self.write("a.pcap", capture)
        for old in self.folder.glob("*.mvd2"):
            old.unlink()
        self.tool("-q", path, status=status)
        rebuilt, = self.folder.glob("a-*.mvd2")
        demos = ours, servers = blocks_of(rebuilt.read_bytes())[1:], blocks_of(recording)[1:]
        self.assertEqual(len(ours) + 1, blocks)
        short, long = sorted(demos, key=len)
        self.assertTrue(any(long[at:at + len(short)] == short for at in range(len(long) - len(short) + 1)))

    def test_own(self):
        self.check(recordings.own("q2-gtv.pcap"), recordings.own("q2-gtv.mvd2"), 409)

    def test_shared(self):
        if not SHARED.is_dir():
            self.skipTest(f"no {SHARED}")
        # In the first one, a client that was refused has no demo.
        for name, blocks in (("gtv1", 243), ("gtv2", 409), ("gtv2nz", 416)):
            self.check((SHARED / f"{name}.pcap").read_bytes(),
                       (SHARED / f"{name}.mvd2").read_bytes(), blocks, status=int(name == "gtv1"))
