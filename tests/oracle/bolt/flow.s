# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions of x86-64 whose blocks are hard to find, for oracle/bolt_convert.py: BOLT is to leave them alone. Never
# run.
        .text
        .globl _start, other
        .type _start,@function
_start: call other
        call t1
        mov $60,%eax
        syscall
        .size _start,.-_start
        .type other,@function
other:  test %edi,%edi
        je 1f
        nop
1:      ret
        .size other,.-other
        .macro fn name
        .p2align 4
        .globl \name
        .type \name,@function
\name:
        .endm
        .macro ef name
        .size \name,.-\name
        .endm
# terminators
fn t1
        ud2
        jmp 1f
        nop
1:      hlt
        jmp 2f
2:      ud1 %eax,%eax
        nop
        int3
        jmp 3f
3:      iretq
        nop
        sysretq
        nop
        syscall
        nop
        lretq
        nop
        rep ret
        nop
        .byte 0xf2
        jmp 4f
        nop
4:      lock incl (%rax)
5:      nop
        jne 5b
        rep movsb
6:      je 6b
        xbegin 7f
        nop
7:      xabort $3
        nop
        xend
        je 7b
        endbr64
ef t1
fn t2
        je other
        .byte 0xf2
        ret
        nop
        notrack jmp *%rax
        nop
        int $0x80
        nop
        nop
        sysexitq
        nop
        ljmp *(%rax)
        nop
        lcall *(%rax)
        nop
        call *%rax
ef t2
fn t3
        nop
        jmp other
        jmp 8f
        nop
8:      je other
        jmp 9f
        nop
9:      je 10f
        jmp other
        nop
10:     je 11f
        jmp *%rax
        jmp 11f
        nop
11:     jmp 12f
        jmp 12f
12:     jne 13f
        jmp 13f
        nop
13:     je 14f
        jmp 15f
14:     je 15f
        jmp 14b
15:     ret
ef t3
# PIC tables
fn p1
        cmp $3,%edi
        ja 1f
        lea tp1(%rip),%rdx
        mov %edi,%ecx
        movslq (%rdx,%rcx,4),%rax
        add %rdx,%rax
        jmp *%rax
        nop
2:      nop
3:      ret
4:      nop
        ret
1:      ret
        .pushsection .rodata
        .p2align 2
tp1:    .long 2b-tp1,3b-tp1,4b-tp1,1b-tp1
        .popsection
ef p1
# the same with the index in the result
fn p2
        lea tp2(%rip),%rdx
        mov %edi,%eax
        movslq (%rdx,%rax,4),%rax
        add %rdx,%rax
        jmp *%rax
2:      nop
3:      ret
4:      nop
        ret
1:      ret
        .pushsection .rodata
tp2:    .long 2b-tp2,3b-tp2,4b-tp2,1b-tp2
        .popsection
ef p2
# add the other way
fn p3
        mov %edi,%eax
        lea tp3(%rip),%rdx
        movslq (%rdx,%rax,4),%rax
        add %rax,%rdx
        jmp *%rdx
2:      nop
3:      ret
4:      nop
        ret
1:      ret
        .pushsection .rodata
tp3:    .long 2b-tp3,3b-tp3,4b-tp3,1b-tp3
        .popsection
ef p3
# hoisted
fn p4
        lea tp4(%rip),%rdx
5:      mov %edi,%eax
        test %eax,%eax
        je 1f
        movslq (%rdx,%rax,4),%rax
        add %rdx,%rax
        jmp *%rax
2:      nop
        jmp 5b
3:      nop
        jmp 5b
4:      nop
        ret
1:      ret
        .pushsection .rodata
tp4:    .long 2b-tp4,3b-tp4,4b-tp4,1b-tp4
        .popsection
ef p4
# add memory (gcc never), cltq in between; call between
fn p5
        lea tp5(%rip),%rbx
        call other
        movslq (%rbx,%rax,4),%rax
        nop
        add %rbx,%rax
        mov %ecx,%esi
        jmp *%rax
2:      nop
3:      ret
1:      ret
        .pushsection .rodata
tp5:    .long 2b-tp5,3b-tp5,1b-tp5
        .popsection
ef p5
# same register for lea and load? and a wrong scale
fn p6
        lea tp6(%rip),%rbx
        movslq (%rbx,%rax,4),%rbx
        lea tp6(%rip),%rax
        add %rax,%rbx
        jmp *%rbx
2:      nop
3:      ret
1:      ret
        .pushsection .rodata
tp6:    .long 2b-tp6,3b-tp6,1b-tp6
        .popsection
ef p6
# two tables in a row, both lead here
fn p7
        lea tp7(%rip),%rbx
        movslq (%rbx,%rax,4),%rax
        add %rbx,%rax
        jmp *%rax
2:      nop
        lea tp8(%rip),%rbx
        movslq (%rbx,%rax,4),%rax
        add %rbx,%rax
        jmp *%rax
        nop
3:      ret
        nop
4:      nop
        ret
1:      ret
        nop
        .pushsection .rodata
tp7:    .long 2b-tp7,3b-tp7,1b-tp7
tp8:    .long 3b-tp8,4b-tp8
        .popsection
ef p7
# mov then jmp
fn n1
        mov tn1(,%rax,8),%rcx
        inc %edx
        jmp *%rcx
        nop
2:      nop
3:      ret
4:      nop
        .pushsection .rodata
        .p2align 3
tn1:    .quad 2b,3b,4b,n1,n1_end
        .popsection
        ret
ef n1
n1_end: nop
fn n2
        jmp *tn2(,%rax,8)
2:      nop
3:      nop
4:      ret
        .pushsection .rodata
tn2:    .quad 3b,4b
        .size tn2,16
        .type tn2,@object
        .quad 2b
        .popsection
ef n2
fn n3
        jmp *tn3(%rip)
2:      nop
3:      nop
4:      ret
        .pushsection .rodata
tn3:    .quad 3b,4b
        .popsection
ef n3
fn n4
        jmp *tn4(%rip)
2:      nop
3:      nop
4:      ret
        .pushsection .data
tn4:    .quad 3b,4b
        .popsection
ef n4
fn n5
        je 1f
        jmp *tn5(,%rax,8)
1:      nop
        jmp *tn5+8(,%rax,8)
2:      nop
3:      nop
        ret
4:      ret
        .pushsection .data
tn5:    .quad 1b,2b,3b,4b
        .popsection
ef n5
fn n6
        je 1f
        mov tn6(,%rax,8),%eax
        jmp *%rax
1:      nop
        mov tn6(%rax),%rdx
        jmp *%rdx
2:      nop
3:      nop
        mov tn6(%rip),%rdx
        jmp *%rdx
4:      ret
        .pushsection .data
tn6:    .quad 1b,2b,3b,4b
        .popsection
ef n6
# into the middle of another one
fn x1
        nop
        je 1f
        nop
        call x2+3
        jmp x2+5
        lea x2+6(%rip),%rax
1:      ret
ef x1
fn x2
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        je x1+5
        ret
ef x2
# into the middle of an instruction
fn x3
        je x3m+1
        nop
x3m:    mov $3,%eax
        ret
ef x3
fn x4
        vpaddd %zmm1,%zmm2,%zmm3
        je 1f
        vpdpbusd %zmm1,%zmm2,%zmm3
        wrpkru
        rdpid %rax
        serialize
        tpause %eax
1:      cldemote (%rax)
        movdir64b (%rax),%rbx
        enqcmd (%rax),%rbx
        uiret
        nop
        clui
        ret
ef x4
# of all kinds
# unresolved indirect jump
        .globl unres
        .type unres,@function
unres:  test %edi,%edi
        je 1f
        mov (%rax),%rdx
        add $4,%rdx
        jmp *%rdx
1:      test %esi,%esi
        je 2f
        nop
2:      ret
        .size unres,.-unres
        .p2align 4
        .globl ctc
        .type ctc,@function
ctc:    test %edi,%edi
        je other
        call other
        je 1f
        jmp 2f
1:      nop
        nop
2:      nop
        jne 3f
3:      ud2
        int3
        hlt
        nop
        int $3
        syscall
        cmp %eax,%edi
        jne 4f
        jmp other
        inc %eax
4:      je 5f
        mov %ebx,%eax
        nop
5:      jmp 1b
        lea 6f(%rip),%rax
6:      nop
        je 7f
7:      je 8f
        call 8f
8:      nop
        pop %rax
        ret
        .size ctc,.-ctc
        nop
        nop
        .globl loopy
        .type loopy,@function
loopy:  nop
        je 1f
        nop
1:      loop loopy
        ret
        .size loopy,.-loopy
        .globl past
        .type past,@function
past:   nop
        je 1f
        nop
        je 2f
        nop
1:      nop
        jmp 2f
        nop
        .size past,.-past
2:      nop
        .p2align 4
        .globl inner
        .type inner,@function
inner:  nop
        je 1f
        nop
mid:    nop
        nop
        .globl mid2
mid2:   nop
        nop
        .globl mid3
        .type mid3,@function
mid3:   nop
        nop
        .size mid3,2
1:      ret
        .size inner,.-inner
        .globl pops
        .type pops,@function
pops:   nop
        je 1f
        nop
        pop %rax
        jmp *%rdx
1:      nop
        ret
        .size pops,.-pops
        .globl bad
        .type bad,@function
bad:    nop
        je 1f
        nop
1:      .byte 0x06
        nop
        ret
        .size bad,.-bad
        .globl sizeless
        .type sizeless,@function
sizeless: nop
        je 1f
        nop
1:      ret
        nop
        nop
# split by the compiler: perf2bolt follows neither part
        .globl split
        .type split,@function
split:  test %edi,%edi
        je 1f
        nop
1:      jne split.cold
        nop
2:      ret
        .size split,.-split
        .type split.cold,@function
split.cold:
        nop
        je 3f
        nop
3:      jmp 2b
        .size split.cold,.-split.cold
# into the middle of another one, from one without samples
        .globl reached
        .type reached,@function
reached: nop
        nop
        nop
        ret
        .size reached,.-reached
        .globl unseen
        .type unseen,@function
unseen: nop
        jmp reached+2
        .size unseen,.-unseen
