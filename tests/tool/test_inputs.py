# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs of all kinds with the same packets: pcap2demo decodes the same from each."""

import gzip
import io
import os
import resource
import shutil
import struct
import subprocess
import tarfile
import zipfile

import tool
from tool import (ACKNEX, SAMPLE, Capture, ToolTest, pcapng_block, pcapng_interface, pcapng_option, pcapng_packet,
                  pcapng_section)

DEMO = tool.CAPTURES / "q2-limits1.dm2"
MACS = bytes.fromhex("020000000001020000000002")
SLL = bytes.fromhex("0000000100060200000000010000")
SLL2 = bytes.fromhex("00000000000100010006" "0200000000010000")


class AcknexTest(ToolTest):
    """Compares with the packets of a small capture."""

    @classmethod
    def setUpClass(cls):
        cls.capture = Capture.read(ACKNEX)

    def setUp(self):
        super().setUp()
        self.expected = self.dump(ACKNEX)
        self.text, _ = self.tool("--dump", ACKNEX)
        self.assertEqual(len(self.expected), len(self.capture.frames))

    def assert_same(self, data, name="x.pcap"):
        self.assertEqual(self.dump(self.write(name, data)), self.expected)

    def assert_same_fields(self, data):
        """Times, addresses and packet numbers may differ. Returns the packets."""
        found = self.dump(self.write("x.pcap", data))
        self.assertEqual([packet["fields"] for packet in found], [packet["fields"] for packet in self.expected])
        return found


class Formats(AcknexTest):
    def test_byte_orders_and_clocks(self):
        for order in "<>":
            self.assert_same(self.capture.pcap(order))
            self.assert_same(self.capture.pcap(order, nanoseconds=True))
            self.assert_same(self.capture.pcapng(order))

    def test_link_types(self):
        headers = {
            "VLAN": (tool.ETHERNET, MACS + bytes.fromhex("810000070800")),
            "QinQ": (tool.ETHERNET, MACS + bytes.fromhex("88a80007810000080800")),
            "SLL": (tool.SLL, SLL + b"\x08\x00"),
            "SLL2": (tool.SLL2, b"\x08\x00" + SLL2),
            "raw": (tool.RAW, b""),
            "null": (tool.NULL, bytes.fromhex("02000000")),
            "loop": (tool.LOOP, bytes.fromhex("00000002")),
            "PPP": (tool.PPP, bytes.fromhex("ff030021")),
        }
        for name, (link_type, header) in headers.items():
            with self.subTest(name):
                self.assert_same(self.capture.wrapped(link_type, header).pcap())

    def test_ipv6(self):
        frames = [(time, tool.as_ipv6(packet)) for time, packet in self.capture.packets()]
        found = self.assert_same_fields(Capture(tool.RAW, frames).pcap())
        self.assertEqual(found[0]["source"], "[fd00::ffff:a00:2]:51000")

    def test_packets_without_their_last_byte(self):
        data = self.capture.pcap()[:24] + b"".join(
            struct.pack("<IIII", time // 1000000, time % 1000000, len(frame) - 1, len(frame)) + frame[:-1]
            for time, frame in self.capture.frames)
        output, error = self.tool("--check", self.write("x.pcap", data), status=1)
        self.assertIn("cut: 25", output)
        self.assertIn("packet 1: offset 4: Acknex: The capture lacks the last 1 of 5 bytes", error)

    def test_unknown_link_type(self):
        _, error = self.tool("--list", self.write_capture("x.pcap", self.capture.frames, 105), status=2)
        self.assertIn("x.pcap: captures of link type", error)
        self.assertIn("; capture without monitor mode", error)


class Compressed(AcknexTest):
    def test_every_compression(self):
        """xz, zstd, bzip2 and lz4, if their programs are installed: captures, also in a pipe or a folder, and demos."""
        demo = self.tool("--dump", DEMO)
        for program, ending in ((None, "gz"), ("xz", "xz"), ("zstd", "zst"), ("bzip2", "bz2"), ("lz4", "lz4")):
            if program and not shutil.which(program):
                continue
            capture_data, demo_data = (
                subprocess.run([program, "-c"], input=path.read_bytes(), stdout=subprocess.PIPE, check=True).stdout
                if program else gzip.compress(path.read_bytes()) for path in (ACKNEX, DEMO))
            path = self.write("x.pcap." + ending, capture_data)
            self.assertEqual(self.tool("--dump", path), (self.text, ""))
            self.assertEqual(self.tool("--dump", "-", input=capture_data), (self.text, ""))
            self.assertIn(f"x.pcap.{ending}: 25 packets", self.tool("--check", ".")[0])
            self.assertEqual(self.tool("--dump", self.write("duel.dm2." + ending, demo_data), status=None), demo)
            (self.folder / f"duel.dm2.{ending}").unlink()

    def test_large_capture(self):
        """300 MiB are read with 100 MiB of memory."""
        frames = [(0, tool.udp((1, 5000), (2, 5001), os.urandom(1000) + bytes(25000))) for _ in range(40)]
        chunk = Capture(tool.RAW, frames).pcap()[24:]
        count = (300 << 20) // len(chunk)
        path = self.write("x.pcap.gz", gzip.compress(Capture(tool.RAW, []).pcap()) + gzip.compress(chunk, compresslevel=1) * count)
        self.assertIn(f"x.pcap.gz: {count * len(frames)} packets", self.tool("--check", path)[0])
        self.assertLess(self.measure("--check", path)[1], 100)

    def test_capture_that_is_made_to_be_large(self):
        """All before the limit is read."""
        empty = Capture(tool.RAW, [(0, bytes(60000))] * 1000).pcap()
        _, error = self.tool("--check", self.write("x.pcap.gz", gzip.compress(empty)), status=1)
        self.assertIn("x.pcap.gz: inflates to more than 200 times its size; the rest is left out\n", error)
        output, _ = self.tool("--dump", self.write("y.pcap.gz", gzip.compress(ACKNEX.read_bytes() + empty[24:])), status=1)
        self.assertTrue(output.startswith(self.text))

    def test_capture_that_is_cut(self):
        packed = gzip.compress(ACKNEX.read_bytes())
        output, error = self.tool("--dump", self.write("x.pcap.gz", packed[:len(packed) // 2]), status=1)
        self.assertTrue(output and self.text.startswith(output))
        self.assertIn("x.pcap.gz: the compressed data end early", error)


class Archives(ToolTest):
    """Each capture or demo in a zip or tar is an input."""

    def pack(self, name, members):
        path = self.folder / name
        if name.endswith("zip"):
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for member, data in members:
                    archive.writestr(member, data)
            return path
        with tarfile.open(path, "w" + (":" + name.partition(".tar.")[2]).rstrip(":")) as archive:
            for member, data in members:
                info = tarfile.TarInfo(member)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return path

    def test_members(self):
        later = self.write_capture("b.pcap", [(time + 3600 * 10 ** 6, frame) for time, frame in Capture.read(ACKNEX).frames])
        expected, _ = self.tool("--dump", ACKNEX, later, DEMO)
        members = (("m/readme.txt", b"no capture"), ("m/a.pcap", ACKNEX.read_bytes()),
                   ("m/b.pcap.gz", gzip.compress(later.read_bytes())), ("c.dm2", DEMO.read_bytes()))
        for name in ("x.zip", "x.tar", "x.tar.gz", "x.tar.xz", "x.tar.bz2"):
            with self.subTest(name):
                path = self.pack(name, members)
                self.assertEqual(self.tool("--dump", path), (expected, ""))
                self.assertEqual(self.tool("--dump", "-", input=path.read_bytes())[0], expected)
                names = [f"{name}/m/a.pcap", f"{name}/m/b.pcap.gz", f"{name}/c.dm2"]
                output, _ = self.tool("--check", name, status=1)  # the demo is damaged
                self.assertEqual([line.split(": ")[0] for line in output.splitlines() if line[0] != " "], names)
                self.assertEqual([file["file"] for file in self.report("--check", name, status=1)["files"]], names)
                path.unlink()

    def test_demos_are_named_after_members(self):
        self.tool(self.pack("x.zip", [("deep/duel.pcap", SAMPLE.read_bytes()), ("made.dm2", DEMO.read_bytes())]))
        self.assertEqual(self.left(), ["duel-20261120-155443-labplayer-dm4.qwd", "x.zip"])

    def test_hostile_names_are_printed_safely_and_are_no_paths(self):
        above = self.folder
        self.folder = above / "a" / "b"
        self.folder.mkdir(parents=True)
        path = self.pack("x.tar", [("/../../e\x1b[31mvil\n/../x.pcap", ACKNEX.read_bytes())])
        output, _ = self.tool("--check", path)
        self.assertEqual(output.split(": ")[0], f"{path}/e [31mvil /x.pcap")
        self.run_tool("--check", "--golden", ".", "--update", path)
        outside = {file for file in above.rglob("*") if self.folder not in file.parents}
        self.assertEqual(outside, {self.folder.parent, self.folder})

    def test_archives_without_captures_and_cut_ones(self):
        for name in ("x.zip", "x.tar", "x.tar.gz"):
            _, error = self.tool("--check", self.pack(name, [("a.txt", b"nothing")]), status=2)
            self.assertIn(f"{name}: no captures and no demos in this archive\n", error)
            data = self.pack(name, [("a.pcap", ACKNEX.read_bytes()), ("b.pcap", os.urandom(9000))]).read_bytes()
            output, error = self.tool("--check", self.write("cut." + name, data[:-8000]), status=None)
            self.assertIn("a.pcap: 25 packets", output)
            self.assertIn("the compressed data end early", error)


class SeveralInterfaces(AcknexTest):
    """pcapng files whose packets have several link types; libpcap refuses them."""

    def split(self, order="<", offset=None):
        """The capture, every other packet on an interface of bare IP; with if_tsoffset (seconds)."""
        options = b"" if offset is None else pcapng_option(14, struct.pack(order + "q", offset), order)
        out = [pcapng_section(order), pcapng_interface(tool.ETHERNET, options=options, order=order),
               pcapng_interface(tool.RAW, 65535, options, order)]
        for i, (time, frame) in enumerate(self.capture.frames):
            time -= (offset or 0) * 1000000
            out.append(pcapng_packet(i % 2, time, frame[14:] if i % 2 else frame, order))
        return b"".join(out)

    def test_link_types_and_time_offsets(self):
        """Also in a copy, which has an interface for each link type."""
        for order, offset in ("<", None), (">", None), ("<", 1000000), (">", -1000000):
            with self.subTest(order, offset=offset):
                self.assert_same(self.split(order, offset), "x.pcapng")
                self.tool("-f", "-s", "1", "--pcap", "copy.pcapng", "x.pcapng")
                self.assertEqual(self.dump("copy.pcapng"), self.expected)

    def test_sections_of_two_byte_orders(self):
        half = len(self.capture.frames) // 2
        first = [pcapng_packet(0, *frame) for frame in self.capture.frames[:half]]
        second = [pcapng_packet(0, time, frame[14:], ">") for time, frame in self.capture.frames[half:]]
        self.assert_same(b"".join([pcapng_section("<"), pcapng_interface(tool.ETHERNET), *first,
                                   pcapng_section(">"), pcapng_interface(tool.RAW, order=">"), *second]))

    def test_simple_packets(self):
        """They have no times."""
        self.assert_same_fields(pcapng_section() + pcapng_interface(tool.ETHERNET, 1500) + b"".join(
            pcapng_block("<", 3, struct.pack("<I", len(frame)) + frame) for _, frame in self.capture.frames))

    def test_filter(self):
        path = self.write("x.pcapng", self.split())
        self.assertEqual(self.dump(path, "--filter", "src port 2300"), self.dump(ACKNEX, "--filter", "src port 2300"))
        # Only Ethernet has such addresses.
        found = self.dump(path, "--filter", "ether src host 00:00:00:00:00:00 or ether[0] >= 0")
        self.assertEqual([packet["packet"] for packet in found],
                         [packet["packet"] for packet in self.expected if packet["packet"] % 2])

    def test_unknown_link_type(self):
        path = self.write("x.pcapng", self.split() + pcapng_interface(220) + pcapng_packet(2, 0, bytes(64)))
        output, error = self.tool("--dump=json", path, status=1)
        self.assertIn('x.pcapng: link type "USB with padded Linux header" cannot be read, packets: 1\n', error)
        self.assertEqual(len(output.splitlines()), len(self.expected))

    def test_messages_about_damaged_files(self):
        head = pcapng_section() + pcapng_interface(tool.ETHERNET)
        for data, problem in (
                (head + pcapng_packet(1, 0, bytes(64)), "a packet of interface 1, which is not described"),
                (head + pcapng_block("<", 6, struct.pack("<IIIII", 0, 0, 0, 1000, 1000) + bytes(8)),
                 "a packet of 1000 bytes in a smaller block"),
                (head + struct.pack("<II", 6, 1 << 31), "a block of 2147483648 bytes"),
                (head + struct.pack("<III", 6, 12, 16), "the two lengths of a block differ"),
                (head + head[:4], "the file ends within a block"),
                (pcapng_section(), "the file describes no interface"),
                (pcapng_section().replace(b"\x01\0\0\0", b"\x09\0\0\0"), "version 9 of pcapng is not known")):
            with self.subTest(problem):
                _, error = self.tool("--check", self.write("x.pcapng", data), status=1 if data.startswith(head) else 2)
                self.assertIn(problem + "\n", error)


def ipv4(protocol, payload, offset=0, more=False, number=1):
    """A packet or a fragment between two other hosts."""
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), number,
                       offset // 8 | (0x2000 if more else 0), 64, protocol, 0,
                       bytes([10, 9, 9, 1]), bytes([10, 9, 9, 2])) + payload


def ipv6(protocol, payload):
    return struct.pack(">IHBB16s16s", 6 << 28, len(payload), protocol, 64,
                       bytes.fromhex("fd00" + 13 * "00" + "01"),
                       bytes.fromhex("fd00" + 13 * "00" + "02")) + payload


def gre(flags, protocol, options, payload):
    return struct.pack(">HH", flags, protocol) + bytes.fromhex(options) + payload


def vxlan(ip):
    payload = bytes.fromhex("08000000 00000700") + MACS + b"\x08\0" + ip
    return ipv4(17, struct.pack(">HHHH", 50000, 4789, 8 + len(payload), 0) + payload)


ERSPAN_II = "10 01 0000 00000000"
ERSPAN_III = "20 01 0000 00000000 0000"

# An IPv4 packet as a mirror port or a virtual network sends it.
TUNNELS = {
    "IP in IP": lambda ip: ipv4(4, ip),
    "4in6": lambda ip: ipv6(4, ip),
    "IP in IP in IPv6": lambda ip: ipv6(41, ipv6(4, ipv4(4, ip))),
    "6in4": lambda ip: ipv4(41, ipv6(4, ip)),
    "GRE": lambda ip: ipv4(47, gre(0, 0x800, "", ip)),
    "GRE in IPv6": lambda ip: ipv6(47, gre(0, 0x800, "", ip)),
    "GRE with all options": lambda ip: ipv4(47, gre(0xB000, 0x800, "12340000 00000007 00000008", ip)),
    "GRE with source routes": lambda ip: ipv4(47, gre(0x4000, 0x800, "00000000 08000004 0a000001 00000000", ip)),
    "PPTP": lambda ip: ipv4(47, gre(0x3081, 0x880B, "0030 0001 00000001 00000002", b"\x21" + ip)),
    "MPLS in GRE": lambda ip: ipv4(47, gre(0, 0x8847, "00010040 00020140", ip)),
    "Ethernet in GRE": lambda ip: ipv4(47, gre(0x2000, 0x6558, "00000007", MACS + b"\x08\0" + ip)),
    "ERSPAN I": lambda ip: ipv4(47, gre(0, 0x88BE, "", MACS + b"\x08\0" + ip + bytes(4))),
    "ERSPAN II": lambda ip: ipv4(47, gre(0x1000, 0x88BE, "00000001" + ERSPAN_II,
                                         MACS + b"\x81\0\0\7\x08\0" + ip)),
    "ERSPAN III": lambda ip: ipv4(47, gre(0x1000, 0x22EB, "00000001" + ERSPAN_III + "0000",
                                          MACS + b"\x08\0" + ip)),
    "ERSPAN III, more": lambda ip: ipv4(47, gre(0x1000, 0x22EB, "00000001" + ERSPAN_III + "0001" + 16 * "0",
                                                MACS + b"\x08\0" + ip)),
    "ERSPAN III of IP": lambda ip: ipv4(47, gre(0x1000, 0x22EB, "00000001" + ERSPAN_III + "0800", ip)),
    "VXLAN": vxlan,
    "VXLAN in GRE in VXLAN": lambda ip: vxlan(ipv4(47, gre(0, 0x800, "", vxlan(ip)))),
}


class SampleTest(ToolTest):
    """Compares with the demo of the sample."""

    @classmethod
    def setUpClass(cls):
        cls.frames = Capture.read(SAMPLE).frames
        cls.packets = [(time, frame[14:]) for time, frame in cls.frames]

    def setUp(self):
        super().setUp()
        self.tool("-o", "plain.qwd", SAMPLE)

    def assert_same_demo(self, *arguments, **options):
        self.tool("-o", "x.qwd", "--force", *arguments, **options)
        self.assertEqual(self.contents("x.qwd"), self.contents("plain.qwd"))


class Tunnels(SampleTest):
    def check(self, packets):
        """The demo of these packets, and of a cut of them."""
        path = self.write_capture("x.pcap", [(time, self.framed(packet)) for time, packet in packets])
        self.assert_same_demo(path)
        self.tool("--pcap", "cut.pcapng", "--force", "-s", "1", path)
        self.assert_same_demo("cut.pcapng")

    @staticmethod
    def framed(packet):
        return MACS + (b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\0") + packet

    def test_each(self):
        for name, tunnel in TUNNELS.items():
            with self.subTest(name):
                self.check([(time, tunnel(ip)) for time, ip in self.packets])

    def test_fragments_of_the_outer_packet(self):
        self.check([(time, part) for number, (time, ip) in enumerate(self.packets)
                    for part in self.fragmented(gre(0, 0x800, "", ip), 32, number)])

    @staticmethod
    def fragmented(inner, size, number):
        return [ipv4(47, inner[:size], 0, True, number & 0xFFFF), ipv4(47, inner[size:], size, False, number & 0xFFFF)]

    def test_fragments_of_both_packets(self):
        parts = []
        for number, (time, ip) in enumerate(self.packets):
            head, body = ip[:20], ip[20:]
            for second, part in enumerate((body[:8], body[8:])):
                flags = 1 if second else 0x2000
                inner = head[:2] + struct.pack(">HHH", 20 + len(part), number & 0xFFFF, flags) + head[8:] + part
                parts += [(time, each) for each in self.fragmented(gre(0, 0x800, "", inner), 16, number * 2 + second)]
        self.check(parts)

    def test_headers_that_end_early_and_endless_nesting_do_no_harm(self):
        nested, ip = [self.packets[0][1]], self.packets[0][1]
        for _ in range(40):
            nested.append(ipv4(4, nested[-1]))
        frames = [self.framed(each) for each in nested]
        for tunnel in TUNNELS.values():
            whole = self.framed(tunnel(ip))
            frames += [whole[:size] for size in range(14, len(whole) - 14, 3)]
        self.listed(self.write_capture("x.pcap", [(0, frame) for frame in frames]), status=None)

    def test_game_on_the_port_of_vxlan(self):
        moved = [(time, frame.replace(struct.pack(">H", 27500), struct.pack(">H", 4789), 1)) for time, frame in self.frames]
        self.assert_same_demo(self.write_capture("x.pcap", moved), "--port", "qw=4789")


class SeveralFiles(SampleTest):
    def test_second_file_continues_the_session(self):
        """Packet numbers begin again."""
        capture, expected = Capture.read(ACKNEX), self.dump(ACKNEX)
        files = [self.write_capture("1.pcap", capture.frames[:12]),
                 self.write("2.pcap", Capture(tool.ETHERNET, capture.frames[12:]).pcapng())]
        found = self.dump(*files)
        self.assertEqual([packet["fields"] for packet in found], [packet["fields"] for packet in expected])
        self.assertEqual([packet["packet"] for packet in found], [*range(1, 13), *range(1, 14)])
        self.assertEqual(len(self.listed(*files)), 1)

    def test_forty_files_or_a_pipe_give_the_same_demo(self):
        """The files' names are in another order; 20 may be open at once."""
        files, size = [], -(-len(self.frames) // 40)
        for i in range(40):
            data = Capture(tool.ETHERNET, self.frames[i * size:(i + 1) * size]).pcap()
            files.append(self.write(f"cap{40 - i}.pcap{'.gz' * (i % 2)}", gzip.compress(data) if i % 2 else data))
        files.sort()
        self.assert_same_demo(*files, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20)))
        output, _ = self.tool("--pcap", "cut.pcapng", "-s1", *files)
        self.assertEqual(output, f"cut.pcapng: {len(self.frames)} of {len(self.frames)} packets, 1 session\n")
        self.assert_same_demo("cut.pcapng")
        self.assert_same_demo("-", input=SAMPLE.read_bytes())

    def test_a_file_for_each_direction(self):
        """Reports count the packets of each file."""
        counts = {}
        for name, from_server in ("0.pcap", True), ("1.pcap", False):
            frames = [frame for frame in self.frames if (frame[1][34:36] == struct.pack(">H", 27500)) == from_server]
            self.write_capture(name, frames)
            counts[name] = len(frames)
        for order in (sorted(counts), sorted(counts, reverse=True)):
            self.assert_same_demo(*order)
        report = self.report("--check", *counts)
        self.assertEqual({file["file"]: file["packets"] for file in report["files"]}, counts)

    def test_demos_are_read_behind_captures(self):
        demo = next(tool.CAPTURES.glob("*.qwd"))
        self.assertEqual(self.tool("--list", demo, SAMPLE)[0].splitlines()[1:],
                         self.tool("--list", SAMPLE, demo)[0].splitlines()[1:])


class Damage(AcknexTest):
    def test_filtered_packets_keep_their_numbers(self):
        self.assertEqual([packet["packet"] for packet in self.dump(ACKNEX, "--filter", "src port 2300")],
                         [packet["packet"] for packet in self.expected if packet["source"].endswith(":2300")])

    def test_packets_before_a_cut_are_read(self):
        """The message names the offset of the cut."""
        whole = ACKNEX.read_bytes()
        end = 24 + sum(16 + len(frame) for _, frame in self.capture.frames[:10])
        for extra in (0, 1, 15, 16, 17):
            with self.subTest(extra):
                path = self.write("cut.pcap", whole[:end + extra])
                self.assertEqual(self.dump(path, status=1 if extra else 0), self.expected[:10])
                _, error = self.tool("--list", path, status=1 if extra else 0)
                self.assertEqual(f"cut.pcap: packet 11: cannot be read beyond offset {end}" in error, extra > 0)

    def test_file_behind_a_damaged_one_is_read(self):
        cut = self.write("cut.pcap", ACKNEX.read_bytes()[:100])
        output, error = self.tool("--check", cut, ACKNEX, status=1)
        self.assertIn("cut.pcap: packet", error)
        self.assertIn("acknex-generated.pcap: 25 packets", output)

    def test_absurd_times(self):
        data = bytearray(self.capture.pcap())
        data[24:32] = b"\xff" * 8
        self.assertEqual(len(self.dump(self.write("x.pcap", data))), 25)
        frames = [(2 ** 64 - 1, self.capture.frames[0][1])] + self.capture.frames[1:]
        self.assertEqual(len(self.dump(self.write("x.pcapng", Capture(tool.ETHERNET, frames).pcapng()))), 25)
