# SPDX-License-Identifier: GPL-2.0-or-later
"""
Packets of a while are left out of a capture, of both ends or of one: --list reports from when to when, and
how many of which end. Of Quake's client alone nothing is known, since servers acknowledge no moves.
"""

import re

import capture
import truth

SECONDS = [0.4, 1, 3, 17] if truth.ALL else [1, 3]
PLACES = 4 if truth.ALL else 2
ENDS = [[True, False], [True], [False]]  # whose packets are missing: whether the server's
AROUND = 1  # seconds of the game before and behind a hole
TIME_OFF, PACKETS_OFF, PACKETS_LEAST = 1.0, 0.05, 1
LARGEST = 3 << 20
LOSSY = ("d-lossy", "e-lossy", "d-v34", "e-multi", "a-fte-fte")  # holes count packets that were lost or choked, too
OWN = ["qw-vanilla", "qw-extended", "qw-fte", "nq-protocol15", "nq-protocol666", "nq-dp7", "q2-protocol34", "q2-protocol35",
       "q2-protocol36", "q2-aqtion"]


def is_numbered(frame):
    """All packets have a number of their own, except acknowledgements of Quake."""
    data = capture.payload(frame)
    return data[:2] != b"\0\x02" or data[2:4] != len(data).to_bytes(2, "big")


def session_of(frames, number):
    return next((session for session in truth.report("--list", frames)["sessions"]
                 if session["number"] == number), None)


def is_near(found, true):
    return abs(found - true) <= max(PACKETS_LEAST, PACKETS_OFF * true)


def fault_of(frames, number, gone, expected):
    """What is wrong with the hole that --list shows without the frames `gone`, or ""."""
    session = session_of([frame for index, frame in enumerate(frames) if index not in gone], number)
    holes = session and session["holes"]
    hole = holes["first"][0] if holes and holes["count"] else None
    found = hole and (hole["from"], hole["until"], hole["to_server"], hole["to_client"])
    # Numbers of server packets in messages about the demo.
    printed = [int(count) for problem in (session and session.get("demo") or {}).get("problems", [])
               for count in re.findall(r"^(\d+) packets? of the server", problem["text"])]
    if (hole and holes["count"] == 1 and all(abs(found[i] - expected[i]) <= TIME_OFF for i in (0, 1))
            and is_near(found[2], expected[2]) and is_near(found[3], expected[3])
            and all(count <= found[3] for count in printed)):
        return ""
    return f"session {number}: {expected}: {holes and holes['count']} {found} {printed}"


def tries(path):
    frames, of_server, sessions = truth.sessions_of(path)
    for number, session in sessions.items():
        start = frames[session.packets[0]].time
        times = [(frame.time - start) / capture.NANOSECONDS for frame in frames]
        for _, game in session.levels():
            whole = len(game) > 20 and session_of(frames, number)
            if not whole or whole["holes"]["count"]:
                continue
            packets = [index for index in session.packets if game[0] <= index <= game[-1]]
            for seconds in SECONDS:
                room = times[packets[-1]] - times[packets[0]] - seconds - 2 * AROUND
                for place in range(PLACES if room > 0 else 0):
                    begin = times[packets[0]] + AROUND + room * place / PLACES
                    for ends in ENDS[:2] if whole["protocol"] == "nq" else ENDS:
                        gone = {index for index in packets if begin <= times[index] < begin + seconds
                                and (index in of_server) in ends}
                        numbered = [index in of_server for index in gone if is_numbered(frames[index])]
                        if all(numbered.count(end) > 1 for end in ends):
                            yield fault_of(frames, number, gone, (
                                begin, begin + seconds, numbered.count(False), numbered.count(True)))


def main():
    return truth.check(tries, truth.captures_of(OWN, LARGEST, LOSSY))
