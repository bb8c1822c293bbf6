/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How files begin that several rooms recognize, also those that do not read them. */
#ifndef BASE_FILE_MAGIC_H
#define BASE_FILE_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool elf_begins(const uint8_t *data, size_t n)
{
    return n >= 4 && memcmp(data, "\177ELF", 4) == 0;
}

/* The magic of perf.data is a number in the byte order of the machine. */
static inline bool perf_data_begins(const uint8_t *data, size_t n)
{
    return n >= 8 && (memcmp(data, "PERFILE2", 8) == 0 || memcmp(data, "2ELIFREP", 8) == 0);
}

/* The marker that LLVM writes before a document of YAML. */
static inline bool yaml_begins(const uint8_t *data, size_t n)
{
    return n >= 4 && memcmp(data, "---\n", 4) == 0;
}

/* A marker before a document of YAML, also as other programs and editors write it. */
static inline bool yaml_marker_begins(const uint8_t *data, size_t n)
{
    return n >= 3 && memcmp(data, "---", 3) == 0 &&
           (n == 3 || data[3] == '\n' || data[3] == '\r' || data[3] == ' ');
}

/* The bytes at the start of a document of YAML that decide what it is. */
#define YAML_SNIFFED_BYTES ((size_t)4096)

/* Whether a document of YAML has a line near its start, after the first one, that begins with a word. */
static inline bool yaml_has_line(const uint8_t *data, size_t n, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 1; i + length <= n && i <= YAML_SNIFFED_BYTES; i++)
        if (data[i - 1] == '\n' && memcmp(data + i, word, length) == 0)
            return true;
    return false;
}

/* A YAML profile of BOLT has two keys. Either of them is enough, for the error may be in the other one. */
static inline bool bolt_yaml_begins(const uint8_t *data, size_t n)
{
    return yaml_marker_begins(data, n) &&
           (yaml_has_line(data, n, "header:") || yaml_has_line(data, n, "functions:"));
}

#endif
