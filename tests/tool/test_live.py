# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording from the loopback interface, which needs the right to: skipped without."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

import tool
from recorder import enter_network, skip
from tool import ACKNEX, SAMPLE, Capture, ToolTest


def may_record():
    """Whether this user can record from the loopback interface here."""
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
        return True
    except (AttributeError, PermissionError):
        return False


class Recording(subprocess.Popen):
    """A recorder, and what it says."""

    def __init__(self, folder, *arguments):
        self.output, self.error = folder / "output", folder / "error"
        # LeakSanitizer reads files that are out of reach then.
        environment = dict(os.environ, LC_ALL="C.UTF-8", **tool.IN_SANDBOX)
        with self.output.open("w") as output, self.error.open("w") as error:
            super().__init__([tool.PROGRAM, "-i", "lo", *arguments], cwd=folder, env=environment,
                             stdout=output, stderr=error)
        self.wait_for("listening on lo ")

    def said(self):
        """Where demos are recorded, events go to standard output."""
        return "".join(self.texts())

    def texts(self):
        """Output and errors."""
        return [path.read_bytes().decode() for path in (self.output, self.error)]

    def wait_for(self, pattern, ask=None):
        """Until it says so, asked again and again by a signal."""
        while not re.search(pattern, self.said()):
            if self.poll() is not None:
                raise AssertionError(f"{pattern} was not said: {self.said()}")
            if ask:
                self.send_signal(ask)
            time.sleep(0.05)

    def end(self, packets, number=signal.SIGINT):
        """Ends it when it has taken so many packets. Output and errors."""
        self.wait_for(rf"status: .* {packets} packets, dropped", signal.SIGUSR1)
        self.send_signal(number)
        self.wait()
        return self.texts()


class Live(ToolTest):
    def setUp(self):
        super().setUp()
        self.server, self.client = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                                    for _ in range(2))
        for end in (self.server, self.client):
            self.addCleanup(end.close)
            end.bind(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]

    def start(self, game, *arguments):
        """A recorder of what the server's port has."""
        process = Recording(self.folder, "--filter", f"udp port {self.port}",
                            "--port", f"{game}={self.port}", *arguments)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def send(self, capture=ACKNEX, port=b"\x08\xfc", packets=None):
        """The session over real sockets; in the capture the server has `port`. How many packets."""
        sent = Capture.read(capture).packets()[:packets]
        for _, packet in sent:
            to_server = packet[22:24] == port
            sender, receiver = ((self.client, self.server) if to_server
                                else (self.server, self.client))
            sender.sendto(packet[28:], receiver.getsockname())
        return len(sent)

    def test_until_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("acknex", "--list", "--json")
            output, error = process.end(self.send(), number)
            self.assertEqual(process.returncode, 0, error)
            session, = json.loads(output)["sessions"]
            self.assertEqual(session["packets"], 25)
            self.assertEqual(session["maps"], ["house.wmb"])
            self.assertEqual(session["file"], "lo")

    def test_texts_are_printable(self):
        data = bytearray(SAMPLE.read_bytes().replace(b"labplayer", b"\x1b[2J\r\x9b1m\x7f"))
        path = self.write("hostile.pcap", data)
        process = self.start("qw", "--dump", "--verbose")
        output, error = process.end(self.send(path, b"\x6b\x6c", 300))
        self.assertGreater(output.count("qw.oob.command"), 0)
        for text in (output, error):
            self.assertTrue(text.replace("\n", "").isprintable())

    def test_unknown_interface(self):
        _, error = self.tool("-i", "nosuchinterface0", status=2)
        self.assertIn("pcap2demo: nosuchinterface0: ", error)


def main():
    """In a network of its own, where that can be had: nobody else sends packets there."""
    enter_network()
    if not may_record():
        skip("no right to record from a network interface")
    unittest.main()


if __name__ == "__main__":
    main()
