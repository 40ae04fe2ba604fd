# SPDX-License-Identifier: GPL-2.0-or-later
"""
Seeds for the fuzzer of demos, small ones and those in tests/captures: write_seeds.py DIRECTORY.
Layout: tests/fuzz/recording.c.
"""

import gzip
import pathlib
import sys

import demos

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    small = demos.SMALL + [("test-release.dm2", demos.dm2_test_release_demo())]
    for name, blocks in small:
        data = b"".join(blocks)
        (folder / name).write_bytes(b"\3" + data)
        (folder / f"{name}.gz").write_bytes(b"\3" + gzip.compress(data, mtime=0))
    for number, pattern in ((b"\0", "*.qwd"), (b"\1", "*.dm2"), (b"\4", "*.mvd"), (b"\5", "*.mvd2")):
        for path in demos.CAPTURES.glob(pattern):
            (folder / path.name).write_bytes(number + path.read_bytes()[:16000])
