# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Linked with labels.s: another file of a name that occurs there, and names that occur there.
        .file "second.c"
        .text
        .type twice,@function
twice:  test %edi,%edi
        je 1f
        nop
1:      ret
        .size twice,.-twice
untyped_static:
        nop
        ret
        .section code_split,"ax",@progbits
alone:  nop
        ret
        .data
twice_data: .quad 1
