#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check-wire.sh FILE.expect [CAPTURE.pcap]: starts a QuakeWorld server and a client without a screen, records what they
# send on loopback, and checks that it is as FILE.expect expects; status 1: it is not. The capture and report.xml
# are kept. UPDATE=1 widens FILE.expect instead: run it two or three times to begin with.
#
# Debian packages: mvdsv ktx ezquake xvfb libgl1-mesa-dri tcpdump pcap2demo. These variables replace them by your own
# build, and say how they run:
set -euo pipefail
: "${SERVER=/usr/games/mvdsv}" "${PROGS=/usr/lib/quakeworld/ktx/qwprogs.so}"
: "${CLIENT=/usr/lib/games/ezquake/ezquake}"
: "${GAMEDATA=gamedata/quake}" # has id1/, with the map and its models: Quake's or LibreQuake's
: "${MAP=dm4}" "${SERVER_CFG=}" "${CLIENT_CFG=}" "${PLAY=15}" "${PORT=27599}"
expect=$1
capture=${2:-wire.pcap}

for file in "$SERVER" "$PROGS" "$CLIENT" "$GAMEDATA/id1"; do
    [ -e "$file" ] || { echo "$0: $file does not exist (see SERVER, PROGS, CLIENT and GAMEDATA in this script)" >&2 && exit 2; }
done
SERVER=$(realpath -s "$SERVER") CLIENT=$(realpath -s "$CLIENT") # they run in other folders

work=$(mktemp -d)
started=()
stop() {
    kill "${started[@]}" 2>/dev/null || true
    sleep 2
    kill -KILL "${started[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT

# Waits for a line in a file, as many seconds, while all that was started runs.
wait_for() {
    for _ in $(seq "$3"0); do
        ! grep -aqs "$1" "$2" || return 0
        for pid in "${started[@]}"; do
            kill -0 "$pid" 2>/dev/null || break 2
        done
        sleep 0.1
    done
    echo "no \"$1\" in $3 seconds, or a program ended before; the last lines of $2:" >&2
    tail -n 20 "$2" >&2
    exit 2
}

for side in server client; do
    mkdir -p "$work/$side/id1" "$work/$side/qw" "$work/$side/ktx" "$work/$side/ezquake"
    ln -s "$(realpath "$GAMEDATA")"/id1/* "$work/$side/id1"
done
ln -s "$(realpath "$PROGS")" "$work/server/ktx/qwprogs.so"
mkdir -p "$work/server/ktx/configs/usermodes/ffa"
echo "deathmatch 4" >"$work/server/ktx/configs/usermodes/ffa/default.cfg" # all weapons from the beginning
printf '%s\n' "sv_progtype 1" "set k_matchless 1" "$SERVER_CFG" "map $MAP" >"$work/server/ktx/wire.cfg"
# It runs, turns and throws grenades, so that something moves all the time, by the server's own frames. 30 frames a
# second are little for any runner.
printf '%s\n' "name wire" "rate 25000" "cl_maxfps 30" "sys_yieldcpu 1" "r_norefresh 1" "cl_startupdemo \"\"" "$CLIENT_CFG" \
    "alias w9 \"wait;wait;wait;wait;wait;wait;wait;wait;wait\"" "alias throw \"-attack;impulse 6;w9;+attack;w9;w9;throw\"" \
    "+forward" "+left" "connect 127.0.0.1:$PORT" "throw" >"$work/client/qw/wire.cfg"

capturing=(tcpdump -i lo -U -w "$capture" "udp port $PORT")
[ "$(id -u)" = 0 ] || tcpdump -i lo -c 0 2>/dev/null || capturing=(sudo -n "${capturing[@]}")
"${capturing[@]}" 2>"$work/tcpdump.log" &
tcpdump=$!
started+=("$tcpdump")
wait_for "listening on" "$work/tcpdump.log" 10

(cd "$work/server" && exec "$SERVER" -port "$PORT" -game ktx +exec wire.cfg) >"$work/server.log" 2>&1 </dev/null &
started+=($!)
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 320x240x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
started+=($!)
read -rt 30 display <"$work/display"

(
    cd "$work/client"
    export DISPLAY=:$display HOME=$work SDL_VIDEODRIVER=x11 LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_NOOP=1
    exec "$CLIENT" -basedir . -nosound -startwindowed -width 64 -height 48 -allowmultiple +exec wire.cfg
) >"$work/client.log" 2>&1 &
started+=($!)
# On a busy runner the client would send fewer packets. Only root can do that.
renice -n -15 -p "${started[@]}" >/dev/null 2>&1 || true
wait_for "wire entered the game" "$work/server.log" 60
sleep "$PLAY"
sleep 1
kill "$tcpdump"
wait "$tcpdump" || true

if [ -n "${UPDATE:-}" ]; then
    pcap2demo --check --expect "$expect" --update "$capture"
else
    pcap2demo --check --expect "$expect" --junit report.xml "$capture"
fi
