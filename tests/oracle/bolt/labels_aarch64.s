# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# labels.s for AArch64, where mapping symbols tell code from data. Never run.
        .macro body n=3
        cbz w0,9f
        .rept \n
        add w0,w0,#1
        .endr
9:      ret
        .endm
        .macro sized name
        .size \name,.-\name
        .endm
        .file "first.c"
        .text
        nop
        .globl _start
        .type _start,@function
_start: bl untyped
        bl typed
        mov x8,#93
        svc #0
        sized _start
        .globl untyped
untyped: body
inner_local: body
        .globl inner_global
inner_global: body
        .globl typed
        .type typed,@function
typed:  ldr x1,literal
        body
literal: .quad 0x1234
typed_after_data: body
        sized typed
        .quad 7
after_data: body
        .globl global_data
global_data: .quad 9
        .globl sized_data
        .type sized_data,@object
sized_data: .quad 10
        sized sized_data
local_data: .quad 11
        .globl framed
framed: .cfi_startproc
        body
        .globl in_frame
in_frame: body
        .cfi_endproc
        .cfi_startproc
        body
        .cfi_endproc
        .globl last
        .type last,@function
last:   body
        sized last
twice:  body
        .section code_other,"ax",@progbits
        body
        .globl other
other:  body
        .word 5
