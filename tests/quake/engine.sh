#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# engine.sh PCAP2DEMO SHARED: plays rebuilt demos in QuakeSpasm, and in DarkPlaces the beginning of the
# one of its own protocol; fails unless each plays to its end.
set -u
export GALLIUM_NOOP=1 # Mesa draws nothing: pictures take most of the time, and nobody looks at them
tool=$1
shared=$2
player=$shared/tools/play-dem.sh

for needed in /usr/games/quakespasm "$player"; do
    [ -x "$needed" ] || { echo "skipped: no $needed"; exit 77; }
done
for needed in Xvfb tcpdump; do
    command -v "$needed" >/dev/null || { echo "skipped: no $needed"; exit 77; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for capture in a-protocol15/a-nq15 b-protocol666/b-fitz666 \
    d1-darkplaces-server/d1-dpserver-qsclient-quake15 e-lossy/e-lossy15-client-side \
    f-control/f-control g-two-clients/g-two15 g1-wedged-client/g-two15 \
    fte-d-nqclient/d-fte-nqclient; do
    mkdir "$folder/${capture%/*}"
    "$tool" -q -o "$folder/${capture%/*}" "$shared/captures/netquake/$capture.pcap"
done
# A capture that begins with the first of the fragments in which a level begins.
mkdir "$folder/late"
editcap -r "$shared/captures/netquake/d1-darkplaces-server/d1-dpserver-qsclient-quake15.pcap" \
    "$folder/late.pcapng" 5583-1000000
"$tool" -q -o "$folder/late" "$folder/late.pcapng"
# Without a graphics card DarkPlaces shows some 20 frames a second: so many packets take it half a minute.
mkdir "$folder/darkplaces"
tcpdump -r "$shared/captures/netquake/d2-darkplaces-dp7/d2-dpserver-dpclient-dp7.pcap" -c 1300 \
    -w "$folder/begin.pcap" 2>/dev/null
"$tool" -q -o "$folder/darkplaces" "$folder/begin.pcap"

played=0
failed=0
expected=10
for demo in "$folder"/*/*.dem; do
    engine=qs
    case $demo in
    */darkplaces/*)
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
