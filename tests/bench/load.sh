#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Records what SERVERS servers of PLAYERS players send, RATE packets a second each, for SECONDS: says what was dropped,
# and how much CPU and memory recording took. In a network of its own, over a pair of virtual interfaces.
#
#     load.sh PCAP2DEMO|DUMPCAP SENDER CAPTURE SERVERS PLAYERS RATE SECONDS [OPTION...]
#
# An hour's soak, in which 64 players leave and join every 20 seconds: 4 16 77 3600 --max-disk 300M
# The kernel's buffer lasts for 25 seconds (5 at 2,000 players): drops with more time waited are the machine's.
set -e
[ -n "$LOAD_INSIDE" ] || LOAD_INSIDE=1 exec unshare -n "$0" "$@"
program=$1 sender=$2 capture=$3 servers=$4 players=$5 rate=$6 seconds=$7
shift 7
folder=$(mktemp -d)
trap 'kill $recorder 2> /dev/null || true; rm -rf "$folder"' EXIT

ip link add left type veth peer name right
ip link set left up
ip link set right up
case $program in
  *dumpcap) "$program" -q -i right -B 64 -w "$folder/all.pcapng" "$@" > "$folder/log" 2>&1 & ;;
  *) "$program" -i right -o "$folder/demos/" --port "qw=27500-$((27499 + servers))" "$@" > "$folder/log" & ;;
esac
recorder=$!
sleep 1
(
  while files=$(ls "/proc/$recorder/fd" 2> /dev/null); do
    awk -v files="$(wc -w <<< "$files")" '/VmRSS/ { printf "%d MiB, %d files; ", $2 / 1024, files }' "/proc/$recorder/status"
    sleep $((seconds / 12 + 1))
  done
  echo
) > "$folder/memory" 2> /dev/null &
"$sender" left "$capture" "$servers" "$players" "$rate" "$seconds"
sleep 2
awk '/VmHWM/ { print "memory at most: " $2 / 1024 " MiB" }' "/proc/$recorder/status"
awk -v hertz="$(getconf CLK_TCK)" '{ print "CPU: " $14 / hertz " s user, " $15 / hertz " s system" }' "/proc/$recorder/stat"
awk '{ print "waited for a processor: " $2 / 1e9 " s" }' "/proc/$recorder/schedstat"
start=$(date +%s%N)
kill -TERM "$recorder"
wait "$recorder"
echo "ended within $((($(date +%s%N) - start) / 1000000)) ms"
echo "memory and open files over time: $(cat "$folder/memory")"
grep "came too fast" "$folder/log" || true
echo "unfinished files: $(find "$folder" -name '.*' -type f | wc -l)"
tail -n 1 "$folder/log"
