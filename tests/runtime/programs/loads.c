/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads the libraries of its arguments, calls counted_there of each, and ends as the first argument says. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        void (*function)(void) = NULL;
        if (library)
            *(void **)&function = dlsym(library, "counted_there");
        if (!function) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        function();
    }
    if (strcmp(argv[1], "abort") == 0)
        abort();
    return 0;
}
