# SPDX-License-Identifier: GPL-2.0-or-later
"""What clients recorded, plain or compressed by gzip."""

import gzip
import pathlib

OWN = pathlib.Path(__file__).resolve().parents[1] / "captures" / "fidelity"


def is_there(folder):
    """Prints what a test, or a part of it, is skipped for."""
    if not folder.is_dir():
        print(f"skipped: there is no {folder}")
    return folder.is_dir()


def own(name):
    """A file of OWN, inflated."""
    return read(OWN / f"{name}.gz")


def read(path):
    """A file's content, inflated."""
    data = pathlib.Path(path).read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
