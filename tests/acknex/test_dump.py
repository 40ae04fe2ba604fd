#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares pcap2demo's JSON dump of a generated capture with what the generator says is in it.

    test_dump.py PCAP2DEMO DIRECTORY/NAME     where NAME.pcap and NAME.json are
"""
import json
import subprocess
import sys

CHOICES = (("pos_resolution", ("packed", "fixed")), ("angle_byte_order", ("big-endian", "intel")))


def dump(program, capture, options):
    # Faulty packets do not show by themselves that they are of the game.
    arguments = [program, "--dump=json", "--port", "acknex=2300"]
    for (name, choices), value in zip(CHOICES, options):
        arguments += ["--option", "acknex.%s=%s" % (name, choices[value])]
    result = subprocess.run(arguments + [capture], capture_output=True, encoding="utf-8", check=False)
    assert not result.stderr, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def leaves(fields):
    """The values that the wire carries, in order, without their groups."""
    for field in fields:
        if "fields" in field:
            yield from leaves(field["fields"])
        elif "note" not in field and not field.get("generated"):
            yield field


def notes_in(fields):
    for field in fields:
        if "note" in field:
            yield field["name"]
        yield from notes_in(field.get("fields", []))


def is_same(actual, expected):
    if isinstance(expected, float):
        return abs(actual - expected) <= 1e-12 * abs(expected)
    return actual == expected


def compare(number, packet, expected):
    """What is wrong with the packet; nothing, as a rule."""
    if packet["direction"] != expected["direction"]:
        yield "packet %d goes %s" % (number, packet["direction"])
    groups = [field for field in packet["fields"] if "fields" in field]
    if [group["name"] for group in groups] != [message["name"] for message in expected["messages"]]:
        yield "packet %d has other messages" % number
    for group, message in zip(groups, expected["messages"]):
        actual = list(leaves(group["fields"]))
        if len(actual) != len(message["fields"]):
            yield "packet %d: %s has %d fields" % (number, group["name"], len(actual))
        for field, wanted in zip(actual, message["fields"]):
            place = [field[key] for key in ("name", "offset", "length")]
            if place != [wanted[key] for key in ("name", "offset", "length")]:
                yield "packet %d: %s instead of %s" % (number, place, wanted)
            elif not is_same(field["value"], wanted["value"]):
                yield "packet %d: %s instead of %s" % (number, field["value"], wanted)
    notes = list(notes_in(packet["fields"]))
    if notes != expected["notes"]:
        yield "packet %d: notes %s instead of %s" % (number, notes, expected["notes"])
    undecoded = sum(field["length"] for field in packet["fields"]
                    if field["name"] == "acknex.undecoded")
    if undecoded != expected["undecoded"]:
        yield "packet %d: %d bytes undecoded" % (number, undecoded)


def main(program, name):
    with open(name + ".json") as file:
        expectations = json.load(file)
    packets = dump(program, name + ".pcap", expectations["options"])
    faults = []
    if len(packets) != len(expectations["packets"]):
        faults.append("%d packets" % len(packets))
    for number, (packet, expected) in enumerate(zip(packets, expectations["packets"]), 1):
        faults += compare(number, packet, expected)
    print("\n".join(faults[:20]))
    print("%s: %d packets, %d faults" % (name, len(packets), len(faults)))
    return 1 if faults or not packets else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
