/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections .note.bolt_bat, and programs with them. A table that was written is read as the same table and written
 * again as the same bytes; places are in the table; no operation uses more than the table holds. */
#include "fuzz_profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/bat.h>

#define MOST_PLACES 64

/* Verifying loads Capstone, which takes most of the time. */
static void print_all(const struct apf_bat *bat, bool verify)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_bat_verdict verdict = {.size = sizeof verdict};
    for (uint32_t json = 0; json <= APF_BAT_PRINT_JSON; json++) {
        REQUIRE(apf_bat_print(bat, json, &output, NULL) == APF_OK);
        REQUIRE(apf_bat_print_stats(bat, json, &output, NULL) == APF_OK);
        REQUIRE(!verify || apf_bat_check(bat, json, &output, &verdict, NULL) == APF_OK);
        out.n = 0;
    }
    apf_buffer_free(&out);
}

/* Translates addresses around every fragment, and the first blocks of every function back. */
static void check_places(const struct apf_bat *bat)
{
    const struct apf_bat_fragment *f;
    struct apf_bat_place places[MOST_PLACES];
    for (size_t i = 0; i < 100 && (f = apf_bat_fragment(bat, i)) != NULL; i++) {
        uint64_t addresses[] = {f->address, f->address + 1, f->address + f->size, f->address - 1};
        apf_bat_translate(bat, addresses, 4, (uint32_t)(i & 1), places);
        for (size_t k = 0; k < 4; k++)
            REQUIRE(places[k].address == addresses[k] && (places[k].fragment == APF_BAT_NONE ||
                                                          apf_bat_fragment(bat, places[k].fragment) != NULL));
        for (uint32_t k = 0; k < f->n_entries && k < 20; k++) {
            const struct apf_bat_entry *e = apf_bat_entry(bat, f->first_entry + k);
            size_t n = apf_bat_reverse(bat, f->function, e->input, places, MOST_PLACES);
            for (size_t p = 1; p < n && p < MOST_PLACES; p++)
                REQUIRE(places[p].flags & APF_BAT_PLACE_REMOVED ||
                        places[p - 1].address <= places[p].address);
        }
    }
}

static void check_write(const struct apf_bat *bat)
{
    struct apf_buffer first = {NULL, 0, 0}, second = {NULL, 0, 0};
    struct apf_output to_first = apf_output_buffer(&first), to_second = apf_output_buffer(&second);
    struct apf_bat *again;
    int code = apf_bat_write(bat, 0, &to_first, NULL);
    REQUIRE(code == APF_OK || code == APF_NOT_REPRESENTABLE);
    if (code != APF_OK)
        return;
    struct apf_input input = fuzz_input(first.data, first.n);
    REQUIRE(apf_bat_open(&again, &input, NULL, NULL) == APF_OK);
    REQUIRE(apf_bat_info(again)->n_entries == apf_bat_info(bat)->n_entries);
    REQUIRE(apf_bat_write(again, 0, &to_second, NULL) == APF_OK);
    REQUIRE(first.n == second.n && memcmp(first.data, second.data, first.n) == 0);
    apf_bat_close(again);
    apf_buffer_free(&first);
    apf_buffer_free(&second);
}

/* Replaces or removes the table of a program. */
static void check_put(const struct apf_bat *bat, const struct apf_input *program)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    if (apf_bat_write_program(bat, program, NULL, &output, NULL) == APF_OK) {
        struct apf_input input = fuzz_input(out.data, out.n);
        struct apf_bat *again;
        int code = apf_bat_open(&again, &input, NULL, NULL);
        REQUIRE(bat ? code == APF_OK : code != APF_OK);
        REQUIRE(out.n >= 16 &&
                memcmp(out.data, program->data, 16) == 0); /* the ELF identification is unchanged */
        apf_bat_close(again);
    }
    apf_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_input input = fuzz_input(data, size);
    struct apf_error error;
    struct apf_bat *bat;
    int code = apf_bat_open(&bat, &input, NULL, &error);
    if (code == APF_OK) {
        REQUIRE(apf_bat_info(bat)->n_entries <= size);
        print_all(bat, size % 8 == 0);
        check_places(bat);
        check_write(bat);
        check_put(bat, &input);
    } else {
        REQUIRE(bat == NULL && error.code == code);
    }
    check_put(NULL, &input);
    apf_bat_close(bat);
    return 0;
}
