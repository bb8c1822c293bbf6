/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/binary/sample_start.h"

#include <string.h>

#include "base/error.h"
#include "base/leb128.h"
#include "sample/layout/sample_layout.h"

bool sample_start_is(const uint8_t *data, size_t n, uint64_t magic)
{
    uint8_t bytes[ULEB128_MAX];
    size_t size = uleb128_store(bytes, magic);
    return n >= size && memcmp(data, bytes, size) == 0;
}

struct sample_decoder sample_start(struct apf_sample *s, const uint8_t *data, size_t n,
                                   const struct sample_read_options *o)
{
    struct sample_decoder d = {.s = s,
                               .options = o,
                               .c = cursor_make(data, n, HOST_BIG_ENDIAN),
                               .where = "",
                               .stored_at = NO_OFFSET,
                               .mask = UINT32_MAX};
    return d;
}

/* Names of the versions of formats, in errors. */
static const char *version_where(uint32_t format)
{
    return format == APF_SAMPLE_BINARY    ? "sample.binary.version"
           : format == APF_SAMPLE_COMPACT ? "sample.compact.version"
                                          : "sample.ext.version";
}

int sample_start_read(struct sample_decoder *d, uint32_t format, const struct sample_version **version,
                      struct apf_error *error)
{
    cursor_skip(&d->c, SAMPLE_MAGIC_BYTES);
    d->where = version_where(format);
    const uint8_t *start = d->c.p;
    uint64_t number = sample_decode_number(d);
    if (d->c.failed)
        return sample_decode_cut(d, "version", error);
    *version = sample_version_of(format, number);
    if (!*version) {
        d->c.p = start;
        return sample_decode_bound(d, APF_SAMPLE_VERSION, number, sample_version_near(format, number), NULL,
                                   error);
    }
    if (d->s) {
        d->s->info.format = format;
        d->s->info.version = (*version)->version;
    }
    return APF_OK;
}

/* Reads names that are decimal numbers as hashes, if LLVM may have printed all of them from hashes. */
static int adopt_decimals(struct apf_sample *s, struct apf_error *error)
{
    bool hashes = s->info.flags & APF_SAMPLE_MD5;
    int code = hashes ? APF_OK : sample_adopt_decimals(s, error);
    for (size_t i = 0; code == APF_OK && !hashes && s->info.flags & APF_SAMPLE_MD5 && i < s->names.list.n;
         i++)
        s->findings[SAMPLE_FINDING_DECIMAL_NAMES] += s->names.list.data[i].p == NULL;
    return code;
}

int sample_start_end(struct sample_decoder *d, int code, struct apf_error *error)
{
    struct apf_sample *s = d->s;
    if (code == APF_OK)
        code = sample_seal(s, error);
    if (code == APF_OK)
        code = adopt_decimals(s, error);
    if (code == APF_OK)
        code = sample_complete(s, error);
    if (code != APF_OK && d->options->progress)
        *d->options->progress = d->progress;
    sample_decoder_free(d);
    return code;
}
