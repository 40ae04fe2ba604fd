#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# engine.sh PCAP2DEMO SHARED: plays rebuilt demos in ezQuake; fails unless each plays to its end.
set -u
tool=$1
shared=$2
player=$shared/tools/play-qwd.sh

for needed in /usr/lib/games/ezquake/ezquake "$player"; do
    [ -x "$needed" ] || { echo "skipped: no $needed"; exit 77; }
done
command -v Xvfb >/dev/null || { echo "skipped: no Xvfb"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
captures=$shared/captures/quakeworld
"$tool" -q -o "$folder" "$captures"/{a-vanilla/a-vanilla,c-download-old/c-download-old}.pcap \
    "$captures"/g-midjoin/g-midjoin.pcap
"$tool" -q -o "$folder/sanitized.qwd" --sanitize "$captures"/b-extended/b-extended.pcap
"$tool" -q -o "$folder" --session 1 "$captures"/d-lossy/d-lossy.pcap
"$tool" -q -o "$folder" --session 3 "$captures"/e-multi/e-multi.pcap
"$tool" -q -o "$folder" --session 2 "$captures"/j-idqwcl/j-idqwcl.pcap

played=0
failed=0
for demo in "$folder"/*.qwd; do
    if "$player" "$demo"; then
        played=$((played + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$played passed, $failed failed"
[ "$played" -eq 7 ] && [ "$failed" -eq 0 ]
