# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Clean Debian systems to build and test in, for .ci/packages and .ci/run --all. Root makes them, by
# debootstrap. Two variables say where:
#
#   QUAKESHARK_MIRROR    where packages come from: where this system has its own from
#   QUAKESHARK_CHROOTS   where systems and downloads are kept for the next time: /var/cache/quakeshark
mirror=${QUAKESHARK_MIRROR:-$(apt-get indextargets --format "\$(REPO_URI)" "Created-By: Packages" |
    grep -v security | sort -u | head -n 1)}
chroots=${QUAKESHARK_CHROOTS:-/var/cache/quakeshark}

need_chroots() {
    if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
        echo "$0: chroots need root and the package debootstrap" >&2
        exit 2
    fi
    mkdir -p "$chroots/archives/partial"
    commit=$(git -c safe.directory="$PWD" rev-parse HEAD)
}

# new_chroot SUITE FOLDER: a Debian of that suite with its basic packages only. One that was made
# more than a week ago is made anew: packages of sid may not go on from it.
new_chroot() {
    local base=$chroots/$1

    find "$base" -maxdepth 0 -mtime +7 -exec rm -rf {} + 2>/dev/null || true
    if [ ! -d "$base" ]; then
        rm -rf "$base.new"
        debootstrap --variant=minbase "$1" "$base.new" "$mirror" >"$base.log" || {
            cat "$base.log"
            return 1
        }
        echo force-unsafe-io >"$base.new/etc/dpkg/dpkg.cfg.d/unsafe-io"
        # A mirror or a snapshot that has stood still for weeks is as good here; signatures are checked.
        echo 'Acquire::Check-Valid-Until "false";' >"$base.new/etc/apt/apt.conf.d/valid-until"
        mv "$base.new" "$base"
    fi
    cp -a --reflink=auto "$base" "$2"
}

# in_chroot FOLDER COMMAND...: its mounts and processes go when the command ends.
in_chroot() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c '
        mount --bind "$1" "$1" # so that tests can have mounts of their own, which a bare folder cannot
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mount --bind "$0" "$1/var/cache/apt/archives"
        root=$1
        shift
        exec chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' \
        "$chroots/archives" "$@"
}

# checkout FOLDER: what is committed, with the commit time on every file.
checkout() {
    mkdir -p "$1"
    git -c safe.directory="$PWD" archive "$commit" | tar -x -C "$1"
}
