/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_reload.h"

#include "rt_write.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int rt_reload_is_library(void)
{
    const uint8_t *start;
    size_t size;
    uintptr_t program = (uintptr_t)getauxval(AT_PHDR);
    return program && rt_image_range(&start, &size) && program - (uintptr_t)start >= size;
}

void rt_reload_mark(const char *path)
{
    static void *mark;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (mark)
        munmap(mark, 1);
    mark = mmap(NULL, 1, PROT_NONE, MAP_SHARED, fd, 0);
    if (mark == MAP_FAILED)
        mark = NULL;
    close(fd);
}

struct maps {
    int fd;
    size_t n, at;
    char buffer[512];
};

static int next(struct maps *maps)
{
    if (maps->at == maps->n) {
        ssize_t n = read(maps->fd, maps->buffer, sizeof maps->buffer);
        maps->n = n > 0 ? (size_t)n : 0;
        maps->at = 0;
    }
    return maps->at < maps->n ? maps->buffer[maps->at++] : -1;
}

static unsigned digit(int c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* A number and the character behind it. */
static uint64_t number(struct maps *maps, unsigned base, int *behind)
{
    uint64_t n = 0;
    int c = next(maps);
    for (; digit(c) < base; c = next(maps))
        n = n * base + digit(c);
    *behind = c;
    return n;
}

/* "START-END PERMISSIONS OFFSET MAJOR:MINOR INODE PATH" */
static int line_is_of(struct maps *maps, const struct stat *status, int *end)
{
    int c;
    (void)number(maps, 16, &c);
    (void)number(maps, 16, &c);
    int none = next(maps) == '-';
    while (c > 0 && (c = next(maps)) != ' ')
        continue;
    (void)number(maps, 16, &c);
    uint64_t high = number(maps, 16, &c), low = number(maps, 16, &c), inode = number(maps, 10, &c);
    while (c > 0 && c != '\n')
        c = next(maps);
    *end = c <= 0;
    return none && inode == status->st_ino && high == major(status->st_dev) && low == minor(status->st_dev);
}

int rt_reload_is_marked(const struct stat *status)
{
    struct maps maps = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    int found = 0, end = maps.fd < 0;
    while (!found && !end)
        found = line_is_of(&maps, status, &end);
    if (maps.fd >= 0)
        close(maps.fd);
    return found;
}
