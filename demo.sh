#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds anyprof and shows what it does, on profiles of six versions of clang and, if there is a clang, on a PGO loop.
# Works on a fresh Debian 12; installs only what the build needs. Writes to build/ and to a temporary directory.
set -euo pipefail
cd "$(dirname "$0")"
top=$PWD
anyprof=$top/build/anyprof
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

say() {
    printf '\n\033[1m%s\033[0m\n' "$*"
}

# Shows a command as you would type it, even if its output goes elsewhere, then runs it.
exec 3>&1
run() {
    printf '$ %s\n' "$*" | sed -e "s|$anyprof|anyprof|g" -e "s|$tmp/||g" -e "s|$top/||g" >&3
    "$@"
}

install_needs() {
    local package missing=() root=()
    for package in gcc libc6-dev cmake make zlib1g-dev libdeflate-dev libzstd-dev libmd-dev libxxhash-dev libelf-dev \
        libdw-dev libcapstone-dev libyaml-dev libiberty-dev node-d3; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
            missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Installing ${missing[*]}"
    [ "$(id -u)" = 0 ] || root=(sudo)
    "${root[@]}" apt-get -q update >/dev/null
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends "${missing[@]}" >/dev/null
}

build() {
    say "Building anyprof"
    # The tests have a tracer, which writes branch stacks where the processor, or a virtual machine, has none.
    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DANYPROF_TESTS=ON >/dev/null
    cmake --build build --target anyprof anyprof_rt branch_trace -j "$(nproc)" | tail -n 1
    cmake -S . -B build -DANYPROF_TESTS=OFF >/dev/null
}

show_merge() {
    say "Merging raw profiles of clang 13, 14, 15, 16, 19 and 22"
    run "$anyprof" merge -o "$tmp/all.profdata" "$top"/examples/profiles/clang-*-ir.profraw
    say "The hottest functions of all six"
    run "$anyprof" show --topn=10 "$tmp/all.profdata"
}

show_samples() {
    say "Merging sample profiles (AutoFDO) of two machines: for clang, and for gcc 12"
    run "$anyprof" merge -v -o "$tmp/server.prof" "$top"/examples/profiles/server-*.prof
    run "$anyprof" merge --quiet --for=gcc-12 -o "$tmp/server.afdo" "$top"/examples/profiles/server-*.prof
    run "$anyprof" info "$tmp/server.afdo"
    say "One function with its lines, and what changed between the machines"
    run "$anyprof" show --function=parse "$tmp/server.prof"
    run "$anyprof" diff "$top"/examples/profiles/server-1.prof "$top"/examples/profiles/server-2.prof
}

newest_clang() {
    local n
    for n in 22 21 20 19 18 17 16 15 14 13; do
        if command -v "clang-$n" >/dev/null; then
            echo "clang-$n"
            return
        fi
    done
    command -v clang || true
}

# The example program; compiled in the directory of its sources, so that names in profiles are relative.
words=(word_main.c word_order.c word_table.c)
# anyprof's runtime in place of clang's own (-noprofilelib), which may not be installed.
runtime=(-noprofilelib -Wl,-u,__llvm_profile_runtime -L "$top/build" -lanyprof_rt)

# Counts, in the optimised code, the functions with an entry count and the branches with weights.
proof() { # proof CLANG FLAG...
    local file out functions=0 branches=0
    for file in "${words[@]}"; do
        out=$("$@" -S -emit-llvm "$file" -o - 2>"$tmp/warnings")
        functions=$((functions + $(grep -cE '^define .*!prof' <<<"$out" || true)))
        branches=$((branches + $(grep -cE '^ .*(br|switch|select) .*!prof' <<<"$out" || true)))
    done
    printf '%4d functions with a count, %4d branches with weights\n' "$functions" "$branches"
}

show_pgo() {
    local clang=$1 n
    cd "$top/examples/profiles/src"
    say "Profile-guided optimisation with $clang"
    if ! run "$clang" -O2 -fprofile-generate "${words[@]}" -o "$tmp/words-train" 2>"$tmp/errors"; then
        printf 'note: this clang has no profile runtime (package libclang-rt-dev); using the one of anyprof\n'
        run "$clang" -O2 -fprofile-generate "${words[@]}" -o "$tmp/words-train" "${runtime[@]}"
    fi
    for n in 1 2 3; do
        run env LLVM_PROFILE_FILE="$tmp/run$n.profraw" "$tmp/words-train" "$n" $((20000 * n)) >/dev/null
    done
    run "$anyprof" merge -o "$tmp/words.profdata" "$tmp"/run?.profraw
    run "$clang" -O2 -fprofile-use="$tmp/words.profdata" "${words[@]}" -o "$tmp/words"
    run "$tmp/words" 1 20000
    say "The compiler has used the profile: counts in its intermediate code"
    printf 'without a profile: '
    proof "$clang" -O2
    printf 'with the profile:  '
    proof "$clang" -O2 -fprofile-use="$tmp/words.profdata"
    [ ! -s "$tmp/warnings" ] || cat "$tmp/warnings"
}

# Of the last 32 branches at every 97th one, what perf would print of a recording.
trace() { # trace PROGRAM ARGUMENT...
    local segment offset address size
    "$top/build/tests/branch_trace" -P "$tmp/stacks" -n 97 -- "$@" >/dev/null || return
    read -r _ offset address _ _ size _ < <(readelf -lW "$1" | grep -E '^ *LOAD.* R E ')
    printf -v segment '0x%x(0x%x) @ 0x%x' $((address & ~4095)) $(((size + 8191) & ~4095)) $((offset & ~4095))
    printf 'PERF_RECORD_MMAP2 1/1: [%s 08:01 77 0]: r-xp %s\n' "$segment" "$1"
    cat "$tmp/stacks"
}

show_profgen() {
    local clang=$1 flags=(-O2 -g -fdebug-info-for-profiling)
    cd "$top/examples/profiles/src"
    say "Sampling: the branch stacks of a run, here of a tracer, become the profile of the next build"
    run "$clang" "${flags[@]}" -no-pie "${words[@]}" -o "$tmp/words-sampled"
    if ! trace "$tmp/words-sampled" 1 2000 >"$tmp/branches.txt" 2>"$tmp/errors"; then
        printf 'note: programs cannot be traced here: %s\n' "$(head -n 1 "$tmp/errors")"
        return
    fi
    run "$anyprof" profgen --binary="$tmp/words-sampled" --perfscript="$tmp/branches.txt" -o "$tmp/sampled.prof"
    run "$anyprof" show --function=order_words "$tmp/sampled.prof"
    printf 'with the profile:  '
    proof "$clang" "${flags[@]}" -fprofile-sample-use="$tmp/sampled.prof"
}

show_coverage() {
    local clang=$1 flags=(-fprofile-instr-generate -fcoverage-mapping) page=$top/build/demo-coverage.html
    cd "$top/examples/profiles/src"
    say "Coverage: what of the source ran, and what of a change"
    run "$clang" "${flags[@]}" "${words[@]}" -o "$tmp/words-covered" "${runtime[@]}"
    run env LLVM_PROFILE_FILE="$tmp/covered-%p.profraw" "$tmp/words-covered" 1 2000 >/dev/null
    run "$anyprof" cov report "$tmp/words-covered" --profile="$tmp/covered-*.profraw" --show-branch-summary=false
    run "$anyprof" cov show "$tmp/words-covered" --profile="$tmp/covered-*.profraw" --format=html -o "$page"
    printf 'open it in a browser: file://%s\n' "$page"
    printf '%s\n' '--- a/word_table.c' '+++ b/word_table.c' '@@ -0,0 +1,40 @@' >"$tmp/change"
    sed -n 's/^/+/; 1,40p' word_table.c >>"$tmp/change"
    run "$anyprof" cov diff "$tmp/words-covered" --profile="$tmp/covered-*.profraw" --patch="$tmp/change"
}

show_runtime() {
    local clang=$1 profile
    cd "$top/examples/profiles/src"
    say "The runtime: the program is killed (SIGKILL), its profile survives"
    run "$clang" -O2 -fprofile-instr-generate "${words[@]}" -o "$tmp/words-live" -Wl,-u,apf_rt_live "${runtime[@]}"
    run env ANYPROF_RT_OPTIONS=live LLVM_PROFILE_FILE="$tmp/words.profraw" \
        timeout -s KILL 1 "$tmp/words-live" 1 2000000000 || true
    profile=$(echo "$tmp"/words.live.*.profraw)
    run "$anyprof" show --topn=3 "$profile"
}

explain() {
    local clang=$1
    say "Now with your own files"
    cat <<END
  build/anyprof merge -o all.profdata *.profraw     # any mix of LLVM versions
  build/anyprof info *.profraw                      # what they are, and which LLVM can read them
  build/anyprof show --topn=10 all.profdata
  build/anyprof cov report app --profile='*.profraw'   # coverage: of clang -fprofile-instr-generate -fcoverage-mapping
  build/anyprof profgen --binary=app --perfdata=perf.data -o app.prof   # of: perf record -e cycles:u -j any,u ./app
  build/anyprof help                                # all commands
END
    [ -n "$clang" ] ||
        printf '\nInstall clang (apt-get install clang) and run this again to see profile-guided optimisation.\n'
}

install_needs
build
clang=$(newest_clang)
show_merge
show_samples
[ -z "$clang" ] || (show_pgo "$clang")
[ -z "$clang" ] || (show_coverage "$clang")
[ -z "$clang" ] || (show_profgen "$clang")
[ -z "$clang" ] || (show_runtime "$clang")
explain "$clang"
