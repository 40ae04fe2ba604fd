#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# engine.sh PCAP2DEMO SHARED: the job of pcap2demo/examples, with Debian's mvdsv and ezQuake: two runs teach what to
# expect, a third is as expected, and one with slower frames or another kind of coordinates is not. With Q2PRO=PROGRAM,
# beside q2proded and the game's library, the same of Quake II, where another protocol is not as expected.
set -u
# A client without processor time sends fewer packets: other tests run beside this one.
renice -n -15 $$ >/dev/null 2>&1
job=$(realpath "$(dirname "$0")/../../pcap2demo/examples/check-wire.sh")
export GAMEDATA=$2/gamedata/quake

for needed in /usr/games/mvdsv /usr/lib/quakeworld/ktx/qwprogs.so /usr/lib/games/ezquake/ezquake "$GAMEDATA"; do
    [ -e "$needed" ] || { echo "skipped: no $needed"; exit 77; }
done
for needed in Xvfb tcpdump; do
    command -v "$needed" >/dev/null || { echo "skipped: no $needed"; exit 77; }
done
tcpdump -i lo -c 1 -w /dev/null "udp port 9" >/dev/null 2>&1 &
sleep 1
kill $! 2>/dev/null || { echo "skipped: no right to capture"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 777 "$folder"
mkdir "$folder/bin"
ln -s "$(realpath "$1")" "$folder/bin/pcap2demo"
export PATH=$folder/bin:$PATH
cd "$folder" || exit 1
# A port that no other run of this test has.
export PORT=$((20000 + $$ % 10000))

# Two runs teach FILE.expect, and a third is as expected.
learn() {
    for run in one two; do
        UPDATE=1 "$job" "$1.expect" "$1-$run.pcap" || exit 1
    done
    "$job" "$1.expect" "$1-three.pcap" || exit 1
}

# A run with a changed setting is not as FILE.expect has it, and a message contains TEXT.
differs() {
    "$job" "$1.expect" "$1-changed.pcap" 2>errors && { echo "not noticed: $2"; exit 1; }
    cat errors
    grep -q "$2" errors || exit 1
}

learn wire
SERVER_CFG="sv_mintic 0.3" differs wire "s2c moves-per-second: "
SERVER_CFG="sv_bigcoords 1" differs wire "protocol extensions: FTE 0x8000 (floatcoords) more than expected"
grep -q "<failure message=\"protocol extensions: FTE" report.xml || exit 1

[ -x "${Q2PRO:-}" ] || { echo "skipped: Quake II: no Q2PRO"; exit 0; }
mkdir -p data/baseq2 lib/baseq2
cp -rs "$2"/gamedata/quake2/baseq2/* data/baseq2
cp "$(dirname "$Q2PRO")"/game*.so lib/baseq2
printf '#!/bin/sh\nexec %s +set libdir %s "$@"\n' "${Q2PRO}ded" "$folder/lib" >server
chmod +x server
export GAME=quake2 GAMEDATA=$folder/data SERVER=$folder/server CLIENT=$Q2PRO MAP=lab1
learn q2
CLIENT_CFG="set cl_protocol 35" differs q2 "protocol versions: 35 (1905), expected 36 (1026)"
