#!/usr/bin/awk -f
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What make_branch_stacks reads, of `llvm-objdump -d --no-show-raw-insn` of x86-64 code: "KIND ADDRESS TARGET" for each
# instruction, and for each function an entry. Sections but .text are left out.
/^Disassembly of section/ { text = $4 == ".text:"; next }
!text { next }
/^[0-9a-f]+ <.*>:$/ { print "e", $1, 0; next }
/^ *[0-9a-f]+:/ {
    sub(/:$/, "", $1)
    target = $3 ~ /^0x[0-9a-f]+$/ ? substr($3, 3) : 0
    kind = $2 ~ /^ret/ ? "r" : $2 ~ /^call/ ? "k" : $2 ~ /^jmp/ ? "j" : $2 ~ /^j/ ? "c" : "p"
    print kind, $1, target
}
