#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Records what SERVERS servers of PLAYERS players send, RATE packets a second each, for SECONDS: says what was dropped,
# and how much CPU and memory recording took. In a network of its own, over a pair of virtual interfaces.
#
#     load.sh PCAP2DEMO SENDER CAPTURE SERVERS PLAYERS RATE SECONDS [OPTION...]
set -e
[ -n "$LOAD_INSIDE" ] || LOAD_INSIDE=1 exec unshare -n "$0" "$@"
program=$1 sender=$2 capture=$3 servers=$4 players=$5 rate=$6 seconds=$7
shift 7
folder=$(mktemp -d)
trap 'kill $recorder 2> /dev/null || true; rm -rf "$folder"' EXIT

ip link add left type veth peer name right
ip link set left up
ip link set right up
"$program" -i right -o "$folder/demos/" --port "qw=27500-$((27499 + servers))" --log-format=json "$@" > "$folder/log" &
recorder=$!
sleep 1
(
  while [ -r "/proc/$recorder/status" ]; do
    awk '/VmRSS/ { printf "%d MiB ", $2 / 1024 }' "/proc/$recorder/status"
    sleep $((seconds / 10 + 1))
  done
  echo
) > "$folder/memory" 2> /dev/null &
"$sender" left "$capture" "$servers" "$players" "$rate" "$seconds"
sleep 2
awk '/VmHWM/ { print "memory at most: " $2 / 1024 " MiB" }' "/proc/$recorder/status"
awk -v hertz="$(getconf CLK_TCK)" '{ print "CPU: " $14 / hertz " s user, " $15 / hertz " s system" }' "/proc/$recorder/stat"
kill -TERM "$recorder"
wait "$recorder"
echo "memory over time: $(cat "$folder/memory")"
tail -n 1 "$folder/log" | python3 -c 'import json, sys; print(json.load(sys.stdin)["message"])'
