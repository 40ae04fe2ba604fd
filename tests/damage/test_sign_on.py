# SPDX-License-Identifier: GPL-2.0-or-later
"""
The capture lacks packets of a sign-on: some of the server's, and what the client sent up to the one that
acknowledges them. Either the demo has all that it has without that, or a message and exit status 1 report it.
"""

import collections
import re

import dem
import qwd
import truth

SERVER_PACKETS = [1, 2, 3, 5]  # of a hole
STEP = 1 if truth.ALL else 7
BEHIND = 300  # packets of the game that are kept
SIGN_ON = 400
LARGEST = 6 << 20
LOSSY = "d-lossy"  # the network lost some, which the server sent again
OWN = ["qw-vanilla", "qw-extended", "qw-id", "qw-fte", "nq-protocol15", "nq-protocol666", "nq-dp7", "q2-protocol34",
       "q2-protocol35", "q2-protocol36", "q2-playerupdate", "q2-aqtion"]
# Commands of the handshake, which players pass over, and what only keeps the connection alive.
HANDSHAKE = re.compile(rb"\x01?|\t(packet [^\n]*\n)?cmd (new|challengeconnect)[ \n][^\0]*\0.*", re.DOTALL)


def read(path):
    """The parts of a demo, without the numbers of packets, however they are in blocks."""
    if path.suffix == ".dm2":
        return collections.Counter(" ".join(words[2:]) for words in truth.dump(path) if not words[2].startswith("q2.block"))
    if path.suffix == ".qwd":
        messages = [block.packet[8:] for block in qwd.blocks(path.read_bytes()) if isinstance(block, qwd.Read)]
    else:
        messages = [block.messages for block in dem.read(path)[1]]
    return collections.Counter(message for message in messages if not HANDSHAKE.fullmatch(message))


def sign_ons_of(path):
    """Indexes of frames: of those that are kept, of those of a sign-on, and of those of servers."""
    frames, of_server, sessions = truth.sessions_of(path)
    others = set(range(len(frames))).difference(*(session.packets for session in sessions.values()))
    for session in sessions.values():
        for number, (begin, game) in enumerate(session.levels()):
            if game:
                kept = sorted(index for index in others.union(session.packets) if index <= game[:BEHIND][-1])
                first = begin if number else 0
                yield frames, kept, [index for index in session.packets if first <= index < game[0]][-SIGN_ON:], of_server


def holes(sign_on, of_server):
    """Some packets of the server in a row, and all of the client from the first to the one behind the last."""
    servers = [place for place, index in enumerate(sign_on) if index in of_server]
    for count in SERVER_PACKETS:
        for first in range(0, len(servers) - count + 1, STEP):
            begin, end = servers[first], servers[first + count - 1]
            last = end + 1
            while last < len(sign_on) and sign_on[last] in of_server:
                last += 1
            yield [index for place, index in enumerate(sign_on[begin:last + 1], begin)
                   if index not in of_server or place <= end]


def tries(path):
    for frames, kept, sign_on, of_server in sign_ons_of(path):
        def outcome(hole=()):
            return truth.convert([frames[index] for index in kept if index not in hole], "--qwd-format=classic", read=read)

        whole = outcome()
        for hole in holes(sign_on, of_server) if whole.demos else ():
            found = outcome(hole)
            missing = (sum(whole.demos, collections.Counter()) - sum(found.demos, collections.Counter())).total()
            yield "" if not missing or (found.status == 1 and found.error) else \
                f"packets {hole[0] + 1}-{hole[-1] + 1}: {missing} lost"


def main():
    return truth.check(tries, truth.captures_of(OWN, LARGEST, LOSSY))
