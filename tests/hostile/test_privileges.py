# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording from a network interface goes on without the rights that opening it needs.

Needs to be root, and the right to record from the loopback interface: skipped without.
"""

import os
import pathlib
import pwd
import shutil
import subprocess
import test_live

NOBODY = pwd.getpwnam("nobody")

# As another process would, right after a folder was created.
REPLACE = b"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int mkdirat(int folder, const char *name, mode_t mode)
{
    int (*real)(int, const char *, mode_t) = (int (*)(int, const char *, mode_t))dlsym(RTLD_NEXT, "mkdirat");
    const int result = real(folder, name, mode);

    if (result == 0 && strcmp(name, "replaced") == 0) {
        unlinkat(folder, name, AT_REMOVEDIR);
        symlinkat("other", folder, name);
    } else if (result == 0 && strcmp(name, "below") == 0) {
        rename("parent", "moved");
        symlink("other", "parent");
    }
    return result;
}
"""


class Privileges(test_live.Live):
    # Those of the class above are run by the test that has them.
    test_until_interrupted = test_unknown_interface = test_texts_are_printable = None

    def setUp(self):
        super().setUp()
        self.demos = self.folder / "demos"
        self.demos.mkdir()
        self.folder.chmod(0o755)

    def record(self, *arguments):
        """Records the beginning of a session of QuakeWorld; (what the kernel tells, exit status,
        output, errors)."""
        process = self.start("qw", *arguments)
        lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
        output, error = process.end(self.send(test_live.tool.SAMPLE, b"\x6b\x6c", 600))
        return (dict(line.split(":\t", 1) for line in lines), process.returncode, output, error)

    def assert_demo(self, result):
        _, code, output, error = result
        demo, = self.demos.glob("*.qwd")
        self.assertEqual(code, 0, output + error)
        self.assertTrue(demo.name.startswith("lo-") and demo.name.endswith("-labplayer-dm4.qwd"))
        self.assertGreater(demo.stat().st_size, 10000)
        return demo

    def test_becomes_another_user(self):
        os.chown(self.demos, NOBODY.pw_uid, NOBODY.pw_gid)
        result = self.record("-Z", "nobody", "--output", "demos")
        status = result[0]
        self.assertEqual(status["Uid"].split(), [str(NOBODY.pw_uid)] * 4)
        self.assertEqual(status["Gid"].split(), [str(NOBODY.pw_gid)] * 4)
        self.assertEqual(status["Groups"].split(), [str(NOBODY.pw_gid)])
        for capabilities in ("CapPrm", "CapEff", "CapAmb"):
            self.assertEqual(int(status[capabilities], 16), 0)
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(self.assert_demo(result).stat().st_uid, NOBODY.pw_uid)

    def test_stays_who_it_is(self):
        result = self.record("--output", "demos")
        self.assertEqual(result[0]["Uid"].split(), ["0"] * 4)
        self.assertEqual(result[0]["NoNewPrivs"], "1")
        self.assert_demo(result)

    def test_keeps_packets_of_late_sessions(self):
        """They go to a temporary file."""
        os.chown(self.demos, NOBODY.pw_uid, NOBODY.pw_gid)
        _, code, _, error = self.record("-Z", "nobody", "--list", "--verbose")
        self.assertEqual(code, 0, error)

    def test_folders_that_cannot_be_written_to(self):
        self.demos.chmod(0o755)
        _, error = self.tool("-i", "lo", "-Z", "nobody", "--output", "demos", status=2)
        self.assertEqual(error, "pcap2demo: lo: demos: Permission denied\n")

    def test_folder_that_is_replaced_by_a_link(self):
        """Who may do that cannot have another folder given to the user."""
        compiler = shutil.which(os.environ.get("CC", "cc"))
        if not compiler or os.environ.get("SANITIZED"):
            self.skipTest("no compiler, or one's own library cannot be loaded first")
        library = self.folder / "replace.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, "-xc", "-"], check=True, input=REPLACE)
        other = self.folder / "other"
        (other / "below").mkdir(parents=True)
        for output in "replaced", "parent/below":
            _, error = self.tool("-i", "lo", "-Z", "nobody", "--output", output, status=2,
                                 variables={"LD_PRELOAD": str(library)})
            self.assertIn(f"{output}: ", error)
        self.assertEqual((self.folder / "replaced").readlink(), pathlib.Path("other"))
        self.assertEqual((self.folder / "parent").readlink(), pathlib.Path("other"))
        self.assertEqual([other.stat().st_uid, (other / "below").stat().st_uid], [0, 0])

    def test_unknown_user(self):
        _, error = self.tool("-i", "lo", "-Z", "no such\x1buser", status=2)
        self.assertEqual(error, "pcap2demo: lo: -Z no such user: there is no such user\n")

    def test_goes_with_an_interface(self):
        self.tool("-Z", "nobody", test_live.tool.SAMPLE, status=2)


if __name__ == "__main__":
    if os.geteuid() != 0:
        test_live.skip("not root")
    test_live.main()
