# SPDX-License-Identifier: GPL-2.0-or-later
"""
Packets of a while are left out of a capture, of both ends or of one: --list says from when to when, and
how many of which end. Of Quake's client alone nothing is known, since servers acknowledge no moves.

    test_holes.py PCAP2DEMO CAPTURES [SHARED]     all captures with QUAKESHARK_WINDOWS=all
"""

import collections
import os
import re

import capture
import test_levels
import truth

ALL = os.environ.get("QUAKESHARK_WINDOWS") == "all"
SECONDS = [0.4, 1, 3, 17] if ALL else [1, 3]
PLACES = 4 if ALL else 2
ENDS = [[True, False], [True], [False]]  # whose packets are missing: whether the server's
AROUND = 1  # seconds of the game before and behind a hole
TIME_OFF, PACKETS_OFF, PACKETS_LEAST = 1.0, 0.05, 1
LARGEST = 3 << 20
LOSSY = ("d-lossy", "e-lossy", "d-v34", "e-multi", "a-fte-fte")  # numbers that were lost or choked are in the holes, too
OWN = ["qw-vanilla", "qw-extended", "qw-fte", "nq-protocol15", "nq-protocol666", "nq-dp7", "q2-protocol34", "q2-protocol35",
       "q2-protocol36", "q2-aqtion"]


class Game:
    """The packets of a session between two changes of its level: (place, time, whether the server's)."""

    def __init__(self, number, packets, start):
        self.number, self.packets, self.start = number, packets, start


def games_of(tool, path, frames):
    of_server, places, begins, game = {}, collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
    number = None
    for words in (line.split(" ", 4) for line in test_levels.dump(tool, path).splitlines()):
        if not words[0].isdigit():
            continue
        place = int(words[0]) - 1
        if words[2] == "packet.direction":
            of_server[place] = words[4] == "s2c"
        elif words[2] == "packet.session":
            number = int(words[4])
            if not places[number] or places[number][-1] != place:
                places[number].append(place)
        elif len(words) == 3 and of_server.get(place):
            if words[2] in test_levels.BEGIN:
                begins[number].append(place)
            elif words[2].endswith(test_levels.GAME):
                game[number].append(place)
    for number, own in places.items():
        for begin, after in zip(begins[number], begins[number][1:] + [len(frames)]):
            played = [place for place in game[number] if begin < place < after]
            if len(played) > 20:
                inside = [place for place in own if played[0] <= place <= played[-1]]
                yield Game(number, [(place, frames[place].time, of_server[place]) for place in inside], frames[own[0]].time)


def is_numbered(frame):
    """All packets have a number of their own, but acknowledgements of Quake."""
    data = capture.payload(frame)
    return data[:2] != b"\0\x02" or data[2:4] != len(data).to_bytes(2, "big")


def session_of(tool, frames, number):
    return next((session for session in truth.report(tool, "--list", frames)["sessions"]
                 if session["number"] == number), None)


def printed_counts(session):
    """The numbers of server packets in the lines of the session's holes."""
    return [int(count) for problem in (session and session.get("demo") or {}).get("problems", [])
            for count in re.findall(r"^(\d+) packets? of the server", problem["text"])]


def is_near(found, true):
    return abs(found - true) <= max(PACKETS_LEAST, PACKETS_OFF * true)


def fault_of(tool, frames, game, begin, end, ends):
    """
    What is wrong where the packets of `ends` (True: the server) are missing from `begin` to `end`; "" if
    nothing is, None if too few are missing.
    """
    gone = {frame for frame, time, of_server in game.packets if begin <= time < end and of_server in ends}
    numbered = [of_server for frame, _, of_server in game.packets if frame in gone and is_numbered(frames[frame])]
    servers = sum(numbered)
    if any(numbered.count(one) < 2 for one in ends):
        return None
    session = session_of(tool, [frame for number, frame in enumerate(frames) if number not in gone], game.number)
    holes = session and session["holes"]
    hole = holes["first"][0] if holes and holes["count"] else None
    true = ((begin - game.start) / capture.NANOSECONDS, (end - game.start) / capture.NANOSECONDS,
            len(numbered) - servers, servers)
    found = hole and (hole["from"], hole["until"], hole["to_server"], hole["to_client"])
    printed = printed_counts(session)
    if (hole and holes["count"] == 1 and all(abs(found[i] - true[i]) <= TIME_OFF for i in (0, 1))
            and is_near(found[2], true[2]) and is_near(found[3], true[3]) and all(count <= found[3] for count in printed)):
        return ""
    return f"session {game.number}: {true}: {holes and holes['count']} {found} {printed}"


def faults_of(tool, path):
    faults, count = [], 0
    try:
        _, frames = capture.read(path)
    except (KeyError, ValueError):
        return faults, count
    if any(len(frame.data) != frame.size for frame in frames):
        return faults, count
    for game in games_of(tool, path, frames):
        whole = session_of(tool, frames, game.number)
        if not whole or whole["holes"]["count"]:
            continue
        first, last = game.packets[0][1], game.packets[-1][1]
        for seconds in SECONDS:
            room = (last - first) / capture.NANOSECONDS - seconds - 2 * AROUND
            for place in range(PLACES if room > 0 else 0):
                begin = first + int((AROUND + room * place / PLACES) * capture.NANOSECONDS)
                for ends in ENDS[:2] if whole["protocol"] == "nq" else ENDS:
                    fault = fault_of(tool, frames, game, begin, begin + int(seconds * capture.NANOSECONDS), ends)
                    count += fault is not None
                    if fault:
                        faults.append(f"{path.name}, {fault}")
    return faults, count


def main(tool, captures, shared=None):
    paths = truth.captures_of(captures, OWN, shared if ALL else None, LARGEST, LOSSY)
    results = truth.of_each(faults_of, tool, paths)
    faults = [fault for result in results for fault in result[0]]
    count = sum(result[1] for result in results)
    print(*faults, f"{count} holes, {len(faults)} faults", sep="\n")
    return bool(faults) or not count
