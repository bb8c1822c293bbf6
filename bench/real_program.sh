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
# shellcheck source=bench/fetch.sh
. "$(dirname "$0")/fetch.sh"

fail() {
    echo "real_program: $*" >&2
    exit 1
}
for tool in "$clang" apt-get make; do
    command -v "$tool" >/dev/null || fail "no $tool"
done
mkdir -p "$work"
work=$(cd "$work" && pwd)

build() {
    cd "$work/ffmpeg"
    ./configure --cc="$clang" --disable-autodetect --disable-inline-asm --disable-x86asm --disable-doc \
        --disable-debug --disable-stripping --disable-ffplay --disable-ffprobe --optflags=-O1 \
        --extra-cflags="-fprofile-generate -w" --extra-ldflags=-fprofile-generate
    make -j "$(nproc)" ffmpeg_g
}

[ -d "$work/ffmpeg" ] || fetch "$work" ffmpeg >"$work/fetch.log" 2>&1 || fail "no source of ffmpeg, see $work/fetch.log"
[ -x "$work/ffmpeg/ffmpeg_g" ] || (build) >"$work/build.log" 2>&1 || fail "ffmpeg does not build, see $work/build.log"

n=0
run() { # run ARGUMENT...: runs ffmpeg; writes the next profile
    LLVM_PROFILE_FILE=$work/runs/$(printf '%02d' "$n").profraw "$work/ffmpeg/ffmpeg_g" -nostdin -v error -y "$@" ||
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
