# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes wrong around a recorder: disks, folders, logs, interfaces. Each test waits for a sign in the
log or in a folder."""

import contextlib
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import unittest

import tool
from recorder import PATIENCE, PORT, RecorderTest, Session, add_pair, main, run

# <linux/if_tun.h>, <linux/if_arp.h>: a link type that captures can have and that is not supported.
TUNSETIFF, TUNSETLINK, IFF_TUN, ARPHRD_IEEE80211 = 0x400454CA, 0x400454CD, 1, 801
SVC_PRINT, PRINT_HIGH = 8, 2
WAITING_EACH_MAX = 2 << 20  # recordings.c


def fill(path):
    """The file takes all the room that the disk has."""
    with path.open("wb", buffering=0) as out, contextlib.suppress(OSError):
        while out.write(bytes(512)):
            pass


class Faults(RecorderTest):
    options = ("--port", f"qw={PORT}-{PORT + 1}")

    def mount(self, folder, size):
        folder.mkdir()
        run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
        self.addCleanup(run, "umount", folder)
        self.addCleanup(self.end_all)  # before that

    @contextlib.contextmanager
    def recording(self, packets, *arguments):
        """A recorder, and a session of which so many packets are on the disk."""
        process = self.start(*arguments)
        with Session() as session:
            session.send(0, packets)
            self.wait_for_disk(process, packets)
            yield process, session

    def unfinished(self, *arguments):
        """A recorder was killed: the file that it left."""
        with self.recording(1000, *arguments) as (process, _):
            process.kill()
        process.wait()
        left, = self.demos.glob(".pcap2demo-rec-*")
        return left

    # --- Disks ---

    def check_a_full_disk(self, ends):
        """It is full for a while in a session, or until after the session's end."""
        self.mount(self.demos, "96k")
        filler = self.demos / "filler"
        with self.recording(600) as (process, session):
            fill(filler)
            session.send(600, 1000)
            if ends:
                session.leave()
            self.wait(process, "demo_waits" if ends else "disk_full")
            filler.unlink()
            if not ends:
                self.wait(process, "disk_room")
                session.send(1000, 1100)
                session.leave()
            demo, = self.wait(process, "demo")
        self.assertEqual(self.stop(process)[-1]["lost_bytes"], 0)
        self.assertGreater(self.blocks(self.folder / demo["file"]), 900)

    def test_a_full_disk_stops_no_session(self):
        self.check_a_full_disk(False)

    def test_a_session_that_ends_while_the_disk_is_full(self):
        self.check_a_full_disk(True)

    def test_a_disk_that_stays_full(self):
        """What has no room at the end is lost; the next start completes the rest."""
        self.mount(self.demos, "128k")
        filler = self.demos / "filler"
        with self.recording(600) as (process, session):
            fill(filler)
            session.send(600)
            session.leave()
            self.wait(process, "demo_waits")
        last = self.stop(process, status=1)[-1]
        self.assertGreater(last["lost_bytes"], 0)
        self.assertEqual(last["lost_demos"], 1)
        filler.unlink()
        process = self.start()
        completed = self.events(process, "unfinished")[0]
        self.stop(process)
        self.assertGreater(self.packets(self.folder / completed["file"]), 500)

    def test_a_demo_ends_where_too_much_waits(self):
        self.mount(self.demos, "4m")
        filler = self.demos / "filler"
        with self.recording(1000) as (process, session):
            fill(filler)
            session.send(1000, 1100)
            self.wait(process, "disk_full")
            text = bytes([SVC_PRINT, PRINT_HIGH]) + b"x" * 1300 + b"\0"
            count = WAITING_EACH_MAX // len(text) + 100
            for i in range(count):
                session.server.sendto(struct.pack("<II", 100000 + i, 0) + text,
                                      session.client.getsockname())
            self.wait_for_status(process, "packets", 1100 + count)
            filler.unlink()
            self.wait(process, "disk_room")
            session.leave()
            early, = self.wait(process, "demo_cut")
        self.stop(process, status=1)
        self.assertGreater(early["lost"], 0)
        self.assertGreater(self.blocks(self.folder / early["file"]), 1000)

    def test_a_folder_that_cannot_be_written_for_a_while(self):
        self.folder.chmod(0o755)
        with self.recording(1000, "-Z", "nobody") as (process, session):
            nobody = self.demos.stat().st_uid
            os.chown(self.demos, 0, 0)
            session.send(1000)
            session.leave()
            self.wait(process, "demo_waits")
            os.chown(self.demos, nobody, -1)
            demo, = self.wait(process, "demo")
        self.assertEqual(self.stop(process)[-1]["lost_demos"], 0)
        self.assertGreater(self.blocks(self.folder / demo["file"]), 1000)

    def test_a_folder_that_is_removed(self):
        """Its recordings are lost, the next ones are not."""
        with self.recording(1000) as (process, session):
            shutil.rmtree(self.demos)
            self.wait(process, "folder_removed")
            session.send(1000)
            session.leave()
            lost, = self.wait(process, "demo_lost")
            ended, = self.wait(process, "session_end")
        self.assertIn("lost", lost["message"])
        self.assertIn("demo: lost", ended["message"])
        with Session() as session:
            session.send()
            session.leave()
            demo, = self.wait(process, "demo")
        self.assertEqual(self.stop(process, status=1)[-1]["lost_demos"], 1)
        self.assertGreater(self.blocks(self.folder / demo["file"]), 1000)

    # --- What a run left ---

    def test_nothing_of_a_damaged_demo_is_destroyed(self):
        left = self.unfinished()
        data = bytearray(left.read_bytes())
        middle = len(data) // 2
        data[middle:middle + 512] = b"\xff" * 512
        left.write_bytes(data)
        process = self.start()
        self.assertEqual(len(self.events(process, "unfinished")), 2)
        self.stop(process)
        damaged, = self.demos.glob("*.qwd.damaged")
        self.assertEqual(damaged.read_bytes(), data)
        demo, = self.demos.glob("*.qwd")
        self.assertGreater(self.packets(demo), 300)
        self.assertEqual(list(self.demos.glob(".*")), [])

    def test_an_unfinished_demo_that_has_its_end(self):
        """The recorder was killed before it gave the demo its name."""
        left = self.unfinished()
        self.stop(self.start())
        demo, = self.demos.glob("*.qwd")
        whole = demo.read_bytes()
        demo.unlink()
        left.write_bytes(whole)
        self.stop(self.start())
        demo, = self.demos.glob("*.qwd")
        self.assertTrue(demo.read_bytes() == whole)

    def test_nothing_of_a_damaged_capture_is_destroyed(self):
        self.unfinished("--write-pcap", "packets/")
        packets = self.folder / "packets"
        left, = packets.glob(".pcap2demo-rec-*")
        data = bytearray(left.read_bytes())
        data[200:300] = b"\xff" * 100
        left.write_bytes(data)
        process = self.start("--write-pcap", "packets/")
        self.stop(process)
        damaged, = packets.glob("*.pcapng.damaged")
        self.assertEqual(damaged.read_bytes(), data)

    def test_other_files_are_left_alone(self):
        """A FIFO, a folder, a link and another user's file, with the names of unfinished recordings."""
        self.demos.mkdir()
        names = [self.demos / f".pcap2demo-rec-{i}.lo@1.qwd" for i in range(4)]
        os.mkfifo(names[0])
        names[1].mkdir()
        other = self.write("other.qwd", b"other")
        names[2].symlink_to(other)
        names[3].write_bytes(b"another user's")
        os.chown(names[3], 65534, 65534)
        process = self.start()
        self.assertEqual(len(self.events(process, "unfinished")), 4)
        self.stop(process)
        for name in names:
            self.assertTrue(name.is_symlink() or name.exists())
        self.assertEqual(names[3].read_bytes(), b"another user's")
        self.assertEqual(other.read_bytes(), b"other")

    # --- The log ---

    def test_a_log_that_nobody_reads_stops_nothing(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(writing, False)
        with contextlib.suppress(BlockingIOError):
            while os.write(writing, b"." * 512):
                pass
        os.set_blocking(writing, True)
        process = subprocess.Popen(
            [tool.PROGRAM, "-i", "lo", "-o", "demos", *self.options], cwd=self.folder,
            env=dict(os.environ, **tool.IN_SANDBOX), stdout=writing, stderr=subprocess.DEVNULL)
        os.close(writing)
        self.processes.append(process)
        self.wait_for((self.demos / "pcap2demo-status.json").exists)
        with Session() as session:
            self.wait_for(lambda: session.send(0, 600) or
                          list(self.demos.glob(".pcap2demo-rec-*.qwd")))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertTrue(list(self.demos.glob("*.qwd")))

    def test_a_log_resumes_and_is_reopened(self):
        logs = self.folder / "logs"
        self.mount(logs, "32k")
        self.log_folder = logs
        process = self.start()
        filler = logs / "filler"
        fill(filler)
        with Session() as session:
            session.send()
            session.leave()
            self.wait_for(lambda: list(self.demos.glob("*.qwd")))
        filler.unlink()
        self.status(process)
        self.assertTrue(self.events(process, "log_dropped") or self.events(process, "demo"))
        old = process.log.rename(logs / "old")
        process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: process.log.exists() and "reopened" in self.kinds(process))
        self.assertNotIn("reopened", old.read_text())
        self.stop(process)

    # --- Interfaces ---

    @unittest.skipUnless(os.path.exists("/dev/net/tun"), "no /dev/net/tun")
    def test_an_interface_that_cannot_be_opened_is_tried_again(self):
        add_pair()
        process = self.start(interface="left")
        run("ip", "link", "delete", "left")
        self.wait(process, "interface")
        with open("/dev/net/tun", "r+b", buffering=0) as tun:
            fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"left", IFF_TUN))
            fcntl.ioctl(tun, TUNSETLINK, ARPHRD_IEEE80211)
            run("ip", "link", "set", "left", "up")
            refused = self.wait(process, "interface", 2)[-1]
        self.assertIn("cannot be opened", refused["message"])
        add_pair()
        self.addCleanup(run, "ip", "link", "delete", "left")
        self.assertIn("is back", self.wait(process, "interface", 3)[-1]["message"])
        self.stop(process)


if __name__ == "__main__":
    main()
