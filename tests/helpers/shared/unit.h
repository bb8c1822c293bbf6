/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every unit test begins with: cmocka, and a place for files. A helper that cannot do its work fails the test. */
#ifndef HELPERS_SHARED_UNIT_H
#define HELPERS_SHARED_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define RUN_TESTS(tests) cmocka_run_group_tests(tests, NULL, NULL)

/* A new directory below $TMPDIR (or /tmp). Entries that the test leaves go with it. */
struct temp_dir {
    char path[512];
};

void temp_dir_make(struct temp_dir *dir);
void temp_dir_remove(struct temp_dir *dir);
/* How many entries a directory has, not counting . and .. */
size_t dir_entries(const char *path);

/* DIR/NAME; one of 16 buffers that are reused in turn. */
const char *path_in(const struct temp_dir *dir, const char *name);

void file_make(const char *path, const void *p, size_t n);
/* Is that exactly what the file holds? */
bool file_holds(const char *path, const void *p, size_t n);
/* The permission bits; those of a link are its target's. */
unsigned file_mode(const char *path);
/* How many files this process has open, to find leaks. */
size_t open_files(void);

/* n bytes that look random and are the same in every run. */
void fill_bytes(uint8_t *p, size_t n, uint64_t seed);
/* The next number of such a sequence (splitmix64). */
uint64_t next_random(uint64_t *state);

#endif
