/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The main function of every unit test program.
 *
 *   unit_base                    runs all files of the program
 *   unit_base arena cursor       runs test_arena.c and test_cursor.c
 *   unit_base arena:test_s*      runs the tests of test_arena.c whose names match the pattern (* and ?)
 *
 * CMake defines UNIT_FILES, the list of the program's files: X(arena) X(cursor) ...
 * Exit code: 0 if all tests passed, 1 if some failed, 2 if an argument names no file. */
#include <stdio.h>
#include <string.h>

#include "helpers/shared/unit.h"

#define X(name) int tests_##name(void);
UNIT_FILES
#undef X

#define X(name) {#name, tests_##name},
static const struct {
    const char *name;
    int (*run)(void); /* the number of tests that failed */
} files[] = {UNIT_FILES};
#undef X

int main(int argc, char **argv)
{
    int failed = 0;
    for (size_t i = 0; argc == 1 && i < COUNT(files); i++)
        failed |= files[i].run();
    for (int a = 1; a < argc; a++) {
        size_t n = strcspn(argv[a], ":"), i = 0;
        while (i < COUNT(files) && (strlen(files[i].name) != n || memcmp(files[i].name, argv[a], n) != 0))
            i++;
        if (i == COUNT(files)) {
            fprintf(stderr, "%s: no test_%.*s.c in this program\n", argv[0], (int)n, argv[a]);
            return 2;
        }
        cmocka_set_test_filter(argv[a][n] ? argv[a] + n + 1 : NULL);
        failed |= files[i].run();
    }
    return failed != 0;
}
