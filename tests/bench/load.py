# SPDX-License-Identifier: GPL-2.0-or-later
"""What recording costs, beside tcpdump and dumpcap alone: packets that were dropped, processor time, memory, open
files, how far the reader falls behind, and how soon it ends.

    load.py PCAP2DEMO|tcpdump|dumpcap SENDER CAPTURE SERVERS PLAYERS RATE SECONDS [FLOOD [OPTION...]]

SERVERS of PLAYERS send RATE packets a second each, for SECONDS, over a pair of virtual interfaces in a network of the
script's own; beside them FLOOD spoofed ones: see sender.c. Needs to be root. The folder is in $TMPDIR.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERTZ = os.sysconf("SC_CLK_TCK")
FILTER = "udp"


def run(*command):
    subprocess.run(command, check=True)


def family(pid):
    """The process and those that it started."""
    pids = [pid]
    for pid in pids:
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            pids += map(int, task.read_text().split())
    return pids


def usage(pid):
    """(name, seconds of the processor, MiB, open files)"""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)
    ticks = sum(map(int, fields[1].split()[11:13]))
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    memory = re.search(r"VmHWM:\s+(\d+)", status)
    return (fields[0].split("(")[1], ticks / HERTZ, int(memory[1]) // 1024 if memory else 0,
            len(os.listdir(f"/proc/{pid}/fd")))


def watch(process, status, stop, lags, samples):
    while not stop.wait(1):
        try:
            report = json.loads(status.read_text())
            if report["ring_until"]:
                age = time.time() - status.stat().st_mtime
                lags.append(time.time() - age - report["ring_until"])
            samples.append(usage(process.pid)[2:])
        except (FileNotFoundError, ValueError, KeyError):
            pass


def main():
    program, sender, *numbers = sys.argv[1:]
    load, options = numbers[:6], numbers[6:]
    run("ip", "link", "add", "left", "type", "veth", "peer", "name", "right")
    for name in ("left", "right"):
        run("ip", "link", "set", name, "up")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        folder = pathlib.Path(folder)
        if program == "tcpdump":
            command = ["tcpdump", "-i", "right", "-n", "-U", "-s", "0", "-B", "65536", "-C", "64", "-W", "16", "-Z", "root",
                       "-w", str(folder / "all.pcap"), FILTER]
        elif program == "dumpcap":
            command = ["dumpcap", "-q", "-i", "right", "-B", "64", "-b", "filesize:64000", "-b", "files:16", "-f", FILTER,
                       "-w", str(folder / "all.pcapng")]
        else:
            os.environ.setdefault("SUDO_UID", "65534")
            command = [program, "-i", "right", "-o", str(folder / "demos"), "--min-free", "1M", *options]
        log = (folder / "log").open("w+")
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        time.sleep(2)
        lags, samples, stop = [], [], threading.Event()
        watcher = threading.Thread(target=watch, args=(process, folder / "demos/pcap2demo-status.json", stop, lags, samples))
        watcher.start()
        run(sender, "left", *load)
        stop.set()
        watcher.join()
        time.sleep(8)
        for pid in family(process.pid):
            print("%s: %.2f s of the processor, at most %d MiB, %d files" % usage(pid))
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait()
        print(f"ended within {time.monotonic() - begun:.2f} s")
        if lags:
            print(f"behind at most {max(lags):.1f} s, in the middle {sorted(lags)[len(lags) // 2]:.1f} s, of which 2 s are its patience")
        if samples:
            shown = samples[::max(len(samples) // 8, 1)]
            print("MiB and files over time:", ", ".join("%d %d" % sample for sample in shown))
        log.seek(0)
        lines = log.read().splitlines()
        print("\n".join(line for line in lines if "dropped" in line or "stopped" in line))


if "LOAD_INSIDE" not in os.environ:
    os.environ["LOAD_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])
main()
