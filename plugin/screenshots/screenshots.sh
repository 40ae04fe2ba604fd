#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes README's pictures packet, demos and statistics: Wireshark with the plugin of a build on a virtual screen.
# Check them by eye: clicks use screen coordinates.
#
#     screenshots.sh BUILD FOLDER
#
# Needs wireshark, Xvfb, xdotool and ImageMagick. As root, Wireshark runs as another user, since it
# ignores WIRESHARK_PLUGIN_DIR for root.
set -e

build=$(realpath "$1")
folder=$(realpath "$2")
source=$(realpath "$(dirname "$0")/../..")
display=:97
work=$(mktemp -d)
trap 'kill $screen 2>/dev/null; rm -rf "$work"' EXIT

profile=$work/home/.config/wireshark/profiles/Quake
mkdir -p "$profile"
cp "$build/plugin/profile/preferences" "$profile"
cp "$build/plugin/profile/dfilter_buttons" "$build/plugin/profile/io_graphs" "$profile"
cp "$build/plugin/profile/quakeshark-colorfilters" "$profile/colorfilters"
cat >> "$profile/preferences" <<END
gui.update.enabled: FALSE
gui.ask_unsaved: FALSE
gui.column.hidden: %s,%d,%L
END
cp "$build/plugin/profile/recent" "$profile"
cat >> "$profile/recent" <<END
gui.byte_view_show: FALSE
gui.toolbar_main_show: FALSE
END
cp -r "$build/plugin/wireshark" "$work/plugins"
cp "$source/tests/captures/qw-sample.pcap" "$source/tests/captures/lines/qw-g-server.pcap.gz" "$work"
chmod -R a+rX "$work"

as_user=
if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534:65534 "$work"
    as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi

Xvfb $display -screen 0 1920x1240x24 -nolisten tcp > /dev/null 2>&1 &
screen=$!
sleep 2
export DISPLAY=$display

# show NAME COMMANDS... -- WIRESHARK-ARGUMENTS...: a picture of the whole screen after the commands.
show() {
    name=$1 commands=$2 crop=
    shift 2
    # shellcheck disable=SC2086
    env HOME="$work/home" XDG_CONFIG_HOME="$work/home/.config" XDG_RUNTIME_DIR="$work/home" \
        LC_ALL=C.UTF-8 TZ=UTC \
        WIRESHARK_PLUGIN_DIR="$work/plugins" WIRESHARK_EXTCAP_DIR="$work/home" \
        QT_STYLE_OVERRIDE=fusion QT_SCALE_FACTOR=2 $as_user wireshark -C Quake "$@" > "$work/log" 2>&1 &
    program=$!
    sleep "${WAIT:-12}"
    window=$(xdotool search --onlyvisible --class wireshark | tail -1)
    xdotool windowsize "$window" 1920 1240 windowmove "$window" 0 0
    sleep 1
    eval "$commands"
    sleep 3
    # shellcheck disable=SC2086
    import -window root $crop +dither -colors 48 -strip -define png:compression-level=9 "PNG8:$folder/$name.png"
    kill $program
    wait $program 2>/dev/null || true
}

# Coordinates for Wireshark 4.0 on a screen of this size.
damage='xdotool mousemove 400 808 click 1; sleep 1; xdotool key Right; sleep 1; xdotool key Down Down Down Right'
menu='for place in "42 20" "162 781" "889 981"; do xdotool mousemove $place click 1; sleep 4; done
    window=$(xdotool search --onlyvisible --name Export | tail -1)
    xdotool windowsize "$window" 1920 420 windowmove "$window" 0 0; crop="-crop 1920x420+0+0 +repage"'
table='xdotool windowsize "$window" 1920 500; crop="-crop 1920x500+0+0 +repage"'
show packet "$damage" -r "$work/qw-sample.pcap" -g 1027
show demos "$menu" -r "$work/qw-g-server.pcap.gz"
WAIT=25 show statistics "$table" -r "$work/qw-g-server.pcap.gz" -z quake,line
