/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_message.h"

#include "rt_decimal.h"
#include "rt_pending.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

int aprt_verbose;

/* strerror is not safe in a signal handler. */
static const char *reason(int number)
{
    switch (number) {
    case EACCES:
        return "Permission denied";
    case EROFS:
        return "Read-only file system";
    case ENOENT:
        return "No such file or directory";
    case ENOTDIR:
        return "Not a directory";
    case EEXIST:
        return "File exists";
    case EISDIR:
        return "Is a directory";
    case ENOSPC:
        return "No space left on device";
    case EDQUOT:
        return "Disk quota exceeded";
    case EFBIG:
        return "File too large";
    case EBUSY:
        return "Device or resource busy";
    case ELOOP:
        return "Too many levels of symbolic links";
    case ENXIO:
        return "No such device or address";
    case EIO:
        return "Input/output error";
    case EMFILE:
    case ENFILE:
        return "Too many open files";
    case ENAMETOOLONG:
        return "File name too long";
    case ENOMEM:
        return "Cannot allocate memory";
    case ETIMEDOUT:
        return "Timed out";
    case ENOLCK:
        return "No locks available";
    case EPIPE:
        return "Broken pipe";
    case EBADF:
        return "Bad file descriptor";
    case ESTALE:
        return "Stale file handle";
    case EINVAL:
        return "Invalid argument";
    case EPERM:
        return "Operation not permitted";
    default:
        return NULL;
    }
}

/* Writes a message; a closed pipe must not end the program. */
static void write_parts(const struct iovec *parts, int n)
{
    sigset_t had;
    struct aprt_pending pending;
    aprt_pending_block(&had);
    aprt_pending_find(&pending);
    if (writev(2, parts, n) < 0)
        aprt_pending_discard(&pending); /* the message cannot be delivered */
    pthread_sigmask(SIG_SETMASK, &had, NULL);
}

void aprt_message(enum aprt_severity tone, const char *what, const char *name, int error_number)
{
    static const char *const tones[] = {
        "LLVM Profile Error: ", "LLVM Profile Warning: ", "LLVM Profile Note: "};
    struct iovec parts[8];
    char digits[RT_MOST_DIGITS];
    int n = 0, had = errno;
    const char *why = error_number ? reason(error_number) : NULL;
    if (tone == RT_NOTE && !aprt_verbose)
        return;
    const char *texts[] = {tones[tone],
                           what,
                           name ? " " : "",
                           name ? name : "",
                           error_number ? ": " : "",
                           why            ? why
                           : error_number ? "error "
                                          : ""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        parts[n++] = (struct iovec){(void *)(uintptr_t)texts[i], strlen(texts[i])};
    if (error_number && !why)
        parts[n++] = (struct iovec){digits, aprt_decimal(digits, (uint64_t)error_number)};
    parts[n++] = (struct iovec){(void *)(uintptr_t)"\n", 1};
    write_parts(parts, n);
    errno = had;
}
