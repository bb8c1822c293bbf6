/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads meet values: each of the 8 calls through pointers and copies memory TIMES times, all with the same 8 targets
 * and the same 8 sizes; the first thread writes the profile now and then. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int __llvm_profile_write_file(void);

static unsigned long times;
static char from[16], to[8][16];
static volatile unsigned sink;
typedef void function(void);
#define TARGET(n)                                                                                            \
    __attribute__((noinline)) static void target_##n(void)                                                   \
    {                                                                                                        \
        sink = n;                                                                                            \
    }
TARGET(0)
TARGET(1)
TARGET(2)
TARGET(3)
TARGET(4)
TARGET(5)
TARGET(6)
TARGET(7)
static function *const targets[] = {target_0, target_1, target_2, target_3,
                                    target_4, target_5, target_6, target_7};

__attribute__((noinline)) static void call(function *f)
{
    f();
}

__attribute__((noinline)) static void copy(char *there, size_t n)
{
    memcpy(there, from, n);
}

static void *thread(void *what)
{
    size_t id = (size_t)((char (*)[16])what - to);
    for (unsigned long i = 0; i < times; i++) {
        call(targets[(i + id) % 8]);
        copy(to[id], (i + id) % 8 + 1);
        if (id == 0 && i % 4096 == 4095)
            (void)__llvm_profile_write_file();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[8];
    times = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    for (size_t i = 0; i < 8; i++)
        pthread_create(&ids[i], NULL, thread, to[i]);
    for (size_t i = 0; i < 8; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
