/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of comma-separated values, as RFC 4180 has them but with a line feed alone at their ends, under one with the
 * names of the columns. Control characters of names are escaped, so that each row is one line. */
#include "base/text_append.h"
#include "export/escaped_text.h"
#include "export/writers.h"

/* Appends a text that is in quotes: those in it are doubled. */
static void put_inside(struct file_out *out, struct apf_str text, enum escaped_place place)
{
    struct escaped_piece piece;
    for (size_t at = 0; escaped_next(text, &at, place, &piece);) {
        const char *p = piece.p, *end = p + piece.n, *quote;
        for (; (quote = (const char *)memchr(p, '"', (size_t)(end - p))); p = quote + 1) {
            (void)file_out_write(out, p, (size_t)(quote - p));
            text_append(out, "\"\"");
        }
        (void)file_out_write(out, p, (size_t)(end - p));
    }
}

static void put_text(struct file_out *out, struct apf_str text)
{
    if (text.n == 0 || (!memchr(text.p, ',', text.n) && !memchr(text.p, '"', text.n))) {
        escaped_append(out, text, ESCAPED_ALONE);
        return;
    }
    text_append(out, "\"");
    put_inside(out, text, ESCAPED_ALONE);
    text_append(out, "\"");
}

/* Appends the callers as a folded stack has them, in quotes. */
static int put_callers(struct export_run *run, const struct apf_export_stack *stack)
{
    struct apf_str shown;
    text_append(run->out, stack->n_frames > 1 ? ",\"" : ",");
    for (size_t i = 0; i + 1 < stack->n_frames; i++) {
        const struct apf_export_frame *frame = &stack->frames[i];
        int code = export_name(&run->names, frame, &shown, run->error);
        if (code == APF_OK)
            code = export_check_output(run, 0);
        if (code != APF_OK)
            return code;
        text_append(run->out, i ? ";" : "");
        put_inside(run->out, shown, ESCAPED_IN_STACK);
        export_put_line(run, frame);
    }
    text_append(run->out, stack->n_frames > 1 ? "\"" : "");
    return APF_OK;
}

/* An apf_export_stack_fn. */
static int write_row(void *writer, const struct apf_export_stack *stack)
{
    struct export_run *run = (struct export_run *)writer;
    const struct apf_export_source *source = run->source;
    const struct apf_export_frame *frame = &stack->frames[stack->n_frames - 1];
    struct apf_str shown;
    int code = export_name(&run->names, frame, &shown, run->error);
    if (code != APF_OK)
        return code;
    put_text(run->out, shown);
    text_append(run->out, ",");
    put_text(run->out, frame->file);
    if (source->flags & APF_EXPORT_HASHES) {
        text_append(run->out, ",");
        text_hash(run->out, stack->hash);
    }
    if (source->flags & APF_EXPORT_LINES) {
        text_append(run->out, ",");
        if (frame->line_known)
            text_decimal(run->out, frame->line, 0);
    }
    if (source->flags & APF_EXPORT_CALLERS)
        code = put_callers(run, stack);
    for (size_t i = 0; i < source->n_values; i++) {
        text_append(run->out, ",");
        text_decimal(run->out, stack->values[i], 0);
    }
    text_append(run->out, "\n");
    export_count_stack(run, stack);
    return code;
}

int csv_write(struct export_run *run)
{
    const struct apf_export_source *source = run->source;
    text_append(run->out, "function,file");
    text_append(run->out, source->flags & APF_EXPORT_HASHES ? ",hash" : "");
    text_append(run->out, source->flags & APF_EXPORT_LINES ? ",line" : "");
    text_append(run->out, source->flags & APF_EXPORT_CALLERS ? ",callers" : "");
    for (size_t i = 0; i < source->n_values; i++) {
        text_append(run->out, ",");
        text_append(run->out, source->values[i].name);
    }
    text_append(run->out, "\n");
    return export_walk(run, source->flags & APF_EXPORT_LINES, write_row, run);
}
