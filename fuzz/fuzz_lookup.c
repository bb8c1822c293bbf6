/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looks up single functions of a profile. The input: a byte that chooses a version, then the file. In the file
 * itself, whatever its table says, a lookup must not misbehave; in the file written from it, every function is found
 * with the counts that reading the whole file gives. */
#include <anyprof/lookup.h>

#include "fuzz_profile.h"

/* Opens a lookup in memory; NULL: refused with a valid error. */
static struct apf_lookup *open_lookup(const void *data, size_t n)
{
    struct apf_input input = apf_input_memory(data, n, "fuzz");
    struct apf_options o = fuzz_options(NULL);
    struct apf_lookup *l = NULL;
    struct apf_error error;
    int code = apf_lookup_open(&l, &input, &o, &error);
    REQUIRE((code == APF_OK) == (l != NULL));
    if (code != APF_OK)
        fuzz_check_error(code, &error, &input);
    return l;
}

static struct apf_instr *open_whole(const void *data, size_t n)
{
    struct apf_input input = apf_input_memory(data, n, "fuzz");
    struct apf_options o = fuzz_options(NULL);
    struct apf_instr *instr = NULL;
    return apf_instr_open(&instr, &input, &o, NULL) == APF_OK ? instr : NULL;
}

/* Looks up a name and the names of its call targets, and prints the record. APF_OK: found. */
static int look_up(struct apf_lookup *l, struct apf_str name, const void *data, size_t n)
{
    const struct apf_input input = apf_input_memory(data, n, "fuzz");
    struct apf_error error;
    size_t found;
    int code = apf_lookup_find_all(l, name, &found, &error);
    REQUIRE((code == APF_OK) == (found > 0));
    REQUIRE(apf_lookup_record(l, found, NULL, NULL) == APF_END);
    REQUIRE(!found || apf_lookup_record(l, found - 1, NULL, NULL) == APF_OK);
    if (code != APF_OK) {
        fuzz_check_error(code, &error, &input);
        return code;
    }
    for (uint32_t flags = 0; flags <= (APF_LOOKUP_JSON | APF_LOOKUP_LOCAL); flags++) {
        struct apf_buffer out = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&out);
        int printed = apf_lookup_print(l, name, NULL, flags, &output, &error);
        if (printed != APF_OK) /* the name of a target is unreadable */
            fuzz_check_error(printed, &error, &input);
        apf_buffer_free(&out);
    }
    return APF_OK;
}

static void same_record(const struct apf_record *a, const struct apf_record *b)
{
    REQUIRE(a->n_counts == b->n_counts && a->id == b->id && a->offset == b->offset);
    REQUIRE(memcmp(a->counts, b->counts, a->n_counts * sizeof *a->counts) == 0);
    REQUIRE(a->n_bitmap == b->n_bitmap);
    REQUIRE(a->n_bitmap == 0 || memcmp(a->bitmap, b->bitmap, a->n_bitmap) == 0);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        REQUIRE(a->n_sites[k] == b->n_sites[k]);
        for (size_t i = 0; i < a->n_sites[k]; i++) {
            REQUIRE(a->sites[k][i].n == b->sites[k][i].n);
            for (size_t v = 0; v < a->sites[k][i].n; v++)
                REQUIRE(a->sites[k][i].values[v].value == b->sites[k][i].values[v].value &&
                        a->sites[k][i].values[v].count == b->sites[k][i].values[v].count);
        }
    }
}

/* Looks up every function of a valid file. */
static void check_all(const void *data, size_t n)
{
    struct apf_instr *instr = open_whole(data, n);
    struct apf_lookup *l = open_lookup(data, n);
    struct apf_record want = {.size = sizeof want}, got = {.size = sizeof got};
    REQUIRE(instr && l);
    for (size_t i = 0; apf_instr_record(instr, i, &want, NULL) == APF_OK; i++) {
        REQUIRE(apf_lookup_find(l, want.name, want.hash, &got, NULL) == APF_OK);
        REQUIRE(got.hash == want.hash);
        same_record(&got, &want);
        REQUIRE(look_up(l, want.name, data, n) == APF_OK);
    }
    apf_lookup_close(l);
    apf_instr_close(instr);
}

/* What a walk over all names keeps: some local function. */
struct local {
    char plain[64];
    size_t n, names;
};

/* An apf_lookup_name_fn. */
static int keep_local(void *user, struct apf_str name, struct apf_str plain)
{
    struct local *local = (struct local *)user;
    /* An empty name may be NULL, to which not even 0 may be added. */
    REQUIRE(plain.n <= name.n && (name.n == 0 || plain.p + plain.n == name.p + name.n));
    local->names++;
    if (plain.n == name.n || plain.n > sizeof local->plain)
        return 0;
    memcpy(local->plain, plain.p, plain.n);
    local->n = plain.n;
    return 0;
}

/* Walks over all names of any file, and finds the last local function by its name without the file. */
static void try_local(struct apf_lookup *l, const void *data, size_t n)
{
    const struct apf_input input = apf_input_memory(data, n, "fuzz");
    struct local local = {.n = 0};
    struct apf_error error;
    size_t found;
    int walked = apf_lookup_names(l, keep_local, &local, &error);
    if (walked != APF_OK)
        fuzz_check_error(walked, &error, &input);
    REQUIRE(walked != APF_OK || local.names == apf_lookup_info(l)->n_names);
    struct apf_str plain = {local.plain, local.n};
    int code = apf_lookup_find_local(l, plain, &found, &error);
    REQUIRE((code == APF_OK) == (found > 0));
    if (code != APF_OK)
        fuzz_check_error(code, &error, &input);
    REQUIRE(!(walked == APF_OK && local.n && apf_lookup_info(l)->whole) || code == APF_OK);
}

/* Looks up names in any file. */
static void try_all(const uint8_t *data, size_t n)
{
    static const char *const names[] = {"main", "f", "a.c;f", "a.c:f", ""};
    struct apf_instr *instr = open_whole(data, n);
    struct apf_lookup *l = open_lookup(data, n);
    struct apf_record r = {.size = sizeof r};
    for (size_t i = 0; l && i < sizeof names / sizeof *names; i++) {
        struct apf_str name = {names[i], strlen(names[i])};
        (void)look_up(l, name, data, n);
    }
    if (l)
        try_local(l, data, n);
    if (l && instr) {
        for (size_t i = 0; apf_instr_record(instr, i, &r, NULL) == APF_OK; i++) {
            int code = look_up(l, r.name, data, n);
            if (apf_lookup_info(l)->whole && r.name.n)
                REQUIRE(code == APF_OK);
        }
    }
    apf_lookup_close(l);
    apf_instr_close(instr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return -1;
    struct apf_input input = apf_input_memory(data + 1, size - 1, "input");
    struct apf_buffer out = {NULL, 0, 0};
    try_all(data + 1, size - 1);
    if (fuzz_merge(&input, 1, 0, 1, 1 + data[0] % (FUZZ_VERSIONS - 1), &out) == APF_OK && out.n)
        check_all(out.data, out.n);
    apf_buffer_free(&out);
    return 0;
}
