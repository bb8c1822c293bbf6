/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles. The input is a list of blocks, for which the target makes the frame with its checksums, so that
 * these do not keep wrong records from their readers: for each block its section, the number of its records and that of
 * its bytes (2 bytes each, the most significant first), and its bytes. A file that is accepted is written again, as a
 * profile and as a partial profile; that one must be accepted, too, and is the same when it is written once more. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fuzz_profile.h"

#define HEADER 24u
#define HEAD 24u
#define LAST_SECTION 255u

static void store(uint8_t *to, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t checksum(const uint8_t *head, const uint8_t *p, size_t n)
{
    return XXH3_64bits_withSeed(head, 16, n ? XXH3_64bits(p, n) : 0);
}

/* What is made of blocks. */
struct frame {
    struct apf_buffer file;
    uint64_t n_blocks, checksums;
};

static void add_block(struct frame *f, uint8_t section, uint32_t n_records, const uint8_t *p, size_t n)
{
    uint8_t head[HEAD] = {section};
    store(head + 4, n, 4);
    store(head + 8, n, 4);
    store(head + 12, n_records, 4);
    const uint64_t sum = checksum(head, p, n);
    store(head + 16, sum, 8);
    REQUIRE(apf_buffer_write(&f->file, head, sizeof head) == 0 && apf_buffer_write(&f->file, p, n) == 0);
    f->n_blocks += section != LAST_SECTION;
    f->checksums += section != LAST_SECTION ? sum : 0;
}

static struct apf_buffer make_file(const uint8_t *data, size_t size)
{
    struct frame f = {.file = {NULL, 0, 0}};
    uint8_t header[HEADER] = {0x93, 'A', 'P', 'F', '\r', '\n', 0x1a, '\n', 1, 0, 1}, end[18];
    store(header + 16, checksum(header, NULL, 0), 8);
    REQUIRE(apf_buffer_write(&f.file, header, sizeof header) == 0);
    while (size >= 5) {
        const uint32_t n_records = (uint32_t)data[1] << 8 | data[2];
        size_t n = (size_t)data[3] << 8 | data[4];
        n = n < size - 5 ? n : size - 5;
        add_block(&f, data[0], n_records, data + 5, n);
        data += 5 + n;
        size -= 5 + n;
    }
    size_t used = 0;
    uint64_t blocks = f.n_blocks;
    for (; blocks >= 128; blocks >>= 7)
        end[used++] = (uint8_t)(blocks | 128);
    end[used++] = (uint8_t)blocks;
    store(end + used, f.checksums, 8);
    add_block(&f, LAST_SECTION, 1, end, used + 8);
    return f.file;
}

/* Reads a partial profile, and writes it again. False: it was refused. */
static bool write_again(const struct apf_buffer *file, struct apf_buffer *again)
{
    struct apf_options common = fuzz_options(NULL);
    struct apf_merge_options options = {.size = sizeof options, .options = &common, .tolerance = &any_loss};
    struct apf_input input = fuzz_input(file->data, file->n);
    struct apf_output output = apf_output_buffer(again);
    struct apf_buffer profile = {NULL, 0, 0}, report = {NULL, 0, 0};
    struct apf_output to_profile = apf_output_buffer(&profile), to_report = apf_output_buffer(&report);
    struct apf_write_options text = {.size = sizeof text, .format = APF_FORMAT_TEXT};
    struct apf_merge *m;
    struct apf_error error;
    options.flags = APF_MERGE_PARTIAL | APF_MERGE_FIND_LOSSES;
    REQUIRE(apf_merge_new(&m, &options, NULL) == APF_OK);
    REQUIRE(apf_merge_add(m, &input, 1, NULL) == APF_OK);
    const struct apf_input_result *r = apf_merge_input(m, 0);
    const bool refused = r->error && r->error->where && strncmp(r->error->where, "partial.", 8) == 0 &&
                         (r->code == APF_BAD_PARTIAL || r->code == APF_LIMIT || r->code == APF_UNSUPPORTED);
    if (!refused) {
        REQUIRE(apf_merge_write_partial(m, &output, NULL) == APF_OK);
        const int code = apf_merge_write(m, &text, &to_profile, &error);
        REQUIRE(code == APF_OK || error.where);
        REQUIRE(apf_merge_write_report(m, &any_loss, &to_report, NULL) == APF_OK);
    }
    apf_buffer_free(&profile);
    apf_buffer_free(&report);
    apf_merge_free(m);
    return !refused;
}

/* Opens a partial profile as a profile, which it is if any of its inputs is. */
static void open_profile(const struct apf_buffer *file)
{
    struct apf_options options = fuzz_options(NULL);
    struct apf_input input = fuzz_input(file->data, file->n);
    struct apf_record record = {.size = sizeof record};
    struct apf_instr *instr;
    struct apf_error error = {0};
    const int code = apf_instr_open(&instr, &input, &options, &error);
    REQUIRE((code == APF_OK) == (instr != NULL) && (code == APF_OK || error.code == code));
    for (size_t i = 0; instr && apf_instr_record(instr, i, &record, NULL) == APF_OK; i++)
        REQUIRE(record.name.n);
    apf_instr_close(instr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_buffer file = make_file(data, size), again = {NULL, 0, 0}, once_more = {NULL, 0, 0};
    const bool read = write_again(&file, &again);
    if (read) {
        REQUIRE(write_again(&again, &once_more));
        fuzz_same(&again, &once_more);
        open_profile(&again);
    }
    apf_buffer_free(&file);
    apf_buffer_free(&again);
    apf_buffer_free(&once_more);
    return read ? 0 : -1;
}
