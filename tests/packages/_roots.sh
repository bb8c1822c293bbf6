# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Root directories of Debian 12, which debootstrap makes: new machines, to build and install packages on. They have a
# network, as this machine has, and /proc, terminals and shared memory of their own.

# make_root DIRECTORY: true, or says why there is none.
make_root() {
    local tool said
    [ "$(id -u)" = 0 ] || {
        printf 'note: not root: no root directories of Debian are made\n'
        return 1
    }
    for tool in debootstrap unshare chroot; do
        command -v $tool >/dev/null || {
            printf 'note: no %s: no root directories of Debian are made\n' $tool
            return 1
        }
    done
    said=$(debootstrap --variant=minbase bookworm "$1" 2>&1) || {
        printf 'note: debootstrap fails: %s\n' "$(tail -n 1 <<<"$said")"
        return 1
    }
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    said=$(in_root "$1" true 2>&1) || {
        printf 'note: no namespaces, no root directories are used: %s\n' "$(tail -n 1 <<<"$said")"
        return 1
    }
}

# in_root DIRECTORY COMMAND...: what it mounts and starts ends with it. A launcher of compilers would not be there.
in_root() {
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" &&
        mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$0/dev/pts" &&
        exec env -u CMAKE_C_COMPILER_LAUNCHER PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            DEBIAN_FRONTEND=noninteractive chroot "$0" "$@"' "$@"
}
