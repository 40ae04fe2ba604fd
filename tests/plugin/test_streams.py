# SPDX-License-Identifier: GPL-2.0-or-later
"""QTV and GTV over TCP: however the stream is cut into segments, its PDUs are the same, once and in order."""

import random

from demos import flat
from wireshark import PASSES, PluginTest, dumped_packets, with_network
from streams import (BLOCKS, CLIENT, DEMO, REPLY, REQUEST, SERVER, TEXTS,
                     Conversation, command, gtv_stream, stream)


class StreamTest(PluginTest):
    def values(self, capture, name, *options):
        """All values of the field, in order."""
        return [value for values, in self.fields(capture, [name], "-E", "aggregator=|", *options)
                for value in values.split("|") if value]

    def check_texts(self, streams, protocol):
        """Of streams by name, all in one capture: each has all texts, in one pass and in two, and
        nothing is left undecoded."""
        capture = self.capture(with_network(frame, number) for number, frames in
                               enumerate(streams.values()) for frame in frames)
        names = ["tcp.stream", *(f"{protocol}.{name}" for name in
                                 ("print.text", "undecoded", "malformed", "cut"))]
        for passes in PASSES:
            found = [([], []) for _ in streams]
            for number, shown, *problems in self.fields(capture, names, "-E", "aggregator=|", *passes):
                texts, wrong = found[int(number)]
                texts += shown.split("|") if shown else []
                wrong += filter(None, problems)
            for name, texts_and_problems in zip(streams, found):
                with self.subTest(name, passes=passes):
                    self.assertEqual(texts_and_problems, (TEXTS, []))
        self.assertEqual(self.dumped(capture, names[1]), len(streams) * TEXTS)

    def dumped(self, capture, name):
        """The values of a field as the tool prints them."""
        return [field["value"] for packets in dumped_packets(capture).values() for packet in packets
                for field in flat(packet["fields"]) if field["name"] == name and "value" in field]

    def check_hole(self, frames, lost, protocol):
        """The texts before the lost segment are shown, and nothing behind it is guessed. Returns the capture."""
        capture = self.capture(frames[:lost] + frames[lost + 1:])
        shown = self.values(capture, f"{protocol}.print.text")
        self.assertEqual(shown, TEXTS[:len(shown)])
        self.assertLess(len(shown), len(TEXTS))
        self.assertEqual(self.dumped(capture, f"{protocol}.print.text"), shown)
        self.assertEqual(len(self.values(capture, f"{protocol}.sequence.not_captured")), 1)
        return capture


class Streams(StreamTest):
    def test_whole_streams(self):
        chance = random.Random(1)
        many = [[1400], [65000], [7], [1, 1, 1, 5000], [4, 1399],
                [chance.randrange(1, 3000) for _ in range(200)]]
        streams = {f"segments of {str(sizes[:6])}": stream(sizes).frames for sizes in many}
        streams["request in pieces"] = stream(request_sizes=[4, 1, 20]).frames
        streams["sent again"] = [frame for frame in stream([500]).frames for _ in range(2)]
        streams["any port"] = stream(port=45678).frames
        raw = Conversation()
        raw.send(CLIENT, b"QTV\nRAW: 1\n\n")
        raw.send(SERVER, DEMO, [777])
        streams["raw"] = raw.frames
        reverse = Conversation()  # the source connects, and streams once the proxy agrees
        reverse.send(CLIENT, b"QTV\nVERSION: 1\nREVERSE\n\n")
        reverse.send(SERVER, b"QTVSV 1.1\nVERSION: 1\nREVERSED\n\n")
        reverse.send(CLIENT, b"QTVSV 1\nBEGIN\n\n" + DEMO, [900])
        streams["reverse connection"] = reverse.frames
        self.check_texts(streams, "qw")

    def test_commands_of_the_viewer(self):
        conversation = stream()
        conversation.send(CLIENT, command("say hello") + command("ptrack 3"), [5])
        capture = self.capture(conversation.frames)
        self.assertEqual(self.values(capture, "qw.qtv.stringcmd"), ["say hello", "ptrack 3"])
        self.assertEqual(self.dumped(capture, "qw.qtv.stringcmd"), ["say hello", "ptrack 3"])

    def test_nothing_behind_a_hole_is_guessed(self):
        capture = self.check_hole(stream([1000]).frames, 8, "qw")
        notes = self.values(capture, "_ws.expert.message")
        self.assertEqual(sum("lacks 1000 bytes of the stream before packet 9" in note for note in notes), 1, notes)

    def check_cut(self, lost, expected, note):
        """Of two blocks in one segment the capture lacks the last `lost` bytes."""
        conversation = Conversation()
        conversation.send(CLIENT, REQUEST)
        conversation.send(SERVER, REPLY)
        for first, second in zip(BLOCKS[::2], BLOCKS[1::2]):
            conversation.send(SERVER, first + second)
        frames = conversation.frames
        cut = 5 + 6  # the segment that has the texts 12 and 13
        frames[cut] = (frames[cut][:-lost], len(frames[cut]))
        capture = self.capture(frames)
        for passes in PASSES:
            self.assertEqual(self.values(capture, "qw.print.text", *passes), expected)
            notes = self.values(capture, "_ws.expert.message", *passes)
            self.assertEqual(sum(note in found for found in notes), 1, notes)
        self.assertEqual(self.dumped(capture, "qw.print.text"), expected)

    def test_segment_cut_within_a_block(self):
        whole = len(BLOCKS[13])
        self.check_cut(100, TEXTS[:13], f"lacks the last 100 of {whole} bytes")

    def test_segment_cut_between_blocks(self):
        """What comes behind must not be taken for the next block."""
        lost = len(BLOCKS[13])
        self.check_cut(lost, TEXTS[:13], f"lacks {lost} bytes of the stream before packet 13")

    def test_segments_out_of_order(self):
        for frames, protocol in (stream([500]).frames, "qw"), (gtv_stream([500]).frames, "q2"):
            for at in range(12, len(frames) - 5, 9):
                frames[at:at + 3] = frames[at + 2], frames[at], frames[at + 1]
            options = f"{protocol}.print.text", "-o", "tcp.reassemble_out_of_order:TRUE"
            self.assertEqual(self.values(self.capture(frames), *options), TEXTS)

    def test_compression_is_named(self):
        conversation = Conversation()
        conversation.send(CLIENT, b"QTV\nVERSION: 1\nCOMPRESSION: zip\n\n")
        conversation.send(SERVER, b"QTVSV 1\nCOMPRESSION: zip\nBEGIN\n\n")
        conversation.send(SERVER, bytes(range(200)), [50])
        capture = self.capture(conversation.frames)
        self.assertEqual(len(self.values(capture, "qw.protocol.undecoded")), 1)
        self.assertEqual(len(self.values(capture, "qw.undecoded")), 4)

    def test_web_pages_on_the_port_are_left_alone(self):
        conversation = Conversation()
        conversation.send(CLIENT, b"GET / HTTP/1.0\r\n\r\n")
        conversation.send(SERVER, b"HTTP/1.0 200 OK\r\n\r\nQTV\n")
        capture = self.capture(conversation.frames)
        self.assertNotIn("qw", self.tshark("-r", capture, "-T", "fields", "-e", "frame.protocols"))
        self.assertEqual(self.dumped(capture, "qw.qtv.mark"), [])

    def test_disabled_protocol_shows_nothing(self):
        capture = self.capture(stream().frames)
        self.assertEqual(self.values(capture, "qw.print.text", "--disable-protocol", "qw"), [])

    def test_ports_used_again(self):
        capture = self.capture(stream().frames + stream(sequence=77).frames)
        self.assertEqual(self.dumped(capture, "qw.print.text"), 2 * TEXTS)
        self.assertEqual(self.values(capture, "qw.print.text"), 2 * TEXTS)


class Gtv(StreamTest):
    """Quake II's streams, plain and deflated: a PDU is the part of the stream in one segment."""

    def test_whole_streams(self):
        streams = {}
        for sizes in ([1400], [7], [1, 1, 1, 5000]):
            # A long block in very many segments is inflated too often.
            flush = 1000 if max(sizes) > 1000 else 5
            for options in ({}, {"deflate": True}, {"deflate": True, "flush": flush, "finish": True}):
                streams[f"{sizes} {options}"] = gtv_stream(sizes, **options).frames
        self.check_texts(streams, "q2")

    def test_nothing_behind_a_hole_is_guessed(self):
        for deflate in (False, True):
            self.check_hole(gtv_stream([100], deflate=deflate).frames, 15, "q2")
