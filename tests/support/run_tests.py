# SPDX-License-Identifier: GPL-2.0-or-later
"""run_tests.py SCRIPT [NAME...]: runs the test cases of a script, or those named."""

import pathlib
import sys
import unittest

script = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(script.parent))
unittest.main(module=script.stem, argv=sys.argv[1:])
