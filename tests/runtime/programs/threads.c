/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Four threads count 50000 times each. */
#include <pthread.h>
#include <stddef.h>

__attribute__((noinline)) int step(int i)
{
    return i % 3 ? i + 1 : i;
}

static void *work(void *sum)
{
    for (int i = 0; i < 50000; i++)
        *(int *)sum += step(i);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    int sums[4] = {0};
    for (int i = 0; i < 4; i++) {
        if (pthread_create(&threads[i], NULL, work, &sums[i]) != 0)
            return 1;
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return sums[0] != sums[3];
}
