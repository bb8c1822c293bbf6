# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What the comparison of ABIs consists of, for abi.sh and abi_changes.sh. Both set $tmp.

# abi_public HEADERS: the structures that are defined there, one a line. abidw takes a structure for public if any file
# that has the name of a header defines it.
abi_public() {
    grep -ohE '^struct [a-z_0-9]+ \{' "$1" -r --include='*.h' | awk '{ print $2 }' | sort -u
}

# abi_suppressions HEADERS FROZEN...: what is compatible although abidiff calls it a change. Structures of the headers
# grow at their end, except those of the names FROZEN; others may change; functions that libanyprof.so exports to
# libanyprof-elf.so alone are no part of the ABI.
abi_suppressions() {
    local frozen public
    public=$(abi_public "$1" | paste -sd'|')
    frozen=$(printf '%s\n' "${@:2}" | paste -sd'|')
    cat <<END
[suppress_function]
  symbol_name_regexp = ^anyprof_
  drop = yes
[suppress_variable]
  symbol_name_regexp = ^anyprof_
  drop = yes
[suppress_type]
  type_kind = struct
  name_not_regexp = ^(${frozen:-none})$
  has_data_member_inserted_at = end
[suppress_type]
  type_kind = struct
  name_not_regexp = ^(${public:-none})$
END
}

# abi_write LIBRARY HEADERS OUTPUT: the ABI of a library that was built with debug information.
abi_write() {
    abidw --suppressions "$tmp/compatible" --headers-dir "$2" --drop-private-types --type-id-style hash \
        --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --drop-undefined-syms --out-file "$3" "$1"
}

# abi_compare HEADERS OLD NEW: the report of two files of abi_write; false if programs that were compiled for OLD may
# not work with NEW. Any bit of abidiff's exit code is an error or a change; it does not count additions.
abi_compare() {
    python3 "$(dirname "${BASH_SOURCE[0]}")/_abi_fields.py" "$2" "$3" < <(abi_public "$1") &&
        abidiff --suppressions "$tmp/compatible" --no-added-syms "$2" "$3"
}
