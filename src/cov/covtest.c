/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* LLVM's testing format, which llvm-cov convert-for-testing writes: the sections of a program without the program. */
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "cov/section_readers.h"

#define MAGIC "llvmcovm"
#define MAGIC_BYTES 8u
#define VERSION_1 0x6174616474736574u /* "testdata" */
#define VERSION_2 1u
#define COVMAP_HEADER_BYTES 16u
/* Before this version of the mapping, functions are in the first section. */
#define COVFUN_STORED_VERSION 3u

bool covtest_is(const uint8_t *p, size_t n)
{
    return n >= MAGIC_BYTES && memcmp(p, MAGIC, MAGIC_BYTES) == 0;
}

static void align(struct cursor *c)
{
    cursor_skip(c, (8 - cursor_offset(c) % 8) % 8);
}

int covtest_read(struct section_reader *r, const uint8_t *p, size_t n)
{
    struct cov_sections *s = r->sections;
    struct cursor c = cursor_make(p, n, HOST_BIG_ENDIAN);
    cursor_skip(&c, MAGIC_BYTES);
    const uint64_t version = cursor_u64(&c), names = cursor_uleb128(&c);
    s->names_address = cursor_uleb128(&c);
    s->names = (struct section_bytes){cursor_bytes(&c, names), (size_t)names};
    uint64_t covmap = version == VERSION_2 ? cursor_uleb128(&c) : 0;
    align(&c);
    if (c.failed || (version != VERSION_1 && version != VERSION_2))
        return error_place(r->error, APF_BAD_COVERAGE, "covtest.header", cursor_offset(&c),
                           "the header is wrong, or does not fit");
    const size_t left = cursor_left(&c);
    if (version == VERSION_1) {
        const bool whole = left < COVMAP_HEADER_BYTES || load32le(c.p + 12) < COVFUN_STORED_VERSION;
        covmap = whole ? left : COVMAP_HEADER_BYTES + (uint64_t)load32le(c.p + 4);
    }
    s->covmap = (struct section_bytes){cursor_bytes(&c, covmap), (size_t)covmap};
    if (c.failed || !s->covmap.p)
        return error_place(r->error, APF_BAD_COVERAGE, "covtest.covmap", cursor_offset(&c),
                           "it does not fit in the file");
    align(&c);
    const struct section_bytes covfun = {c.p, c.failed ? 0 : cursor_left(&c)};
    s->long_pointers = true;
    s->swap = HOST_BIG_ENDIAN;
    return !covfun.n || VEC_PUSH(&s->covfun, covfun) ? APF_OK : error_memory(r->error);
}
