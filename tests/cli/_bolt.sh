# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The program that tests of `bolt convert` assemble: f, of two blocks and a return, with a table that swaps nothing.

f_code() {
    cat <<'END'
        .type f, @function
f:      test %edi, %edi
        je 1f
        nop
1:      ret
        .size f, .-f
END
}

f_table() {
    cat <<'END'
        .section .note.bolt_bat, "", @note
        .long 5, 2f-1f, 1
        .ascii "BOLT\0\0\0\0"
1:      .uleb128 1, 0x10000
        .quad 0x1122334455667788
        .uleb128 3, 0, 4, 4
        .byte 2                 # the second entry is a branch
        .uleb128 0
        .quad 1
        .uleb128 0, 2, 2
        .quad 2
        .uleb128 1, 1
        .quad 3
        .uleb128 1
        .byte 0
2:      .balign 4
END
}
