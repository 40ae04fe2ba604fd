# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of recording share: a network of their own, and a recorder in it."""

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

import tool
from tool import SAMPLE, Capture, ToolTest

SKIPPED = 77
INSIDE = "RECORDER_TEST_INSIDE"
PORT = 42500
SERVER_IN_SAMPLE = 27500
PATIENCE = 300  # seconds until a test is taken to hang, however busy the machine is


def run(*command):
    subprocess.run(command, check=True, timeout=PATIENCE)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def enter_network():
    """Begins the tests once more, in a network and a mount namespace of their own. False: these
    cannot be had."""
    if INSIDE not in os.environ:
        possible = shutil.which("unshare") and shutil.which("ip") and subprocess.run(
            ["unshare", "-n", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
        if not possible:
            return False
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "-n", "-m", sys.executable, *sys.argv])
    run("ip", "link", "set", "lo", "up")
    return True


def main():
    if not enter_network():
        skip("no right to make a network of its own")
    unittest.main()


def add_pair():
    """Two interfaces, left and right, which are connected."""
    run("ip", "link", "add", "left", "type", "veth", "peer", "name", "right")
    for name in ("left", "right"):
        run("ip", "link", "set", name, "up")


class Session:
    """The session of a capture, sent anew between two sockets."""

    def __init__(self, port=PORT, capture=SAMPLE, server=SERVER_IN_SAMPLE):
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server.bind(("127.0.0.1", port))
        self.client.bind(("127.0.0.1", 0))
        self.packets = [(packet[22:24] == struct.pack(">H", server), packet[28:])
                        for _, packet in Capture.read(capture).packets()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()
        self.client.close()

    def send(self, first=0, last=None):
        for to_server, payload in self.packets[first:last]:
            sender, receiver = ((self.client, self.server) if to_server
                                else (self.server, self.client))
            sender.sendto(payload, receiver.getsockname())

    def move(self):
        """A router gives the client another port."""
        self.client.close()
        self.client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.client.bind(("127.0.0.1", 0))

    def leave(self):
        """The client's last word: clc_stringcmd "drop"."""
        header = [payload for to_server, payload in self.packets if to_server][-1][:10]
        sequence, rest = struct.unpack("<I", header[:4])[0] & 0x7fffffff, header[4:]
        self.client.sendto(struct.pack("<I", sequence + 1) + rest + b"\x04drop\0",
                           self.server.getsockname())


class RecorderTest(ToolTest):
    """A test that records, in a network of its own."""

    options = ()
    log_folder = None  # of logs; None: the test's

    def setUp(self):
        super().setUp()
        self.demos = self.folder / "demos"
        self.processes = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
            if process.stdin:
                process.stdin.close()

    def start(self, *arguments, interface="lo", output="demos"):
        """A recorder that is listening; its log is a file of the folder."""
        log = (self.log_folder or self.folder) / f"log-{len(self.processes)}"
        environment = dict(os.environ, LC_ALL="C.UTF-8", G_DEBUG="fatal-criticals",
                           **tool.IN_SANDBOX)
        with log.open("w") as out:
            process = subprocess.Popen(
                [tool.PROGRAM, "-i", interface, "-o", output, "--log-format=json", *self.options,
                 *arguments],
                cwd=self.folder, env=environment, stdout=out, stderr=subprocess.STDOUT)
        process.log = log
        self.processes.append(process)
        self.wait(process, "folder")
        return process

    def wait_for(self, condition, vain=lambda: "in vain"):
        """What the condition gives as soon as it holds; `vain` says what there is instead."""
        until = time.monotonic() + PATIENCE
        while not (found := condition()):
            if time.monotonic() > until:
                self.fail(vain())
            time.sleep(0.05)
        return found

    def events(self, process, kind=None):
        events = [json.loads(line) for line in process.log.read_text().splitlines(True)
                  if line.endswith("\n") and line.startswith("{")]
        return [event for event in events if kind in (None, event["event"])]

    def wait(self, process, kind, count=1):
        def happened():
            events = self.events(process, kind)
            return len(events) >= count and events

        return self.wait_for(happened, lambda: f"no {kind} in {process.log.read_text()}")

    def status(self, process):
        """How things stand now."""
        count = len(self.events(process, "status"))
        process.send_signal(signal.SIGUSR1)
        return self.wait(process, "status", count + 1)[-1]

    def wait_for_status(self, process, name, least):
        def reached():
            status = self.status(process)
            return status[name] >= least and status

        return self.wait_for(reached, lambda: f"{name} stays below {least}: {self.status(process)}")

    def wait_for_disk(self, process, packets):
        """Until so many packets have come, and all that they gave is on disk. The recorder looks
        every second for what waits: for a second for earlier packets, or to be written."""
        taken = self.wait_for_status(process, "packets", packets)
        self.wait_for_status(process, "seconds", taken["seconds"] + 3)

    def stop(self, process, number=signal.SIGTERM, status=0):
        process.send_signal(number)
        self.assertEqual(process.wait(PATIENCE), status, process.log.read_text())
        return self.events(process)

    def kinds(self, process):
        return [event["event"] for event in self.events(process)]

    def recordings(self):
        return sorted(path for path in self.demos.iterdir()
                      if path.suffix != ".json")

    def blocks(self, path):
        """Of a demo that is whole."""
        output, _ = self.tool("--check", "--json", path)
        self.assertEqual(json.loads(output)["kind"], "check")
        return self.packets(path)

    def packets(self, path):
        return json.loads(self.tool("--list", "--json", path)[0])["sessions"][0]["packets"]
