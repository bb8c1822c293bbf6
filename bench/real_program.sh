#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes profiles of a large real program: fetches the source of ffmpeg (16,000 C functions) as this system packages it,
# builds it with clang-22 -O1 -fprofile-generate, and runs it 30 times, each time with other encoders, decoders
# and filters.
#
#     bench/real_program.sh DIR        DIR/00.profraw ... DIR/29.profraw
#
# Takes a few minutes on two cores, and 600 MB in DIR.build. Fails with a message if something is missing.
set -euo pipefail
result=$1
work=$result.build
clang=${CLANG:-clang-22}

fail() {
    echo "real_program: $*" >&2
    exit 1
}
for tool in "$clang" apt-get make; do
    command -v "$tool" >/dev/null || fail "no $tool"
done
mkdir -p "$work"
work=$(cd "$work" && pwd)

# Fetches from the sources of this system's packages; the system's own lists stay as they are.
fetch() {
    local apt=$work/apt file
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial" "$work/src"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/${file##*/}"
    done
    sed -snE 's/^deb(-src)? /deb-src /p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sort -u >"$apt/parts/all.list" || true
    local get=(apt-get -q -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$apt/parts"
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=")
    "${get[@]}" update || true # package archives without sources do no harm
    (cd "$work" && "${get[@]}" source --download-only ffmpeg)
    tar -xf "$(ls "$work"/ffmpeg_*.orig.tar.?z)" -C "$work/src" --strip-components=1
}

build() {
    cd "$work/src"
    ./configure --cc="$clang" --disable-autodetect --disable-inline-asm --disable-x86asm --disable-doc \
        --disable-debug --disable-stripping --disable-ffplay --disable-ffprobe --optflags=-O1 \
        --extra-cflags="-fprofile-generate -w" --extra-ldflags=-fprofile-generate
    make -j "$(nproc)" ffmpeg_g
}

[ -x "$work/src/configure" ] || (fetch) >"$work/fetch.log" 2>&1 || fail "no source of ffmpeg, see $work/fetch.log"
[ -x "$work/src/ffmpeg_g" ] || (build) >"$work/build.log" 2>&1 || fail "ffmpeg does not build, see $work/build.log"

n=0
run() { # run ARGUMENT...: runs ffmpeg; writes the next profile
    LLVM_PROFILE_FILE=$work/runs/$(printf '%02d' "$n").profraw "$work/src/ffmpeg_g" -nostdin -v error -y "$@" ||
        fail "fails: ffmpeg_g $*"
    n=$((n + 1))
}
rm -rf "$work/runs"
mkdir "$work/runs"
while read -r video audio filter; do
    run -f lavfi -i testsrc2=s=176x144:d=2 -f lavfi -i sine=d=2 -ac 2 -c:v "$video" -c:a "$audio" -strict -2 \
        -f nut "$work/film.nut"
    run -i "$work/film.nut" -vf "$filter,scale=64:48" -f null -
done <<'END'
mpeg4 aac hue
mjpeg ac3 hflip
ffv1 mp2 negate
mpeg2video opus transpose
huffyuv vorbis gblur
jpeg2000 adpcm_ms unsharp
msmpeg4 wavpack edgedetect
prores eac3 rotate=1
snow pcm_s16le deshake
utvideo ac3_fixed vignette
flv adpcm_ima_wav noise=10
magicyuv pcm_alaw curves=vintage
ffvhuff pcm_mulaw lenscorrection
mpeg1video mp2fixed swapuv
cfhd aac avgblur
END
[ "$n" = 30 ] || fail "$n runs"
mv "$work/runs" "$result"
