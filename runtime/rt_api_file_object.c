/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles and streams of the program. In its own object, so that only programs that call it link stdio. */
#include "rt_api.h"
#include "rt_continuous.h"
#include "rt_counts.h"
#include "rt_decimal.h"
#include "rt_file.h"
#include "rt_memory.h"
#include "rt_message.h"
#include "rt_process.h"
#include "rt_profile.h"
#include "rt_target.h"
#include "rt_write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static FILE *stream;
static int merging;

static int write_stream_bytes(void *context, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, context) == n ? 0 : errno ? errno : EIO;
}

struct content {
    uint8_t *bytes;
    size_t size;
};

/* Reads all bytes of the stream. Returns 0 or errno's number; content->bytes is the caller's to free in either
 * case. */
static int read_content(struct content *content)
{
    if (fseek(stream, 0, SEEK_END) != 0)
        return errno;
    long size = ftell(stream);
    if (size < 0 || fseek(stream, 0, SEEK_SET) != 0)
        return errno;
    content->size = (size_t)size;
    content->bytes = aprt_pages(content->size);
    if (!content->bytes)
        return ENOMEM;
    return fread(content->bytes, 1, content->size, stream) == content->size ? 0 : EIO;
}

static int write_counts(const struct aprt_image *image, const struct aprt_counts *counts)
{
    struct aprt_image copy = *image;
    struct aprt_out out = {.write = write_stream_bytes, .context = stream};
    aprt_counts_apply(&copy, counts);
    aprt_write_profile(&out, &copy);
    if (out.code == 0 && fflush(stream) != 0)
        out.code = errno;
    return out.code;
}

/* compiler-rt names the file that would be written without the stream. */
static void report(const char *theirs, const struct aprt_image *image, int error)
{
    const char *name = aprt_compatible && aprt_name_chosen.text[0] &&
                               aprt_name_expand(&aprt_name_chosen, image, aprt_file.path) == 0
                           ? aprt_file.path
                           : NULL;
    aprt_message_or(RT_ERROR, "cannot write to the stream", theirs, name, error);
}

/* Returns an error unless the image's counts can be added to what the stream holds, of which `next` was found. */
static int may_merge(const struct aprt_image *image, enum aprt_next next, const struct aprt_profile *found)
{
    if (next == RT_NEXT_NONE)
        return 0;
    if (!found->values || (next == RT_NEXT_FOUND && !found->same_program)) {
        aprt_message_or(RT_WARNING, "the stream holds no profile of this program",
                        "Unable to merge profile data: source profile file is not compatible.", NULL, 0);
        return EINVAL;
    }
    if (image->version & RT_TEMPORAL)
        aprt_message_or(RT_ERROR, RT_TEMPORAL_STAYS, NULL, 0);
    else if (next == RT_NEXT_FOUND)
        return 0;
    aprt_message_or(RT_ERROR, "the profile in the stream cannot be added to; it stays as it is",
                    "Invalid profile data to merge", NULL, 0);
    return EINVAL;
}

/* Adds to the profile that the stream holds and writes the sum over it. The sum is never shorter: values are only
 * added. */
static int merge_stream(const struct aprt_image *image, const struct aprt_counts *live)
{
    struct content content = {NULL, 0};
    struct aprt_profile profile;
    struct aprt_counts sum = {0}, nothing = {0};
    int error = read_content(&content);
    enum aprt_next next =
        error ? RT_NEXT_NONE : aprt_profile_next(&profile, image, content.bytes, content.size, 0);
    if (!error)
        error = may_merge(image, next, &profile);
    if (error && aprt_compatible)
        report("Profile Merging of file @ failed", image, error);
    if (!error && next == RT_NEXT_FOUND)
        error = aprt_counts_combine(&sum, image, live, &nothing, &profile);
    if (!error && fseek(stream, 0, SEEK_SET) != 0)
        error = errno;
    if (!error)
        error = write_counts(image, sum.memory ? &sum : live);
    aprt_counts_free(&sum);
    aprt_pages_free(content.bytes, content.size);
    return error;
}

/* Keeps out other processes that merge into the same file. 0: no lock can be had. */
static int lock_stream(FILE *file)
{
    if (lprofLockFd(fileno(file)) == 0)
        return 1;
    aprt_message_or(RT_WARNING, "the stream is merged into without a lock",
                    "Data may be corrupted during profile merging : Fail to obtain file lock due to system "
                    "limit.",
                    NULL, 0);
    return 0;
}

static int write_stream(const struct aprt_image *image)
{
    struct aprt_counts live;
    int error = aprt_counts_copy(&live, image);
    int locked = merging && lock_stream(stream);
    if (!error)
        error = merging ? merge_stream(image, &live) : write_counts(image, &live);
    if (locked)
        lprofUnlockFd(fileno(stream));
    aprt_counts_free(&live);
    if (error)
        report(RT_NOT_WRITTEN, image, error);
    return error ? -1 : 0;
}

/* --- continuous mode ------------------------------------------------------------------------------------------- */

static int count_locked(FILE *file)
{
    int error = fseek(file, 0, SEEK_END) ? errno : 0;
    if (!error && ftell(file) == 0)
        error = aprt_continuous_write(write_stream_bytes, file);
    if (!error && fflush(file) != 0)
        error = errno;
    return error ? error : aprt_continuous_move(fileno(file));
}

/* Makes the image count in the file of the stream. */
static int count_in(FILE *file)
{
    struct aprt_inside inside;
    int error, locked = lock_stream(file);
    error = aprt_process_enter(&inside);
    if (!error) {
        error = count_locked(file);
        aprt_process_leave(&inside);
    }
    if (locked)
        lprofUnlockFd(fileno(file));
    if (error == EINVAL)
        aprt_message_or(RT_WARNING, "the stream holds no profile of this program",
                        "Unable to merge profile data: source profile file is not compatible.", NULL, 0);
    else if (error)
        aprt_message(RT_ERROR, "counters cannot be kept in the stream", NULL, error);
    return error != 0;
}

/* Other processes may count in the file: it is merged into by its nature. */
static void refuse_alone(FILE *file)
{
    char digits[RT_MOST_DIGITS + 1];
    digits[aprt_decimal(digits, (uint64_t)fileno(file))] = 0;
    aprt_message_or(
        RT_WARNING, "counters are kept in a stream only if it is merged into; not in descriptor",
        "__llvm_profile_set_file_object(fd=@) not supported in continuous sync mode when merging is "
        "disabled",
        digits, 0);
}

int __llvm_profile_set_file_object(FILE *file, int merge_into)
{
    if (file && aprt_continuous_is_on()) {
        if (merge_into)
            return count_in(file);
        refuse_alone(file);
        return 1;
    }
    stream = file;
    merging = merge_into;
    aprt_target_other = file ? write_stream : NULL;
    return 0;
}

FILE *lprofOpenFileEx(const char *path)
{
    int fd = aprt_open(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0)
        return NULL;
    if (lprofLockFd(fd))
        aprt_message(RT_WARNING, "the file is used without a lock:", path, errno);
    FILE *file = fdopen(fd, "r+b");
    if (!file)
        close(fd);
    return file;
}
