/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts samples of programs that BOLT wrote, with symbols and code: samples at the table's entries and around
 * them. Every sample is accounted for, and the resulting profiles are read as they were written. */
#include "fuzz_profile.h"

#include <inttypes.h>

#include <anyprof/bat.h>
#include <anyprof/bolt.h>

#define MOST_FRAGMENTS 12u
#define MOST_ENTRIES 12u
#define MOST_PLACES 512u

static struct apf_input input_of(const void *data, size_t n, const char *name)
{
    struct apf_input input = apf_input_memory(n ? data : "", n, name);
    return input;
}

#define ENTRY_AT 24u /* e_entry of 64-bit files */
#define AROUND_ENTRY 100u

/* Chooses the addresses of samples: entries, places after them and after the fragment, where other functions may
 * be, and the program's entry. */
static size_t find_places(const struct apf_bat *bat, uint64_t places[MOST_PLACES], const uint8_t *data,
                          size_t size)
{
    const struct apf_bat_fragment *f;
    uint64_t entry = 0;
    size_t n = 0;
    places[n++] = 0;
    if (size >= ENTRY_AT + sizeof entry)
        memcpy(&entry, data + ENTRY_AT, sizeof entry);
    for (unsigned i = 0; i < AROUND_ENTRY; i++)
        places[n++] = entry + 9 * i;
    for (size_t i = 0; i < MOST_FRAGMENTS && (f = apf_bat_fragment(bat, i)) != NULL; i++) {
        for (uint32_t k = 0; k < MOST_ENTRIES && k < f->n_entries && n + 4 < MOST_PLACES; k++) {
            const struct apf_bat_entry *e = apf_bat_entry(bat, f->first_entry + k);
            places[n++] = f->address + (int32_t)e->output;
            places[n++] = f->address + (int32_t)e->output + k;
        }
        places[n++] = f->address + f->size + i;
        places[n++] = f->address + f->size + 2 * i;
    }
    return n;
}

static void print(struct apf_buffer *text, uint64_t *state, const uint64_t *places, size_t n)
{
    char line[128];
    uint64_t p[3];
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    for (unsigned i = 0; i < 3; i++)
        p[i] = places[(*state >> (16 + 12 * i)) % n];
    unsigned count = (unsigned)(*state >> 58) + 1;
    char kind = "TTRBFfrS"[*state >> 8 & 7];
    int length;
    if (kind == 'T' || kind == 'R')
        length = snprintf(line, sizeof line, "%c %" PRIx64 " %" PRIx64 " %" PRIx64 " %u\n", kind, p[0], p[1],
                          p[2], count);
    else if (kind == 'S')
        length = snprintf(line, sizeof line, "S %" PRIx64 " %u\n", p[0], count);
    else
        length =
            snprintf(line, sizeof line,
                     kind == 'B' ? "%c %" PRIx64 " %" PRIx64 " %u 1\n" : "%c %" PRIx64 " %" PRIx64 " %u\n",
                     kind, p[0], p[1], count);
    REQUIRE(apf_buffer_write(text, line, (size_t)length) == 0);
}

static void check_fdata(struct apf_fdata *fdata)
{
    struct apf_buffer first = {NULL, 0, 0}, second = {NULL, 0, 0};
    struct apf_output to_first = apf_output_buffer(&first), to_second = apf_output_buffer(&second);
    struct apf_fdata *again;
    REQUIRE(apf_fdata_write(fdata, &to_first, NULL) == APF_OK);
    struct apf_input input = input_of(first.data, first.n, "written");
    REQUIRE(apf_fdata_new(&again, NULL, NULL) == APF_OK);
    REQUIRE(apf_fdata_read(again, &input, 1, NULL) == APF_OK);
    REQUIRE(apf_fdata_write(again, &to_second, NULL) == APF_OK);
    fuzz_same(&first, &second);
    apf_fdata_free(again);
    apf_buffer_free(&first);
    apf_buffer_free(&second);
}

static void check_yaml(struct apf_bolt_yaml *yaml)
{
    struct apf_buffer first = {NULL, 0, 0}, second = {NULL, 0, 0};
    struct apf_output to_first = apf_output_buffer(&first), to_second = apf_output_buffer(&second);
    struct apf_bolt_yaml *again;
    REQUIRE(apf_bolt_yaml_write(yaml, &to_first, NULL) == APF_OK);
    struct apf_input input = input_of(first.data, first.n, "written");
    REQUIRE(apf_bolt_yaml_new(&again, NULL, NULL) == APF_OK);
    REQUIRE(apf_bolt_yaml_read(again, &input, 1, NULL) == APF_OK);
    REQUIRE(apf_bolt_yaml_write(again, &to_second, NULL) == APF_OK);
    fuzz_same(&first, &second);
    apf_bolt_yaml_free(again);
    apf_buffer_free(&first);
    apf_buffer_free(&second);
}

static void check_funnel(const struct apf_bolt_funnel *f)
{
    REQUIRE(f->branches == f->branches_mapped + f->returns + f->branches_outside);
    REQUIRE(f->falls == f->falls_mapped + f->falls_outside + f->falls_inconsistent + f->falls_without_table +
                            f->falls_unresolved);
    REQUIRE(f->falls_by_code <= f->falls_mapped);
    REQUIRE(f->basic == f->basic_mapped + f->basic_outside);
    REQUIRE(f->functions_left_out <= f->functions);
}

static void convert(const struct apf_input *program, const struct apf_input *samples, uint32_t flags)
{
    struct apf_bolt_convert_options options = {.size = sizeof options, .flags = flags};
    struct apf_bolt_funnel funnel = {.size = sizeof funnel};
    struct apf_bolt_yaml *yaml;
    struct apf_fdata *fdata;
    struct apf_error error;
    REQUIRE(apf_fdata_new(&fdata, NULL, NULL) == APF_OK && apf_bolt_yaml_new(&yaml, NULL, NULL) == APF_OK);
    int code = apf_bolt_convert(fdata, yaml, program, samples, 1, &options, &funnel, &error);
    REQUIRE(code == APF_OK || (error.code == code && error.input == 1));
    if (code == APF_OK) {
        check_funnel(&funnel);
        check_fdata(fdata);
        check_yaml(yaml);
    }
    apf_bolt_yaml_free(yaml);
    apf_fdata_free(fdata);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_input program = input_of(data, size, "fuzz");
    uint64_t places[MOST_PLACES], state = size;
    struct apf_buffer text = {NULL, 0, 0};
    struct apf_bat *bat;
    if (apf_bat_open(&bat, &program, NULL, NULL) != APF_OK)
        return 0;
    size_t n = find_places(bat, places, data, size);
    bool is_program = apf_bat_info(bat)->elf_machine != 0;
    apf_bat_close(bat);
    for (unsigned i = 0; is_program && i < 60; i++)
        print(&text, &state, places, n);
    struct apf_input samples = input_of(text.data, text.n, "samples");
    for (uint32_t flags = 0; is_program && flags <= APF_BOLT_CONVERT_BASIC; flags++)
        convert(&program, &samples, flags);
    apf_buffer_free(&text);
    return 0;
}
