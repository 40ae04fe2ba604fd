# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a player makes of rebuilt demos (player.py): no update of entities may be dropped, and after
damage to a capture the states of entities must be those of the undamaged one.

    repairs.py PCAP2DEMO SHARED

The rule itself is checked against what ezQuake counted (FlushEntityPacket in its developer log) in
demos that it drops updates of, and against recordings of clients.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

import capture
import player
import recordings
from qwd import split

OWN = ["fidelity/qw-vanilla.pcap.gz", "fidelity/qw-extended.pcap.gz", "fidelity/qw-fte.pcap.gz",
       "fidelity/qw-id.pcap.gz", "qw-lossy.pcap"]
STORED = [
    "a-vanilla/a-vanilla.pcap", "a2-record-after-connect/a2-record-after-connect.pcap",
    "b-extended/b-extended.pcap", "c-download-old/c-download-old.pcap", "d-lossy/d-lossy.pcap",
    "e-multi/e-multi.pcap", "j-idqwcl/j-idqwcl.pcap", "fte-b-ezquake/b-fte-ezquake.pcap",
    "fte-c-mvdsv/c-mvdsv-fte.pcap", "fte-e-mvdext/e-mvdsv-ezquake-mvdext.pcap"]

# Recordings of clients, and how many updates players drop: a delta that id's client recorded first.
RECORDED = [
    ("fidelity/qw-vanilla.qwd.gz", 0), ("fidelity/qw-extended.qwd.gz", 0),
    ("fidelity/qw-id.qwd.gz", 0), ("fidelity/qw-id-late.qwd.gz", 1)]

# How many updates ezQuake 3.6.1 counted as dropped in the recording qw-vanilla without the block of
# that index: of the client, of the server, twice each.
WITHOUT = [(500, 1938), (3000, 688), (2001, 705), (3301, 55)]

# What a sign-on consists of; a level whose sign-on lacks a part does not play at all.
SIGN_ON = {"11", "45", "46", "22", "66", "9", "20", "29", "65", "12", "40", "3"}

# Damage, and the share of entities' states that must be right: of each capture, of all together.
DAMAGE = [("none", 1, 1), ("lost 0.1 %", 0.999, 0.9999), ("lost 1 %", 0.99, 0.999),
          ("lost 5 %", 0.85, 0.97), ("server only", 1, 1), ("neighbours swapped", 1, 1)]


def described(tool, path):
    """Of each packet, by number, its direction and the messages that the server sent in it."""
    run = subprocess.run([tool, "--dump", path], stdout=subprocess.PIPE, check=False)
    packets = {}
    for line in run.stdout.decode(errors="replace").splitlines():
        words = line.split(" ", 4)
        packet = packets.setdefault(int(words[0]), {"messages": set(), "direction": "?"})
        if words[2] == "packet.direction":
            packet["direction"] = words[4]
        elif words[2] == "qw.svc":
            packet["messages"].add(words[4].split(" ")[0])
    return packets


def lose(frames, packets, share):
    """Without a share of the packets; parts of a sign-on stay."""
    chance = random.Random(share)

    def stays(number):
        packet = packets.get(number, {"messages": SIGN_ON, "direction": "?"})
        kept = packet["direction"] == "?" or packet["messages"] & SIGN_ON
        return chance.random() >= share or kept
    return [frame for number, frame in enumerate(frames, 1) if stays(number)]


def swap(frames, packets):
    """Each packet of a client's with the server's packet behind it."""
    frames = list(frames)
    for i in range(0, len(frames) - 1):
        ways = [packets.get(number, {"direction": "?"})["direction"] for number in (i + 1, i + 2)]
        if ways == ["c2s", "s2c"] and i % 3 == 0:
            frames[i], frames[i + 1] = frames[i + 1], frames[i]
    return frames


def damaged(frames, packets, kind):
    if kind.startswith("lost"):
        return lose(frames, packets, float(kind.split(" ")[1]) / 100)
    if kind == "server only":
        return [frame for number, frame in enumerate(frames, 1)
                if packets.get(number, {"direction": "?"})["direction"] != "c2s"]
    if kind == "neighbours swapped":
        return swap(frames, packets)
    return frames


def rebuilt(tool, path, folder):
    """What a player makes of the demos of a capture."""
    subprocess.run([tool, "-q", "-f", "-o", folder, path], check=False,
                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [player.play(tool, demo) for demo in sorted(pathlib.Path(folder).glob("*.qwd"))]


def compare_states(truth, seen):
    """(right, all) of the states in frames that both have."""
    right = every = 0
    for frame in truth.keys() & seen.keys():
        numbers = truth[frame].keys() | seen[frame].keys()
        every += len(numbers)
        right += sum(truth[frame].get(number) == seen[frame].get(number) for number in numbers)
    return right, every


def best_match(truth, seen):
    """A capture with one direction only may have sessions that it has not with both."""
    return max((compare_states(one.seen, seen) for one in truth), default=(0, 0))


def check_damage(tool, name, frames, packets, kind, least, truth):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "damaged.pcap"
        capture.write(path, 1, damaged(frames, packets, kind))
        players = rebuilt(tool, path, folder)
    results = [best_match(truth, one.seen) for one in players]
    right, every = (sum(column) for column in zip(*results)) if results else (0, 0)
    updates, dropped = (sum(getattr(one, what) for one in players) for what in
                        ("updates", "dropped"))
    good = bool(players) and dropped == 0 and right >= least * every
    print(f"{'ok  ' if good else 'FAIL'} {name}, {kind}: {updates} updates, {dropped} dropped; "
          f"{right} of {every} states right")
    return good, right, every


def check_capture(tool, path, name):
    _, frames = capture.read(path)
    with tempfile.TemporaryDirectory() as folder:
        packets = described(tool, path)
        truth = rebuilt(tool, path, folder)
    return {kind: check_damage(tool, name, frames, packets, kind, least, truth)
            for kind, least, _ in DAMAGE}


def check_drops(tool, data, name, expected):
    with tempfile.TemporaryDirectory() as folder:
        demo = pathlib.Path(folder) / "recorded.qwd"
        demo.write_bytes(data)
        dropped = player.play(tool, demo).dropped
    print(f"{'ok  ' if dropped == expected else 'FAIL'} {name}: {dropped} dropped, "
          f"{expected} expected")
    return dropped == expected


def check_rule(tool, captures):
    results = [check_drops(tool, recordings.read(captures / name), name, count)
               for name, count in RECORDED]
    whole = split(recordings.read(captures / RECORDED[0][0]))
    return results + [check_drops(tool, b"".join(whole[:index] + whole[index + 1:]),
                                  f"without block {index}", count) for index, count in WITHOUT]


def check_total(kind, least, right, every):
    good = right >= least * every
    print(f"{'ok  ' if good else 'FAIL'} {kind}: {100 * right / max(every, 1):.2f} % of {every} "
          f"states right")
    return good


def main():
    tool, shared = sys.argv[1], pathlib.Path(sys.argv[2]) / "captures" / "quakeworld"
    captures = recordings.OWN.parent
    results = check_rule(tool, captures)
    paths = [captures / name for name in OWN]
    if shared.is_dir():
        paths += [shared / name for name in STORED]
    totals = {kind: [0, 0] for kind, _, _ in DAMAGE}
    for path in paths:
        for kind, (good, right, every) in check_capture(tool, path, path.name).items():
            results.append(good)
            totals[kind][0] += right
            totals[kind][1] += every
    results += [check_total(kind, least, *totals[kind]) for kind, _, least in DAMAGE]
    return results
