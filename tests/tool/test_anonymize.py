# SPDX-License-Identifier: GPL-2.0-or-later
"""--anonymize: the copy decodes the same, and what was to go is gone."""

import os
import re
import shutil
import struct
import subprocess
import unittest

from test_secrets import PACKETS, PASSWORD
from tool import CAPTURES, RAW, SANITIZED, Capture, ToolTest, as_ipv6, udp

CLIENT, SERVER, QUAKE2, QUAKE = (1, 40000), (2, 27500), (2, 27910), (2, 26000)
OOB = b"\xff\xff\xff\xff"
QUAD = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)")

# Every game, fragments, streams, and texts with addresses.
COPIED = ["acknex-generated", "nq-control", "nq-darkplaces", "nq-fragments", "nq-fte", "q2-extended",
          "q2-gtv-plain", "q2-oob", "q2-q2pro", "q2-statistics", "qw-csqc", "qw-fte-inputs",
          "qw-lossy", "qw-oob", "qw-oob-newest", "qw-qtv", "qw-vanilla"]


def comparable(dump):
    """Lines without what may differ: the packets' numbers and addresses; each unit of a stream
    becomes a packet."""
    for line in dump.splitlines():
        if " packet.unit = " in line:
            continue
        line = line.split(" ", 1)[1]
        if QUAD.search(line):
            line = re.sub(r" \[[0-9a-f]+\]$", "", QUAD.sub("ADDRESS", line))
        yield line.split("=")[0] if re.search(r"\.fragment(\.data)? ", line) else line


class Anonymize(ToolTest):
    def copy(self, *inputs, options=(), status=0):
        """The copy's path, and what was printed."""
        output, error = self.tool("--force", "--anonymize", "copy.pcapng", *options, *inputs,
                                  status=status)
        return self.folder / "copy.pcapng", output, error

    def capture(self, packets, name="original.pcap"):
        return self.write(name, Capture(RAW, [(1000 * i, packet)
                                              for i, packet in enumerate(packets)]).pcap())

    def dump(self, path, *options):
        return self.tool("--dump", *options, path)[0]

    def test_decodes_the_same(self):
        for name in COPIED:
            with self.subTest(name):
                original = CAPTURES / f"{name}.pcap"
                copy, _, _ = self.copy(original, options=["--keep-undecoded"])
                self.assertEqual(list(comparable(self.dump(copy))),
                                 list(comparable(self.dump(original))))
                self.assertNotIn(b"127.0.0.1", copy.read_bytes())
                self.assertNotIn(bytes([127, 0, 0, 1]), copy.read_bytes())

    @unittest.skipUnless(shutil.which("tshark"), "tshark is missing")
    def test_checksums(self):
        for name in ("qw-vanilla", "q2-gtv-plain", "nq-control"):
            copy, _, _ = self.copy(CAPTURES / f"{name}.pcap")
            wrong = subprocess.run(["tshark", "-r", copy, "-T", "fields", "-e", "ip.checksum.status", "-e",
                                    "udp.checksum.status", "-e", "tcp.checksum.status", "-o",
                                    "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o",
                                    "tcp.check_checksum:TRUE"], stdout=subprocess.PIPE,
                                   env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
                                   check=True).stdout.decode().split()
            self.assertEqual(set(wrong), {"1"})

    def test_passwords(self):
        original = self.capture([udp(CLIENT, receiver, payload) for receiver, payload in PACKETS])
        copy, output, _ = self.copy(original)
        self.assertNotIn(PASSWORD, copy.read_bytes())
        self.assertRegex(output, r"passwords and user keys: 2, replaced: \d+")
        self.assertEqual(self.dump(copy).count("*****"), self.dump(original).count("*****"))
        shown = self.dump(copy, "--show-secrets")
        self.assertEqual(len(set(re.findall(r'rcon\.password = "(\w{7})"', shown))), 1)

    def test_addresses_are_the_same_everywhere(self):
        payload = OOB + b"nstatus of 10.0.0.2 and 100.64.100.1:27500, not 1.2.3.4.5 or 300.1.1.1\n"
        copy, output, _ = self.copy(self.capture([
            udp(SERVER, CLIENT, payload), udp(SERVER, CLIENT, payload)]))
        text, other = re.findall(r'oob\.print = "(.*)"', self.dump(copy))
        self.assertEqual(text, other)
        self.assertRegex(text, r"^status of 0\.0\.0\.\d\d? and 192\.0\.02\.003:27500, "
                               r"not 1\.2\.3\.4\.5 or 300\.1\.1\.1")
        self.assertIn("addresses: 3, replaced in messages: 4", output)
        ends = set(re.findall(r"packet\.(?:source|destination) = (\S+):", self.dump(copy)))
        self.assertEqual(len(ends), 2)
        self.assertTrue(all(end.startswith("192.0.2.") for end in ends), ends)

    def test_binary_addresses(self):
        master = OOB + b"d\n" + bytes([10, 0, 0, 7]) + struct.pack(">H", 27500)
        copy, _, _ = self.copy(self.capture([udp((2, 27000), CLIENT, master)]))
        self.assertRegex(self.dump(copy), r"server\.address = 192\.0\.2\.\d+")
        self.assertNotIn(bytes([10, 0, 0, 7]), copy.read_bytes())

    def test_many_addresses(self):
        texts = [b"n10.1.%d.%d" % (i // 256, i % 256) for i in range(1000)]
        copy, output, _ = self.copy(self.capture([udp(SERVER, CLIENT, OOB + text)
                                                  for text in texts]))
        self.assertIn("addresses: 1002, ", output)
        shown = re.findall(r'oob\.print = "(.*)"', self.dump(copy))
        self.assertEqual([len(text) for text in shown], [len(text) - 1 for text in texts])
        self.assertGreater(len(set(shown)), 800)

    def test_joined_fragments(self):
        """An address that the boundary of two fragments cuts."""
        message = b"\x08Your address is 100.100.100.123 " + b"x" * 20 + b"\0"
        first, second = message[:24], message[24:]
        packets = [udp(QUAKE, CLIENT, struct.pack(">II", 0x00010000 + 8 + len(first), 0) + first),
                   udp(CLIENT, QUAKE, struct.pack(">II", 0x00020008, 0)),
                   udp(QUAKE, CLIENT, struct.pack(">II", 0x00090000 + 8 + len(second), 1) + second)]
        original = self.capture(packets)
        copy, _, _ = self.copy(original)
        self.assertIn("100.100.100.123", self.dump(original))
        self.assertRegex(self.dump(copy), r'print\.text = "Your address is 192\.000\.002\.003 x')

    def test_undecoded(self):
        """Bytes behind an unknown message may say anything."""
        original = self.capture([
            udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0\x08\2a\0"),
            udp(SERVER, CLIENT, b"\2\0\0\0\0\0\0\0\x08\2a\0\xfeplanted \0")])
        copy, output, _ = self.copy(original)
        self.assertNotIn(b"planted", copy.read_bytes())
        self.assertIn("bytes that were not decoded replaced: 9", output)
        self.assertEqual(self.names_of_fields(self.dump(copy)), self.names_of_fields(self.dump(original)))
        copy, output, _ = self.copy(original, options=["--keep-undecoded"])
        self.assertIn(b"planted", copy.read_bytes())
        self.assertNotIn("not decoded", output)

    def test_passwords_of_mods(self):
        """Keys by pattern, in info strings and commands, also of an alias."""
        texts = [b'set sv_password planted0\n', b'set rcon_pw planted1\n', b'seta foo_token planted2\n',
                 b'alias x "rcon planted3 status"\n', b'set mod_admin_password "planted4"\n',
                 b'fullserverinfo "\\a\\b\\rcon_pw\\planted5\\my_password\\planted6"\n',
                 b'setinfo steam_token planted7\n', b'set pwd "planted8"\n', b'seta sv_passcode planted9\n',
                 b'fullserverinfo "\\apitoken\\planted10\\rconpw\\planted11\\pw1\\planted12"\n',
                 b'bind f5 "rcon planted13 map dm4"\n']
        packets = [udp(SERVER, CLIENT, struct.pack("<II", 1 + number, 0) + b"\x09" + text + b"\0")
                   for number, text in enumerate(texts)]
        copy, _, _ = self.copy(self.capture(packets))
        self.assertEqual(re.findall(rb"planted\d", copy.read_bytes()), [])
        macro = self.capture([udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0\x09cmd actoken $actoken\n\0")])
        self.assertIn(b"cmd actoken $actoken", self.copy(macro)[0].read_bytes())

    def test_lost_fragments(self):
        """A message of which the capture lacks a part is not decoded, and may say anything."""
        def sent(flags, sequence, content):
            return udp(QUAKE, CLIENT, struct.pack(">II", flags | len(content) + 8, sequence) + content)
        packets = [udp(CLIENT, QUAKE, b"\x80\0\0\x0c\x01QUAKE\0\x03"),
                   udp(QUAKE, CLIENT, b"\x80\0\0\x09\x81" + struct.pack("<I", 26000)),
                   sent(0x10000, 0, b"\x08planted0"), sent(0x90000, 2, b"planted1\0"),
                   sent(0x10000, 3, b"\x08kept "), sent(0x90000, 4, b"as it is\0"), sent(0x10000, 5, b"\x08planted2")]
        copy, output, _ = self.copy(self.capture(packets))
        copied = copy.read_bytes()
        self.assertEqual(re.findall(rb"planted\d|kept |as it is\0", copied), [b"kept ", b"as it is\0"])
        self.assertIn("bytes that were not decoded replaced: 27", output)
        copied = self.copy(self.capture(packets), options=["--keep-undecoded"])[0].read_bytes()
        self.assertEqual(len(re.findall(rb"planted\d", copied)), 3)

    def test_opaque_bytes(self):
        """Files, lists of a master server in binary form, and packets of another protocol."""
        master = b"getserversResponse\\" + bytes([93, 184, 216, 34, 1, 1]) + b"\\EOT\0\0\0"
        packets = [udp(CLIENT, SERVER, struct.pack("<IIH", 1, 0, 1) + b"\x07\x08\0\x32planted0"),
                   udp(SERVER, CLIENT, struct.pack("<II", 1, 0) + b"\x29\x08\0\x32planted1"),
                   udp(QUAKE, CLIENT, OOB + master), udp(CLIENT, SERVER, b"planted2")]
        original = self.capture(packets)
        copy, output, _ = self.copy(original)
        self.assertEqual(re.findall(rb"planted\d|\x5d\xb8\xd8\x22", copy.read_bytes()), [])
        self.assertIn("cannot be written anew left out: 1", output)
        copied = self.copy(original, options=["--keep-undecoded"])[0].read_bytes()
        self.assertEqual(re.findall(rb"planted\d", copied), [b"planted0", b"planted1", b"planted2"])

    def test_hosts_of_commands(self):
        """In aliases and bindings, too."""
        commands = [b"packet planted0:27500 x", b"alias y connect planted1", b'bind k "menu;join planted2"',
                    b"set qtv_host planted3", b"set hostname planted4", b"echo see planted5.xn--p1ai"]
        packets = [udp(SERVER, CLIENT, struct.pack("<II", 1 + number, 0) + b"\x09" + text + b"\n\0")
                   for number, text in enumerate(commands)]
        copy, _, _ = self.copy(self.capture(packets), options=["--replace-names"])
        self.assertEqual(re.findall(rb"planted\d", copy.read_bytes()), [])

    def test_hosts_and_people(self):
        keys = b"clan", b"owner", b"realname", b"clantag", b"email", b"admin"
        info = b"".join(b"\\%s\\planted%d" % (key, number) for number, key in enumerate(keys))
        packets = [udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0\x28\0\1\0\0\0" + info + b"\0"),
                   udp(SERVER, CLIENT, b"\2\0\0\0\0\0\0\0\x08\2play at quake.planted7.org or planted8.com now, "
                       b"not in maps/dm4.bsp, in 12.345 s\n\0"),
                   udp(SERVER, CLIENT, b"\3\0\0\0\0\0\0\0\x08\2hw 00:1b:63:84:45:e6 00-1B-63-84-45-E7\n\0")]
        copy, _, _ = self.copy(self.capture(packets), options=["--replace-names"])
        copied = copy.read_bytes()
        self.assertEqual(re.findall(rb"(?i)planted\d|63.84.45", copied), [])
        self.assertIn(b"maps/dm4.bsp, in 12.345 s", copied)
        self.assertIn(b"hw 00:00:5e:00:53:", copied)

    def test_doubled(self):
        """Twice as much of one thing takes twice as long, and little memory."""
        def capture(text):
            parts = [text[at:at + 1000] for at in range(0, len(text), 1000)]
            return self.capture([
                udp(QUAKE, CLIENT, struct.pack(">II", (0x00090000 if part is parts[-1] else 0x00010000) +
                                               8 + len(part), number) + part)
                for number, part in enumerate(parts)])
        for unit in (b"name\n", b"name abc\n", b"say x;", b'"a" ', b"\\name\\b", b"a.bc ", b"set a_pw ",
                     b"aaaaaaaa", b"1.2.3.4 ", b"//sn \"a\" "):
            for message in (b"\x09", b"\x08"):
                times = []
                for size in (16000, 32000):
                    path = capture(message + unit * (size // len(unit)) + b"\0")
                    _, memory, seconds = self.measure(
                        "--force", "--anonymize", "copy.pcapng", "--replace-names", "--replace-chat", path)
                    times.append(seconds)
                    if not SANITIZED:
                        self.assertLess(memory, 64, unit)
                self.assertLess(times[1], 3 * times[0] + 0.2, unit)

    def test_names_and_chat(self):
        packets = [
            udp(CLIENT, SERVER, OOB + b'connect 28 1 2 "\\name\\annabel\\rate\\2500"\n'),
            udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0\x08\x03annabel: meet me at 5\n\0"),
            udp(SERVER, CLIENT, b"\2\0\0\0\0\0\0\0\x08\x02annabel was shot\n\0"),
            udp(CLIENT, SERVER, b"\3\0\0\0\0\0\0\0\1\0\4say hello there\0"),
        ]
        original = self.capture(packets)
        copy, _, _ = self.copy(original)
        self.assertIn("annabel: meet me at 5", self.dump(copy))
        copy, output, _ = self.copy(original, options=["--replace-names"])
        self.assertNotIn(b"annabel", copy.read_bytes())
        self.assertRegex(self.dump(copy), r'"(\w{7}): meet me at 5(?s:.*)"\1 was shot')
        self.assertRegex(output, "names: 1, replaced: [34]")  # in the info string as a whole, too
        copy, output, _ = self.copy(original, options=["--replace-chat"])
        self.assertIn("annabel: xxxx xx xx x", self.dump(copy))
        self.assertIn("say xxxxx xxxxx", self.dump(copy))
        self.assertIn("lines of chat replaced: 2", output)

    def test_chat_of_quake(self):
        """It has no mark of its own where a server passes on what is told to one player."""
        def says(number, message):
            return udp(QUAKE, CLIENT, struct.pack(">II", 0x00100000 + 8 + len(message), number)
                       + message)
        packets = [
            udp(CLIENT, QUAKE, b"\x80\0\0\x0c\x01QUAKE\0\x03"),
            udp(QUAKE, CLIENT, b"\x80\0\0\x09\x81" + struct.pack("<I", 26000)),
            says(0, b"\x0d\0bob\0\x08\1bob: where are you\n\0"),
            says(1, b"\x08bob: behind the door\n\0\x08(bob): come here\n\0"),
            says(2, b"\x08door: locked\n\0"),
        ]
        copy, output, _ = self.copy(self.capture(packets), options=["--replace-chat"])
        dump = self.dump(copy)
        self.assertIn("bob: xxxxx xxx xxx", dump)
        self.assertIn("bob: xxxxxx xxx xxxx", dump)
        self.assertIn("(bob): xxxx xxxx", dump)
        self.assertIn("door: locked", dump)
        self.assertIn("lines of chat replaced: 3", output)

    def test_name_behind_its_use(self):
        """The same packet has it in a text first."""
        packets = [udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0\x08\x02annabel came\n\0"
                       b"\x28\0\1\0\0\0\\name\\annabel\0")]
        copy, _, _ = self.copy(self.capture(packets), options=["--replace-names"])
        self.assertNotIn(b"annabel", copy.read_bytes())

    def test_compressed(self):
        """What was replaced in compressed messages is compressed again, in fragments, too."""
        for name in ("q2-q2pro", "q2-extended", "q2-r1q2"):
            with self.subTest(name):
                original = CAPTURES / f"{name}.pcap"
                names = set(re.findall(r'\\\\name\\\\(\w{3,})', self.dump(original)))
                self.assertTrue(names)
                copy, output, _ = self.copy(original, options=["--replace-names", "--replace-chat"])
                self.assertNotIn("cannot be written", output)
                dump = self.dump(copy)
                for player in names:
                    self.assertNotRegex(dump, rf"\b{player}\b")
                self.assertEqual(self.names_of_fields(dump),
                                 self.names_of_fields(self.dump(original)))

    def names_of_fields(self, dump):
        """Of all lines: values and places may be others."""
        return [line.split()[2] for line in dump.splitlines()]

    def test_compressed_stream(self):
        """It is left out from its beginning to its end, behind a gap, too."""
        whole = Capture.read(CAPTURES / "fidelity/q2-gtv.pcap.gz")
        frames = [frame for i, frame in enumerate(whole.frames) if i != len(whole.frames) // 2]
        for name, kept in (("whole", whole.frames), ("gap", frames)):
            with self.subTest(name):
                copy, output, error = self.copy(
                    self.write("gap.pcap", Capture(whole.link_type, kept).pcap()))
                self.assertEqual(error.count("left out: the rest of this stream"), 1, error)
                self.assertIn("cannot be written anew left out: ", output)
                dump = self.dump(copy)
                self.assertIn("gtv.name", dump)
                self.assertNotIn("undecoded", dump)
                self.assertNotIn("gtv.deflated", dump)

    def test_name_known_later(self):
        """A packet before tells of somebody whose name comes only afterwards; a server's name, and
        names in the info strings of commands, are names, too."""
        packets = [udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0\x08\x02annabel came to hades\n\0"),
                   udp(SERVER, CLIENT, b"\2\0\0\0\0\0\0\0\x28\0\1\0\0\0\\name\\annabel\0"),
                   udp(SERVER, CLIENT, b'\3\0\0\0\0\0\0\0\x09fullserverinfo '
                       b'"\\maxclients\\8\\hostname\\hades"\n\0')]
        original = self.capture(packets)
        copy, output, _ = self.copy(original, options=["--replace-names"])
        self.assertNotIn(b"annabel", copy.read_bytes())
        self.assertNotIn(b"hades", copy.read_bytes())
        self.assertIn("names: 2, replaced: ", output)

    def test_names_in_other_forms(self):
        """As engines print them: in any case, with the colors of the font's upper half, of codes."""
        high = bytes(byte | 0x80 for byte in b"annabel")
        texts = [b"ANNABEL came", high + b" came", high[:3] + b"abel came", b"charlotte^7 came",
                 b"ann^x0f0ab&c00fel&r came",
                 b"gold\x92\x13 came", b"gold12 came"]
        packets = [udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0" + b"".join(
            b"\x28%c\1\0\0\0\\name\\%s\0" % (slot, name) for slot, name in enumerate(
                (b"annabel", b"^1char^2lotte", b"gold\x13\x14"))))]
        packets += [udp(SERVER, CLIENT, struct.pack("<II", 2 + number, 0) + b"\x08\2%s\n\0" % text)
                    for number, text in enumerate(texts)]
        copy, _, _ = self.copy(self.capture(packets), options=["--replace-names"])
        dump = self.dump(copy)
        for name in "annabel", "charlotte", "lotte", "gold1":
            self.assertNotIn(name, dump.lower())
        self.assertEqual(len(set(re.findall(r'print.text = "(\w{7}) came', dump))), 1)

    def test_planted(self):
        """What tells who somebody is, or lets others in."""
        client = [b"SAY my planted0", b"wait;say my planted1", b"setinfo _pw planted2",
                  b"cmd auth planted3", b"cmd say planted12", b"register planted13 planted14"]
        lists = [b'n\\*admin\\planted19\n1 5 3 25 "x" "skin" 4 4 "planted20"\n', b"info\nplanted21  dm4 1/8\n"]
        server = [b"\x33\1*auth\0planted4\0", b"\x33\1team\0planted5\0",
                  b"\x08\2mail planted6@example.org now\n\0",
                  b'\x09fullserverinfo "\\a\\b\\hostport\\planted7.example.org:27500"\n\0',
                  b"\x09connect planted8.example.org:27500\n\0",
                  b"\x09bf;connect planted15.example.org\n\0",
                  b"\x08\2http://planted16.example.org/x at planted17.example.org:80\n\0",
                  b"\x08\2" + bytes(c | 0x80 for c in b"planted18@example.org") + b"\n\0",
                  b"\x08\2[2001:470:1::77]:27001, 2001:470:1::78\n\0",
                  b"\x08\2" + bytes(c | 0x80 for c in b"93.184.216.34") + b" is 0x5DB8D822\n\0",
                  b'\x09//tinfo 1 1 1 1 1 1 1 "planted22" 3\n\0', b'\x09//qul 1 2 "planted23"\n\0',
                  b'\x09//finalscores "d" "m" "dm4" "planted24" 5 "planted25" 6\n\0',
                  b"\x28\1\1\0\0\0\\*auth\\planted9\\_pw\\planted10\\team\\planted11\0"]
        packets = [udp(CLIENT, SERVER, struct.pack("<IIH", 1 + number, 0, 1) + b"\4%s\0" % text)
                   for number, text in enumerate(client)]
        packets += [udp(SERVER, CLIENT, struct.pack("<II", 1 + number, 0) + message)
                    for number, message in enumerate(server)]
        packets += [udp(SERVER, CLIENT, OOB + lists[0]), udp(QUAKE2, CLIENT, OOB + lists[1])]
        original = self.capture(packets)
        self.assertEqual(len(set(re.findall(rb"planted\d+", original.read_bytes()))), 25)
        copy, _, _ = self.copy(original, options=["--replace-names", "--replace-chat"])
        plain = bytes(c & 0x7f for c in copy.read_bytes())
        self.assertEqual(re.findall(rb"planted\d+|2001:470|93\.184|(?i:5db8)", plain), [])
        self.assertEqual(self.names_of_fields(self.dump(copy)),
                         self.names_of_fields(self.dump(original)))

    def test_pipe(self):
        """It can be read only once: what may stand before it is known would be kept."""
        os.mkfifo(self.folder / "pipe")
        _, _, error = self.copy("pipe", status=2)
        self.assertIn("pipe: is read twice, and must be a file", error)
        self.assertFalse((self.folder / "copy.pcapng").exists())

    def test_default_names_stay(self):
        """They say nothing of anybody, and stand in names of files."""
        packets = [udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0\x28\0\1\0\0\0\\name\\player\0")]
        copy, _, _ = self.copy(self.capture(packets), options=["--replace-names"])
        self.assertIn(b"player", copy.read_bytes())

    def test_repeated(self):
        """A datagram that comes twice is decoded once, and replaced in twice."""
        says = udp(SERVER, CLIENT, b"\2\0\0\0\0\0\0\0\x08\x02bob fell at 100.100.100.123\n\0")
        packets = [udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0\x28\0\1\0\0\0\\name\\bob\0"), says, says]
        copy, _, _ = self.copy(self.capture(packets), options=["--replace-names"])
        self.assertNotIn(b"bob", copy.read_bytes())
        self.assertNotIn(b"100.100.100.123", copy.read_bytes())
        self.assertIn("sequence.duplicate", self.dump(copy))

    def test_texts_of_addresses(self):
        """They keep their length and are the replaced address; the broadcast address stays."""
        for host in ("10.0.0.2", "10.100.200.222", "10.0.0.22", "100.100.100.123"):
            with self.subTest(host):
                packet = bytearray(udp(SERVER, CLIENT, b"\1\0\0\0\0\0\0\0\x08\x02at " + host.encode() +
                                       b" 255.255.255.255 0.0.0.0\n\0"))
                packet[12:16] = bytes(int(part) for part in host.split("."))
                copy, _, _ = self.copy(self.capture([bytes(packet)]))
                copied = copy.read_bytes()
                text = re.search(rb"at ([0-9.]+) 255\.255\.255\.255 0\.0\.0\.0\n", copied)[1]
                self.assertEqual(len(text), len(host))
                if len(host) > 8:  # shorter ones stand in another network
                    source = re.search(rb"(?s)(....)....\x6b\x6c\x9c\x40", copied)[1]
                    self.assertEqual([int(part) for part in text.split(b".")], list(source))

    def test_ipv6(self):
        packets = [as_ipv6(udp(CLIENT, SERVER, OOB + b"status\n"))]
        copy, _, _ = self.copy(self.capture(packets))
        self.assertRegex(self.dump(copy), r"packet\.source = \[2001:db8::\d\]:40000")

    def test_several_inputs(self):
        copy, output, _ = self.copy(CAPTURES / "qw-oob.pcap", CAPTURES / "q2-oob.pcap", options=["--keep-undecoded"])
        self.assertIn("copy.pcapng: 117 packets", output)
        self.assertEqual(self.dump(copy).count("packet.protocol"), 117)

    def test_refused(self):
        _, _, error = self.copy(CAPTURES / "q2-limits1.dm2", status=2)
        self.assertIn("q2-limits1.dm2: is a demo; --anonymize takes captures", error)
        self.assertFalse((self.folder / "copy.pcapng").exists())
        self.tool("--anonymize", "-", CAPTURES / "qw-oob.pcap", status=2)
        self.write("there.pcapng", b"kept")
        self.tool("--anonymize", "there.pcapng", CAPTURES / "qw-oob.pcap", status=1)
        self.assertEqual((self.folder / "there.pcapng").read_bytes(), b"kept")
