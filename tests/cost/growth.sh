#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The work grows with the size of an input:
# - of --delete-inputs: four times as many structures of one function and hash, of which one is kept, take less than six
#   times the instructions;
# - of the search for the names nearest to an unknown one: so do names with four times the letters;
# - of merges of sample profiles: so do four times the contexts of one function, with as many lines, call targets and
#   inlined functions, which the summary and other layouts add up;
# - of coverage: so do four times the functions, whose names have one hash in XXH3 without a seed; and four times the
#   functions of one name, as old versions may have them, of which a profile has as many hashes;
# - of exports and reports: so do four times the functions in which one is inlined that has a name of four times the
#   letters, which is read once.
. "$(dirname "$0")/_lib.sh"

command -v valgrind >/dev/null || skip "no valgrind"
command -v python3 >/dev/null || skip "no python3"

structures() { # structures N: a text profile of N records that differ in their numbers of value sites only
    awk -v n="$1" '
        function sites(kind, many) {
            if (!many)
                return ""
            text = kind "\n" many "\n"
            while (many--)
                text = text "0\n"
            return text
        }
        BEGIN {
            for (i = 0; i < n; i++) {
                a = i % 20
                b = int(i / 20) % 20
                c = int(i / 400)
                printf "f\n1\n1\n1\n"
                if (i)
                    printf "%d\n%s%s%s", (a > 0) + (b > 0) + (c > 0), sites(0, a), sites(1, b), sites(2, c)
                print ""
            }
        }'
}

count() { # count N: sets `counted` for an input of N structures
    structures "$1" >input.proftext
    rm -f result
    count_own merge -j 1 --delete-inputs -o result input.proftext
}

count 1000
few=$counted
count 4000
printf '1000 structures: %s instructions, 4000: %s\n' "$few" "$counted"
if [ "$counted" -lt $((few * 6)) ]; then good; else bad "4 times the structures, 6 times the instructions or more"; fi

count_names() { # count_names N: sets `counted` for names of N letters that are like the wanted one
    awk -v n="$1" 'BEGIN {
        text = sprintf("%" n - 5 "s", "")
        gsub(" ", "a", text)
        for (i = 0; i < 1000; i++)
            printf "%s%05d\n1\n1\n1\n\n", text, i
    }' >names.proftext
    count_ended 1 lookup names.proftext "$(head -c "$(($1 - 9))" /dev/zero | tr '\0' a)xxxxxxxxx"
}

count_names 60
few=$counted
count_names 240
printf 'names of 60 letters: %s instructions, of 240: %s\n' "$few" "$counted"
if [ "$counted" -lt $((few * 6)) ]; then good; else bad "4 times the letters, 6 times the instructions or more"; fi

count_contexts() { # count_contexts N OPTION...: sets `counted` for N contexts of one function
    local n=$1
    shift
    awk -v n="$n" 'BEGIN {
        for (i = n; i > 0; i--)
            printf "[main:%d @ foo]:30:1\n %d: 10 t%d:5\n 2: b%d:10\n  1: 10\n  !CFGChecksum: %d\n !CFGChecksum: 5\n", \
                i, i + 9, i, i % 7, i
    }' >contexts.prof
    count_own merge -j 1 "$@" -o result contexts.prof
}

for options in "" --sample-merge-cold-context --convert-sample-profile-layout=flat \
    --convert-sample-profile-layout=nest --for=llvm-12; do
    # shellcheck disable=SC2086  # none, or one
    count_contexts 2000 $options
    few=$counted
    # shellcheck disable=SC2086
    count_contexts 8000 $options
    printf '2000 contexts%s: %s instructions, 8000: %s\n' "${options:+ with $options}" "$few" "$counted"
    if [ "$counted" -lt $((few * 6)) ]; then good; else bad "4 times the contexts, 6 times the instructions or more"; fi
done

make_coverage() { # make_coverage N: a program of N functions, in LLVM's testing format
    python3 - "$@" <<'END'
import hashlib
import struct
import sys


def uleb(v):
    return bytes([v]) if v < 128 else bytes([v & 127 | 128]) + uleb(v >> 7)


def ref(data):
    return hashlib.md5(data).digest()[:8]


def pad(data):
    return data + bytes(-len(data) % 8)


# with these first 8 bytes, XXH3 of a text of 32 bytes does not depend on the next 8
names = [b"\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe%08x0123456789abcdef" % i for i in range(int(sys.argv[1]))]
files = b"\2\6\0\1/\3a.c"
text = b"\1".join(names)
names_section = uleb(len(text)) + b"\0" + text
covmap = pad(struct.pack("<4I", 0, len(files), 0, 6) + files)
with open("p.covtest", "wb") as out:
    head = b"llvmcovm" + struct.pack("<Q", 1) + uleb(len(names_section)) + b"\0" + names_section + uleb(len(covmap))
    out.write(pad(head) + covmap)
    mapping = b"\1\1\0\1\1\1\1\0\x09"
    for name in names:
        out.write(pad(ref(name) + struct.pack("<IQ", len(mapping), 1) + ref(files) + mapping))
END
}

make_coverage 2000
rm -f result
count_own cov export -j 1 --format=lcov --empty-profile -o result p.covtest
few=$counted
make_coverage 8000
rm -f result
count_own cov export -j 1 --format=lcov --empty-profile -o result p.covtest
printf '2000 functions: %s instructions, 8000: %s\n' "$few" "$counted"
if [ "$counted" -lt $((few * 6)) ]; then good; else bad "4 times the functions, 6 times the instructions or more"; fi

count_hashes() { # count_hashes N: sets `counted` for N functions "f" in LLVM's testing format, and their profile
    python3 - "$1" <<'END'
import struct
import sys


def uleb(v):
    return bytes([v]) if v < 128 else bytes([v & 127 | 128]) + uleb(v >> 7)


n = int(sys.argv[1])
files = b"\1\3a.c"
mapping = b"\1\0\0\1\1\1\1\0\x09"
records = b"".join(struct.pack("<QIIQ", i, 1, len(mapping), i + 1) for i in range(n))
covmap = struct.pack("<4I", n, len(files), n * len(mapping), 0) + records + files + n * mapping
with open("p.covtest", "wb") as out:
    head = b"llvmcovm" + struct.pack("<Q", 1) + uleb(n) + b"\0" + n * b"f" + uleb(len(covmap))
    out.write(head + bytes(-len(head) % 8) + covmap)
with open("p.proftext", "w", encoding="ascii") as out:
    for i in range(n, 0, -1):
        out.write("f\n%d\n1\n1\n\n" % i)
END
    ends 0 merge -o p.profdata p.proftext
    rm -f result
    count_own cov export -j 1 --format=lcov --instr-profile=p.profdata -o result p.covtest
    [ -s result ] || bad "no coverage"
}

count_hashes 2000
few=$counted
count_hashes 8000
printf '2000 functions of one name: %s instructions, 8000: %s\n' "$few" "$counted"
if [ "$counted" -lt $((few * 6)) ]; then good; else bad "4 times the hashes, 6 times the instructions or more"; fi

make_inlined() { # make_inlined N: a function with a name of 10 * N letters that is inlined in N functions
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++)
            name = name "BBBBBBBBBB"
        for (i = n; i > 0; i--)
            print "f" i ":3:1\n 1: 1\n 2: " name ":2\n  1: 2"
    }' >inlined.prof
    ends 0 convert --to=extbinary -o inlined.afdo inlined.prof
}

for words in "convert --pprof" "convert --speedscope" report; do
    make_inlined 300
    # shellcheck disable=SC2086  # several words
    rm -f result
    count_own $words -o result inlined.afdo
    few=$counted
    make_inlined 1200
    # shellcheck disable=SC2086
    rm -f result
    count_own $words -o result inlined.afdo
    printf '%s, inlined 300 times: %s instructions, 1200: %s\n' "$words" "$few" "$counted"
    if [ "$counted" -lt $((few * 6)) ]; then good; else bad "$words: 4 times the size, 6 times the instructions"; fi
done
finish
