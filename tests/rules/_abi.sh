# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What the comparison of ABIs consists of, for abi.sh and abi_changes.sh. Both set $tmp.

# abi_suppressions FROZEN...: what is compatible although abidiff calls it a change. Structures grow at their end,
# except those of these names; functions that libanyprof.so exports to libanyprof-elf.so alone are no part of the ABI.
abi_suppressions() {
    local frozen
    frozen=$(printf '%s\n' "$@" | paste -sd'|')
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
END
}

# abi_write LIBRARY HEADERS OUTPUT: the ABI of a library that was built with debug information.
abi_write() {
    abidw --suppressions "$tmp/compatible" --headers-dir "$2" --drop-private-types --type-id-style hash \
        --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --drop-undefined-syms --out-file "$3" "$1"
}

# abi_compare OLD NEW: the report of two files of abi_write; false if programs that were compiled for OLD may not work
# with NEW. Any bit of abidiff's exit code is an error or a change; it does not count additions.
abi_compare() {
    python3 "$(dirname "${BASH_SOURCE[0]}")/_abi_fields.py" "$1" "$2" &&
        abidiff --suppressions "$tmp/compatible" --no-added-syms "$1" "$2"
}
