# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording from the loopback interface, which needs the right to: skipped without."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import unittest

import tool
from tool import ACKNEX, SAMPLE, Capture, ToolTest

SKIPPED = 77


def may_record():
    """Whether this user can record from the loopback interface here."""
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
        return True
    except (AttributeError, PermissionError):
        return False


def open_lines(path):
    return pathlib.Path(path).read_text().splitlines()


def open_files(pid):
    """What the descriptors of a running process are, but those that it closes meanwhile."""
    names = set()
    for path in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            names.add(os.readlink(path))
    return names


class Live(ToolTest):
    def start(self, *arguments):
        # LeakSanitizer reads files that are out of reach then.
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
        return subprocess.Popen([tool.PROGRAM, "-i", "lo", *arguments], cwd=self.folder,
                                env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_for_socket(self, pid):
        """Until the process has opened a packet socket."""
        for _ in range(600):
            inodes = {line.split()[-1] for line in open_lines("/proc/net/packet")}
            names = open_files(pid)
            if any(f"socket:[{inode}]" in names for inode in inodes):
                time.sleep(0.5)
                return
            time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)
        self.fail("no packet socket was opened")

    def send(self, server, capture=ACKNEX, port=b"\x08\xfc", packets=None):
        """The session over real sockets: the server, which has `port`, on a port of its own."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener, \
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            listener.bind(("127.0.0.1", server))
            client.bind(("127.0.0.1", 0))
            for _, packet in Capture.read(capture).packets()[:packets]:
                to_server = packet[22:24] == port
                sender, receiver = (client, listener) if to_server else (listener, client)
                sender.sendto(packet[28:], receiver.getsockname())

    def record(self, number, *arguments):
        """Records until signal `number`; the report of --list --json."""
        with self.start("--list", "--json", "--filter", "udp port 23300",
                        "--port", "acknex=23300", *arguments) as process:
            self.wait_for_socket(process.pid)
            self.send(23300)
            time.sleep(1)
            process.send_signal(number)
            output, error = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0, error)
        return json.loads(output)

    def test_until_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            session, = self.record(number)["sessions"]
            self.assertEqual(session["packets"], 25)
            self.assertEqual(session["maps"], ["house.wmb"])
            self.assertEqual(session["file"], "lo")

    def test_texts_are_printable(self):
        data = bytearray(SAMPLE.read_bytes().replace(b"labplayer", b"\x1b[2J\r\x9b1m\x7f"))
        path = self.write("hostile.pcap", data)
        with self.start("--dump", "--verbose", "--filter", "udp port 23302",
                        "--port", "qw=23302") as process:
            self.wait_for_socket(process.pid)
            self.send(23302, path, b"\x6b\x6c", 300)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            output, error = process.communicate(timeout=20)
        self.assertGreater(output.count(b"qw.oob.command"), 0)
        for text in (output, error):
            self.assertTrue(text.decode().replace("\n", "").isprintable())

    def test_unknown_interface(self):
        _, error = self.tool("-i", "nosuchinterface0", status=2)
        self.assertIn("pcap2demo: nosuchinterface0: ", error)


if __name__ == "__main__":
    if not may_record():
        print("skipped: no right to record from a network interface")
        sys.exit(SKIPPED)
    unittest.main()
