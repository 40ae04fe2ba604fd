# SPDX-License-Identifier: GPL-2.0-or-later
"""run_tests.py SCRIPT [ARGUMENT...]: runs the main() of a script, which returns an exit status or the
results of checks, or its test cases (or those named)."""

import gc
import importlib
import inspect
import pathlib
import sys
import unittest


def run_cases(module="__main__"):
    """Prints why cases are skipped; if all are, so is the test."""
    result = unittest.main(module, exit=False).result
    for _, reason in result.skipped:
        print(f"skipped: {reason}")
    if result.wasSuccessful() and result.testsRun == len(result.skipped) > 0:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    gc.disable()  # it takes a third of the time of tests that read trees of thousands of packets, and finds no cycles
    del sys.argv[0]
    script = pathlib.Path(sys.argv[0])
    sys.path.insert(0, str(script.parent))
    tests = importlib.import_module(script.stem)
    if not hasattr(tests, "main"):
        run_cases(tests)
    results = tests.main(*sys.argv[1:] if inspect.signature(tests.main).parameters else ())
    if not isinstance(results, int):
        results = list(map(bool, results))
        print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
        results = 0 if results and all(results) else 1
    sys.exit(results)
