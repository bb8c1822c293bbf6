/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/diff_lines.h"

#include "base/error.h"
#include "base/text_append.h"

#define MOST_OF_FILE 10u /* lines of one file */
#define MOST_LINES 100u  /* of all files */
#define MOST_BYTES 200u  /* of a line */
#define NUMBER_WIDTH 8u

int diff_lines_init(struct diff_lines *l, const struct cov_diff_request *r)
{
    const struct apf_cov_diff_options *o = r->options;
    *l = (struct diff_lines){.r = r, .shown = o->format == APF_COV_DIFF_TEXT, .left = MOST_LINES};
    l->texts = (struct source_texts){.changes = o->source_map,
                                     .n_changes = o->n_source_map,
                                     .source = o->source,
                                     .user = o->user,
                                     .max_bytes = r->max_source};
    const struct apf_output output = apf_output_buffer(&l->text);
    return file_out_open(&l->out, &output, r->error);
}

void diff_lines_free(struct diff_lines *l)
{
    if (l->out)
        (void)file_out_close(l->out, true, NULL);
    apf_buffer_free(&l->text);
    source_texts_free(&l->texts);
}

static void put_line(struct diff_lines *l, uint64_t number, struct apf_str text)
{
    const bool is_long = text.n > MOST_BYTES;
    text.n = is_long ? MOST_BYTES : text.n;
    text_decimal(l->out, number, NUMBER_WIDTH);
    text_append(l->out, "| ");
    source_line_write(l->out, text);
    text_append(l->out, is_long ? "...\n" : "\n");
}

/* Adds lines of a range, no more than `most`. Returns how many. */
static uint64_t put_range(struct diff_lines *l, const struct source_text *text,
                          const struct line_range *range, uint64_t most)
{
    uint64_t line, n = 0;
    struct source_lines lines = source_lines_near(text, range->first, &line);
    struct apf_str source;
    for (; line <= range->last && n < most && source_lines_next(&lines, &source); line++)
        if (line >= range->first) {
            put_line(l, line, source);
            n++;
        }
    return n;
}

static void put_more(struct file_out *out, uint64_t n)
{
    text_append(out, "        and ");
    text_decimal(out, n, 0);
    text_append(out, n == 1 ? " more line" : " more lines");
}

/* Adds the lines of a file. */
static void put_file(struct diff_lines *l, const struct source_text *text, struct apf_str name,
                     const struct line_ranges *ranges)
{
    uint64_t n = 0, put = 0;
    const uint64_t most = l->left < MOST_OF_FILE ? l->left : MOST_OF_FILE;
    for (size_t i = 0; i < ranges->list.n; i++)
        n += ranges->list.data[i].last - ranges->list.data[i].first + 1;
    if (!most) {
        l->n_more += n;
        l->n_more_files++;
        return;
    }
    text_append(l->out, "\n");
    text_name(l->out, name);
    text_append(l->out, "\n");
    for (size_t i = 0; i < ranges->list.n && put < most; i++)
        put += put_range(l, text, &ranges->list.data[i], most - put);
    l->left -= put;
    if (put == n)
        return;
    put_more(l->out, n - put);
    text_append(l->out, "\n");
}

int diff_lines_add(struct diff_lines *l, uint32_t file, struct apf_str shown_name,
                   const struct line_ranges *ranges)
{
    struct source_text text;
    const int code = source_texts_read(&l->texts, file, l->r->c->files.list.data[file], &text, l->r->error);
    if (code == APF_OK && l->shown && text.there && ranges->list.n)
        put_file(l, &text, shown_name, ranges);
    source_texts_drop(&l->texts);
    return code == APF_OK && l->out->sys_errno ? error_memory(l->r->error) : code;
}

int diff_lines_print(struct diff_lines *l, const char *heading)
{
    (void)file_out_spill(l->out, NULL, 0);
    if (l->out->sys_errno)
        return error_memory(l->r->error);
    if (!l->text.n)
        return APF_OK;
    text_append(l->r->out, "\n");
    text_append(l->r->out, heading);
    text_append(l->r->out, "\n");
    (void)file_out_write(l->r->out, l->text.data, l->text.n);
    if (l->n_more) {
        text_append(l->r->out, "\n");
        put_more(l->r->out, l->n_more);
        text_append(l->r->out, " in ");
        text_decimal(l->r->out, l->n_more_files, 0);
        text_append(l->r->out, l->n_more_files == 1 ? " more file\n" : " more files\n");
    }
    return APF_OK;
}
