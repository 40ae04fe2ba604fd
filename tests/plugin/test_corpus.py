# SPDX-License-Identifier: GPL-2.0-or-later
"""The fuzzers' inputs as packets in Wireshark, each a conversation of its own: tshark ends well in one pass and in two,
with all statistics, without an exception in the plugin, and each pass shows as many packets."""

import os
import re
import struct
import tarfile

from tool import SOURCE
from wireshark import PASSES, PROTOCOLS, SHORT_NAMES, PluginTest, ethernet, rows

FUZZ = SOURCE / "tests" / "fuzz"
PORTS = [int(row[-1].split(",")[0]) for row in rows("protocol")]  # inputs choose one by its place
# Bits of a piece: those of fuzz.h, and two of the corpus `plugin`.
FROM_SERVER, PORTS_KNOWN, CUT, STREAM, OTHER = 1, 2, 4, 8, 64
OTHER_PORT = 40000
TROUBLE = re.compile(b"Dissector bug|Exception occurred|Sanitizer")


def inputs(name):
    with tarfile.open(FUZZ / "corpus" / f"{name}.tar.xz") as archive:
        yield from (archive.extractfile(member).read() for member in archive if member.isfile())
    yield from (path.read_bytes() for path in sorted((FUZZ / "regressions" / name).glob("*")))


def pieces(data):
    at = 2
    while at + 3 <= len(data):
        bits, size = struct.unpack_from("<BH", data, at)
        yield bits, data[at + 3:at + 3 + size]
        at += 3 + size


def frames(data, number, streams):
    """Pairs of a frame and its length on the wire. Datagrams, and segments if the corpus has `streams`."""
    port = PORTS[data[0] % len(PORTS)]
    sequences = {}
    for bits, payload in pieces(data):
        server = bytes([10, 1, *divmod(number, 256)]), port if bits & PORTS_KNOWN else OTHER_PORT
        client = bytes([10, 2, *divmod(number, 256)]), 30000 + bool(bits & OTHER)
        ends = (server, client) if bits & FROM_SERVER else (client, server)
        (source, source_port), (target, target_port) = ends
        head = struct.pack(">HH", source_port, target_port)
        if streams and bits & STREAM:
            sequence = sequences.get((source, source_port), 1)
            head += struct.pack(">IIHHI", sequence, 1, 0x5018, 0xffff, 0)
            sequences[source, source_port] = sequence + len(payload)
        else:
            head += struct.pack(">HH", 8 + len(payload), 0)
        kind = 6 if len(head) > 8 else 17
        packet = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(head + payload), 0, 0, 64, kind, 0) + source + target + head
        lacking = min(len(payload) // 2, 1000) if bits & CUT else 0
        yield ethernet(packet + payload[:len(payload) - lacking]), 14 + len(packet + payload)


class Corpus(PluginTest):
    STATISTICS = ["quake,sessions", "quake,messages", "quake,line", "expert",
                  *(f"follow,{name.lower()},ascii,1" for name in SHORT_NAMES)]

    def check(self, name):
        capture = self.capture([frame for number, data in enumerate(inputs(name), 1) if len(data) > 1
                                for frame in frames(data, number, name == "plugin")])
        shown = []
        for passes in PASSES:
            result = self.run_tshark(*passes, "-r", capture, "-O", ",".join(PROTOCOLS), "-Y", " or ".join(PROTOCOLS),
                                     *(word for name in self.STATISTICS for word in ("-z", name)), encoding=None)
            self.assertEqual(result.returncode, 0)
            # Wireshark's other dissectors have faults of their own.
            self.assertFalse([line for line in (result.stderr + result.stdout).splitlines() if TROUBLE.search(line)
                              and any(f" {name}".encode() in line for name in SHORT_NAMES)])
            shown.append(result.stdout.count(b"\nFrame "))
        self.assertEqual(*shown)
        self.assertGreater(shown[0], 300)
        os.unlink(capture)

    def test_each_input_ends_well(self):
        for name in "decode", "rebuild", "plugin":
            with self.subTest(name):
                self.check(name)
