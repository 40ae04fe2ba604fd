# SPDX-License-Identifier: GPL-2.0-or-later
"""
The capture lacks packets of a sign-on: some of the server's, and what the client sent up to the one that
acknowledges them. Either the demo has all that it has without that, or a message and status 1 say so.

    test_sign_on.py PCAP2DEMO CAPTURES [SHARED]     all places with QUAKESHARK_WINDOWS=all
"""

import collections
import os
import re

import capture
import qwd
import test_levels
import truth

ALL = os.environ.get("QUAKESHARK_WINDOWS") == "all"
SERVER_PACKETS = [1, 2, 3, 5]  # of a hole
STEP = 1 if ALL else 7
BEHIND = 300  # packets of the game that are kept
SIGN_ON = 400
LARGEST = 6 << 20
LOSSY = "d-lossy"  # the line lost some, which the server sent again
OWN = ["qw-vanilla", "qw-extended", "qw-id", "qw-fte", "nq-protocol15", "nq-protocol666", "nq-dp7", "q2-protocol34",
       "q2-protocol35", "q2-protocol36", "q2-playerupdate", "q2-aqtion"]
# Commands of the handshake, which players pass over, and what only keeps the connection alive.
HANDSHAKE = re.compile(rb"\x01?|\t(packet [^\n]*\n)?cmd (new|challengeconnect)[ \n][^\0]*\0.*", re.DOTALL)
DUMPED = re.compile(r"^\S+ \S+ (?!q2\.block)(.*)$", re.MULTILINE)


def read(tool):
    """What a demo has, but for the numbers of packets and how they are in blocks."""
    def read_demo(path):
        demo = path.read_bytes()
        if path.suffix == ".qwd":
            messages = (block.packet[8:] for block in qwd.blocks(demo) if isinstance(block, qwd.Read))
            return collections.Counter(message for message in messages if not HANDSHAKE.fullmatch(message))
        if path.suffix == ".dem":
            return collections.Counter(block for block in test_levels.blocks_of_dem(demo) if not HANDSHAKE.fullmatch(block))
        return collections.Counter(DUMPED.findall(test_levels.dump(tool, path)))
    return read_demo


class SignOn:
    """The packets of a session up to some of its game: (place, whether the server's) of those of the sign-on."""

    def __init__(self, frames, places, sign_on):
        self.frames, self.places, self.sign_on = frames, places, sign_on

    def holes(self):
        servers = [index for index, (_, of_server) in enumerate(self.sign_on) if of_server]
        for count in SERVER_PACKETS:
            for first in range(0, len(servers) - count + 1, STEP):
                last = servers[first + count - 1] + 1
                while last < len(self.sign_on) and self.sign_on[last][1]:
                    last += 1
                hole = self.sign_on[servers[first]:last + 1]
                yield count, [place for index, (place, of_server) in enumerate(hole)
                              if not of_server or index <= servers[first + count - 1] - servers[first]]

    def outcome(self, tool, hole=()):
        left = [self.frames[place] for place in self.places if place not in hole]
        return truth.convert(tool, left, "--qwd-format=classic", read=read(tool))


def sign_ons_of(tool, path):
    try:
        _, frames = capture.read(path)
    except (KeyError, ValueError):
        return
    if any(len(frame.data) != frame.size for frame in frames):
        return
    sessions, levels, number, of_server, game = collections.defaultdict(list), collections.defaultdict(list), None, {}, set()
    for words in (line.split(" ", 4) for line in test_levels.dump(tool, path).splitlines()):
        if not words[0].split(":")[0].isdigit():
            continue
        place = int(words[0].split(":")[0]) - 1
        if words[2] == "packet.direction":
            of_server[place] = words[4] == "s2c"
        elif words[2] == "packet.session":
            number = int(words[4])
            if not sessions[number] or sessions[number][-1] != place:
                sessions[number].append(place)
        elif len(words) == 3 and of_server.get(place):
            if words[2] in test_levels.BEGIN:
                levels[number].append(place)
            elif words[2].endswith(test_levels.GAME):
                game.add(place)
    without = set(range(len(frames))) - {place for places in sessions.values() for place in places}
    for number, places in sessions.items():
        for begin, after in zip(levels[number], levels[number][1:] + [len(frames)]):
            behind = [place for place in places if begin < place < after and place in game]
            if not behind:
                continue
            first = begin if begin != levels[number][0] else 0
            sign_on = [(place, of_server[place]) for place in places if first <= place < behind[0]][-SIGN_ON:]
            until = behind[:BEHIND][-1]
            kept = sorted(place for place in without | set(places) if place <= until)
            yield SignOn(frames, kept, sign_on)


def faults_of(tool, path):
    """Descriptions of the faults; how many holes there were; how many levels went though nothing was missing."""
    faults, count, needless = [], 0, 0
    for sign_on in sign_ons_of(tool, path):
        whole = sign_on.outcome(tool)
        if not whole.demos:
            continue
        for packets, hole in sign_on.holes():
            outcome = sign_on.outcome(tool, set(hole))
            # What was lost of the game behind it is not of the sign-on.
            missing = sum((sum(whole.demos, collections.Counter()) - sum(outcome.demos, collections.Counter())).values())
            count += 1
            needless += not missing and "cannot be shown" in outcome.error
            if missing and (outcome.status != 1 or not outcome.error):
                faults.append(f"{path.name}: {packets} of the server, packets {hole[0] + 1}-{hole[-1] + 1}: {missing} lost")
    return faults, count, needless


def main(tool, captures, shared=None):
    paths = truth.captures_of(captures, OWN, shared if ALL else None, LARGEST, LOSSY)
    results = truth.of_each(faults_of, tool, paths)
    faults = [fault for result in results for fault in result[0]]
    count = sum(result[1] for result in results)
    print(*faults, f"{count} holes, {len(faults)} faults; {sum(result[2] for result in results)} levels for nothing", sep="\n")
    return bool(faults) or not count
