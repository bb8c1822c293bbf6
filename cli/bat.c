/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat.h"

#include "places.h"

int bat_parse(struct bat_request *r, const struct session *session, const struct arguments *args)
{
    if (!args->n_files)
        return report_wrong(session, args, "a FILE is required");
    r->base = request_of(session, args);
    r->path = args->files[0];
    r->original = option_text(args, OPT_ORIGINAL, NULL);
    return place_is_read(session, args, 1) ? session->persona->usage_exit : 0;
}

/* 0, or an exit code after a report. */
static int read_original(struct apf_bat *bat, const struct bat_request *r)
{
    struct apf_input input = apf_input_file(r->original);
    struct apf_error error;
    size_t found = 0, n = apf_bat_info(bat)->n_hot;
    int code = apf_bat_read_original(bat, &input, &r->base.limits, &found, &error);
    if (code == APF_OK && found < n)
        report_warning(r->base.session, r->original,
                       "%zu of %zu functions of the table are not in this program, by their names", n - found,
                       n);
    return exit_code(r->base.session, r->original, code, &error);
}

int bat_open(struct apf_bat **bat, const struct bat_request *r, const char *path)
{
    struct apf_input input = apf_input_file(path);
    struct apf_error error;
    int code = exit_code(r->base.session, path, apf_bat_open(bat, &input, &r->base.limits, &error), &error);
    if (code == 0 && r->original) {
        code = read_original(*bat, r);
        if (code) {
            apf_bat_close(*bat);
            *bat = NULL;
        }
    }
    return code;
}
