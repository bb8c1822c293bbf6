/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_output.h"

#include "command.h"
#include "memory.h"
#include "report.h"

struct report_format report_format_of(const struct arguments *args)
{
    const struct report_format f = {.title = option_text(args, OPT_TITLE, NULL),
                                    .markdown = option_flag(args, OPT_MARKDOWN)};
    return f;
}

void report_format_set(const struct report_format *f, struct apf_report_options *options,
                       struct demangler *demangler)
{
    options->title = f->title;
    if (f->plain_names || !demangler_try(demangler))
        return;
    options->show_name = demangler_show;
    options->user = demangler;
}

int report_format_write(const struct report_format *f, const struct session *session,
                        const struct apf_report *report, const char *path)
{
    const struct apf_output output = apf_output_file(path);
    struct apf_error error;
    const int code = f->markdown ? apf_report_write_markdown(report, &output, &error)
                                 : apf_report_write_html(report, &output, &error);
    return exit_code(session, path, code, &error);
}

struct apf_input *inputs_of(const struct option_value *paths)
{
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, paths->n_list + 1, sizeof *inputs);
    for (size_t i = 0; i < paths->n_list; i++)
        inputs[i] = apf_input_file(paths->list[i]);
    return inputs;
}
