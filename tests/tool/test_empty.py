# SPDX-License-Identifier: GPL-2.0-or-later
"""Results with nothing in them: that is reported, and the exit status tells it."""


from tool import ACKNEX, CAPTURES, ToolTest


class Empty(ToolTest):
    def test_filter(self):
        for action in ("--list", "--dump", "--check", "--stats", "-q"):
            _, error = self.tool(action, "--filter", "tcp", ACKNEX, status=1)
            self.assertEqual(error, 'pcap2demo: filter "tcp" matches none of 25 packets\n')
        self.tool("--list", "--filter", "udp", ACKNEX)
        # One capture of several is enough.
        self.tool("--list", "--filter", "tcp", ACKNEX, CAPTURES / "qw-qtv.pcap")

    def test_session(self):
        for action in ("--list", "--dump", "--check", "--stats"):
            _, error = self.tool(action, "-s", "2-3", ACKNEX, status=1)
            self.assertEqual(error, "pcap2demo: no session 2: the input has 1 session\n")
        self.tool("--list", "-s", "1-5", ACKNEX)

    def test_files(self):
        output, error = self.tool("--extract-files", "out", ACKNEX, status=1)
        self.assertEqual((output, error), ("", "pcap2demo: no server sent a file\n"))

    def test_goldens(self):
        for name in ("a", "b", "c"):
            self.write(f"{name}.pcap", ACKNEX.read_bytes())
        self.tool("-q", "--golden", "goldens", "--update", "a.pcap", "b.pcap", "c.pcap")
        (self.folder / "c.pcap").unlink()
        stray = "pcap2demo: goldens/c.golden: no input has this golden\n"
        # A folder is all that is in it; of files that are named there may be more.
        self.assertEqual(self.tool("-q", "--golden", "goldens", ".", status=1)[1], stray)
        self.assertEqual(self.tool("-q", "--golden", "goldens", "a.pcap", "b.pcap")[1], stray)
        self.assertEqual(self.tool("-q", "--golden", "goldens", "a.pcap")[1], "")
