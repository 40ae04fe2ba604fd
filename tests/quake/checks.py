# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests that run pcap2demo on whole captures share."""

import pathlib
import sys


def verdict(good):
    return "ok  " if good else "FAIL"


def run(*groups):
    """
    Runs each (check, rows) group: check(tool, folder, row) for every row, where the arguments of the
    script are the tool and the folder that has captures/netquake. Returns the exit status.
    """
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "captures" / "netquake"
    if not folder.is_dir():
        print(f"skipped: no captures in {folder}")
        return 77
    results = [check(tool, folder, row) for check, rows in groups for row in rows]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1
