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


def chosen_demos(folder):
    """A small demo of each dialect, and the smallest that engines recorded."""
    for name, blocks in demos.SMALL:
        path = folder / name
        path.write_bytes(b"".join(blocks))
        yield path
    stored = demos.stored_demos()
    for suffix in (".qwd", ".mvd", ".mvd2", ".dm2", ".dem"):
        yield from [path for path in stored if path.suffix == suffix][:STORED_OF_A_KIND]


def make_captures(folder):
    for path in chosen_demos(folder):
        made = folder / f"{path.name}.pcapng"
        result = demos.run("-q", "--pcap", made, path)
        assert result == (0, "", ""), (path, result)
        yield made


if __name__ == "__main__":
    work = pathlib.Path(tempfile.mkdtemp(prefix="quakeshark-"))
    try:
        compare_dump.TreeEqualsDump.captures = list(make_captures(work))
        unittest.main(module=compare_dump, argv=sys.argv[:1])
    finally:
        shutil.rmtree(work)
