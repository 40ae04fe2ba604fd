# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark opens captures made of demos, and shows the fields that pcap2demo dumps."""

import pathlib
import shutil
import sys
import tempfile
import unittest

import demos

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "plugin"))

import compare_dump  # found on the path that was just set

STORED_OF_A_KIND = 3
TOGETHER = 10  # small demos in one capture, since starting tshark takes longer than what it then does


def make(*arguments):
    result = demos.run("-q", *arguments)
    assert result == (0, "", ""), (arguments, result)


def captures_of_small_demos(folder):
    """Of a small demo of each dialect."""
    paths = []
    for name, blocks in demos.SMALL:
        paths.append(folder / name)
        paths[-1].write_bytes(b"".join(blocks))
    for start in range(0, len(paths), TOGETHER):
        made = folder / f"small-{start}.pcapng"
        make("--pcap", made, *paths[start:start + TOGETHER])
        yield made


def captures_of_stored_demos(folder):
    """The beginnings of the smallest that engines recorded."""
    stored = demos.stored_demos()
    for suffix in (".qwd", ".mvd", ".mvd2", ".dm2", ".dem"):
        for path in [path for path in stored if path.suffix == suffix][:STORED_OF_A_KIND]:
            whole, made = folder / "whole.pcapng", folder / f"{path.name}.pcapng"
            make("--force", "--pcap", whole, path)
            make(f"--packets=1-{compare_dump.PACKETS}", "--pcap", made, whole)
            yield made


if __name__ == "__main__":
    work = pathlib.Path(tempfile.mkdtemp(prefix="quakeshark-"))
    try:
        compare_dump.TreeEqualsDump.captures = [*captures_of_small_demos(work),
                                                *captures_of_stored_demos(work)]
        compare_dump.TreeEqualsDump.count = None
        unittest.main(module=compare_dump, argv=sys.argv[:1])
    finally:
        shutil.rmtree(work)
