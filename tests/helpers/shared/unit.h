/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Included by every unit test: cmocka, and a directory for files. A helper that cannot do its work fails the test. */
#ifndef HELPERS_SHARED_UNIT_H
#define HELPERS_SHARED_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <anyprof/merge.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The tolerance of merges that are always written. */
static const struct apf_tolerance any_loss = {APF_FAIL_WARN, 0};

/* The tests of the file test_NAME.c: the body of TEST_FILE(NAME) ends with RUN_TESTS of a table. */
#define TEST_FILE(name)                                                                                      \
    int tests_##name(void);                                                                                  \
    int tests_##name(void)
#define RUN_TESTS(tests) RUN_TESTS_WITH(tests, NULL, NULL)
/* setup runs before the first test, teardown after the last one. */
#define RUN_TESTS_WITH(tests, setup, teardown) cmocka_run_group_tests_name(__func__, tests, setup, teardown)

/* The test's own directory below $TMPDIR (or /tmp), made before it begins; entries that it leaves go with it. */
#define TEST_WITH_DIR(test) cmocka_unit_test_setup_teardown(test, temp_dir_make, temp_dir_remove)
extern char temp_dir[512];
int temp_dir_make(void **state);
int temp_dir_remove(void **state);
/* The path of an entry, in one of 16 buffers that are reused in turn. */
const char *temp_path(const char *name);
/* The number of entries of a directory, without . and .. */
size_t dir_entries(const char *path);

void file_make(const char *path, const void *p, size_t n);
/* Whether the file has exactly this content. */
bool file_holds(const char *path, const void *p, size_t n);
/* The permission bits; those of a link are its target's. */
unsigned file_mode(const char *path);
bool is_link(const char *path);
/* The number of open files of this process, to find leaks. */
size_t open_files(void);

/* Runs `body` in a child process, as a user without privileges who may change the test's directory. Fails the test if
 * it ends with _exit(n), n not 0. */
void as_nobody(void (*body)(void));

/* Fills in n pseudo-random bytes, equal in every run. */
void fill_bytes(uint8_t *p, size_t n, uint64_t seed);
/* The next number of a pseudo-random sequence (splitmix64). */
uint64_t next_random(uint64_t *state);

#endif
