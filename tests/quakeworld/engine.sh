#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# engine.sh PCAP2DEMO SHARED: plays rebuilt demos in ezQuake; fails unless each plays to its end, and
# ezQuake drops none of their updates of entities.
set -u
export GALLIUM_NOOP=1 # Mesa draws nothing: pictures take most of the time, and nobody looks at them
export MAXDROPS=0
tool=$1
shared=$2
player=$shared/tools/play-qwd.sh

for needed in /usr/lib/games/ezquake/ezquake "$player"; do
    [ -x "$needed" ] || { echo "skipped: no $needed"; exit 77; }
done
command -v Xvfb >/dev/null || { echo "skipped: no Xvfb"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
rebuild() {
    capture=$shared/captures/quakeworld/$1.pcap
    shift
    "$tool" -q -o "$folder" "$@" "$capture"
}
rebuild a-vanilla/a-vanilla
rebuild c-download-old/c-download-old
rebuild g-midjoin/g-midjoin
rebuild b-extended/b-extended --sanitize
rebuild d-lossy/d-lossy --session 1
rebuild e-multi/e-multi --session 3
rebuild j-idqwcl/j-idqwcl --session 2
rebuild fte-b-ezquake/b-fte-ezquake
rebuild fte-c-mvdsv/c-mvdsv-fte
rebuild i-qtv/i-qtv

played=0
failed=0
for demo in "$folder"/*.qwd "$folder"/*.mvd; do
    if "$player" "$demo" timedemo 600; then
        played=$((played + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$played passed, $failed failed"
[ "$played" -eq 10 ] && [ "$failed" -eq 0 ]
