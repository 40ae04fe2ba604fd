#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# engine.sh GAME PCAP2DEMO CAPTURES SHARED: plays rebuilt demos in engines; fails unless each plays to its end.
#
#   quake       in QuakeSpasm, and in DarkPlaces the beginning of the one of its own protocol
#   quakeworld  in ezQuake, which may drop none of their updates of entities
#   quake2      in Q2PRO and yquake2, whose places the variables Q2PRO and YQUAKE2 give. Demos with extended
#               limits are for Q2PRO alone. So are those of mission packs: yquake2 looks for their game's data.
set -u
export GALLIUM_NOOP=1 # Mesa draws nothing: pictures take most of the time
export MAXDROPS=0     # of updates, in ezQuake
game=$1 tool=$2 own=$3 shared=$4
captures=$shared/captures
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
played=0 failed=0

need() {
    for needed; do
        command -v "$needed" >/dev/null || { echo "skipped: no $needed"; exit 77; }
    done
}

# Writes the demos of a capture; those of Quake into a folder each, because their names may be the same.
rebuild() {
    output=$folder/$((++rebuilt))
    mkdir "$output"
    "$tool" -q -o "$output" "$@" 2>/dev/null
}
rebuilt=0

play() {
    if "$@"; then
        played=$((played + 1))
    else
        echo "FAIL $*"
        failed=$((failed + 1))
    fi
}

quake() {
    need Xvfb tcpdump editcap /usr/games/quakespasm "$shared/tools/play-dem.sh"
    nq=$captures/netquake
    for capture in a-protocol15/a-nq15 b-protocol666/b-fitz666 d1-darkplaces-server/d1-dpserver-qsclient-quake15 \
        e-lossy/e-lossy15-client-side f-control/f-control g-two-clients/g-two15 g1-wedged-client/g-two15 \
        fte-d-nqclient/d-fte-nqclient; do
        rebuild "$nq/$capture.pcap"
    done
    # A capture that begins with the first of the fragments in which a level begins.
    editcap -r "$nq/d1-darkplaces-server/d1-dpserver-qsclient-quake15.pcap" "$folder/late.pcapng" 5583-1000000
    rebuild "$folder/late.pcapng"
    for demo in "$folder"/*/*.dem; do
        ENGINE=qs play "$shared/tools/play-dem.sh" "$demo" timedemo 600
    done
    expected=10
    [ -x /usr/games/darkplaces ] || { echo "skipped: no /usr/games/darkplaces"; return; }
    # Without a graphics card DarkPlaces shows some 20 frames a second: so many packets take it half a minute.
    tcpdump -r "$nq/d2-darkplaces-dp7/d2-dpserver-dpclient-dp7.pcap" -c 1300 -w "$folder/begin.pcap" 2>/dev/null
    rebuild "$folder/begin.pcap"
    ENGINE=dp play "$shared/tools/play-dem.sh" "$output"/*.dem timedemo 600
    expected=11
}

quakeworld() {
    need Xvfb /usr/lib/games/ezquake/ezquake "$shared/tools/play-qwd.sh"
    while read -r capture options; do
        # shellcheck disable=SC2086
        rebuild $options "$captures/quakeworld/$capture.pcap"
    done <<'END'
a-vanilla/a-vanilla
c-download-old/c-download-old
g-midjoin/g-midjoin
b-extended/b-extended --sanitize
d-lossy/d-lossy --session 1
e-multi/e-multi --session 3
j-idqwcl/j-idqwcl --session 2
fte-b-ezquake/b-fte-ezquake
fte-c-mvdsv/c-mvdsv-fte
i-qtv/i-qtv
END
    for demo in "$folder"/*/*.{qwd,mvd}; do
        play "$shared/tools/play-qwd.sh" "$demo" timedemo 600
    done
    expected=10
}

quake2() {
    need "$shared/tools/play-dm2.sh" "${Q2PRO:-Q2PRO}" "${YQUAKE2:-YQUAKE2}/quake2"
    for capture in "$own"/q2-{rates,limits1}.pcap "$captures"/quake2/*/*.pcap; do
        case $capture in
        */g-snap96.pcap) ;; # its packets are cut
        *) rebuild "$capture" ;;
        esac
    done
    for demo in "$folder"/*/*.dm2; do
        # The protocol stands behind the first block's length and its svc_serverdata.
        case $(basename "$demo"):$(od -An -td4 -j5 -N4 "$demo") in
        m-* | *343[4-6]) engines=q2pro ;;
        *) engines=both ;;
        esac
        play "$shared/tools/play-dm2.sh" -t 600 -e "$engines" "$demo"
    done
    expected=$((played + failed))
}

"$game"
echo "$played passed, $failed failed"
[ "$played" -gt 0 ] && [ "$played" -eq "$expected" ] && [ "$failed" -eq 0 ]
