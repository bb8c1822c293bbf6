/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes as a program, with samples around its entry and in its page, with and without call stacks: counts that are
 * written give the same profile when they are read, unless they have names, which are any bytes here. */
#include "fuzz_profgen.h"

#include <inttypes.h>

#define ENTRY_AT 24u /* e_entry of 64-bit files */
#define N_STACKS 40u

/* The next address: near the entry, or in its page. */
static uint64_t choose_address(uint64_t *state, uint64_t entry)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t r = *state >> 33;
    return r & 1 ? entry + (r >> 1) % 160 - 80 : (entry & ~(uint64_t)0xfff) + (r >> 1) % 0x240;
}

static void print_line(struct apf_buffer *text, const char *format, uint64_t a, uint64_t b)
{
    char line[80];
    int n = snprintf(line, sizeof line, format, a, b);
    REQUIRE(n > 0 && (size_t)n < sizeof line && apf_buffer_write(text, line, (size_t)n) == 0);
}

static void print_stacks(struct apf_buffer *text, uint64_t seed, uint64_t entry, bool called)
{
    uint64_t state = seed;
    for (unsigned i = 0; i < N_STACKS; i++) {
        for (unsigned k = 0; called && k < 1 + i % 5; k++)
            print_line(text, "\t  %" PRIx64 "\n", choose_address(&state, entry), 0);
        for (unsigned k = 0; k < 2 + i % 7; k++) {
            uint64_t from = choose_address(&state, entry), to = choose_address(&state, entry);
            print_line(text, " 0x%" PRIx64 "/0x%" PRIx64 "/P/-/-/0", from, to);
        }
        print_line(text, "\n", 0, 0);
    }
}

/* Whether contexts are addresses, or there are none. */
static bool is_plain(const struct apf_buffer *raw)
{
    const char *p = raw->n ? memchr(raw->data, '[', raw->n) : NULL;
    const char *end = (const char *)raw->data + raw->n;
    for (; p && end - p >= 4; p++) {
        if (memcmp(p, "[0x", 3) == 0)
            return true;
        if (*p == '[' && p[1] != ']')
            return false;
    }
    return !p;
}

static void check_samples(const struct apf_input *program, uint64_t entry, bool called, uint32_t flags)
{
    struct apf_profgen_options options = {.flags = flags};
    struct apf_buffer text = {NULL, 0, 0};
    print_stacks(&text, program->n, entry, called);
    struct apf_input samples = apf_input_memory(text.data, text.n, "samples");
    struct made m = make(program, APF_PROFGEN_PERF_SCRIPT, &samples, options);
    if (m.read && m.code == APF_OK && is_plain(&m.raw))
        check_again(program, &m, options);
    made_free(&m);
    apf_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_input program = fuzz_input(data, size);
    uint64_t entry = 0;
    if (fuzz_is_packed(data, size))
        return 0;
    if (size >= ENTRY_AT + sizeof entry)
        memcpy(&entry, data + ENTRY_AT, sizeof entry);
    check_samples(&program, entry, size & 1, size & 2 ? APF_PROFGEN_USE_LINES : 0);
    return 0;
}
