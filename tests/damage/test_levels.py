# SPDX-License-Identifier: GPL-2.0-or-later
"""
The capture lacks all packets of a while in which the next level begins: no message of the next level is in a demo of
the one before, unless a donor has its sign-on or a message says that the map may have changed. What is missing is
reported, with exit status 1.
"""

import collections
import itertools
import re

import capture
import dem
import qwd
import truth

SECONDS = [0.2, 0.5, 0.9] if truth.ALL else [0.5]
BEFORE = 0.02  # seconds of the hole before the packet that begins the level
LARGEST = 6 << 20
OWN = ["qw-vanilla", "qw-fte", "nq-protocol15", "nq-protocol666", "q2-protocol34", "q2-protocol36"]
KNOWN = re.compile("its sign-on is from|missing from the capture; the map may have changed")


def read(path):
    """A demo's suffix; and its packets, messages of blocks, or numbers of frames."""
    if path.suffix == ".qwd":
        return path.suffix, {(block.packet[:3], block.packet[8:]) for block in qwd.blocks(path.read_bytes())
                             if isinstance(block, qwd.Read)}
    if path.suffix == ".dem":
        return path.suffix, collections.Counter(block.messages for block in dem.read(path)[1])
    return path.suffix, [int(words[4].split()[0]) for words in truth.dump(path) if words[2] == "q2.frame.number"]


def wrong_messages(demo, behind, rest):
    """How many packets behind the hole are in a demo; of Quake II: how often the numbers of frames begin again."""
    suffix, found = demo
    if suffix == ".qwd":
        return sum((packet[:3], packet[8:]) in found for packet in behind if len(packet) > 8)
    if suffix == ".dem":
        others = collections.Counter(packet[8:] for packet in rest)
        return sum(found[packet[8:]] > others[packet[8:]] for packet in behind)
    return sum(later < number for number, later in itertools.pairwise(found))


def holes(frames, begin, game, before):
    """Begins and ends: a while after the level begins, and so long that its clock is beyond the older one's."""
    start = frames[begin].time - int(BEFORE * capture.NANOSECONDS)
    for seconds in SECONDS:
        yield start, start + int(seconds * capture.NANOSECONDS)
    if before:
        yield (frames[before[0]].time + 3 * capture.NANOSECONDS, frames[game[0]].time + 4 * capture.NANOSECONDS)


def tries(path):
    frames, _, sessions = truth.sessions_of(path)
    for session in sessions.values():
        for (_, before), (begin, game) in itertools.pairwise(session.levels()):
            for start, end in holes(frames, begin, game, before) if len(game) > 10 else ():
                outcome = truth.convert([frame for frame in frames if not start <= frame.time < end],
                                        "--qwd-format=classic", read=read)
                later = {index for index in game if frames[index].time >= end}
                behind = [capture.payload(frames[index]) for index in sorted(later)]
                rest = [capture.payload(frame) for index, frame in enumerate(frames) if index not in later]
                # Nothing shows the level of QuakeWorld's packets: then the message names the doubt.
                wrong = sum(wrong_messages(demo, behind, rest) for demo in outcome.demos if not KNOWN.search(outcome.error))
                is_reported = outcome.status == 1 and outcome.error
                yield "" if is_reported and not wrong else (
                    f"{(end - start) / capture.NANOSECONDS} s at packet {begin + 1}: {wrong} messages, {outcome.status}")


def main():
    return truth.check(tries, truth.captures_of(OWN, LARGEST))
