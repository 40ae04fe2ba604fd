# SPDX-License-Identifier: GPL-2.0-or-later
"""Installing for all users or for one puts files where Wireshark and man look, and uninstalling removes them."""

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
        self.manifest = self.folder.with_suffix(".manifest")
        self.addCleanup(self.manifest.unlink, missing_ok=True)

    def cmake(self, *arguments, **environment):
        subprocess.run(["cmake", *arguments], check=True, env=os.environ | environment, capture_output=True)

    def uninstall(self, **environment):
        self.cmake(f"-DMANIFEST={self.manifest}", "-P", str(SOURCE / ".packaging/uninstall.cmake"), **environment)

    def run_install(self, prefix, **environment):
        """As cmake --install, but with the list of files, which uninstalling needs, outside of the build folder."""
        script = (BUILD / "cmake_install.cmake").read_text()
        listed = f'"{BUILD}/${{CMAKE_INSTALL_MANIFEST}}"'
        self.assertIn(listed, script)
        copy = self.folder.with_suffix(".cmake")
        self.addCleanup(copy.unlink, missing_ok=True)
        copy.write_text(script.replace(listed, f'"{self.manifest}"'))
        self.cmake(f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", copy, **environment)

    def install(self, prefix):
        self.run_install(prefix, DESTDIR=str(self.folder))
        self.addCleanup(lambda: self.assertEqual(files(self.folder), set()))
        self.addCleanup(self.uninstall, DESTDIR=str(self.folder))
        return files(self.folder)

    def test_for_all(self):
        """With CMake's own prefix, the plugin and the profile go where Wireshark is."""
        found = self.install("/usr/local")
        self.assertLessEqual({"usr/share/wireshark/profiles/Quake/colorfilters",
                              "usr/local/share/quakeshark/quakeshark-colorfilters",
                              "usr/local/share/man/man7/quakeshark.7"}, found)
        self.assertEqual([name.startswith("usr/lib/") for name in found
                          if name.endswith("/epan/quakeshark.so")], [True])

    def test_below_a_prefix(self):
        self.assertEqual({name for name in self.install("/opt/x") if not name.startswith("opt/x/")}, set())

    def install_for_user(self):
        self.run_install(f"{self.folder}/.local", HOME=str(self.folder))

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
