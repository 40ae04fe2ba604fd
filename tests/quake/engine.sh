#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# engine.sh PCAP2DEMO SHARED: plays rebuilt demos in QuakeSpasm, and in DarkPlaces the one of its own
# protocol; fails unless each plays to its end.
set -u
tool=$1
shared=$2
player=$shared/tools/play-dem.sh

for needed in /usr/games/quakespasm "$player"; do
    [ -x "$needed" ] || { echo "skipped: no $needed"; exit 77; }
done
command -v Xvfb >/dev/null || { echo "skipped: no Xvfb"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for capture in a-protocol15/a-nq15 b-protocol666/b-fitz666 \
    d1-darkplaces-server/d1-dpserver-qsclient-quake15 e-lossy/e-lossy15-client-side \
    f-control/f-control g-two-clients/g-two15 g1-wedged-client/g-two15 \
    fte-d-nqclient/d-fte-nqclient d2-darkplaces-dp7/d2-dpserver-dpclient-dp7; do
    mkdir "$folder/${capture%/*}"
    "$tool" -q -o "$folder/${capture%/*}" "$shared/captures/netquake/$capture.pcap"
done

played=0
failed=0
expected=10
for demo in "$folder"/*/*.dem; do
    engine=qs
    case $demo in
    */d2-darkplaces-dp7/*)
        [ -x /usr/games/darkplaces ] || { echo "not played without darkplaces: $demo"; continue; }
        engine=dp
        expected=11
        ;;
    esac
    if ENGINE=$engine "$player" "$demo" timedemo 600; then
        played=$((played + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$played passed, $failed failed"
[ "$played" -eq "$expected" ] && [ "$failed" -eq 0 ]
