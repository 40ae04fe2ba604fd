# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares rebuilt demos with what the real client recorded of the same session: the project's own pairs
of capture and recording, and those of SHARED where that is there.

    fidelity.py PCAP2DEMO SHARED

Every packet that the client recorded must be in the rebuilt demo, in the same order and byte for byte,
and every user command, in the same place between the packets; and a player must take every update of
entities in it (player.py). common/quakeworld/PROTOCOL.md, section 7, names
what a client writes that never crossed the wire, which is left out of the comparison by its own marks:

  * a preamble made up when recording began in mid-game: all before the frame block (dem_set);
  * ezquake's closing print, and the packet that ends a demo;
  * id's client records connectionless and header-only packets, which ezquake does not;
  * FTE writes headers anew, without reliable bits, and cuts command angles to whole degrees;
  * angles may differ by whole turns;
  * ezquake rewrites deltas whose base is not in the demo as full updates: same header, other body. How
    many is a fixed number for each recording, and checked.
"""

import collections
import pathlib
import struct
import subprocess
import sys
import tempfile

import player
import recordings
from qwd import Cmd, Read, Set, blocks, is_connectionless, split

# recording, capture, recorder, session that it belongs to, packets rewritten by the recorder, packets and
# commands that are identical
PAIRS = [
    ("a2-record-after-connect/a2-record-after-connect.qwd",
     "a2-record-after-connect/a2-record-after-connect.pcap", "ezquake", 1, 2, 2860, 2868),
    ("c-download-old/c-download-old.qwd", "c-download-old/c-download-old.pcap", "ezquake", 1, 1, 821, 893),
    ("d-lossy/d-lossy.qwd", "d-lossy/d-lossy.pcap", "ezquake", 1, 6, 1536, 2012),
    ("e-multi/e-multi-client1.qwd", "e-multi/e-multi.pcap", "ezquake", 1, 1, 635, 640),
    ("e-multi/e-multi-client2.qwd", "e-multi/e-multi.pcap", "ezquake", 2, 1, 595, 600),
    ("e-multi/e-multi-client3.qwd", "e-multi/e-multi.pcap", "ezquake", 3, 1, 1046, 1055),
    ("fte-b-ezquake/b-fte-ezquake.qwd", "fte-b-ezquake/b-fte-ezquake.pcap", "ezquake", 1, 2, 1890, 1895),
    ("fte-a/a-fte-fte.qwd", "fte-a/a-fte-fte.pcap", "fte", 1, 0, 2344, 2344),
    ("fte-c-mvdsv/c-mvdsv-fte.qwd", "fte-c-mvdsv/c-mvdsv-fte.pcap", "fte", 1, 0, 2625, 2628),
    ("fte-e-mvdext/e-mvdsv-ezquake-mvdext.qwd", "fte-e-mvdext/e-mvdsv-ezquake-mvdext.pcap",
     "ezquake", 1, 2, 2384, 2401),
]

# The project's own, in tests/captures/fidelity.
OWN_PAIRS = [
    ("qw-vanilla.qwd.gz", "qw-vanilla.pcap.gz", "ezquake", 1, 2, 2197, 2212),
    ("qw-extended.qwd.gz", "qw-extended.pcap.gz", "ezquake", 1, 2, 1010, 1016),
    ("qw-fte.qwd.gz", "qw-fte.pcap.gz", "fte", 1, 0, 981, 981),
    ("qw-ipv6.qwd.gz", "qw-ipv6.pcap.gz", "ezquake", 1, 2, 470, 476),
    ("qw-id.qwd.gz", "qw-id.pcap.gz", "id", 2, 0, 384, 459),
    ("qw-id-late.qwd.gz", "qw-id.pcap.gz", "id", 2, 0, 82, 82),
]


def recorded_blocks(path):
    """What crossed the wire: without the preamble, the recorder's own packets and its own habits."""
    every = list(blocks(recordings.read(path)))
    for index, block in enumerate(every):
        if isinstance(block, Set):
            every = every[index + 1:]
            break
    return [block for block in every if isinstance(block, (Cmd, Read)) and not is_own(block)]


def is_own(block):
    if not isinstance(block, Read):
        return False
    return (is_connectionless(block.packet) or len(block.packet) <= 8
            or b"\nRecorded by ezQuake" in block.packet)


def plain_header(packet):
    """The packet without the reliable bits, as FTE writes it."""
    sequence, ack = struct.unpack_from("<II", packet)
    return struct.pack("<II", sequence & 0x7fffffff, ack & 0x7fffffff) + packet[8:]


def same_usercmd(recorded, rebuilt, recorder):
    """Equal except for whole turns; FTE's angles are cut to whole degrees of what was not yet rounded."""
    tolerance = 1.0 if recorder == "fte" else 0.0
    angles = zip(struct.unpack_from("<3f", recorded, 4), struct.unpack_from("<3f", rebuilt, 4))
    return (recorded[:1] == rebuilt[:1] and recorded[16:] == rebuilt[16:]
            and all(abs((a - b + 180) % 360 - 180) <= tolerance for a, b in angles))


def compare_packets(recorded, rebuilt, recorder):
    """(identical, rewritten, missing, extra): extra packets are those between two that both have."""
    if recorder == "fte":
        rebuilt = [plain_header(packet) for packet in rebuilt]
    places = {packet[:8]: index for index, packet in enumerate(rebuilt)}
    identical = rewritten = missing = 0
    last = None
    extra = 0
    for packet in recorded:
        place = places.get(packet[:8])
        if place is None or (last is not None and place <= last):
            missing += 1
            continue
        if rebuilt[place] == packet:
            identical += 1
        else:
            rewritten += 1
        if last is not None:
            extra += place - last - 1
        last = place
    return identical, rewritten, missing, extra


def compare_cmds(recorded, rebuilt, recorder):
    """(identical, differing): recorded commands against the run of rebuilt ones that fits best."""
    best = 0
    for start in range(len(rebuilt) - len(recorded) + 1):
        same = sum(same_usercmd(a, b, recorder) for a, b in zip(recorded, rebuilt[start:]))
        best = max(best, same)
        if best == len(recorded):
            break
    return best, len(recorded) - best


def order(every):
    """The packets' numbers, with None for each command between them."""
    return [struct.unpack_from("<I", block.packet)[0] & 0x7fffffff if isinstance(block, Read) else None
            for block in every if isinstance(block, (Cmd, Read)) and not is_own(block)]


def differing_places(recorded, rebuilt):
    """Blocks that stand elsewhere, from the first packet on that was recorded."""
    recorded, rebuilt = order(recorded), order(rebuilt)
    first = next(number for number in recorded if number is not None)
    pairs = zip(recorded[recorded.index(first):], rebuilt[rebuilt.index(first):])
    return sum(a != b for a, b in pairs)


def begins_alike(recorded, rebuilt, recorder):
    """FTE's clients count from 1, and begin with a block that sets that."""
    return recorder != "fte" or recorded[1:] == rebuilt[1:] == (1, 0)


# Packets of the recording in the rebuilt demo, its commands, blocks that stand elsewhere, updates that a player drops.
Found = collections.namedtuple("Found", "identical rewritten missing extra commands differing moved dropped alike "
                               "in_order", defaults=[0, 0, 0, True, True])


def of_kind(every, kind, field):
    return [getattr(block, field) for block in every if isinstance(block, kind)]


def check(tool, folder, pair):
    recording, capture, recorder, session, rewritten, packets, commands = pair
    recorded = recorded_blocks(folder / recording)
    with tempfile.TemporaryDirectory() as output:
        subprocess.run([tool, "-q", "--session", str(session), "-o", output, folder / capture],
                       stdin=subprocess.DEVNULL)
        demo, = pathlib.Path(output).glob("*.qwd")
        rebuilt, dropped = list(blocks(demo.read_bytes())), player.play(tool, demo).dropped
    times = [block.time for block in rebuilt]
    both = recorded, rebuilt
    found = Found(*compare_packets(*(of_kind(some, Read, "packet") for some in both), recorder),
                  *compare_cmds(*(of_kind(some, Cmd, "usercmd") for some in both), recorder),
                  differing_places(recorded, rebuilt), dropped,
                  begins_alike(next(blocks(recordings.read(folder / recording))), rebuilt[0], recorder),
                  times == sorted(times))
    good = found == Found(packets, rewritten, 0, 0, commands)
    print(f"{'ok  ' if good else 'FAIL'} {recording}: {found}")
    return good


RECEIVED = 31532  # bytes of the QTV stream that is compared

# What a server writes at the end of a recording, and players of files need.
END_OF_DEMO = struct.pack("<BBIB", 0, 6, 11, 2) + b"EndOfDemo\0"


def check_stream(tool, folder, name, received_name):
    """A QTV stream's demo is what the viewer received behind the reply, and the end."""
    received = recordings.read(folder / received_name)
    expected = received[received.index(b"\n\n") + 2:] + END_OF_DEMO
    with tempfile.TemporaryDirectory() as output:
        status = subprocess.run([tool, "-q", "-o", output, folder / name],
                                stdin=subprocess.DEVNULL).returncode
        demos = [path.read_bytes() for path in pathlib.Path(output).glob("*.mvd")]
    good = status == 0 and demos == [expected] and len(received) == RECEIVED
    print(f"{'ok  ' if good else 'FAIL'} {name}: {len(received)} bytes received, "
          f"{[len(demo) for demo in demos]} in demos")
    return good


# Recordings of clients, and how many updates players drop: the first that id's client recorded is a delta.
RECORDED = [("qw-vanilla.qwd", 0), ("qw-extended.qwd", 0), ("qw-id.qwd", 0), ("qw-id-late.qwd", 1)]

# How many updates ezQuake 3.6.1 counted as dropped (FlushEntityPacket in its developer log) in the recording
# qw-vanilla without the block of that index: of the client, of the server, twice each.
WITHOUT = [(500, 1938), (3000, 688), (2001, 705), (3301, 55)]


def check_rules():
    """That player.py drops what players drop."""
    whole = split(recordings.own("qw-vanilla.qwd"))
    demos = [(name, recordings.own(name), count) for name, count in RECORDED]
    demos += [(f"without block {index}", b"".join(whole[:index] + whole[index + 1:]), count)
              for index, count in WITHOUT]
    for name, data, expected in demos:
        with tempfile.NamedTemporaryFile(suffix=".qwd") as file:
            pathlib.Path(file.name).write_bytes(data)
            dropped = player.play(sys.argv[1], file.name).dropped
        print(f"{'ok  ' if dropped == expected else 'FAIL'} {name}: {dropped} dropped, {expected} expected")
        yield dropped == expected


def main():
    tool, shared = sys.argv[1], pathlib.Path(sys.argv[2]) / "captures" / "quakeworld"
    results = [*check_rules(), *(check(tool, recordings.OWN, pair) for pair in OWN_PAIRS)]
    results.append(check_stream(tool, recordings.OWN, "qw-qtv.pcap.gz", "qw-qtv.bin.gz"))
    if recordings.is_there(shared):
        results += [check(tool, shared, pair) for pair in PAIRS]
    return results
