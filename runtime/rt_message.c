/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_message.h"

#include "rt_decimal.h"
#include "rt_pending.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

int aprt_verbose, aprt_compatible;

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

struct message {
    struct iovec parts[10];
    int n;
};

static void append_bytes(struct message *message, const char *text, size_t n)
{
    message->parts[message->n++] = (struct iovec){(void *)(uintptr_t)text, n};
}

static void append_text(struct message *message, const char *text)
{
    append_bytes(message, text, strlen(text));
}

/* Appends compiler-rt's words with the name in its place. */
static void append_theirs(struct message *message, const char *theirs, const char *name)
{
    const char *at = strchr(theirs, '@');
    append_bytes(message, theirs, at ? (size_t)(at - theirs) : strlen(theirs));
    append_text(message, at && name ? name : "");
    append_text(message, at ? at + 1 : "");
}

void aprt_message_or(enum aprt_severity tone, const char *what, const char *theirs, const char *name,
                     int error_number)
{
    static const char *const tones[] = {
        "LLVM Profile Error: ", "LLVM Profile Warning: ", "LLVM Profile Note: "};
    struct message message = {.n = 0};
    char digits[RT_MOST_DIGITS];
    int had = errno;
    const char *why = error_number ? reason(error_number) : NULL;
    theirs = aprt_compatible ? theirs : NULL;
    if (tone == RT_NOTE && !aprt_verbose && !theirs)
        return;
    append_text(&message, tones[tone]);
    if (theirs) {
        append_theirs(&message, theirs, name);
    } else {
        append_text(&message, what);
        append_text(&message, name ? " " : "");
        append_text(&message, name ? name : "");
    }
    if (error_number)
        append_text(&message, why ? ": " : ": error ");
    if (why)
        append_text(&message, why);
    else if (error_number)
        append_bytes(&message, digits, aprt_decimal(digits, (uint64_t)error_number));
    append_text(&message, "\n");
    write_parts(message.parts, message.n);
    errno = had;
}

void aprt_message(enum aprt_severity tone, const char *what, const char *name, int error_number)
{
    aprt_message_or(tone, what, NULL, name, error_number);
}
