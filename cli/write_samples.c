/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "write_samples.h"

#include <string.h>

#include "newest.h"
#include "suggest.h"

/* An apf_diag_fn; `user` is the session. */
static int print_loss(void *user, const struct apf_diag *diag)
{
    const struct session *session = (const struct session *)user;
    if (diag->severity == APF_SEVERITY_NOTE)
        report_note(session, "%s", diag->error->message);
    else
        report_warning(session, NULL, "%s", diag->error->message);
    return 0;
}

/* The words of llvm-profdata, and of llvm-profgen, for an option of extbinary. */
#define IGNORED "-%s is ignored. Specify %s to enable it"

static const char *extbinary_option(const struct arguments *args)
{
    return args->command->bit == COMMAND_BIT(PROFGEN) ? "--format=extbinary" : "-extbinary";
}

/* Warns of options of extbinary that the output's format ignores: in LLVM's words, in which one name lacks its last
 * letter, if that format was asked for, or else because it is that of a GCC. */
static void warn_of_format(const struct request *request, const struct arguments *args, uint32_t format,
                           bool for_gcc)
{
    static const struct {
        enum option_id option;
        const char *name;
        bool text; /* text has it, too */
    } rows[] = {{OPT_COMPRESS_ALL, "compress-all-section", false},
                {OPT_USE_MD5, "use-md5", false},
                {OPT_PARTIAL, "gen-partial-profile", false},
                {OPT_SPLIT_LAYOUT, "split-layout", true}};
    const char *remedy = extbinary_option(args);
    const struct session *session = request->session;
    const bool quiet = request->quiet && !session_is_llvm(session);
    bool other = format && format != APF_SAMPLE_EXTBINARY;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!option_flag(args, rows[i].option) || (rows[i].text && format == APF_SAMPLE_TEXT))
            continue;
        if (other && !quiet)
            report_warning(session, NULL, IGNORED, rows[i].name, remedy);
        else if (!other && !format && for_gcc && !request->quiet)
            report_warning(session, NULL, "-%s is ignored: GCC's format cannot express it", rows[i].name);
    }
}

int sample_output_parse(struct sample_output *out, const struct request *request,
                        const struct arguments *args, uint32_t format)
{
    const struct persona *persona = request->session->persona;
    const char *target = option_text(args, OPT_FOR, NULL);
    struct apf_sample_write_options *w = &out->write;
    struct apf_error error;
    memset(out, 0, sizeof *out);
    out->request = request;
    out->extbinary = extbinary_option(args);
    out->common = request->limits;
    out->common.diag = request->quiet ? NULL : print_loss;
    out->common.user = (void *)(uintptr_t)request->session; /* print_loss does not change the session */
    w->size = sizeof *w;
    w->options = &out->common;
    w->format = format;
    bool split = option_flag(args, OPT_SPLIT_LAYOUT), text = format == APF_SAMPLE_TEXT;
    w->layout = split && (!format || format == APF_SAMPLE_EXTBINARY)
                    ? (uint32_t)APF_SAMPLE_LAYOUT_SPLIT
                    : (uint32_t)option_number(args, OPT_GCOV_VERSION, APF_SAMPLE_LAYOUT_AUTO);
    w->flags = (option_flag(args, OPT_USE_MD5) ? APF_SAMPLE_WRITE_MD5 : 0) |
               (option_flag(args, OPT_COMPRESS_ALL) ? APF_SAMPLE_WRITE_COMPRESS : 0) |
               (option_flag(args, OPT_PARTIAL) ? APF_SAMPLE_WRITE_PARTIAL : 0) |
               (option_flag(args, OPT_WRITE_VTABLES) ? APF_SAMPLE_WRITE_VTABLES : 0) |
               (split && text ? APF_SAMPLE_WRITE_FLAT : 0);
    if (format && format != APF_SAMPLE_EXTBINARY)
        w->flags &= APF_SAMPLE_WRITE_FLAT;
    if (apf_sample_target_parse(target ? target : persona->target, &w->target, &error) == APF_OK) {
        /* By the name llvm-profdata the layout is the newest LLVM's, whatever the inputs are, unless that does not read
         * the format. */
        bool automatic = !target && w->target.kind == APF_SAMPLE_FOR_AUTO,
             older = format == APF_SAMPLE_GCC || format == APF_SAMPLE_COMPACT;
        if (automatic && !older && session_is_llvm(request->session))
            w->target = newest_sample_target(APF_SAMPLE_FOR_LLVM);
        bool bare = target && *target >= '0' && *target <= '9' && w->target.kind == APF_SAMPLE_FOR_LLVM;
        if (bare && format == APF_SAMPLE_GCC && !request->quiet)
            report_note(
                request->session,
                "--for=%s is LLVM %s, which reads GCC's version 4.07; compilers of GCC are --for=gcc-N",
                target, target);
        warn_of_format(request, args, format, w->target.kind == APF_SAMPLE_FOR_GCC);
        return 0;
    }
    report_failure(request->session, NULL, &error);
    if (target)
        target_unknown(request->session, target);
    return persona->usage_exit;
}

void sample_output_report(const struct sample_output *out, const struct apf_sample_write_result *result)
{
    const struct apf_sample_write_options *w = &out->write;
    const struct session *session = out->request->session;
    if (out->request->quiet || w->format || !result->format || result->format == APF_SAMPLE_EXTBINARY ||
        result->format == APF_SAMPLE_GCC)
        return;
    if (w->flags & APF_SAMPLE_WRITE_COMPRESS)
        report_warning(session, NULL, IGNORED, "compress-all-section", out->extbinary);
    if (w->flags & APF_SAMPLE_WRITE_MD5 && !(result->flags & APF_SAMPLE_MD5))
        report_warning(session, NULL, IGNORED, "use-md5", out->extbinary);
}

int sample_output_write(const struct sample_output *out, const struct apf_sample *sample, const char *path)
{
    struct apf_output output = apf_output_file(path);
    struct apf_sample_write_result written = {.size = sizeof written};
    struct apf_error error;
    int code = apf_sample_write(sample, &out->write, &output, &written, &error);
    int result = exit_code(out->request->session, path, code, &error);
    if (code == APF_OK)
        sample_output_report(out, &written);
    if (code == APF_UNSUPPORTED && out->named_by_path)
        report_note(out->request->session,
                    "the name of the output asks for its format; --to=FORMAT says another one");
    return result;
}
