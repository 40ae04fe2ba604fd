#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# engine.sh PCAP2DEMO CAPTURES SHARED: plays rebuilt demos in Q2PRO and yquake2, whose places the
# variables Q2PRO and YQUAKE2 give; fails unless each plays to its end in both. Demos with extended
# limits are for Q2PRO alone. So are those of mission packs: yquake2 looks for their game's data.
set -u
tool=$1
own=$2
shared=$3
player=$shared/tools/play-dm2.sh

[ -x "$player" ] || { echo "skipped: no $player"; exit 77; }
[ -x "${Q2PRO:-}" ] || { echo "skipped: no Q2PRO"; exit 77; }
[ -x "${YQUAKE2:-}/quake2" ] || { echo "skipped: no YQUAKE2"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for capture in "$own"/q2-{rates,limits1}.pcap "$shared"/captures/quake2/*/*.pcap; do
    case $capture in
    */g-snap96.pcap) ;; # its packets are cut
    *) "$tool" -q -o "$folder" "$capture" 2>/dev/null ;;
    esac
done

# The protocol stands behind the first block's length and its svc_serverdata.
engines_for() {
    case $(basename "$1"):$(od -An -td4 -j5 -N4 "$1") in
    m-* | *343[4-6]) echo q2pro ;;
    *) echo both ;;
    esac
}

played=0
failed=0
for demo in "$folder"/*.dm2; do
    engines=$(engines_for "$demo")
    if "$player" -t 600 -e "$engines" "$demo"; then
        played=$((played + 1))
    else
        echo "FAIL $demo"
        failed=$((failed + 1))
    fi
done
echo "$played passed, $failed failed"
[ "$played" -gt 0 ] && [ "$failed" -eq 0 ]
