# SPDX-License-Identifier: GPL-2.0-or-later
"""run_tests.py SCRIPT [ARGUMENT...]: runs the main() of a script, which returns an exit status or the
results of checks, or its test cases (or those named)."""

import importlib
import pathlib
import sys
import unittest

del sys.argv[0]
script = pathlib.Path(sys.argv[0])
sys.path.insert(0, str(script.parent))
module = importlib.import_module(script.stem)
if not hasattr(module, "main"):
    unittest.main(module)
results = module.main(*sys.argv[1:] if module.main.__code__.co_argcount else ())
if not isinstance(results, int):
    results = list(map(bool, results))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    results = 0 if results and all(results) else 1
sys.exit(results)
