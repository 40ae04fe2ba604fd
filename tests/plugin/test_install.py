# SPDX-License-Identifier: GPL-2.0-or-later
"""Installing for all, for one user, and undoing it: files come where Wireshark and man look, and go."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PROJECT_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["PROJECT_BINARY_DIR"])


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="quakeshark-install-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def cmake(self, *arguments, **environment):
        subprocess.run(["cmake", *arguments], check=True, env=os.environ | environment, capture_output=True)

    def uninstall(self, **environment):
        self.cmake(f"-DMANIFEST={BUILD}/install_manifest.txt", "-P",
                   str(SOURCE / ".packaging/uninstall.cmake"), **environment)

    def test_for_all(self):
        """The plugin and the profile go where Wireshark is, the rest goes below the prefix."""
        self.cmake("--install", str(BUILD), "--prefix", "/opt/x", DESTDIR=str(self.folder))
        found = files(self.folder)
        self.assertLessEqual({"usr/share/wireshark/profiles/Quake/colorfilters",
                              "usr/share/wireshark/profiles/Quake/preferences",
                              "opt/x/share/quakeshark/quakeshark-colorfilters",
                              "opt/x/share/man/man7/quakeshark.7"}, found)
        self.assertEqual([name for name in found if name.endswith("/epan/quakeshark.so")
                          and not name.startswith("usr/lib")], [])
        self.uninstall(DESTDIR=str(self.folder))
        self.assertEqual(files(self.folder), set())

    def install_for_user(self):
        self.cmake("--install", str(BUILD), "--prefix", f"{self.folder}/.local",
                   HOME=str(self.folder))

    def test_for_one_user(self):
        self.install_for_user()
        found = files(self.folder)
        self.assertLessEqual({".config/wireshark/profiles/Quake/colorfilters",
                              ".config/wireshark/profiles/Quake/preferences",
                              ".local/share/man/man7/quakeshark.7"}, found)
        self.assertEqual(len([name for name in found if name.startswith(
            ".local/lib/wireshark/plugins/") and name.endswith("/epan/quakeshark.so")]), 1)
        self.uninstall()
        self.assertEqual(files(self.folder), set())

    def test_keeps_a_changed_profile(self):
        profile = self.folder / ".config/wireshark/profiles/Quake/preferences"
        profile.parent.mkdir(parents=True)
        profile.write_text("mine")
        self.install_for_user()
        self.assertEqual(profile.read_text(), "mine")
        self.assertIn(".local/share/quakeshark/profile/preferences", files(self.folder))
        self.uninstall()
        self.assertEqual(files(self.folder), {".config/wireshark/profiles/Quake/preferences"})
