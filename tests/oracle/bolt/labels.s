# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Code with symbols of every kind, for oracle/bolt_symbols.py: which of them BOLT takes for functions. Never run.
        .macro body n=3
        test %edi,%edi
        je 9f
        .rept \n
        add $1,%eax
        .endr
9:      ret
        .endm
        .macro sized name
        .size \name,.-\name
        .endm

        .file "first.c"
        .text
        .skip 3,0x90                    # code before the first symbol
        .globl _start
        .type _start,@function
_start: call untyped
        call typed
        mov $60,%eax
        syscall
        sized _start
        .p2align 4
        .globl untyped                  # neither a type nor a size
untyped: body
inner_local: body                       # a label, as far as anything tells
        .globl inner_global
inner_global: body
        .weak inner_weak
inner_weak: body
        .p2align 4
        .globl typed
        .type typed,@function
typed:  body
typed_local: body
        .globl typed_global
typed_global: body
        .globl typed_inside
        .type typed_inside,@function
typed_inside: body
        sized typed_inside
        sized typed
after_local: body                       # after a function that has a size
        .p2align 4,0x90
        .globl untyped_sized
untyped_sized: body
in_sized: body
        .globl in_sized_global
in_sized_global: body
        sized untyped_sized
        .p2align 4,0x90
local_sized: body
        sized local_sized
        .p2align 4,0x90
local_unsized: body
        .p2align 4,0x90
        .globl typed_unsized
        .type typed_unsized,@function
typed_unsized: body
unsized_local: body
        .globl unsized_global
unsized_global: body
        .p2align 4,0x90
        .type typed_local_unsized,@function
typed_local_unsized: body
        .p2align 4,0x90
        .globl table
        .type table,@object
table:  .quad 1, 2, 3
        sized table
        .p2align 4,0x90
        .globl after_table
        .type after_table,@function
after_table: body
        .type small_table,@object
small_table: .quad 4
        sized small_table
        body
        sized after_table
        .skip 5,0x90
        .type no_table,@object
no_table: .quad 5
        .p2align 4,0x90
        .globl chosen
        .type chosen,@gnu_indirect_function
chosen: body
        sized chosen
        .p2align 4,0x90
        .globl chosen_unsized
        .type chosen_unsized,@gnu_indirect_function
chosen_unsized: body
        .p2align 4,0x90
alias_local:
        .globl alias_global
alias_global:
        .type alias_typed,@function
alias_typed: body
        sized alias_typed
        .p2align 4,0x90
alias_local2:
        .globl alias_global2
alias_global2: body
        .p2align 4,0x90
        .globl alias_sized3
alias_unsized3:
alias_sized3: body
        sized alias_sized3
        .p2align 4,0x90
        .globl framed                   # no size, but a frame says how long
framed: .cfi_startproc
        body
        .globl in_frame
in_frame: body
        .cfi_endproc
        .globl after_frame
after_frame: body
        .p2align 4,0x90
        .cfi_startproc                  # a frame, but no symbol
        body
        .cfi_endproc
        .p2align 4,0x90
        .globl last
        .type last,@function
last:   body
        sized last
twice:  body
        .globl end
end:

        .section code_other,"ax",@progbits
        body                            # no symbol before it
        .globl other
other:  body
        .section code_only,"ax",@progbits
only_local: body
        .size only_local,.-only_local
        .file "second.c"
        .type typed_static,@function
typed_static: body
        sized typed_static
untyped_static: body
        .data
twice_data: .quad twice, untyped, typed, other, only_local
