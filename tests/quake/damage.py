#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Rebuilds demos from captures that lack something, and with the wish to sanitize.

    damage.py PCAP2DEMO SHARED

All are made from one capture of five levels, whose recording tells what must come out.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import checks
import dem

CAPTURE = "a-protocol15/a-nq15.pcap"
RECORDING = "a-protocol15/a-nq15.dem"
ETHERNET_IP_UDP = 14 + 20 + 8
DISCONNECT = b"\x02"
SVC_PRINT = 8


def frames(path):
    """The file's header, and its records."""
    data, at, found = path.read_bytes(), 24, []
    while at < len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        found.append(data[at:at + 16 + size])
        at += 16 + size
    return data[:24], found


def payload(frame):
    return frame[16 + ETHERNET_IP_UDP:]


class Result:
    def __init__(self, tool, header, kept, *options):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            capture = folder / "damaged.pcap"
            capture.write_bytes(header + b"".join(kept))
            run = subprocess.run([tool, "-q", "-o", folder, *options, capture], check=False,
                                 capture_output=True, text=True)
            self.status, self.said = run.returncode, run.stderr
            self.demos = [dem.read(path)[1] for path in sorted(folder.glob("*.dem"))]
            report = subprocess.run([tool, "--check", "--json", *options, capture], check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.demo = json.loads(report.stdout)["sessions"][0]["demo"]

    def messages(self):
        return [block.messages for block in self.demos[0]] if self.demos else []


def levels(recorded):
    """The numbers of the blocks that begin a level: a text, then the level."""
    return [index for index, message in enumerate(recorded)
            if message[:1] == bytes([SVC_PRINT]) and b"\0\x0b\x0f\0\0\0" in message[:100]]


def begins_late(tool, header, every, recorded):
    """The demo begins with the next level, here the third."""
    result = Result(tool, header, every[2000:])
    return (result.status == 1 and "in the middle of a level" in result.said
            and "the demo starts with e1m1" in result.said
            and result.messages() == recorded[levels(recorded)[2]:])


def begins_in_the_last_level(tool, header, every, recorded):
    """No demo, whatever is wished: a player would stop at it."""
    last = max(index for index, frame in enumerate(every) if b"\0\x0b\x0f\0\0\0" in payload(frame))
    results = [Result(tool, header, every[last + 1:], *options) for options in ([], ["--force"])]
    return all(result.status == 1 and not result.demos and "no demo: retry with --sign-on" in result.said
               for result in results)


def lent(tool, header, every, recorded, first, *options):
    """Whether a demo of what comes behind the first packets is the recording's end: its three
    blocks of a sign-on, and every message."""
    result = Result(tool, header, every[first:], *options)
    count = len(result.messages()) - 3
    return (result.status == 1 and "its sign-on is from" in result.said and count > 0
            and result.messages()[3:] == recorded[-count:])


def borrows_of_a_demo(tool, header, every, recorded):
    """In the first level, and in the last; not of a demo of another map."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        capture = folder / "whole.pcap"
        capture.write_bytes(header + b"".join(every))
        subprocess.run([tool, "-q", "-o", folder / "whole.dem", capture], check=True)
        capture.write_bytes(header + b"".join(every[:1500]))
        subprocess.run([tool, "-q", "-o", folder / "dm4.dem", capture], check=True)
        other = Result(tool, header, every[8000:], "--sign-on", folder / "dm4.dem")
        return (lent(tool, header, every, recorded, 1000, "--sign-on", folder / "whole.dem")
                and lent(tool, header, every, recorded, 8000, "--sign-on", folder / "whole.dem")
                and not other.demos and "contradict its baselines" in other.said)


def borrows_of_itself(tool, header, every, recorded):
    """The map comes twice more in the same session."""
    return lent(tool, header, every, recorded, 4000)


def ends_early(tool, header, every, recorded):
    """What there is, and an end."""
    result = Result(tool, header, every[:3000])
    got = result.messages()
    return (result.status == 0 and len(got) > 500 and got[-1] == DISCONNECT
            and got[:-1] == recorded[:len(got) - 1])


def lacks_a_reliable_message(tool, header, every, recorded):
    """Said so, and all the others are there."""
    lost = next(index for index, frame in enumerate(every)
                if index > 1000 and payload(frame)[:2] == b"\0\x09" and payload(frame)[8] == SVC_PRINT)
    missing = payload(every[lost])[8:]
    kept = [frame for frame in every if payload(frame) != payload(every[lost])]
    result = Result(tool, header, kept)
    return (result.status == 1 and "lacks messages that the client had" in result.said
            and result.demo["missing"] == 1
            and any(result.messages() == recorded[:index] + recorded[index + 1:]
                    for index, message in enumerate(recorded) if message == missing))


def reconnects(messages):
    return sum(message.count(b"\x09reconnect\n\0") for message in messages)


def sanitized(tool, header, every, recorded):
    """The commands that players need stay; what else was stuffed is counted and gone, comments
    as well: DarkPlaces carries out what stands behind a line end in one."""
    stuffed = b"\x09exec evil.cfg\nbf\n//hint\n\0"
    serverinfo = next(index for index, frame in enumerate(every)
                      if b"\0\x0b\x0f\0\0\0" in payload(frame))
    frame = every[serverinfo]
    length = len(payload(frame)) + len(stuffed)
    grown = bytearray(frame + stuffed)
    struct.pack_into("<II", grown, 8, len(grown) - 16, len(grown) - 16)
    struct.pack_into(">H", grown, 16 + 14 + 2, length + 28)  # IP
    struct.pack_into(">HH", grown, 16 + 14 + 20 + 4, length + 8, 0)  # UDP, without a checksum
    struct.pack_into(">H", grown, 16 + ETHERNET_IP_UDP + 2, length)
    kept = every[:serverinfo] + [bytes(grown)] + every[serverinfo + 1:]
    plain = Result(tool, header, kept)
    result = Result(tool, header, kept, "--sanitize")
    return (plain.messages()[0] == recorded[0] + stuffed
            and result.messages()[0] == recorded[0] + b"\x09bf\n\0"
            and result.demo["stripped"] >= 1
            and reconnects(result.messages()) == reconnects(plain.messages()) > 0)


TESTS = [begins_late, begins_in_the_last_level, borrows_of_a_demo, borrows_of_itself, ends_early, lacks_a_reliable_message, sanitized]


def check(tool, folder, test):
    header, every = frames(folder / CAPTURE)
    recorded = [block.messages for block in dem.read(folder / RECORDING)[1]]
    good = test(tool, header, every, recorded)
    print(f"{checks.verdict(good)} {test.__name__}")
    return good


if __name__ == "__main__":
    sys.exit(checks.run((check, TESTS)))
