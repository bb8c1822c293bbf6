#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Calls and casts that do not belong into src/, found in the text (symbols.sh finds them in what was built).
. "$(dirname "$0")/_lib.sh"

mapfile -t files < <(tree src -- -name '*.[ch]')
# double_text.c asks strtod whether the text it printed reads back as the number, in the locale of both.
text=$(code "${files[@]}" | grep -v '^src/base/double_text\.c:[0-9]*:.*strtod(printed, NULL) == v')

never() { # never EXTENDED-REGEX WHY
    local hits
    hits=$(grep -P -- "$1" <<<"$text" || true)
    [ -z "$hits" ] || fail "$2: $hits"
}

word='(?<![A-Za-z0-9_.>])'
number='strto(l|ul|ll|ull|imax|umax|d|f|ld)|ato(i|l|ll|f)|v?f?s?scanf'
letter='is(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)|to(lower|upper)'
never "$word($number) *\\(" "numbers are read by our own digit loop"
never "$word($letter) *\\(" "depends on the locale"
never "$word(qsort|qsort_r) *\\(" "not stable"
never "$word(_?exit|_Exit|quick_exit|abort|atexit|assert) *\\(" "the caller decides how a program ends"
never "$word(v?f?printf|puts|putchar|fputs|fputc|perror) *\\(" "a library does not print"
never "$word(getenv|secure_getenv|setlocale) *\\(" "a library does not read the environment"
never "$word(strcpy|strcat|sprintf|vsprintf|strtok|gets|alloca) *\\(" "no bound"
never '\((const )?u?int(16|32|64)_t \*\) *(?!0\b|NULL|[mc]alloc|realloc|\w*alloc\w*\()[A-Za-z_(&]' \
    "file bytes are not cast to wider types; memcpy loads"
never '^[^:]*:[0-9]+:[[:space:]]*(static )?(?!.*\b(const|inline)\b)static [^()=]*( = [^()]*)?;' "mutable static"

# Library messages never begin with the command's word for them.
hits=$(grep -nE '"(error|warning): ' "${files[@]}" || true)
[ -z "$hits" ] || fail "the command writes 'error:', not the library: $hits"
finish
