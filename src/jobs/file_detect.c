/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detects the kind of a file, for commands that accept several kinds, and for messages with advice. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_identity.h"
#include "base/options.h"
#include "jobs/file_detect.h"
#include "jobs/file_kinds.h"

static uint32_t kind_of_compression(enum compression compression)
{
    return compression == COMPRESSION_GZIP   ? APF_KIND_GZIP
           : compression == COMPRESSION_ZSTD ? APF_KIND_ZSTD
                                             : APF_KIND_UNKNOWN;
}

int file_detect_kind(struct apf_file_info *info, struct file_bytes *f, const struct apf_input *input,
                     uint64_t max_bytes, struct apf_error *error)
{
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    int code = file_read_packed(f, input, max_bytes, error);
    if (code != APF_OK)
        return code;
    info->file_size = f->n;
    info->compression = kind_of_compression(f->compression);
    /* After any other failure the kind stays that of the compression. */
    if (file_unpack(f, max_bytes, NULL) == APF_NO_MEMORY)
        return error_memory(error);
    info->kind = file_kind_of(f->data, f->n)->kind;
    return APF_OK;
}

int file_detect(struct apf_file_info *info, struct file_bytes *f, const struct apf_input *input,
                uint64_t max_bytes, struct apf_error *error)
{
    int code = file_detect_kind(info, f, input, max_bytes, error);
    return code == APF_OK ? file_detect_elf(info, f, error) : code;
}

int apf_file_detect(const struct apf_input *input, const struct apf_options *options,
                    struct apf_file_info *info, struct apf_error *error)
{
    struct file_bytes f = {0};
    struct apf_options o;
    struct apf_file_info found;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_file_info, info, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    code = file_detect(&found, &f, input, options_max_bytes(&o), error);
    result_fill(info, sizeof found, &found);
    file_bytes_free(&f);
    return file_error(error, code, input, 0);
}

int apf_is_recording_directory(const char *path)
{
    static const char name[] = "/data";
    char begin[16] = "";
    struct file_identity identity;
    size_t n = strlen(path);
    char *data = malloc(n + sizeof name);
    if (!data)
        return 0;
    memcpy(data, path, n);
    memcpy(data + n, name, sizeof name);
    if (file_look(&identity, data, true) == 0 && identity.regular)
        (void)file_peek(data, begin, sizeof begin);
    free(data);
    return file_kind_of((const uint8_t *)begin, sizeof begin)->kind == APF_KIND_PERF_DATA;
}

int apf_file_kind_is_sample(enum apf_file_kind kind)
{
    return file_kind_has(kind, KIND_SAMPLES);
}
