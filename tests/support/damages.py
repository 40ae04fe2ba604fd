# SPDX-License-Identifier: GPL-2.0-or-later
"""
Damage to captures: functions from frames to frames, the same for the same seed.

`server` is the address and port of the session's server, as capture.ends() has them.
"""

import random

from capture import ETHERNET_HEADER, NANOSECONDS, ends, is_udp, with_ends

MILLISECONDS = NANOSECONDS // 1000

OTHER_SIDE = b"\xc0\x00\x02\x01"  # 192.0.2.1, of no capture


# --- Loss


def lose(frames, rate, seed, keep=0):
    """Each frame but the first `keep` is lost with the probability `rate`."""
    dice = random.Random(seed)
    return [frame for index, frame in enumerate(frames) if index < keep or dice.random() >= rate]


def lose_run(frames, first, count):
    return frames[:first] + frames[first + count:]


def from_server(frames, server):
    return [frame for frame in frames if is_udp(frame) and ends(frame)[0] == server]


def from_client(frames, server):
    return [frame for frame in frames if is_udp(frame) and ends(frame)[1] == server]


def begin_late(frames, share):
    return frames[int(len(frames) * share):]


def cut(frames, size):
    """Of each frame only `size` bytes were captured ("snaplen")."""
    return [frame._replace(data=frame.data[:size]) for frame in frames]


def cut_one(frames, index, size):
    return frames[:index] + cut(frames[index:index + 1], size) + frames[index + 1:]


# --- Disorder. Frames keep the time at which they came; with `stamp_again` a recorder that
# --- writes them out of order also gives them its own times.


def stamp(frames, times):
    return [frame._replace(time=time) for frame, time in zip(frames, times)]


def reordered(frames, order, stamp_again):
    moved = [frames[index] for index in order]
    return stamp(moved, [frame.time for frame in frames]) if stamp_again else moved


def swap(frames, stamp_again=False, start=0):
    """Each frame changes places with its neighbor."""
    order = list(range(len(frames)))
    for index in range(start, len(order) - 1, 2):
        order[index], order[index + 1] = order[index + 1], order[index]
    return reordered(frames, order, stamp_again)


def displace(frames, rate, places, seed, stamp_again=False):
    """Delays the share `rate` of the frames by `places` places."""
    dice = random.Random(seed)
    keys = [index + (places + 0.5 if dice.random() < rate else 0) for index in range(len(frames))]
    return reordered(frames, sorted(range(len(frames)), key=keys.__getitem__), stamp_again)


# --- Duplicates


def double(frames):
    return [frame for frame in frames for _ in range(2)]


def merged(frames, others):
    return sorted(frames + others, key=lambda frame: frame.time)


def shifted(frames, nanoseconds):
    return [frame._replace(time=frame.time + nanoseconds) for frame in frames]


def both_ends(frames, shift):
    """Recorded at the client and at the server, whose clock differs by `shift`."""
    return merged(frames, shifted(frames, shift))


def translated(frame, server, to_server=None, to_client=None):
    """The frame with these functions' end instead of the client's; None: as it is."""
    source, destination = ends(frame) if is_udp(frame) else (None, None)
    if destination == server and to_server:
        return with_ends(frame, to_server(source), destination)
    if source == server and to_client:
        return with_ends(frame, source, to_client(destination))
    return frame


def other_port(address):
    """A function from a client's end to another port, at the other address if there is one."""
    return lambda end: (address or end[0], end[1] ^ 0x5000)


def both_sides(frames, server, shift):
    """The same at a translation of addresses: there each client has another address and port."""
    other = other_port(OTHER_SIDE)
    return merged(frames, [moved for frame in shifted(frames, shift)
                           if (moved := translated(frame, server, other, other)) is not frame])


# --- Clients that move


def move_client(frames, server, address=None, late=0):
    """From the middle on a router gives each client another port; or a network another address, too. The
    server still sends `late` frames to the former."""
    at, other = len(frames) // 2, other_port(address)
    return [*frames[:at], *(translated(frame, server, other) for frame in frames[at:at + late]),
            *(translated(frame, server, other, other) for frame in frames[at + late:])]


# --- The clock


def set_clock(frames, share, nanoseconds):
    """The recorder's clock is set, forwards or back, in the middle."""
    at = int(len(frames) * share)
    return frames[:at] + shifted(frames[at:], nanoseconds)


# --- Copies, each between addresses of its own


def copy(own, number, identification=None):
    """The frame of copy `number` of the session; its IP identification differs by that number, too."""
    def moved(end):
        return end[0][:1] + number.to_bytes(2, "big") + end[0][3:], end[1]

    if not is_udp(own):
        return own
    frame = with_ends(own, *map(moved, ends(own)))
    data = bytearray(frame.data)
    at = ETHERNET_HEADER + 4
    other = number if identification is None else identification
    data[at:at + 2] = (int.from_bytes(data[at:at + 2], "big") ^ other).to_bytes(2, "big")
    return frame._replace(data=bytes(data))


def at_once(frames, times):
    """So many copies of a session at once, packet by packet."""
    return (copy(own, number) for own in frames for number in range(times))


def in_turn(frames, times, pause):
    """So many copies, one after the other, with a pause between them."""
    length = frames[-1].time - frames[0].time + pause
    return (copy(own._replace(time=own.time + number * length), number)
            for number in range(times) for own in frames)
