# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs pcap2demo, and makes small captures."""

import array
import fcntl
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import zlib

import capture

PROGRAM = os.environ["PCAP2DEMO"]
SOURCE = pathlib.Path(os.environ["PROJECT_SOURCE_DIR"])
CAPTURES = SOURCE / "tests" / "captures"
# Sanitizers need memory of their own, and keep freed memory.
SANITIZED = bool(os.environ.get("SANITIZED"))
SHARED = SOURCE.parent / "shared" / "captures"

# The kernel ends a process that needs more processor time, in seconds.
if resource.getrlimit(resource.RLIMIT_CPU)[0] == resource.RLIM_INFINITY:
    resource.setrlimit(resource.RLIMIT_CPU, (300, resource.RLIM_INFINITY))

# The first 1500 packets of a session.
SAMPLE = CAPTURES / "qw-sample.pcap"

# A session of 25 packets, made by the project, with every message of Acknex.
ACKNEX = CAPTURES / "acknex-generated.pcap"

ETHERNET, RAW, PPP = 1, 101, 9
NULL, LOOP, SLL, SLL2 = 0, 108, 113, 276


class Capture:
    """A capture file in memory: a link type and (time in microseconds, frame) pairs."""

    def __init__(self, link_type, frames):
        self.link_type = link_type
        self.frames = list(frames)

    @classmethod
    def read(cls, path):
        link_type, frames = capture.read(path)
        return cls(link_type, [(frame.time // 1000, frame.data) for frame in frames])

    def packets(self):
        """The frames without their Ethernet headers."""
        assert self.link_type == ETHERNET
        return [(time, frame[14:]) for time, frame in self.frames]

    def of(self, frames):
        """A capture of other frames on the same link."""
        return Capture(self.link_type, frames)

    def wrapped(self, link_type, header):
        """The same packets behind another link layer's header."""
        return Capture(link_type, [(time, header + packet) for time, packet in self.packets()])

    def pcap(self, order="<", nanoseconds=False):
        magic = 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
        units = 1000 if nanoseconds else 1
        out = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, self.link_type)]
        for time, frame in self.frames:
            seconds, fraction = divmod(time, 1000000)
            out.append(struct.pack(order + "IIII", seconds, fraction * units, len(frame),
                                   len(frame)) + frame)
        return b"".join(out)

    def pcapng(self, order="<"):
        return (pcapng_section(order) + pcapng_interface(self.link_type, order=order) +
                b"".join(pcapng_packet(0, time, frame, order) for time, frame in self.frames))


def pcapng_block(order, kind, body):
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def pcapng_section(order="<"):
    return pcapng_block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))


def pcapng_interface(link_type, snaplen=262144, options=b"", order="<"):
    return pcapng_block(order, 1, struct.pack(order + "HHI", link_type, 0, snaplen) + options)


def pcapng_option(code, value, order="<"):
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def pcapng_packet(interface, time, frame, order="<"):
    return pcapng_block(order, 6, struct.pack(order + "IIIII", interface, time >> 32, time & 0xFFFFFFFF,
                                              len(frame), len(frame)) + frame)


def as_ipv6(packet):
    """An IPv4 packet without options as an IPv6 packet between addresses that end the same."""
    prefix = bytes.fromhex("fd000000000000000000ffff")
    payload = packet[20:struct.unpack_from(">H", packet, 2)[0]]
    return (bytes.fromhex("60000000") + struct.pack(">HBB", len(payload), packet[9], 64) +
            prefix + packet[12:16] + prefix + packet[16:20] + payload)


def udp(source, destination, payload):
    """An IPv4 packet between two ends: pairs of the last byte of 10.0.0.x, and a port."""
    datagram = struct.pack(">HHHH", source[1], destination[1], len(payload) + 8, 0) + payload
    return (struct.pack(">BBHHHBBH", 0x45, 0, len(datagram) + 20, 0, 0, 64, 17, 0) +
            bytes([10, 0, 0, source[0], 10, 0, 0, destination[0]]) + datagram)


def udp_frame(source, destination, payload):
    """The same packet on Ethernet."""
    return bytes(12) + b"\x08\x00" + udp(source, destination, payload)


def zpacket(messages):
    """Messages in Quake II's svc_zpacket."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(messages) + packer.flush()
    return struct.pack("<BHH", 21, len(packed), len(messages)) + packed


def wait_until_read(process, pipe):
    """Waits until the process has read all that is in the pipe, and sleeps."""
    status, left = pathlib.Path(f"/proc/{process.pid}/status"), array.array("i", [1])
    while left[0] or "State:\tS" not in status.read_text():
        fcntl.ioctl(pipe, termios.FIONREAD, left)
        time.sleep(0.01)


# Linux counts the memory of the process that starts a program as the program's: this starter is small. It prints
# the size of the program's output, its peak memory in kilobytes, and its processor time in seconds.
MEASURE = """
import resource, subprocess, sys
most = int(sys.argv[1])
with subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
    output = 0
    while piece := process.stdout.read(1 << 16):
        output += len(piece)
        if output > most:
            process.kill()
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(output, usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
"""


class ToolTest(unittest.TestCase):
    """Each test has an empty folder, in which the program runs."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pcap2demo-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_tool(self, *arguments, **options):
        environment = dict(os.environ, LC_ALL="C.UTF-8", **options.pop("variables", {}))
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, env=environment,
                              stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE,
                              **options)

    def tool(self, *arguments, status=0, **options):
        """Standard output and standard error as texts; the exit status must be `status`, unless that is None."""
        result = self.run_tool(*arguments, **options)
        error = result.stderr.decode()
        if status is not None:
            self.assertEqual(result.returncode, status, error)
        return (result.stdout or b"").decode(), error

    def measure(self, *arguments, most=1 << 30):
        """Returns the output's size, peak memory in MiB, and processor time in seconds. Ends the program once it
        has printed more than `most` bytes."""
        command = [sys.executable, "-S", "-c", MEASURE, str(most), PROGRAM, *map(str, arguments)]
        output = subprocess.run(command, cwd=self.folder, capture_output=True, check=True).stdout
        size, memory, seconds = map(float, output.split())
        return size, memory / 1024, seconds

    def assert_kept(self, path, text):
        """The text is that of the file, which QUAKESHARK_UPDATE=1 writes anew: read the change before you commit it."""
        if os.environ.get("QUAKESHARK_UPDATE"):
            path.write_text(text)
        self.assertEqual(text, path.read_text())

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def write_capture(self, name, frames, link_type=ETHERNET):
        """Writes (time in microseconds, frame) pairs as a pcap file."""
        return self.write(name, Capture(link_type, frames).pcap())

    def contents(self, name):
        return (self.folder / name).read_bytes()

    def dump(self, *arguments, status=0, **options):
        """The packets of a JSON dump."""
        output, _ = self.tool("--dump=json", *arguments, status=status, **options)
        return [json.loads(line) for line in output.splitlines()]

    def report(self, *arguments, status=0):
        """A report in JSON."""
        return json.loads(self.tool("--json", *arguments, status=status)[0])

    def listed(self, *paths, status=0):
        """The sessions of --list."""
        return self.report("--list", *paths, status=status)["sessions"]

    def left(self):
        """Names of the files in the folder."""
        return sorted(path.name for path in self.folder.iterdir())
