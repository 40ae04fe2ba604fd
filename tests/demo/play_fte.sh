#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# play_fte.sh DEMO: plays a demo in FTE, whose program the variable FTE names, with the game data in
# DATA; fails unless it plays to its end. The console goes to console.txt in the folder KEEP.
folder=$(mktemp -d) console=$KEEP/console.txt
game=quake/id1
[ "${1##*.}" = dm2 ] && game=quake2/baseq2
cp -r "$DATA/${game%/*}/." "$folder"
cp "$1" "$folder/${game#*/}/played.${1##*.}"
echo 'alias f_demoend "echo DEMO_END"' >"$folder/${game#*/}/autoexec.cfg"
HOME=$folder setsid unshare -n xvfb-run -a "$FTE" -"${game%/*}" -basedir "$folder" -nohome -nosound \
    -window +set cl_idlefps 0 +set cl_yieldcpu 0 +exec autoexec.cfg +timedemo "played.${1##*.}" \
    </dev/null >"$console" 2>&1 &
for _ in {1..600}; do # it may hang where it ends
    grep -qE 'DEMO_END|signal SIG' "$console" && break
    sleep 0.1
done
kill -- -$!
rm -rf "$folder"
sed -i '/DEMO_END/q; s/\x1b\[[0-9;]*m//g' "$console"
grep -q DEMO_END "$console" && ! grep -qE 'Host_EndGame|signal SIG' "$console"
