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

UPDATE=1 "$job" wire.expect one.pcap || exit 1
UPDATE=1 "$job" wire.expect two.pcap || exit 1
"$job" wire.expect three.pcap || exit 1
if SERVER_CFG="sv_mintic 0.1" "$job" wire.expect four.pcap 2>errors; then
    echo "sv_mintic was not noticed"
    exit 1
fi
cat errors
grep -q "s2c moves-per-second: " errors || exit 1
if SERVER_CFG="sv_bigcoords 1" "$job" wire.expect five.pcap 2>errors; then
    echo "sv_bigcoords was not noticed"
    exit 1
fi
cat errors
grep -q "protocol extensions: FTE 0x8000 (floatcoords) more than expected" errors &&
    grep -q "<failure message=\"protocol extensions: FTE" report.xml || exit 1

[ -x "${Q2PRO:-}" ] || exit 0
mkdir -p data/baseq2 lib/baseq2
cp -rs "$2"/gamedata/quake2/baseq2/* data/baseq2
cp "$(dirname "$Q2PRO")"/game*.so lib/baseq2
printf '#!/bin/sh\nexec %s +set libdir %s "$@"\n' "${Q2PRO}ded" "$folder/lib" >server
chmod +x server
export GAME=quake2 GAMEDATA=$folder/data SERVER=$folder/server CLIENT=$Q2PRO MAP=lab1
UPDATE=1 "$job" q2.expect q2-one.pcap || exit 1
UPDATE=1 "$job" q2.expect q2-two.pcap || exit 1
"$job" q2.expect q2-three.pcap || exit 1
if CLIENT_CFG="set cl_protocol 35" "$job" q2.expect q2-four.pcap 2>errors; then
    echo "cl_protocol was not noticed"
    exit 1
fi
cat errors
grep -q "protocol versions: 35 (1905), expected 36 (1026)" errors
