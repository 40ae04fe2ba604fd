#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check-wire.sh [FILE.expect [CAPTURE.pcap]]: starts a server and a client without a screen, records what they send on
# loopback, and checks that it is as FILE.expect (wire.expect) expects; status 1: it is not. The capture (wire.pcap) and
# report.xml are kept. The first run writes FILE.expect; UPDATE=1 widens it: do that once or twice to begin with.
#
# GAME is quakeworld, quake or quake2. Debian packages: xvfb libgl1-mesa-dri tcpdump pcap2demo, and for the game mvdsv
# ktx ezquake, or quakespasm, or yamagi-quake2 (contrib). GAMEDATA is the folder of Quake, LibreQuake or Quake II with
# at least the files of the map. Set these variables for your own build (Q2PRO works, too), port and map:
set -euo pipefail
case ${GAME:=quakeworld} in
quakeworld)
    : "${SERVER=/usr/games/mvdsv}" "${CLIENT=/usr/lib/games/ezquake/ezquake}" "${PORT=27599}" "${MAP=dm4}"
    : "${GAMEDATA=gamedata/quake}" "${PROGS=/usr/lib/quakeworld/ktx/qwprogs.so}" # the folder that has id1/
    ;;
quake)
    : "${SERVER=/usr/games/quakespasm}" "${CLIENT=/usr/games/quakespasm}" "${PORT=26099}" "${MAP=dm4}"
    : "${GAMEDATA=gamedata/quake}" "${PROGS=$GAMEDATA/id1}"
    ;;
quake2)
    : "${SERVER=/usr/lib/yamagi-quake2/q2ded}" "${CLIENT=/usr/lib/yamagi-quake2/quake2}" "${PORT=27999}" "${MAP=q2dm1}"
    : "${GAMEDATA=gamedata/quake2}" "${PROGS=$GAMEDATA/baseq2}" # the folder that has baseq2/
    ;;
*) echo "$0: GAME is quakeworld, quake or quake2" >&2 && exit 2 ;;
esac
: "${SERVER_CFG=}" "${CLIENT_CFG=}" "${PLAY=15}"
expect=${1:-wire.expect}
capture=${2:-wire.pcap}
case $expect in -*) sed -n '3,/^set/p' "$0" | sed 's/^# \?//;$d' && exit 2 ;; esac

[ "$GAME" != quake ] || [ -e "$PROGS/progs.dat" ] || [ -e "$PROGS/pak0.pak" ] || [ -e "$PROGS/PAK0.PAK" ] ||
    { echo "$0: $PROGS has no progs.dat, the game's rules: Quake and LibreQuake have it in pak0.pak" >&2 && exit 2; }
for file in "$SERVER" "$CLIENT" "$GAMEDATA" "$PROGS"; do
    [ -e "$file" ] || { echo "$0: $file does not exist: set SERVER, CLIENT, GAMEDATA or PROGS (GAME is $GAME)" >&2 && exit 2; }
done
for tool in tcpdump Xvfb pcap2demo; do
    command -v "$tool" >/dev/null || { echo "$0: $tool is not installed" >&2 && exit 2; }
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

# Quake II does not run as root: then as nobody, who may read the game's data all the same.
player=()
[ "$GAME/$(id -u)" != quake2/0 ] ||
    player=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override)

for side in server client; do
    mkdir -p "$work/$side"/{id1,qw,ktx,ezquake,baseq2}
    ! [ -d "$GAMEDATA/id1" ] || ln -s "$(realpath "$GAMEDATA")"/id1/* "$work/$side/id1"
    ! [ -d "$GAMEDATA/baseq2" ] || ln -s "$(realpath "$GAMEDATA")"/baseq2/* "$work/$side/baseq2"
done
# The player runs, turns and shoots, so that something moves all the time, by the server's own frames. 30 frames a second
# are little for any runner.
case $GAME in
quakeworld)
    ln -s "$(realpath "$PROGS")" "$work/server/ktx/qwprogs.so"
    mkdir -p "$work/server/ktx/configs/usermodes/ffa"
    echo "deathmatch 4" >"$work/server/ktx/configs/usermodes/ffa/default.cfg" # all weapons from the beginning
    printf '%s\n' "sv_progtype 1" "set k_matchless 1" "$SERVER_CFG" "map $MAP" >"$work/server/ktx/wire.cfg"
    printf '%s\n' "name wire" "rate 25000" "cl_maxfps 30" "sys_yieldcpu 1" "r_norefresh 1" "cl_startupdemo \"\"" "$CLIENT_CFG" \
        "alias w9 \"wait;wait;wait;wait;wait;wait;wait;wait;wait\"" "alias throw \"-attack;impulse 6;w9;+attack;w9;w9;throw\"" \
        "+forward" "+left" "connect 127.0.0.1:$PORT" "throw" >"$work/client/qw/wire.cfg"
    server=(-port "$PORT" -game ktx +exec wire.cfg)
    client=(-basedir . -nosound -startwindowed -width 64 -height 48 -allowmultiple +exec wire.cfg)
    ;;
quake)
    printf '%s\n' "deathmatch 1" "$SERVER_CFG" "map $MAP" >"$work/server/id1/wire.cfg"
    printf '%s\n' "name wire" "host_maxfps 30" "r_norefresh 1" "$CLIENT_CFG" "+forward" "+left" "+attack" \
        "connect 127.0.0.1:$PORT" >"$work/client/id1/wire.cfg"
    server=(-dedicated 4 -basedir . -port "$PORT" +exec wire.cfg)
    client=(-basedir . -nosound -window -width 320 -height 200 +exec wire.cfg)
    ;;
quake2)
    printf '%s\n' "set deathmatch 1" "set port $PORT" "$SERVER_CFG" "map $MAP" >"$work/server/baseq2/wire.cfg"
    printf '%s\n' "set name wire" "set cl_maxfps 30" "set vid_renderer gl1" "set r_mode -1" "set r_customwidth 64" \
        "set r_customheight 48" "$CLIENT_CFG" "+forward" "+left" "+attack" \
        "connect 127.0.0.1:$PORT" >"$work/client/baseq2/wire.cfg"
    server=(-datadir . +set basedir . +set net_port "$PORT" +set dedicated 1 +exec wire.cfg)
    client=(-datadir . +set basedir . +set s_enable 0 +set s_initsound 0 +set vid_fullscreen 0 +exec wire.cfg)
    ;;
esac

filter="udp port $PORT"
[ "$GAME" != quake ] || filter="udp and not port 53" # the server sends each client to another port
capturing=(tcpdump -i lo -U -w "$capture" "$filter")
[ "$(id -u)" = 0 ] || tcpdump -i lo -c 0 2>/dev/null || capturing=(sudo -n "${capturing[@]}")
"${capturing[@]}" 2>"$work/tcpdump.log" &
tcpdump=$!
started+=("$tcpdump")
wait_for "listening on" "$work/tcpdump.log" 10

[ -z "${player[*]}" ] || chown -R 65534 "$work"
(cd "$work/server" && HOME=$PWD exec "${player[@]}" stdbuf -oL "$SERVER" "${server[@]}") >"$work/server.log" 2>&1 </dev/null &
started+=($!)
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 320x240x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
started+=($!)
read -rt 30 display <"$work/display"

(
    cd "$work/client"
    export DISPLAY=:$display HOME=$PWD SDL_VIDEODRIVER=x11 LIBGL_ALWAYS_SOFTWARE=1
    [ "$GAME" = quake2 ] || export GALLIUM_NOOP=1 # nothing is drawn
    exec "${player[@]}" "$CLIENT" "${client[@]}"
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
elif ! [ -e "$expect" ]; then
    pcap2demo --check --expect "$expect" --update "$capture"
    echo "$expect is of one recording: run \"UPDATE=1 $0 $expect\" once or twice, then $0 checks"
else
    pcap2demo --check --expect "$expect" --junit report.xml "$capture"
fi
