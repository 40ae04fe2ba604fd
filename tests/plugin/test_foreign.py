# SPDX-License-Identifier: GPL-2.0-or-later
"""Datagrams of other protocols are left to them: all of them on random ports, and nearly all on the default ports,
where only the content differs.

The variable PACKETS is the number of each shape on random ports (a million before a release); then the test prints the
figures for the default ports.
"""

import collections
import itertools
import os
import random
import struct

from foreign import SHAPES
from wireshark import PROTOCOLS, PluginTest, rows

BATCH = 100000

# At most so many percent of the datagrams on the default ports are claimed: those that can be read to their ends as
# messages of the game. Packets of Acknex have neither a mark nor a number.
ALLOWED = {"qw": {"noise": 0.05},
           "q2": {"noise": 0.05, "rtp": 0.01},
           "nq": {},
           "acknex": {"noise": 1, "dns": 1, "quic": 1, "rtp": 1, "steam": 1}}


def frame(payload, address, source_port, port):
    datagram = struct.pack(">HHHH", source_port, port, 8 + len(payload), 0) + payload
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(datagram), 1, 0, 64, 17, 0)
    return bytes(12) + b"\x08\x00" + header + address + b"\x0a\x00\x00\x02" + datagram


def datagrams(count, ports):
    """`count` of each shape, each a conversation of its own: pairs of shape and frame."""
    hosts = itertools.count(0x0B000000)
    for shape, payload in SHAPES.items():
        source = random.Random(f"{shape} {ports}")
        for _ in range(count):
            port = source.choice(ports) if ports else source.randint(30001, 65535)
            yield shape, frame(payload(source), struct.pack(">I", next(hosts)), 29000, port)


class Foreign(PluginTest):
    packets = int(os.environ.get("PACKETS", "1000"))

    def claimed(self, count, ports):
        """The number of datagrams of each shape that the plugin claims."""
        taken = collections.Counter()
        source = datagrams(count, ports)
        while batch := list(itertools.islice(source, BATCH)):
            capture = self.capture([frame for _, frame in batch])
            taken += collections.Counter(shape for (shape, _), layer
                                         in zip(batch, self.layers(capture), strict=True)
                                         if layer in PROTOCOLS)
            os.unlink(capture)
        return taken

    def test_none_is_claimed_on_random_ports(self):
        self.assertEqual(self.claimed(self.packets, None), {})

    def test_few_are_claimed_on_default_ports(self):
        count = max(100, self.packets // 10)
        for name, *_, ports in rows("protocol"):
            taken = self.claimed(count, [int(port) for port in ports.split(",")])
            for shape in SHAPES:
                percent = taken[shape] * 100 / count
                if "PACKETS" in os.environ:
                    print(f"{name} {shape}: {percent:.2f} %", flush=True)
                with self.subTest(name, shape=shape):
                    self.assertLessEqual(percent, ALLOWED[name].get(shape, 0))
