#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# engine.sh PCAP2DEMO SHARED: plays rebuilt demos in Q2PRO and yquake2, whose places the variables
# Q2PRO and YQUAKE2 give; fails unless each plays to its end in both.
set -u
tool=$1
shared=$2
player=$shared/tools/play-dm2.sh

[ -x "$player" ] || { echo "skipped: no $player"; exit 77; }
[ -x "${Q2PRO:-}" ] || { echo "skipped: no Q2PRO"; exit 77; }
[ -x "${YQUAKE2:-}/quake2" ] || { echo "skipped: no YQUAKE2"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for capture in "$shared"/captures/quake2/{a-v34-*,b3*,c-*,d-v34-*,e-*,gs-*,p-*,s-*,w-*}/*.pcap; do
    "$tool" -q -o "$folder" "$capture" 2>/dev/null
done

played=0
failed=0
for demo in "$folder"/*.dm2; do
    if "$player" "$demo"; then
        played=$((played + 1))
    else
        echo "FAIL $demo"
        failed=$((failed + 1))
    fi
done
echo "$played passed, $failed failed"
[ "$played" -gt 0 ] && [ "$failed" -eq 0 ]
