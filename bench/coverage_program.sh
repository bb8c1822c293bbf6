#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a real program with coverage and a profile of it. `sqlite` is the amalgamation of SQLite with a driver that
# runs some statements (bench/sqlite_statements.c), by clang-22 -O1; `re2` is RE2 with its own tests and Abseil with
# a test that calls parts of it, by clang++-22 -O0. Sources are those that this system packages.
#
#     bench/coverage_program.sh sqlite|re2 DIR        DIR/program, DIR/program.profraw and the sources
#
# Takes a minute for sqlite and several for re2. Fails with a message if something is missing.
set -euo pipefail
kind=$1 result=$2
clang=${CLANG:-clang-22} clangxx=${CLANGXX:-clang++-22}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/fetch.sh
. "$here/fetch.sh"
flags=(-fprofile-instr-generate -fcoverage-mapping -w)

fail() {
    echo "coverage_program: $*" >&2
    exit 1
}
for tool in "$clang" "$clangxx" apt-get make perl tclsh; do
    command -v "$tool" >/dev/null || fail "no $tool"
done
mkdir -p "$result"
work=$(cd "$result" && pwd)
[ ! -e "$work/program.profraw" ] || exit 0

build_sqlite() { # its makefile joins the sources to one file
    cd sqlite3
    [ -e sqlite3.c ] || { ./configure --disable-shared --disable-tcl && make sqlite3.c; } || return
    local options=(-DSQLITE_ENABLE_{FTS3,FTS5,RTREE,SESSION,PREUPDATE_HOOK,DBSTAT_VTAB,COLUMN_METADATA,STAT4})
    "$clang" -O1 "${flags[@]}" "${options[@]}" -I. "$here/sqlite_statements.c" sqlite3.c -o "$work/program" \
        -lm -lpthread -ldl
}

write_calls() { # a test in RE2's words that calls parts of Abseil
    cat <<'CALLS'
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/random/random.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "util/test.h"

absl::StatusOr<int> number(absl::string_view text)
{
    int value;
    if (absl::SimpleAtoi(text, &value))
        return value;
    return absl::InvalidArgumentError(absl::StrCat("no number: ", text));
}

TEST(Abseil, Calls)
{
    absl::flat_hash_map<std::string, int> map;
    absl::btree_map<int, std::string> tree;
    absl::node_hash_set<int> set;
    absl::BitGen random;
    absl::Mutex mutex;
    absl::Cord cord;
    int sum = 0;
    for (absl::string_view word : absl::StrSplit("12,a,7,,31,text,9999999999", ',', absl::SkipEmpty())) {
        absl::MutexLock lock(&mutex);
        absl::StatusOr<int> value = number(word);
        map[std::string(word)] = value.ok() ? *value : -1;
        sum += value.value_or(1);
        cord.Append(absl::StrFormat("%-8s|%5d|%08.3f|%x\n", word, sum, sum / 7.0, sum));
    }
    for (int i = 0; i < 3000; i++) {
        tree[absl::Uniform(random, 0, 1000)] = absl::Base64Escape(absl::StrCat(i, "-", absl::Hex(i)));
        set.insert(i * 7919 % 1000);
        if (i % 3 == 0)
            tree.erase(i), set.erase(i);
    }
    absl::Time time = absl::FromUnixSeconds(1234567890);
    cord.Append(absl::FormatTime(time, absl::UTCTimeZone()) + absl::FormatDuration(absl::Seconds(sum)));
    cord.Append(absl::StrReplaceAll(absl::StrJoin(set, ","), {{"1", "one"}, {"22", "many"}}));
    EXPECT_TRUE(cord.size() > map.size() + absl::HashOf(cord) % 2);
    EXPECT_TRUE(absl::CEscape(std::string(cord)).size() >= cord.Subcord(3, 1000).size());
}
CALLS
}

write_tables() { # tables of characters that RE2's source package lacks: what its tests need
    perl "$1/make_perl_groups.pl" >"$1/perl_groups.cc"
    cat <<'TABLES'
#include "re2/unicode_casefold.h"
#include "re2/unicode_groups.h"

namespace re2 {
const CaseFold unicode_casefold[] = {{65, 90, 32}, {97, 122, -32}, {0x391, 0x3a1, 32}, {0x3b1, 0x3c1, -32}};
const int num_unicode_casefold = 4;
const CaseFold unicode_tolower[] = {{65, 90, 32}, {0x391, 0x3a1, 32}};
const int num_unicode_tolower = 2;
static const URange16 upper[] = {{65, 90}, {0x391, 0x3a1}}, lower[] = {{97, 122}, {0x3b1, 0x3c9}};
static const URange16 letters[] = {{65, 90}, {97, 122}, {0x391, 0x3a1}, {0x3b1, 0x3c9}, {0x4e00, 0x9fff}};
static const URange16 digits[] = {{48, 57}}, greek[] = {{0x370, 0x3ff}}, braille[] = {{0x2800, 0x28ff}},
    line[] = {{95, 95}};
const UGroup unicode_groups[] = {{"Braille", +1, braille, 1, 0, 0}, {"Greek", +1, greek, 1, 0, 0},
    {"L", +1, letters, 5, 0, 0}, {"Ll", +1, lower, 2, 0, 0}, {"Lm", +1, 0, 0, 0, 0}, {"Lo", +1, &letters[4], 1, 0, 0},
    {"Lt", +1, 0, 0, 0, 0}, {"Lu", +1, upper, 2, 0, 0}, {"Mc", +1, 0, 0, 0, 0}, {"Mn", +1, 0, 0, 0, 0},
    {"N", +1, digits, 1, 0, 0}, {"Nd", +1, digits, 1, 0, 0}, {"Nl", +1, 0, 0, 0, 0}, {"Pc", +1, line, 1, 0, 0},
    {"Zl", +1, 0, 0, 0, 0}};
const int num_unicode_groups = 15;
}
TABLES
}

build_re2() {
    local sources
    write_tables re2/re2 >re2/re2/unicode_tables.cc
    write_calls >re2/re2/testing/abseil_test.cc
    sources=$(find abseil/absl -name '*.cc' | grep -vE 'test|benchmark|mock|gentables|chi_square|print_hash'
        find re2/re2 re2/util -name '*.cc' |
            grep -vE 'fuzz|benchmark|(dfa|exhaustive[0-9]?|filtered_re2|parse|random|required_prefix|simplify)_test')
    mkdir -p objects
    # shellcheck disable=SC2016 # the inner shell's words
    xargs -P "$(nproc)" -I{} sh -c 'object=objects/$(echo "$0" | tr / _).o
        [ -e "$object" ] || "$@" -c "$0" -o "$object"' \
        {} "$clangxx" -std=c++17 -O0 "${flags[@]}" -Iabseil -Ire2 <<<"$sources" &&
        "$clangxx" "${flags[@]}" objects/*.o -o program -lpthread
}

case $kind in
    sqlite) packages=(sqlite3) ;;
    re2) packages=(re2 abseil) ;;
    *) fail "no program $kind" ;;
esac
for package in "${packages[@]}"; do
    [ -d "$work/$package" ] || fetch "$work" "$package" >"$work/fetch.log" 2>&1 ||
        fail "no source of $package, see $work/fetch.log"
done
(cd "$work" && "build_$kind") >"$work/build.log" 2>&1 || fail "$kind does not build, see $work/build.log"
(cd "$work" && LLVM_PROFILE_FILE=$work/run.profraw ./program) >"$work/run.log" 2>&1 ||
    fail "the program fails, see $work/run.log"
mv "$work/run.profraw" "$work/program.profraw"
