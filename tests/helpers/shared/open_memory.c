/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/open_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int keep_finding(void *user, const struct apf_diag *diag)
{
    struct opened *o = user;
    assert_true(o->n_findings < MOST_FINDINGS);
    struct finding *f = &o->findings[o->n_findings++];
    f->severity = diag->severity;
    f->code = diag->code;
    f->input = diag->input;
    f->found = diag->error->found;
    assert_int_equal(diag->error->code, diag->code);
    snprintf(f->where, sizeof f->where, "%s", diag->error->where);
    return 0;
}

void open_memory_options(struct opened *o, const void *p, size_t n, const struct apf_options *options)
{
    struct apf_options with_diag = *options;
    uint8_t *copy = n ? malloc(n) : NULL;
    struct apf_input input = apf_input_memory(copy, n, NULL);
    memset(o, 0, sizeof *o);
    if (n) {
        assert_non_null(copy);
        memcpy(copy, p, n);
    }
    with_diag.size = sizeof with_diag;
    with_diag.diag = keep_finding;
    with_diag.user = o;
    o->code = apf_instr_open(&o->instr, &input, &with_diag, &o->error);
    free(copy); /* nothing may point into it */
    assert_true((o->instr != NULL) == (o->code == APF_OK));
}

void open_memory(struct opened *o, const void *p, size_t n, uint32_t flags)
{
    struct apf_options options = {.flags = flags};
    open_memory_options(o, p, n, &options);
}

void opened_close(struct opened *o)
{
    if (o->instr)
        apf_instr_close(o->instr);
    o->instr = NULL;
}

void open_file(struct opened *o, const struct rb_file *file)
{
    open_memory(o, file->data, file->n, 0);
    if (o->code != APF_OK)
        print_error("%s\n", o->error.message);
    assert_int_equal(o->code, APF_OK);
}

void open_profile(struct opened *o, const struct rb_profile *p)
{
    struct rb_file file = {0};
    rb_append(&file, p, NULL);
    open_file(o, &file);
    rb_free(&file);
}

struct record_walk *first_record(const struct opened *o)
{
    struct record_walk *walk = calloc(1, sizeof *walk);
    assert_non_null(walk);
    walk->instr = o->instr;
    walk->record.size = sizeof walk->record;
    return walk;
}

void last_record(struct record_walk *walk, struct opened *o)
{
    assert_null(next_record(walk));
    free(walk);
    opened_close(o);
}

const struct apf_record *next_record(struct record_walk *walk)
{
    int code = apf_instr_record(walk->instr, walk->next++, &walk->record, NULL);
    assert_true(code == APF_OK || code == APF_END);
    return code == APF_OK ? &walk->record : NULL;
}

static void complain(const char *what, const char *file, int line)
{
    print_error("%s:%d: %s\n", file, line, what);
    fail();
}

void expect_refused(const void *p, size_t n, int code, const char *where, uint64_t offset, uint64_t found,
                    uint64_t expected, const char *file, int line)
{
    struct opened o;
    char text[700];
    open_memory(&o, p, n, 0);
    const struct apf_error *e = &o.error;
    bool same = o.code == code && e->code == code && strcmp(e->where, where) == 0 && e->offset == offset &&
                e->found == found && e->expected == expected;
    if (!same) {
        snprintf(text, sizeof text,
                 "wanted %s %s offset %llu found %llu expected %llu,\n  got %s %s offset %llu found %llu "
                 "expected %llu: %s",
                 apf_code_name(code), where, (unsigned long long)offset, (unsigned long long)found,
                 (unsigned long long)expected, apf_code_name(o.code), o.code ? e->where : "",
                 (unsigned long long)e->offset, (unsigned long long)e->found, (unsigned long long)e->expected,
                 o.code ? e->message : "");
        complain(text, file, line);
    }
    opened_close(&o);
}

void expect_finding(const struct opened *o, const char *where, uint32_t severity, int code, uint64_t found,
                    const char *file, int line)
{
    for (size_t i = 0; i < o->n_findings; i++) {
        const struct finding *f = &o->findings[i];
        if (strcmp(f->where, where) != 0)
            continue;
        if (f->severity == severity && f->code == code && f->found == found)
            return;
        print_error("severity %d code %d found %llu\n", f->severity, f->code, (unsigned long long)f->found);
        complain(where, file, line);
    }
    print_error("not found: ");
    complain(where, file, line);
}

/* ---- what was to be in it ---- */

uint64_t rb_resolved(const struct rb_profile *p, unsigned kind, const struct rb_pair *pair)
{
    uint64_t mask = p->bytes == 4 ? UINT32_MAX : UINT64_MAX, id = 0;
    if (kind == 1)
        return pair->value;
    uint64_t address = pair->fixed ? pair->value : (pair->value + p->load) & mask;
    for (size_t i = 0; kind == 0 && i < p->n_functions; i++) {
        const struct rb_function *f = &p->functions[i];
        if (f->zero || !f->address || ((f->address + p->load) & mask) != address)
            continue;
        if (!id || rb_id(f->name) < id)
            id = rb_id(f->name);
    }
    for (size_t i = 0; kind == 2 && i < p->n_vtables; i++) {
        uint64_t start = (p->vtables[i].address + p->load) & mask;
        if (p->vtables[i].address && address >= start && address - start < p->vtables[i].size)
            id = rb_id(p->vtables[i].name);
    }
    return id;
}

static void check_sites(const struct apf_record *r, const struct rb_profile *p, const struct rb_function *f)
{
    unsigned kinds = p->kinds ? p->kinds : rb_kinds(p->version);
    for (unsigned k = 0; k < RB_KINDS; k++) {
        size_t n = k < kinds && k < rb_kinds(p->version) ? f->n_sites[k] : 0;
        assert_int_equal(r->n_sites[k], n);
        for (size_t s = 0; s < n; s++) {
            const struct rb_site *site = &f->sites[k][s];
            assert_int_equal(r->sites[k][s].n, p->no_values ? 0 : site->n);
            for (size_t i = 0; i < r->sites[k][s].n; i++) {
                assert_int_equal(r->sites[k][s].values[i].value, rb_resolved(p, k, &site->pairs[i]));
                assert_int_equal(r->sites[k][s].values[i].count, site->pairs[i].count);
            }
        }
    }
}

static void check_function(const struct apf_record *r, const struct rb_profile *p,
                           const struct rb_function *f)
{
    const struct rb_function *owner = f->same_as ? &p->functions[f->same_as - 1] : f;
    bool named = p->version <= 2 || !f->unnamed;
    assert_int_equal(r->id, rb_id(f->name));
    assert_int_equal(r->hash, f->hash);
    assert_int_equal(r->name.n, named ? strlen(f->name) : 0);
    if (named)
        assert_memory_equal(r->name.p, f->name, r->name.n);
    assert_int_equal(r->n_counts, f->n_counts);
    for (uint32_t i = 0; i < f->n_counts; i++)
        assert_int_equal(r->counts[i], p->variant & RB_BYTES ? owner->counts[i] != 0 : owner->counts[i]);
    assert_int_equal(r->n_bitmap, p->version >= 9 ? f->n_bitmap : 0);
    if (r->n_bitmap)
        assert_memory_equal(r->bitmap, f->bitmap, r->n_bitmap);
    assert_int_equal(r->n_uniform, p->uniform ? f->n_counts : 0);
    for (uint32_t i = 0; i < r->n_uniform; i++)
        assert_int_equal(r->uniform[i], f->uniform ? f->uniform[i] : 0);
    bool ran = p->variant & RB_TEMPORAL && !p->no_timestamps && owner->timestamp != UINT64_MAX;
    assert_int_equal(r->timestamp, ran ? owner->timestamp : 0);
    check_sites(r, p, f);
}

void check_functions(struct record_walk *walk, const struct rb_profile *p, const struct rb_places *places)
{
    for (size_t i = 0; i < p->n_functions; i++) {
        if (p->functions[i].zero)
            continue;
        const struct apf_record *r = next_record(walk);
        assert_non_null(r);
        if (places)
            assert_int_equal(r->offset, places->data + i * rb_field_at(p->version, p->bytes, RB_RECORD_SIZE));
        check_function(r, p, &p->functions[i]);
    }
}

void check_alone(const struct rb_profile *p)
{
    struct rb_file file = {0};
    struct rb_places places;
    struct opened o;
    rb_append(&file, p, &places);
    open_memory(&o, file.data, file.n, 0);
    if (o.code != APF_OK) {
        print_error("version %u, %u bytes, big %d: %s\n", p->version, p->bytes, p->big, o.error.message);
        fail();
    }
    assert_int_equal(o.n_findings, 0);
    struct record_walk *walk = first_record(&o);
    check_functions(walk, p, &places);
    last_record(walk, &o);
    rb_free(&file);
}
