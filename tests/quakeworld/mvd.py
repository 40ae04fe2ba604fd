# SPDX-License-Identifier: GPL-2.0-or-later
"""
The demos that servers recorded, against what the clients of the same games recorded and what the
captures of them hold: where players were, what they had, what they and the server printed.

    mvd.py SHARED
"""

import bisect
import pathlib
import statistics
import sys
import tempfile

import demos
import recordings
from demos import flat

# A server's demo, and a client's of the same game, with the number of the client's player.
PAIRS = [
    ("a-vanilla/a-vanilla", "a-vanilla/a-vanilla", 0),
    ("b-extended/b-extended", "b-extended/b-extended", 0),
    ("d-lossy/d-lossy", "d-lossy/d-lossy", 0),
    ("e-multi/e-multi", "e-multi/e-multi-client2", 1),
    ("fte-a/a-fte-fte", "fte-a/a-fte-fte", 0),
    ("fte-c-mvdsv/c-mvdsv-fte", "fte-c-mvdsv/c-mvdsv-fte", 0),
]
HIDDEN = "fte-e-mvdext/e-mvdsv-ezquake-mvdext"
STREAM, STREAM_TEXT = "i-qtv/i-qtv-stream.bin", b"QTVSV 1\nBEGIN\n\n"


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Recording:
    """What the dump of a demo or capture says, by message."""

    def __init__(self, path):
        self.packets = list(demos.dumped(path))

    def messages(self, *names):
        """Time, the player that a block is for (or None), the message's name and its values."""
        for packet in self.packets:
            target = None
            for group in packet["fields"]:
                if group["name"] == "qw.mvd":
                    target = values(group).get("qw.mvd.to")
                if group["name"] in names:
                    yield packet["time"], target, group


def values(group):
    return {field["name"]: field.get("value") for field in flat(group["fields"])}


# --- Where players were

def sightings(recording, player):
    """Pairs of a time and where the player was; what a message leaves out stays as it was."""
    at, seen = [0, 0, 0], []

    def update(time, fields, name):
        found = [fields.get(f"{name}.origin.{axis}") for axis in "xyz"]
        for i, value in enumerate(found):
            at[i] = at[i] if value is None else value
        if seen and seen[-1][0] == time:
            seen.pop()
        seen.append((time, tuple(at)))

    for time, _, group in recording.messages("qw.svc_playerinfo", "qw.svcfte_updateentities"):
        if group["name"] == "qw.svc_playerinfo":
            fields = values(group)
            if fields["qw.playerinfo.player"] == player:
                update(time, fields, "qw.playerinfo")
            continue
        for entity in group["fields"]:
            if entity["name"] == "qw.delta":
                fields = values(entity)
                if fields["qw.delta.number"] == player + 1:
                    update(time, fields, "qw.delta")
    return seen


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


def place_at(times, seen, time):
    """Where the player was then, on the line between two sightings."""
    after = min(max(bisect.bisect(times, time), 1), len(seen) - 1)
    (t0, a), (t1, b) = seen[after - 1], seen[after]
    part = min(max((time - t0) / (t1 - t0), 0), 1)
    return tuple(x + (y - x) * part for x, y in zip(a, b))


def differences(server, client, offset):
    times = [time for time, _ in client]
    return [distance(place, place_at(times, client, time + offset)) for time, place in server
            if times[0] < time + offset < times[-1]]


def compare_places(server, client, player):
    """The clocks differ by a constant, which is found by trying."""
    ours, theirs = sightings(server, player), sightings(client, player)
    start = theirs[0][0] - ours[0][0]
    tried = ((start + step / 20, differences(ours[::20], theirs, start + step / 20))
             for step in range(-600, 600))
    best = min((statistics.fmean(found), offset) for offset, found in tried
               if len(found) > len(ours) // 40)[1]
    best = min((statistics.fmean(differences(ours, theirs, best + step / 200)), best + step / 200)
               for step in range(-15, 15))[1]
    found = sorted(differences(ours, theirs, best))
    far = found[len(found) * 95 // 100]
    moved = max(distance(place, ours[0][1]) for _, place in ours)
    text = (f"{len(found)} places, median {statistics.median(found):.2f} and 95% within {far:.2f} "
            f"units, moved {moved:.0f}")
    expect(moved > 200 and len(found) > 100, f"too little to compare: {text}")
    expect(statistics.median(found) < 4 and far < 24, text)
    return text


# --- What was printed

def texts(recording, name):
    """Every text that has been a field of this name, once, in order."""
    found = {}
    for packet in recording.packets:
        for field in flat(packet["fields"]):
            if field["name"] == name and field["value"]:
                found[field["value"]] = None
    return list(found)


def compare_lists(server, client):
    counts = []
    for name in ("qw.modellist.name", "qw.soundlist.name"):
        ours, theirs = texts(server, name), texts(client, name)
        expect(len(ours) > 20, f"only {len(ours)} {name}")
        expect([text for text in theirs if text in ours] == ours, f"{name} differ")
        counts.append(f"{len(ours)} {name.split('.')[1]}")
    return ", ".join(counts)


def compare_userinfo(server, client):
    """Who a player is, and with what settings: by user id, as first told."""
    found = []
    for recording in (server, client):
        infos = {}
        for _, _, group in recording.messages("qw.svc_updateuserinfo"):
            fields = values(group)
            if fields["qw.updateuserinfo.info"]:
                keys = [field["value"] for field in flat(group["fields"])
                        if field["name"] in ("qw.info.key", "qw.info.value")]
                infos.setdefault(fields["qw.updateuserinfo.userid"],
                                 dict(zip(keys[::2], keys[1::2])).get("name"))
        found.append(infos)
    ours, theirs = found
    common = ours.keys() & theirs.keys()
    expect(common and all(ours[user] == theirs[user] for user in common), f"{ours}, not {theirs}")
    return f"{len(common)} names"


def statistics_of(recording, player):
    """The values that each statistic has had, in order; in a server's demo by the block's player."""
    found = {}
    for _, target, group in recording.messages("qw.svc_updatestat", "qw.svc_updatestatlong"):
        fields = values(group)
        kind = group["name"].removeprefix("qw.svc_")
        if target in (None, player):
            kept = found.setdefault(fields["qw.updatestat.index"], [])
            if not kept or kept[-1] != fields[f"qw.{kind}.value"]:
                kept.append(fields[f"qw.{kind}.value"])
    return found


def is_within(part, whole):
    """Whether the values come in this order, with or without others between."""
    rest = iter(whole)
    return all(value in rest for value in part)


# These change faster than either is told, so that each has values that the other lacks.
STAT_ITEMS, STAT_VIEWHEIGHT, STAT_TIME = 15, 16, 17


def compare_statistics(server, client, player):
    ours, theirs = statistics_of(server, player), statistics_of(client, player)
    count = 0
    for index, kept in sorted(ours.items()):
        if index in (STAT_ITEMS, STAT_VIEWHEIGHT, STAT_TIME) or index not in theirs:
            continue
        kept = kept[1:] if kept[0] == 0 else kept
        count += len(kept)
        expect(is_within(kept, theirs[index]), f"statistic {index}: {kept}, not {theirs[index]}")
    expect(count > 20, f"only {count} statistics")
    return f"{count} values of {len(ours)} statistics"


def compare_prints(server, client, player):
    """What the server's demo says to the player it was told, in order, until it left."""
    def lines(recording):
        return [values(group)["qw.print.text"] for _, target, group in
                recording.messages("qw.svc_print") if target in (None, player)]

    ours, theirs = [line for line in lines(server) if line], lines(client)
    if " left the game with " in ours and " left the game with " not in theirs:
        ours = ours[:ours.index(" left the game with ") - 1]
    expect(ours and is_within(ours, theirs), f"prints {ours}, not {theirs}")
    return f"{len(ours)} prints"


# --- What is hidden

def usercmd(group):
    fields = values(group)
    angles = [round(fields[f"qw.usercmd.angles.{axis}"] * 65536 / 360) % 65536
              for axis in ("pitch", "yaw", "roll")]
    return (fields["qw.usercmd.msec"], *angles, fields["qw.usercmd.forwardmove"],
            fields["qw.usercmd.sidemove"], fields["qw.usercmd.upmove"], fields["qw.usercmd.buttons"],
            fields["qw.usercmd.impulse"])


def compare_usercmds(server, capture):
    """Each command that the server ran was sent, in that order."""
    ran = [usercmd(group) for _, _, group in server.messages("qw.mvdhidden_usercmd")
           if values(group)["qw.mvdhidden_usercmd.dropnum"] == 0]
    sent = [[usercmd(field) for field in flat(group["fields"]) if field["name"] == "qw.usercmd"][-1]
            for _, _, group in capture.messages("qw.clc_move")]
    moving = sum(any(command[4:7]) for command in ran)
    expect(len(ran) > 1000 and moving > 300, f"only {len(ran)} commands, {moving} that move")
    expect(is_within(ran, sent), "the server ran commands that no client sent")
    return f"{len(ran)} commands, {moving} of them move"


def compare_antilag(server, capture):
    """The numbers are those of packets with moves; the positions are where the player then was."""
    sent = {values(packet["fields"][0])["qw.sequence"] for packet in capture.packets
            if packet["fields"][0]["name"] == "qw.header" and
            any(group["name"] == "qw.clc_move" for group in packet["fields"])}
    seen, far, last = sightings(server, 0), [], 0
    times = [time for time, _ in seen]
    for time, _, group in server.messages("qw.mvdhidden_antilag_position"):
        fields = values(group)
        expect(fields["qw.antilag.incoming_seq"] in sent, "the number of no packet")
        expect(fields["qw.antilag.incoming_seq"] >= last, "numbers that go back")
        expect(fields["qw.antilag.players"] == 1, "more players than there were")
        expect(0 <= fields["qw.antilag.server_time"] - fields["qw.antilag.target_time"] < 1, "the time")
        last = fields["qw.antilag.incoming_seq"]
        place = [fields[f"qw.antilag.position.pos.{axis}"] for axis in "xyz"]
        far.append(distance(place, place_at(times, seen, time)))
    expect(len(far) > 1000 and statistics.median(far) < 16, f"median {statistics.median(far)} units")
    return f"{len(far)} positions, median {statistics.median(far):.2f} units"


# --- All

BAD = ("qw.malformed", "qw.unknown_message", "qw.protocol.undecoded", "qw.undecoded")


def check_whole(recording):
    found = [field for packet in recording.packets for field in flat(packet["fields"])
             if field["name"] in BAD]
    expect(len(recording.packets) > 100 and not found, f"problems: {found[:3]}")
    return f"{len(recording.packets)} blocks"


def attempt(name, *checks):
    """Runs the checks; whether all passed."""
    try:
        print(f"ok   {name}: " + "; ".join(check(*values) for check, *values in checks))
    except Failure as failure:
        print(f"FAIL {name}: {failure}")
        return False
    return True


def check_stream(path):
    data = path.read_bytes()
    if not data.startswith(STREAM_TEXT):
        return attempt(path.name, (lambda: expect(False, "another text than QTV's"),))
    with tempfile.TemporaryDirectory() as folder:
        demo = pathlib.Path(folder) / "stream.mvd"
        demo.write_bytes(data[len(STREAM_TEXT):])
        return attempt(path.name, (check_whole, Recording(demo)))


def main():
    folder = pathlib.Path(sys.argv[1]) / "captures" / "quakeworld"
    if not recordings.is_there(folder):
        return 77
    results = [check_stream(folder / STREAM)]
    for ours, theirs, player in PAIRS:
        server = Recording(folder / f"{ours}.mvd")
        client = Recording(folder / f"{theirs}.qwd")
        results.append(attempt(f"{theirs}.qwd", (check_whole, server),
                               (compare_lists, server, client), (compare_userinfo, server, client),
                               (compare_places, server, client, player),
                               (compare_statistics, server, client, player),
                               (compare_prints, server, client, player)))
    server = Recording(folder / f"{HIDDEN}.mvd")
    capture = Recording(folder / f"{HIDDEN}.pcap")
    results.append(attempt(f"{HIDDEN}.pcap", (compare_usercmds, server, capture),
                           (compare_antilag, server, capture)))
    return results
