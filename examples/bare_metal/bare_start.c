/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Start-up code of a Cortex-M. Must not be instrumented: it sets up the memory of the counters. */
#include <stdint.h>

int main(void);
_Noreturn void leave(int code);

extern uint8_t data_start[], data_end[], data_load[], bss_start[], bss_end[];
extern void (*const init_start[])(void), (*const init_end[])(void);
extern uint8_t stack_top[];

_Noreturn static void start(void)
{
    for (uint8_t *to = data_start, *from = data_load; to < data_end;)
        *to++ = *from++;
    for (uint8_t *to = bss_start; to < bss_end;)
        *to++ = 0;
    for (void (*const *init)(void) = init_start; init < init_end; init++)
        (*init)();
    leave(main());
}

_Noreturn static void fault(void)
{
    leave(99);
}

/* The initial stack pointer, then handlers of reset, NMI and hard fault. */
extern const void *const vectors[4];
__attribute__((section(".vectors"))) const void *const vectors[4] = {
    stack_top,
    (const void *)start,
    (const void *)fault,
    (const void *)fault,
};
