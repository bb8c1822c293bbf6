/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens and closes the shared library of the first argument, as often as the second says. */
#include <dlfcn.h>
#include <stdlib.h>

__attribute__((noinline)) int step(int i)
{
    return i & 1 ? i + 1 : i;
}

int main(int argc, char **argv)
{
    int sum = 0;
    for (int n = argc > 2 ? atoi(argv[2]) : 0; n; n--) {
        void *library = dlopen(argv[1], RTLD_NOW);
        union {
            void *object;
            int (*function)(int);
        } found;
        if (!library || !(found.object = dlsym(library, "library_step")))
            return 2;
        for (int i = 0; i < 50; i++)
            sum += step(found.function(i));
        if (dlclose(library))
            return 3;
    }
    return sum == 12345678;
}
