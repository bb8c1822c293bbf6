/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all reports have: options, a title, an end. */
#include "report/report_begin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_identity.h"
#include "base/options.h"
#include "report/report_program.h"

/* Copies a text that may be NULL. False: allocation failed. */
static bool copy_text(struct apf_report *r, const char *text, struct apf_str *to)
{
    if (text)
        *to = (struct apf_str){arena_text(&r->arena, text, strlen(text)), strlen(text)};
    return !text || to->p;
}

int report_begin(struct apf_report **report, struct apf_report_options *o, struct apf_options *common,
                 const struct apf_report_options *options, struct apf_error *error)
{
    *report = NULL;
    int code = OPTIONS_READ_BOTH(apf_report_options, o, options, common, error);
    if (code == APF_OK && o->n_profiles)
        code = inputs_check(o->profiles, o->n_profiles, error);
    if (code == APF_OK && o->n_base)
        code = inputs_check(o->base, o->n_base, error);
    if (code == APF_OK && o->n_programs)
        code = inputs_check(o->programs, o->n_programs, error);
    if (code == APF_OK)
        code = flags_check(o->flags, APF_REPORT_CS, "apf_report_options.flags", error);
    struct apf_report *r = code == APF_OK ? calloc(1, sizeof *r) : NULL;
    if (code == APF_OK && !r)
        code = error_memory(error);
    if (code != APF_OK)
        return code;
    r->show_name = o->show_name;
    r->user = o->user;
    r->wants_cs = o->flags & APF_REPORT_CS;
    r->max_rows = o->max_rows ? o->max_rows : 10;
    bool ok = copy_text(r, o->title, &r->title) && copy_text(r, o->failure, &r->failure);
    for (size_t i = 0; ok && i < o->n_notes; i++)
        ok = report_add_note(r, o->notes[i]);
    if (ok) {
        *report = r;
        return APF_OK;
    }
    apf_report_free(r);
    return error_memory(error);
}

static int check_role(const struct apf_input *inputs, size_t n, const char *where, struct apf_error *error)
{
    for (size_t i = 0; i < n; i++) {
        const struct apf_input *input = input_at(inputs, i);
        if (input->path && file_is_stream(input->path))
            return file_error(
                error,
                error_plain(error, APF_ARGUMENT, where,
                            "a report reads its files several times: give the bytes of standard "
                            "input and of pipes"),
                input, i);
    }
    return APF_OK;
}

int report_check_streams(const struct apf_report_options *o, struct apf_error *error)
{
    int code = check_role(o->profiles, o->n_profiles, "apf_report_options.profiles", error);
    if (code == APF_OK)
        code = check_role(o->base, o->n_base, "apf_report_options.base", error);
    if (code == APF_OK)
        code = check_role(o->programs, o->n_programs, "apf_report_options.programs", error);
    return code;
}

int report_make_title(struct apf_report *r, const struct apf_report_options *o, struct apf_error *error)
{
    const bool has_profiles = o->n_profiles != 0; /* else it is a report of programs */
    const struct apf_input *lists[2] = {has_profiles ? o->profiles : o->programs, o->base};
    const size_t sizes[2] = {has_profiles ? o->n_profiles : o->n_programs, o->n_base};
    struct apf_buffer text = {NULL, 0, 0};
    char more[48];
    int failed = 0;
    for (size_t i = 0; i < 2 && sizes[i] && !failed; i++) {
        const struct apf_str name = file_name(lists[i]);
        failed = (i ? apf_buffer_write(&text, ", compared with ", 16) : 0) ||
                 apf_buffer_write(&text, name.p, name.n);
        const int n = snprintf(more, sizeof more, " and %zu more", sizes[i] - 1);
        failed = failed || (sizes[i] > 1 && apf_buffer_write(&text, more, (size_t)n));
    }
    r->title = (struct apf_str){arena_text(&r->arena, text.data, text.n), text.n};
    apf_buffer_free(&text);
    return failed || !r->title.p ? error_memory(error) : APF_OK;
}

int report_conclude(struct apf_report **report, int code, struct apf_error *error)
{
    if (code == APF_OK)
        code = report_finish(*report, error);
    if (code == APF_OK)
        code = report_list_program(*report, error);
    if (code == APF_OK)
        code = report_drop_names(*report, error);
    if (code != APF_OK) {
        apf_report_free(*report);
        *report = NULL;
    }
    return code;
}
