/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/read/sample_formats.h"

#include <string.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/leb128.h"
#include "base/options.h"
#include "sample/binary/sample_binary_read.h"
#include "sample/gcc/sample_gcc_read.h"
#include "sample/json/sample_json_read.h"
#include "sample/layout/sample_layout.h"
#include "sample/text/sample_text_read.h"

#define DEFAULT_BYTES ((uint64_t)64 << 30)
#define MOST_RECORDS ((uint64_t)1 << 28)

/* The formats in the order of recognition. The text format is last, since any text may be a text profile. */
static const struct sample_format formats[] = {
    {APF_SAMPLE_BINARY, sample_binary_begins, sample_binary_read},
    {APF_SAMPLE_EXTBINARY, sample_ext_begins, sample_ext_read},
    {APF_SAMPLE_COMPACT, sample_compact_begins, sample_compact_read},
    {APF_SAMPLE_GCC, sample_gcc_begins, sample_gcc_read},
    {APF_SAMPLE_JSON, sample_json_begins, sample_json_read},
    {APF_SAMPLE_TEXT, sample_text_begins, sample_text_read},
};

const struct sample_format *sample_format_find(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].begins(data, n))
            return &formats[i];
    return NULL;
}

/* ---- options ---- */

/* The bits of a discriminator that count, by enum apf_sample_pass; 0: all. */
static const uint32_t pass_masks[] = {
    [APF_SAMPLE_PASS_LAST] = 0,    [APF_SAMPLE_PASS_BASE] = 0xff,   [APF_SAMPLE_PASS_1] = 0x3fff,
    [APF_SAMPLE_PASS_2] = 0xfffff, [APF_SAMPLE_PASS_3] = 0x3ffffff,
};

int sample_read_options_resolve(struct sample_read_options *to, const struct apf_sample_read_options *from,
                                struct apf_options *common, struct apf_error *error)
{
    struct apf_sample_read_options o;
    static const struct sample_read_options empty;
    int code = OPTIONS_READ_BOTH(apf_sample_read_options, &o, from, common, error);
    if (code == APF_OK)
        code = flags_check(o.flags, APF_SAMPLE_READ_FS, "apf_sample_read_options.flags", error);
    if (code == APF_OK && o.pass >= sizeof pass_masks / sizeof *pass_masks)
        code = error_plain(error, APF_ARGUMENT, "apf_sample_read_options.pass", "no such pass");
    if (code != APF_OK)
        return code;
    *to = empty;
    to->max_bytes = options_max_bytes(common);
    to->max_records =
        common->max_records && common->max_records < MOST_RECORDS ? common->max_records : MOST_RECORDS;
    to->flags = common->flags;
    to->max_depth = common->max_depth && common->max_depth < SAMPLE_MAX_DEPTH ? (uint32_t)common->max_depth
                                                                              : SAMPLE_MAX_DEPTH;
    to->fs = (o.flags & APF_SAMPLE_READ_FS) != 0;
    to->discriminator = pass_masks[o.pass];
    return APF_OK;
}

/* ---- reading ---- */

int sample_read_any(struct apf_sample *s, const uint8_t *data, size_t n,
                    const struct sample_read_options *options, struct apf_error *error)
{
    const struct sample_format *format = sample_format_find(data, n);
    if (n == 0) {
        error_set_words(error, APF_EMPTY_PROFILE, "file.size",
                        "Unrecognized sample profile encoding format: the file is empty");
        return APF_EMPTY_PROFILE;
    }
    if (!format) {
        uint8_t first[sizeof(uint64_t)] = {0}, magic[10];
        memcpy(first, data, n < sizeof first ? n : sizeof first);
        (void)uleb128_store(magic, SAMPLE_MAGIC_EXTBINARY);
        struct error_at at = {"magic", 0, load64le(first), load64le(magic)};
        return error_magic(error, APF_SAMPLE_UNRECOGNIZED, at);
    }
    return format->read(s, data, n, options, error);
}

/* Reads the first functions of bytes whose rest is damaged. */
static int read_whole_part(struct apf_sample *s, const uint8_t *data, size_t n,
                           const struct sample_read_options *options, const struct sample_progress *progress,
                           struct apf_error *error)
{
    struct sample_read_options again = *options;
    again.max_functions = progress->n_functions;
    again.progress = NULL;
    sample_reset(s);
    return sample_read_any(s, data, n, &again, error);
}

int sample_salvage_file(struct apf_sample *s, const struct file_bytes *file,
                        const struct sample_read_options *options, const struct apf_error *why,
                        struct apf_error *error)
{
    struct sample_progress progress = {0};
    struct sample_read_options first = *options;
    struct apf_error damage;
    /* The intact bytes of a compressed file, or all of them. */
    const uint8_t *data = file->n ? file->data : file->unpacked.data;
    size_t n = file->n ? file->n : file->proven;
    first.progress = &progress;
    int code = n ? sample_read_any(s, data, n, &first, &damage) : APF_EMPTY_PROFILE;
    if (code == APF_OK) /* the bytes that are missing were not needed */
        progress.n_functions = progress.known = s->top.n;
    else if (code != APF_NO_MEMORY && progress.n_functions)
        code = read_whole_part(s, data, n, options, &progress, &damage);
    if (code != APF_OK || !progress.n_functions) {
        if (error)
            *error = code == APF_NO_MEMORY ? damage : *why;
        return code == APF_NO_MEMORY ? code : why->code;
    }
    struct apf_sample_salvage *salvage = arena_zeros(&s->arena, 1, sizeof *salvage);
    if (!salvage)
        return error_memory(error);
    salvage->error = *why;
    salvage->functions = s->top.n;
    salvage->lost_known = progress.known != 0;
    salvage->lost_functions =
        progress.known > progress.n_functions ? progress.known - progress.n_functions : 0;
    s->salvage = salvage;
    return APF_OK;
}
