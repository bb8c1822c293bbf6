#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures anyprof and another tool in turn, on generated inputs (2 GB in build/bench, kept for the next run). The
# other tool is llvm-profdata-22; for probes and recordings llvm-profgen-22, for fdata merge-fdata-22, for samples of
# programs that BOLT wrote perf2bolt-22, for addresses in them bench/bat_rule.c, for coverage llvm-cov-22, and for
# lookups reading the whole profile. Prints a table: anyprof's figure, the other tool's, and how many times more the
# other tool needs. --markdown prints the rows of docs/performance.md.
#
#     bench/run.sh [--markdown] [CASE...]        RUNS=5 runs of each, after as many that do not count
#
# The case `real` is a large program that bench/real_program.sh fetches and builds, which takes a few minutes. The
# cases `yaml`, for which merge-fdata needs some 8 GB of memory, `sample_large`, for which llvm-profdata needs some
# 10 GB and a minute and a half for each run, and `coverage` and `coverage_sqlite`, whose programs
# bench/coverage_program.sh fetches and builds, and for which llvm-cov needs up to 10 GB and half a minute for each
# run, run only if they are named. The inputs of `sample_large` and `sample_many` are in a temporary directory.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${RUNS:-5}
llvm=${LLVM_PROFDATA:-llvm-profdata-22}
profgen=${LLVM_PROFGEN:-llvm-profgen-22}
merge_fdata=${MERGE_FDATA:-merge-fdata-22}
perf2bolt=${PERF2BOLT:-perf2bolt-22}
llvm_cov=${LLVM_COV:-llvm-cov-22}
dir=$PWD/build/bench
anyprof=${ANYPROF:-$PWD/build/anyprof}
[ -x "$anyprof" ] || { echo "no $anyprof: cmake -S . -B build && cmake --build build" >&2; exit 1; }
command -v "$llvm" >/dev/null || { echo "no $llvm" >&2; exit 1; }
mkdir -p "$dir"
for tool in make_profiles make_fdata make_bolt_yaml make_samples make_sample_profiles make_branch_stacks \
    make_recording make_coverage bat_rule compare; do
    if [ ! "$dir/$tool" -nt "bench/$tool.c" ] || [ ! "$dir/$tool" -nt bench/maker.h ] ||
        [ ! "$dir/$tool" -nt bench/maker_bytes.h ]; then
        ${CC:-cc} -O2 -std=c11 -D_GNU_SOURCE -Wall -Wextra "bench/$tool.c" -o "$dir/$tool" -lz -lmd
    fi
done
# lookup_names is linked with the library, so it is rebuilt when the library changes.
library=$PWD/build/libanyprof.a names=$dir/lookup_names
if [ -e "$library" ] && ! { [ "$names" -nt bench/lookup_names.c ] && [ "$names" -nt "$library" ]; }; then
    ${CC:-cc} -O2 -std=c11 -D_GNU_SOURCE -Wall -Wextra -Iinclude bench/lookup_names.c -o "$names" "$library" \
        -lz -lzstd -lmd -lyaml -lprotobuf-c -lpthread
fi
# So is branch_pairs, an example, with the shared library: it reads recordings as other programs would.
pairs=$dir/branch_pairs
if [ -e "$PWD/build/libanyprof-elf.so" ] && ! [ "$pairs" -nt "$PWD/build/libanyprof-elf.so" ]; then
    ${CC:-cc} -O2 -Iinclude examples/branch_pairs.c -o "$pairs" -Lbuild -lanyprof-elf -lanyprof \
        "-Wl,-rpath,$PWD/build"
fi
make() { # make RESULT ARGUMENT...: runs a maker unless RESULT exists
    local result=$1
    shift
    [ -e "$dir/$result" ] || "$dir/make_profiles" "$@"
}

row() { # row NAME INPUTS-AND-OPTIONS [OPTIONS-OF-ANYPROF-ONLY]
    "$dir/compare" "$runs" "$1" "$anyprof merge ${3:-} -o $dir/ours.out $2" "$llvm merge -o $dir/theirs.out $2" | table
}

case_pie() {
    make pie raw "$dir/pie" 40 50000 1
    row "40 raw, one PIE, 50,000 functions" "$dir/pie"
}

case_real() {
    if [ -d "$dir/real" ] || bench/real_program.sh "$dir/real"; then
        row "30 raw, ffmpeg, 16,000 functions" "$dir/real"
    else
        echo "no real program, a generated one instead" >&2
        make large raw "$dir/large" 30 100000 4
        row "30 raw, one PIE, 100,000 functions" "$dir/large"
    fi
}

case_many() { # shows whether peak memory grows with the number of files
    make many raw "$dir/many" 1000 1800 2
    row "10 raw of 330 KB, one binary" "$dir/many/000?.profraw"
    row "1,000 raw of 330 KB, one binary" "$dir/many"
}

case_indexed() {
    local i
    mkdir -p "$dir/indexed"
    for i in 10 11 12 13 14 15 16 17 18 19; do
        [ -e "$dir/indexed/$i.profdata" ] && continue
        "$dir/make_profiles" text "$dir/$i.proftext" 20000 "$i"
        "$llvm" merge -o "$dir/indexed/$i.profdata" "$dir/$i.proftext"
        rm "$dir/$i.proftext"
    done
    row "10 indexed, different, 20,000 each" "$dir/indexed"
}

case_text() {
    make big.proftext text "$dir/big.proftext" 200000 3
    [ -e "$dir/big.profdata" ] || "$llvm" merge -o "$dir/big.profdata" "$dir/big.proftext"
    row "text to indexed, 200,000 functions" "$dir/big.proftext" "--for=llvm-22"
    row "indexed to text, 200,000 functions" "--text $dir/big.profdata"
}

compare_with() { # compare_with NAME COMMAND FILE...: both tools print the same text
    local name=$1 command=$2
    shift 2
    "$dir/compare" "$runs" "$name" "$anyprof $command $* -o $dir/ours.out" \
        "$llvm $command $* -o $dir/theirs.out" | table
    cmp "$dir/ours.out" "$dir/theirs.out" || { echo "the texts are not the same" >&2; exit 1; }
}

case_overlap() {
    local i
    make runs raw "$dir/runs" 2 100000 5
    for i in 0 1; do
        [ -e "$dir/run$i.profdata" ] || "$llvm" merge -o "$dir/run$i.profdata" "$dir/runs/000$i.profraw"
    done
    compare_with "overlap of two indexed, 100,000 each" overlap "$dir/run0.profdata" "$dir/run1.profdata"
    compare_with "the same, with all functions" "overlap --value-cutoff=0" "$dir/run0.profdata" "$dir/run1.profdata"
}

case_order() { # of 40 traces
    make traces.proftext traces "$dir/traces.proftext" 40 20000 6
    compare_with "order of 20,000 functions, 40 traces" order "$dir/traces.proftext"
}

show() { # show NAME [OPTION...]
    local name=$1
    shift
    compare_with "$name" show "$@" "$dir/show.profdata"
}

case_show() {
    make show.proftext text "$dir/show.proftext" 100000 5
    [ -e "$dir/show.profdata" ] || "$llvm" merge -o "$dir/show.profdata" "$dir/show.proftext"
    show "show, 100,000 functions"
    show "show --topn=20" --topn=20
    show "show --detailed-summary" --detailed-summary
    show "show --all-functions --counts" --all-functions --counts
    show "the same with --ic-targets" --all-functions --counts --ic-targets
    show "show --all-functions --text" --all-functions --text
}

make_lookup() {
    make lookup.proftext text "$dir/lookup.proftext" 100000 5
    [ "$dir/lookup.profdata" -nt "$dir/lookup.proftext" ] ||
        "$anyprof" merge --for=llvm-22 -o "$dir/lookup.profdata" "$dir/lookup.proftext"
}

# The other figure is also anyprof's: reading the whole profile and finding the names in it.
case_lookup() {
    [ -x "$names" ] || { echo "no $library: lookups are left out" >&2; return; }
    make_lookup
    [ "$dir/lookup.names" -nt "$dir/lookup.profdata" ] ||
        "$anyprof" show --all-functions "$dir/lookup.profdata" |
        awk '/^  [^ ].*:$/ { name = substr($0, 3, length - 3) } /^    Hash: / && n++ % 100 == 7 { print name, $2 }' \
            >"$dir/lookup.names"
    "$dir/compare" "$runs" "1,000 names of 100,000, or loading" \
        "$names lookup $dir/lookup.profdata $dir/lookup.names >$dir/ours.out" \
        "$names load $dir/lookup.profdata $dir/lookup.names >$dir/theirs.out" | table
    cmp "$dir/ours.out" "$dir/theirs.out" || { echo "the counts are not the same" >&2; exit 1; }
}

# LLVM writes no JSON; the other figures are those of its text.
case_json() {
    make_lookup
    "$dir/compare" "$runs" "100,000 functions to JSON" "$anyprof convert $dir/lookup.profdata -o $dir/lookup.json" \
        "$llvm merge --text -o $dir/theirs.out $dir/lookup.profdata" | table
    "$dir/compare" "$runs" "JSON to indexed, 100,000 functions" \
        "$anyprof convert --for=llvm-22 --to=indexed $dir/lookup.json -o $dir/ours.out" \
        "$llvm merge -o $dir/theirs.out $dir/lookup.proftext" | table
    cmp "$dir/ours.out" "$dir/lookup.profdata" || { echo "JSON holds another profile" >&2; exit 1; }
}

probes() { # probes NAME COMMAND [OPTION]: llvm-profgen can list probes with the code only
    local theirs="$profgen --show-disassembly-only --show-pseudo-probe --binary=$dir/probes -o /dev/null"
    "$dir/compare" "$runs" "$1" "$anyprof probes $2 ${3:-} -o $dir/ours.out $dir/probes" \
        "$theirs ${3:-} >$dir/theirs.out" | table
}

case_probes() {
    if ! command -v "$profgen" >/dev/null || ! { [ -e "$dir/probes" ] || bench/probe_program.sh "$dir/probes"; }; then
        echo "no $profgen, or no program: probes are left out" >&2
        return
    fi
    probes "list of 340,000 probes" list
    probes "code with these probes" disasm
    probes "the same, with source locations" disasm --show-source-locations
}

stacks_of() { # stacks_of PROGRAM SAMPLES RESULT [DIFFERENT]: RESULT.txt and RESULT.data, a walk through its code
    local segment words
    [ "$dir/$3.data" -nt "$1" ] && return
    segment=$(readelf -lW "$1" | awk '$1 == "LOAD" && / R E /')
    read -ra words <<<"$segment"
    llvm-objdump-22 -d --no-show-raw-insn "$1" | awk -f bench/instructions.awk |
        "$dir/make_branch_stacks" "$1" "$2" 32 "$(printf '0x%x' $((words[2] & ~4095)))" \
            "$(printf '0x%x' $(((words[5] + 8191) & ~4095)))" "$(printf '0x%x' $((words[1] & ~4095)))" ${4:+"$4"} \
            >"$dir/$3.txt"
    "$dir/make_recording" "$dir/$3.data" "$dir/$3.txt"
}

case_profgen() { # samples of the program of case_probes
    local text=$dir/stacks.txt data=$dir/stacks.data perf script add_up
    if ! command -v "$profgen" llvm-objdump-22 >/dev/null ||
        ! { [ -e "$dir/probes" ] || bench/probe_program.sh "$dir/probes"; }; then
        echo "no $profgen, or no program: recordings are left out" >&2
        return
    fi
    stacks_of "$dir/probes" 200000 stacks
    "$dir/compare" "$runs" "200,000 branch stacks, text, to a profile" \
        "$anyprof profgen --quiet --binary=$dir/probes --perfscript=$text -o $dir/ours.out" \
        "$profgen --binary=$dir/probes --perfscript=$text -o $dir/theirs.out 2>/dev/null" | table
    "$dir/compare" "$runs" "the same by lines" \
        "$anyprof profgen --quiet --binary=$dir/probes --perfscript=$text --use-dwarf-correlation -o $dir/ours.out" \
        "$profgen --binary=$dir/probes --perfscript=$text --use-dwarf-correlation -o $dir/theirs.out 2>/dev/null" |
        table
    perf=$(command -v perf perf_5.10 | head -n 1) || true
    [ -n "$perf" ] || { echo "no perf: its part is left out" >&2; return; }
    script="$perf script --show-mmap-events -F ip,brstack -i $data >$dir/script.txt 2>/dev/null"
    "$dir/compare" "$runs" "the same from perf.data; perf script, llvm-profgen" \
        "$anyprof profgen --quiet --binary=$dir/probes --perfdata=$data -o $dir/ours.out" \
        "$script; $profgen --binary=$dir/probes --perfscript=$dir/script.txt -o $dir/theirs.out 2>/dev/null" | table
    stacks_of "$dir/probes" 300000 again 60
    text=$dir/again.txt data=$dir/again.data
    "$dir/compare" "$runs" "300,000 branch stacks of 60 different ones, pairs added up; perf script alone" \
        "$dir/branch_pairs $data >/dev/null" "$perf script -F pid,brstack -i $data >/dev/null 2>&1" | table
    add_up="$anyprof profgen --quiet --binary=$dir/probes --skip-symbolization --perfdata=$data -o $dir/ours.out"
    "$dir/compare" "$runs" "the same with ranges in the code of a program" \
        "$add_up" "$perf script -F pid,brstack -i $data >/dev/null 2>&1" | table
    "$dir/compare" "$runs" "the same; llvm-profgen, from text" "$add_up" \
        "$profgen --binary=$dir/probes --skip-symbolization --perfscript=$text -o $dir/theirs.out 2>/dev/null" | table
}

case_fdata() { # 10 million lines, 286,000 different ones
    if ! command -v "$merge_fdata" >/dev/null; then
        echo "no $merge_fdata: fdata is left out" >&2
        return
    fi
    [ -e "$dir/fdata" ] || "$dir/make_fdata" "$dir/fdata" 200 50000 286000
    "$dir/compare" "$runs" "200 fdata of 50,000 lines" "$anyprof bolt merge -o $dir/ours.out $dir/fdata" \
        "$merge_fdata -o $dir/theirs.out $dir/fdata 2>/dev/null" | table
}

case_yaml() { # 241 MB
    if ! command -v "$merge_fdata" >/dev/null; then
        echo "no $merge_fdata: YAML is left out" >&2
        return
    fi
    [ -e "$dir/bolt.yaml" ] || "$dir/make_bolt_yaml" 50000 >"$dir/bolt.yaml"
    "$dir/compare" "$runs" "one YAML of 50,000 functions" "$anyprof bolt merge -o $dir/ours.out $dir/bolt.yaml" \
        "$merge_fdata -o $dir/theirs.out $dir/bolt.yaml 2>/dev/null" | table
}

bat() { # makes the program that BOLT wrote, and a dump of its table
    [ -e "$dir/bat" ] || bench/bat_program.sh "$dir/bat" || return
    [ "$dir/bat.dump" -nt "$dir/bat" ] || "$anyprof" bat dump -o "$dir/bat.dump" "$dir/bat"
}

samples() { # samples RESULT ARGUMENT...: makes RESULT unless it exists
    local result=$1
    shift
    [ "$dir/$result" -nt "$dir/bat.dump" ] && return
    "$dir/make_samples" "$@" <"$dir/bat.dump" >"$dir/$result.new"
    mv "$dir/$result.new" "$dir/$result"
}

convert() { # convert NAME PERCENT: a million traces, PERCENT of the branches with a random target
    samples "$2.preagg" records 1000000 "$2"
    "$dir/compare" "$runs" "$1" "$anyprof bolt convert --quiet $dir/bat --pa=$dir/$2.preagg -o $dir/ours.out" \
        "$perf2bolt $dir/bat --pa -p $dir/$2.preagg -o $dir/theirs.out >/dev/null 2>&1" | table
    cmp "$dir/ours.out" "$dir/theirs.out" || { echo "the profiles are not the same" >&2; exit 1; }
}

case_convert() {
    if ! command -v "$perf2bolt" >/dev/null || ! bat; then
        echo "no $perf2bolt, or no program: samples are left out" >&2
        return
    fi
    convert "1,000,000 traces, 384,000 different" 0
    convert "1,000,000 traces, 914,000 different" 70
}

translate() { # translate NAME ADDRESSES. bat_rule prints the name of the fragment, anyprof that of the function.
    "$dir/compare" "$runs" "$1" "$anyprof bat translate $dir/bat <$dir/$2 >$dir/ours.out" \
        "$dir/bat_rule $dir/bat <$dir/$2 >$dir/theirs.out" | table
    sed 's/\.cold\.[0-9]*+/+/' "$dir/theirs.out" | cmp "$dir/ours.out" - ||
        { echo "the places are not the same" >&2; exit 1; }
}

case_translate() {
    bat || { echo "no program of BOLT: addresses are left out" >&2; return; }
    samples addresses addresses 10000000
    [ "$dir/addresses.ordered" -nt "$dir/addresses" ] || LC_ALL=C sort -o "$dir/addresses.ordered" "$dir/addresses"
    translate "10,000,000 addresses" addresses
    translate "the same, ascending" addresses.ordered
}

look() { # look COMMAND INPUT NAME: llvm-profdata has no such command; its show reads the same file
    "$dir/compare" "$runs" "$3" "$anyprof $1 $2 >$dir/ours.out" "$llvm show $2 >$dir/theirs.out" | table
}

case_info() {
    make look raw "$dir/look" 1 100000 5
    make look.proftext text "$dir/look.proftext" 100000 6
    [ -e "$dir/look.profdata" ] || "$llvm" merge -o "$dir/look.profdata" "$dir/look.proftext"
    look info "$dir/look.profdata" "info, indexed, 100,000 functions"
    look info "$dir/look/0000.profraw" "info, raw, 100,000 functions"
    look check "$dir/look.profdata" "check, indexed, 100,000 functions"
    look check "$dir/look/0000.profraw" "check, raw, 100,000 functions"
    look check "$dir/look.proftext" "check, text, 100,000 functions"
}

large= # the temporary directory
make_large() {
    [ -n "$large" ] || large=$(mktemp -d "${TMPDIR:-/tmp}/anyprof-bench-XXXXXX")
    trap 'rm -rf "$large"' EXIT
}

sample_profiles() { # sample_profiles DIR same|different FILES FUNCTIONS PROGRAM: extbinary, as llvm-profdata writes it
    local out=$1 file
    shift
    [ ! -e "$out" ] || return 0
    "$dir/make_sample_profiles" "$1" "$out.new" "$2" "$3" "$4"
    for file in "$out.new"/*.prof; do
        "$llvm" merge --sample -o "${file%.prof}.afdo" "$file"
        rm "$file"
    done
    mv "$out.new" "$out"
}

sample_row() { # sample_row NAME INPUTS-AND-OPTIONS [RUNS]: both tools write the same bytes
    "$dir/compare" "${3:-$runs}" "$1" "$anyprof merge --sample --for=llvm-22 -o $dir/ours.out $2" \
        "$llvm merge --sample -o $dir/theirs.out $2" | table
    cmp "$dir/ours.out" "$dir/theirs.out" || { echo "the profiles are not the same" >&2; exit 1; }
}

case_sample() {
    sample_profiles "$dir/sample8" same 8 60000 1
    sample_profiles "$dir/sample40" different 40 4000 1
    [ -e "$dir/sample.prof" ] || "$llvm" merge --sample --text -o "$dir/sample.prof" "$dir/sample8/0000.afdo"
    sample_row "8 samples, one program, 60,000" "$dir/sample8/*.afdo"
    sample_row "40 samples, different, 4,000 each" "$dir/sample40/*.afdo"
    sample_row "samples, text to extbinary, 60,000" "$dir/sample.prof"
    sample_row "samples, extbinary to text, 60,000" "--text $dir/sample8/0000.afdo"
    compare_with "show --sample, 60,000" "show --sample" "$dir/sample8/0000.afdo"
    compare_with "show --sample of text, 60,000" "show --sample" "$dir/sample.prof"
    compare_with "overlap --sample, 60,000" "overlap --sample" "$dir/sample8/0000.afdo" "$dir/sample8/0001.afdo"
}

case_sample_many() { # shows whether peak memory grows with the number of files
    make_large
    sample_profiles "$large/many" same 1000 1000 2
    sample_row "10 samples, one program, 1,000" "$large/many/000?.afdo"
    sample_row "1,000 samples, one program, 1,000" "$large/many/*.afdo" 1
}

case_sample_large() {
    make_large
    sample_profiles "$large/same" same 40 60000 3
    sample_row "40 samples, one program, 60,000" "$large/same/*.afdo" 1
    rm -r "$large/same"
    sample_profiles "$large/different" different 40 60000 3
    sample_row "40 samples, different, 60,000 each" "$large/different/*.afdo" 1
}

coverage_row() { # coverage_row NAME DIR COMMAND...: of DIR/program; that both tools print the same bytes comes first
    local name=$1 inputs="--instr-profile=$2/program.profdata $2/program" ours theirs
    shift 2
    ours="$anyprof cov $* --compat=llvm-22 $inputs >$dir/ours.out"
    theirs="$llvm_cov $* $inputs >$dir/theirs.out"
    sh -c "$ours"
    sh -c "$theirs"
    cmp "$dir/ours.out" "$dir/theirs.out" || { echo "the outputs are not the same" >&2; exit 1; }
    "$dir/compare" "$runs" "$name" "$ours" "$theirs" | table
    rm "$dir/ours.out" "$dir/theirs.out"
}

coverage_rows() { # coverage_rows NAME DIR
    coverage_row "$1, cov export" "$2" export
    coverage_row "the same, --skip-expansions" "$2" export --skip-expansions
    coverage_row "the same, --format=lcov" "$2" export --format=lcov
    coverage_row "the same, cov report" "$2" report
    coverage_row "the same, cov show" "$2" show
}

coverage_program() { # coverage_program sqlite|re2: a program in $dir/sqlite or $dir/re2, and its profile
    command -v "$llvm_cov" >/dev/null || { echo "no $llvm_cov: coverage is left out" >&2; return 1; }
    bench/coverage_program.sh "$1" "$dir/$1" || return
    [ "$dir/$1/program.profdata" -nt "$dir/$1/program.profraw" ] ||
        "$llvm" merge -o "$dir/$1/program.profdata" "$dir/$1/program.profraw"
}

case_coverage_sqlite() {
    coverage_program sqlite || return 0
    coverage_rows "sqlite, 4 MB" "$dir/sqlite"
}

case_coverage() { # RE2 and Abseil, 24 times
    local out=$dir/coverage
    coverage_program re2 || return 0
    if [ ! "$out/program.profdata" -nt "$dir/re2/program.profdata" ]; then
        mkdir -p "$out"
        "$llvm" merge --text -o "$dir/re2/program.proftext" "$dir/re2/program.profdata"
        "$dir/make_coverage" "$dir/re2/program" "$dir/re2/program.proftext" 24 "$out"
        "$anyprof" merge --for=llvm-22 -o "$out/program.profdata" "$out/program.proftext"
    fi
    coverage_rows "117,000 functions, 31 MB" "$out"
}

markdown() {
    awk -F'|' '{
        split($2, cpu, " "); split($4, peak, " "); sub(/ *$/, "", $1)
        printf "| %s | %s s | %s s | **%s** | %.0f MB | %.0f MB | **%s** |\n",
            $1, cpu[1], cpu[2], cpu[3], peak[1], peak[2], peak[3] }'
}

version=$("$anyprof" --version | sed -n 's/[^0-9]*\([0-9.]*\).*/\1/p' | head -n 1)
if [ "${1:-}" = --markdown ]; then
    shift
    table() { markdown; }
    echo "| merging | CPU: anyprof | $llvm | | memory: anyprof | $llvm | |"
    echo "|---|--:|--:|--:|--:|--:|--:|"
else
    table() { cat; }
    printf '%-34s | %-26s | %-26s | %-26s\n' "anyprof $version, $llvm" "CPU s (ours, theirs, x)" "wall s" "peak MB"
fi
cases=("$@")
[ ${#cases[@]} -gt 0 ] ||
    cases=(pie real many indexed text json lookup show overlap order info sample sample_many probes profgen fdata
        convert translate)
for name in "${cases[@]}"; do
    "case_$name"
done
