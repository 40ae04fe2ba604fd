# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of --report, the figures of --stats --json that it draws, and progress.

Chromium looks at the page where it is installed. AXE names the file axe.min.js of axe-core, which then looks for
errors of accessibility: AXE=node_modules/axe-core/axe.min.js ctest -R tool.report
"""

import html.parser
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import unittest

from demos import dem_block, dem_demo, mvd2_demo
from test_match import END, MatchTest, frags, mvd, userinfo
from test_terminal import Terminal
from tool import CAPTURES, Capture, SANITIZED, SOURCE

LINES = CAPTURES / "lines"
HOSTILE = ['<script>alert(1)</script>', '"><img src=http://127.0.0.1:1/x onerror=alert(2)>', "it's & <b>", "</title>"]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def chat(text):
    return b"\x08\x03" + text.encode("latin-1") + b"\n\0"


def position(slot, x, y):
    """In an MVD."""
    return struct.pack("<BBHB3h", 42, slot, 7, 0, x * 8, y * 8, 0)


def points(count, text=""):
    """Blocks in which anna writes, and is at another place."""
    return [userinfo(0, 1, name="anna"), *(chat(f"anna: {i}{text}") + position(0, i * 7919 % 4000, i * 104729 % 4000)
                                           for i in range(count))]


class Numbers(MatchTest):
    def test_series_add_up_to_the_figures_of_the_session(self):
        """No bin has more packets than were captured. QuakeWorld's client does not count the loss of the sign-on."""
        for name, first in (("qw-g-server.pcap.gz", 320), ("q2-c-client.pcap.gz", 0), ("nq-b-server.pcap.gz", 0)):
            for session in self.report("--stats", LINES / name)["sessions"]:
                series = session["series"]
                self.assertLessEqual(len(series["ping"]), 120)
                self.assertGreaterEqual(len(series["ping"]) * series["seconds"], session["duration"])
                for direction in ("c2s", "s2c"):
                    bins, whole = series[direction], session["line"][direction]
                    self.assertLessEqual(sum(bins["packets"]), whole["packets"])
                    known = [(loss, packets) for i, (loss, packets) in enumerate(zip(bins["loss"], bins["packets"]))
                             if loss is not None and sum(bins["packets"][:i]) >= first]
                    if whole["loss"] is None:
                        self.assertEqual(known, [])
                        continue
                    lost = sum(packets * loss / (100 - loss) for loss, packets in known)
                    mean = 100 * lost / (lost + sum(packets for _, packets in known))
                    self.assertAlmostEqual(mean, whole["loss"], delta=.7, msg=(name, direction))
                    if whole["loss"] == 0:
                        self.assertEqual(set(bins["loss"]) - {None}, {0})

                low, high = ([each for each in series[name] if each is not None] for name in ("ping", "ping_p95"))
                self.assertTrue(all(most >= each for each, most in zip(low, high)))
                self.assertGreater(sum(high), sum(low))

    def test_series_of_ten_minutes(self):
        """Each bin has the packets of its time, also after two became one."""
        frames = Capture.read(CAPTURES / "qw-sample.pcap").frames
        start = frames[0][0]
        path = self.write_capture("x.pcap", [(start + 40 * (time - start), frame) for time, frame in frames])
        series = self.report("--stats", path)["sessions"][0]["series"]
        self.assertEqual((series["seconds"], {*series["c2s"]["loss"]}), (8, {None}))  # too few packets each
        sent = [packet["time"] - start / 1e6 for packet in self.dump(path) if packet["direction"] == "s2c"]
        ahead = [sum(time < 8 * number for time in sent) - sum(series["s2c"]["packets"][:number]) for number in range(75)]
        self.assertLess(abs(statistics.mean(ahead[10:60]) - statistics.mean(ahead[60:])), 2, ahead)

    def test_chat_has_its_player(self):
        """A line that the server sends to each player counts once."""
        session = self.session("x.mvd", mvd(
            userinfo(0, 1, name="anna") + userinfo(1, 2, name="a: b"), chat("anna: hello") * 2, chat("anna: hello"),
            chat("(anna): team"), chat("a: b: c"), chat("who: me"), b"\x08\x02anna: no chat\n\0"))
        self.assertEqual([(each["player"], each["text"]) for each in session["chat"]],
                         [("anna", "anna: hello"), ("anna", "anna: hello"), ("anna", "(anna): team"), ("a: b", "a: b: c"),
                          (None, "who: me")])

    def test_chat_of_quake_begins_with_a_mark(self):
        demo = dem_demo()[:-1] + [dem_block(b"\x0d\0anna\0\x08\1anna: hello\n\0\x08anna: no chat\n\0")]
        session = self.session("x.dem", b"".join(demo))
        self.assertEqual([(each["player"], each["text"]) for each in session["chat"]], [("anna", "anna: hello")])

    def test_way_of_a_player(self):
        """No point twice; null for a jump."""
        steps = [position(0, x, 0) for x in (0, 1, 40, 80, 1000, 1040)]
        way, = self.session("x.mvd", mvd(userinfo(0, 1, name="anna"), *steps))["ways"]
        self.assertEqual((way["player"], way["x"]), ("anna", [0, 40, 80, None, 1000, 1040]))
        self.assertEqual([len(way["time"]), len(way["y"])], 2 * [len(way["x"])])

    def test_steps_of_extended_limits_2_are_no_positions(self):
        for minor, flags, count in ((2010, 0, 1), (2013, 12, 0)):
            self.assertEqual(len(self.session("x.mvd2", b"".join(mvd2_demo(minor, flags)))["ways"]), count)

    def test_limits(self):
        pause = [position(0, 0, 0), *25 * [b"\x01"], *(position(0, x, 0) for x in range(0, 2000, 190))]
        session = self.session("x.mvd", mvd(userinfo(0, 1, name="anna"), *pause, *points(5000)))
        self.assertEqual((len(session["chat"]), session["chat_left_out"]), (500, 4500))
        self.assertLessEqual(len(session["ways"][0]["x"]), 2 * 4096)
        self.assertEqual(session["ways"][0]["x"][:2], [0, None])  # the pause


class Page(MatchTest):
    def page(self, *inputs):
        self.tool("--force", "--report", "x.html", *inputs)
        return (self.folder / "x.html").read_text(encoding="utf-8")

    def hostile(self):
        players = b"".join(userinfo(i, i + 1, name=name, team=name) for i, name in enumerate(HOSTILE))
        return self.write("hostile.mvd", mvd(players, *(chat(f"{name}: {name}") for name in HOSTILE),
                                             *(frags(i, 9) + position(i, i * 200, 9) + position(i, i * 200, 99)
                                               for i in range(len(HOSTILE))), map_name="<svg/onload=alert(3)>"))

    def test_names_and_chat_become_no_elements_and_no_attributes(self):
        tags, reader = [], html.parser.HTMLParser()
        reader.handle_starttag = lambda tag, attributes: tags.append((tag, dict(attributes)))
        text = self.page(self.hostile(), CAPTURES / "qw-sample.pcap")
        reader.feed(text)
        self.assertIn("&lt;script&gt;alert(1)", text)
        self.assertEqual([tag for tag, _ in tags].count("script"), 1)
        self.assertNotIn("img", [tag for tag, _ in tags])
        for _, attributes in tags:
            self.assertFalse([name for name in attributes if name.startswith("on") or name == "src"])
            self.assertRegex(attributes.get("href", "#s1"), "^#s[0-9]+$")
        self.assertNotRegex(text, r"url\(|@import|https?://(?!127\.0\.0\.1:1/x)")

    def test_level_has_scores_without_spectators_and_ways_with_the_north_above(self):
        """A line of scores for each player; ways as wide as high; few round times below."""
        players = userinfo(0, 1, name="anna") + userinfo(1, 2, name="bert") + userinfo(2, 3, name="carla", **{"*spectator": "1"})
        text = self.page(self.write("x.mvd", mvd(players + frags(2, 0), frags(0, 1), frags(0, 2), *(
            position(0, x, 4 * x) for x in range(0, 101, 20)))))
        self.assertEqual(len(re.findall(r"<path class=p[0-9]+ d=.M0 0H", text)), 2)
        self.assertEqual(re.findall("<li><b class=p[0-9]+></b> ([^<\n]*)", text), ["anna 2", "bert 0"])
        self.assertRegex(text, "viewBox=.-20 -420 140 440.><path class=p0 d=.M0 -?0l0 0 20 -80 20 -80 ")
        for row in re.findall("<div class=ticks>(.*)", self.page(*LINES.glob("*.gz")))[1:]:
            self.assertIn(row.count("<span"), range(2, 11))
            self.assertEqual({int(seconds) % 5 for seconds in re.findall(r">[0-9:]*:([0-9]{2})<", row)}, {0}, row)

    def drawn(self, path, bins):
        """The values of a step line for the bins; None for a gap."""
        values, at, y = [None] * bins, 0, None
        for command, numbers in re.findall("([MHV])([-0-9.e ]+)", path):
            x = int(numbers.split()[0]) if command != "V" else at
            if command == "H":
                values[at:x] = [y] * (x - at)
            else:
                y = -float(numbers.split()[-1])
            at = x
        return values

    def test_table_and_plots_have_the_figures_of_stats(self):
        inputs = sorted(LINES.glob("*.gz"))
        sessions = self.report("--stats", *inputs)["sessions"]
        text = self.page(*inputs)
        rows = [re.findall("<t[dh][^>]*>([^<\n]*)", row) for row in text.split("<tr>")[2:]]

        def shown(value):
            loss, limit = value["loss"], value["loss_at_most"]
            return f"{loss:.1f}" if loss is not None else f"≤{limit:.1f}" if limit is not None else "–"

        self.assertEqual(len(rows), len(sessions))
        values = 0
        for row, session in zip(rows, sessions):
            line, series = session["line"], session["series"]
            self.assertEqual(row[1], session["player"])
            self.assertEqual(row[6], "–" if line["ping"] is None else f"{line['ping']:.0f}")
            self.assertEqual(row[7:9], [shown(line["c2s"]), shown(line["s2c"])])
            section = text.split(f"<section class=session id=s{session['number']} ")[1].split("<section")[0]
            paths = re.findall('<path class=([a-z0-9]+) d="([^"]*)"', section)
            expected = [("p95", series["ping_p95"]), ("ping", series["ping"])]
            for direction in ("c2s", "s2c"):
                expected += [("loss", series[direction]["loss"]), ("limited", series[direction]["loss_at_most"])]
            if any(series["choke"]):
                expected += [("loss", series["choke"]), ("limited", [None] * len(series["choke"]))]
            self.assertEqual([name for name, _ in paths], [name for name, _ in expected])
            for (_, path), (name, bins) in zip(paths, expected):
                for drawn, value in zip(self.drawn(path, len(bins)), bins):
                    self.assertEqual(drawn is None, value is None, (name, path, bins))
                    self.assertAlmostEqual(drawn or 0, value or 0, delta=1e-3 + 1e-5 * (value or 0))
                values += sum(1 for value in bins if value is not None)
        self.assertGreater(values, 200)

    def test_page_of_an_anonymized_capture_has_no_name(self):
        capture = LINES / "qw-g-server.pcap.gz"
        self.assertRegex(self.page(capture), "anna|bert")
        self.tool("--anonymize", "a.pcap", "--replace-names", "--replace-chat", capture)
        self.assertNotRegex(self.page("a.pcap"), "(?i)anna|bert")

    def test_levels_and_chat_that_are_left_out(self):
        """Of 33 levels the last 32 are kept, and the first 500 lines."""
        levels = [mvd(userinfo(0, 1, name="anna"), *(chat(f"anna: {i}.{line}") for line in range(20)), map_name=f"lev{i}")
                  for i in range(33)]
        text = self.page(self.write("x.mvd", b"".join(level[:-len(END)] for level in levels) + END))
        self.assertIn("<h3>lev1 <small>from 0:02<", text)
        self.assertNotIn("anna: 0.9", text)
        self.assertIn("and 160 more lines of chat", text)

    def test_size(self):
        data = b"".join(5 * [mvd(*points(10 if SANITIZED else 100, 180 * "<"))[:-len(END)]]) + END
        self.assertLess(len(self.page(*[self.write(f"{i}.mvd", data) for i in range(100)])), 1_000_000)

    def test_existing_file_stays_and_without_a_session_there_is_none(self):
        self.write("x.html", b"mine")
        self.tool("--report", "x.html", CAPTURES / "qw-sample.pcap", status=1)
        self.assertEqual(self.contents("x.html"), b"mine")
        self.tool("--report", "y.html", CAPTURES / "nq-control.pcap", "--filter", "port 1", status=1)
        self.assertFalse((self.folder / "y.html").exists())

    # A script that checks the page, and sends the results to the frame.
    CHECKS = """addEventListener('load', async () => {
      const wide = [...document.querySelectorAll('body, body *')].filter(e => !e.closest('svg, script') &&
        !getComputedStyle(e).display.startsWith('inline') && getComputedStyle(e).overflowX !== 'auto' &&
        e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML.slice(0, 200));
      const result = {width: innerWidth, wide, dark: matchMedia('(prefers-color-scheme: dark)').matches,
        page: document.documentElement.scrollWidth, requests: performance.getEntriesByType('resource').map(e => e.name),
        axe: window.axe ? (await axe.run()).violations.map(each => [each.id, each.nodes.map(node => node.html)]) : []};
      document.querySelector('th:nth-child(9) button').click();
      result.sorted = [...document.querySelectorAll('td:nth-child(9)')].map(cell => cell.dataset.key);
      parent.postMessage(JSON.stringify(result), '*');
    });"""
    # Chromium's windows have at least 500 pixels; frames may be narrower.
    FRAME = """<!DOCTYPE html><pre id=result></pre><iframe src=looked.html style="width:%dpx;height:900px;border:0"></iframe>
      <script>onmessage = event => { document.querySelector('pre').textContent = event.data; };</script>"""

    def look(self, page, width, dark):
        """The results of the checks, and the messages of Chromium's console."""
        self.write("looked.html", page.encode())
        self.write("frame.html", (self.FRAME % width).encode())
        done = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             f"--user-data-dir={self.folder}/browser", "--enable-logging=stderr", "--virtual-time-budget=30000",
             f"--window-size={width + 50},1000", "--proxy-server=127.0.0.1:1",
             f"--blink-settings=preferredColorScheme={int(not dark)}", "--dump-dom", str(self.folder / "frame.html")],
            capture_output=True, timeout=120, check=False)
        found = re.search('<pre id="result">(.+?)</pre>', done.stdout.decode(), re.S)
        self.assertIsNotNone(found, done.stderr.decode()[-2000:])
        result = json.loads(html.unescape(found[1]))
        return result, [line for line in done.stderr.decode(errors="replace").splitlines() if ":CONSOLE" in line]

    @unittest.skipUnless(BROWSER, "no Chromium is installed")
    def test_page_in_a_browser(self):
        """No error, nothing that overflows, no request, and no error of accessibility."""
        axe = os.environ.get("AXE")
        script = (SOURCE / axe).read_text(encoding="utf-8") if axe else ""
        if not axe:
            print("accessibility is not tested: AXE names no axe.min.js", flush=True)
        page = self.page(self.hostile(), *sorted(LINES.glob("*.gz")), CAPTURES / "qw-lossy.pcap", CAPTURES / "nq-protocol15.pcap")
        page = page.replace("</body>", f"<script>{script}</script><script>{self.CHECKS}</script></body>")
        for width, dark in ((1280, False), (400, True)):
            result, messages = self.look(page, width, dark)
            self.assertEqual((result["width"], result["dark"]), (width, dark))
            self.assertEqual((messages, result["wide"], result["requests"], result["axe"]), ([], [], [], []))
            self.assertLessEqual(result["page"], width)
            self.assertEqual(result["sorted"], sorted(result["sorted"], key=float))


class Progress(Terminal):
    def run_slowly(self, run, *arguments, **options):
        """Runs the program with an input that takes longer than a second, and ends within a packet."""
        script = 'head -c 20000 "$0"; sleep 2; tail -c +20001 "$0" | head -c -1'
        with subprocess.Popen(["sh", "-c", script, CAPTURES / "qw-sample.pcap"], stdout=subprocess.PIPE) as slow:
            return run("--list", *arguments, "-", stdin=slow.stdout, **options)

    def test_progress_after_a_second_on_a_terminal_or_on_request(self):
        message = r"(\x1b[^p]*)?pcap2demo:\S* standard input: packet \d+: [^\r\n]*\r?\n$"
        progress = r"^\r[0-9.]+ MB  [0-9.]+ MB/s[^\n]*\r +\r" + message
        for options, expected in ((), f"^{message}"), (["--progress=never"], f"^{message}"), (["--progress=always"], progress):
            self.assertRegex(self.run_slowly(self.tool, *options, status=1)[1], expected)
        self.assertRegex(self.run_slowly(self.run_on_terminal, stream="stderr"), progress)
        self.assertEqual(self.run_on_terminal("--list", CAPTURES / "qw-sample.pcap", stream="stderr"), "")
