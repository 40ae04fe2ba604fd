# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets cut at every length, by the capture and by their sender, do the dissector no harm."""

import struct

from wireshark import PROTOCOLS, PluginTest, some_captures, stored_packets, with_network

PAYLOAD = 42  # offset in a frame: Ethernet, IPv4 without options, UDP
ENOUGH = 3000  # cut packets of one capture
TOGETHER = 8  # captures in one file
TROUBLE = (b"Dissector bug", b"Malformed Packet", b"Exception occurred")


def frames(path):
    """The Ethernet frames with UDP in IPv4 of a pcap file, one of each pair of ports, rough size and kind."""
    seen = set()
    for _, frame, _ in stored_packets(path):
        kind = (frame[34:38], len(frame) // 16, frame[PAYLOAD:PAYLOAD + 4] == b"\xff" * 4)
        if frame[12:15] == b"\x08\x00\x45" and frame[23] == 17 and kind not in seen:
            seen.add(kind)
            yield frame


def sent_shorter(frame, size):
    """The frame as if only `size` bytes of payload had been sent."""
    lengths = struct.pack(">H", 28 + size), struct.pack(">H", 8 + size)
    return frame[:16] + lengths[0] + frame[18:38] + lengths[1] + frame[40:PAYLOAD + size]


def every_cut(whole, number):
    """These frames at each length, until there are enough, in a network of their own."""
    cuts = []
    for frame in (with_network(frame, number) for frame in whole):
        for size in range(len(frame) - PAYLOAD):
            cuts.append((frame[:PAYLOAD + size], len(frame)))
            cuts.append(sent_shorter(frame, size))
        cuts.append(frame)
        if len(cuts) > ENOUGH:
            break
    return cuts


class Cut(PluginTest):
    def check_cuts(self, cuts, numbers):
        """Trees are up to 200 MB of text, which is searched as a whole: line by line takes longer."""
        trees = self.tshark("-Y", " or ".join(PROTOCOLS), "-r", self.capture(cuts),
                            "-O", ",".join(PROTOCOLS), encoding=None)
        if any(word in trees for word in TROUBLE):
            self.fail([line for line in trees.splitlines() if any(word in line for word in TROUBLE)])
        for number in numbers:
            self.assertIn(f"Src: 20.{number}.".encode(), trees)

    def test_cut_packets_are_no_trouble(self):
        # Some captures are of the same traffic, or of TCP.
        wholes = sorted({tuple(frames(path)) for path in some_captures()} - {()}, key=len)
        self.assertGreater(len(wholes), 30)
        for first in range(0, len(wholes), TOGETHER):
            part = dict(enumerate(wholes[first:first + TOGETHER], 1))
            self.check_cuts([cut for number, whole in part.items()
                             for cut in every_cut(whole, number)], part)
