/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The JSON that services take: Codecov's, with a number for each line, or "1/2" where one of two sides of branches was
 * never taken; and Coveralls', with a list for all lines of the source code. A name that is no UTF-8 has U+FFFD in it,
 * because the services refuse lone surrogates. */
#include "base/decimal.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/md5.h"
#include "cov/covered_lines.h"
#include "cov/outputs.h"
#include "cov/source_text.h"

struct service_output {
    const struct cov_output *o;
    struct covered_lines lines;
    struct source_texts texts;
    struct json_writer json;
};

/* Whether the rest need not be written; the failure is reported when the output is closed. */
static bool has_failed(const struct service_output *s)
{
    return json_failed(&s->json) || s->o->out->sys_errno;
}

static void begin(struct service_output *s)
{
    json_start(&s->json, file_out_callback, s->o->out, 0);
    json_object_begin(&s->json);
}

static int end(struct service_output *s, int code)
{
    json_object_end(&s->json);
    covered_lines_free(&s->lines);
    source_texts_free(&s->texts);
    return code == APF_OK ? json_finish(&s->json, s->o->error) : code;
}

static struct apf_str name_of(const struct service_output *s, uint32_t file)
{
    return s->o->c->files.list.data[file];
}

/* A count as services take it: they have 32 bits for it. */
static uint64_t clipped(uint64_t count)
{
    return count > INT32_MAX ? INT32_MAX : count;
}

/* ---- Codecov ---- */

static void put_line(struct service_output *s, const struct code_line *line)
{
    char key[DECIMAL_MAX], share[2 * DECIMAL_MAX + 1];
    json_key_bytes(&s->json, key, decimal_store((uint8_t *)key, line->line));
    if (!line->count || line->sides.covered == line->sides.n) {
        json_u64(&s->json, clipped(line->count));
        return;
    }
    size_t n = decimal_store((uint8_t *)share, line->sides.covered);
    share[n++] = '/';
    n += decimal_store((uint8_t *)share + n, line->sides.n);
    json_bytes(&s->json, share, n);
}

static int put_codecov(struct service_output *s, uint32_t file)
{
    const struct apf_str name = name_of(s, file);
    const int code = covered_lines_make(&s->lines, s->o->c, file, s->o->error);
    struct code_lines lines = code_lines_of(&s->lines);
    struct code_line line;
    if (code != APF_OK)
        return code;
    json_key_text(&s->json, name.p, name.n);
    json_object_begin(&s->json);
    while (!has_failed(s) && code_lines_next(&lines, &line))
        put_line(s, &line);
    json_object_end(&s->json);
    return code;
}

int cov_write_codecov(const struct cov_output *o)
{
    struct service_output s = {.o = o};
    int code = APF_OK;
    begin(&s);
    json_key(&s.json, "coverage");
    json_object_begin(&s.json);
    for (size_t i = 0; i < o->n_files && code == APF_OK && !has_failed(&s); i++)
        code = put_codecov(&s, o->files[i]);
    json_object_end(&s.json);
    return end(&s, code);
}

/* ---- Coveralls ---- */

/* Writes the branches of the lines: line, number of the branch, number of the side, how often it was taken. */
static void put_branches(struct service_output *s)
{
    const struct line_branches *b = &s->lines.branches;
    uint64_t line = 0, number = 0;
    json_key(&s->json, "branches");
    json_array_begin(&s->json);
    for (size_t i = 0; i < b->list.n && !has_failed(s); i++) {
        const struct line_branch *at = &b->list.data[i];
        number = at->line == line ? number + 1 : 0;
        line = at->line;
        for (unsigned k = 2; k-- > 0;) {
            const uint64_t values[] = {line, number, 1 - k, clipped(at->counts[k])};
            for (size_t v = 0; v < 4 && !at->folded[k]; v++)
                json_u64(&s->json, values[v]);
        }
    }
    json_array_end(&s->json);
}

static uint64_t count_lines(const struct source_text *text)
{
    struct source_lines lines = source_lines_of(text);
    struct apf_str line;
    uint64_t n = 0;
    while (source_lines_next(&lines, &line))
        n++;
    return n;
}

/* Writes the counts of all lines, null for those that are no code. */
static void put_counts(struct service_output *s, const struct source_text *text)
{
    const uint64_t n = text->there ? count_lines(text) : 0;
    struct code_lines lines = code_lines_of(&s->lines);
    struct code_line line;
    uint64_t at = 1;
    json_key(&s->json, "coverage");
    json_array_begin(&s->json);
    while (!has_failed(s) && code_lines_next(&lines, &line)) {
        for (; at < line.line && !has_failed(s); at++)
            json_none(&s->json);
        json_u64(&s->json, clipped(line.count));
        at++;
    }
    for (; at <= n && !has_failed(s); at++)
        json_none(&s->json);
    json_array_end(&s->json);
}

static int put_coveralls(struct service_output *s, uint32_t file)
{
    const struct apf_str name = name_of(s, file);
    struct source_text text = {.there = false};
    uint8_t digest[MD5_BYTES];
    int code = covered_lines_make(&s->lines, s->o->c, file, s->o->error);
    if (code == APF_OK)
        code = source_texts_read(&s->texts, file, name, &text, s->o->error);
    if (code != APF_OK)
        return code;
    json_object_begin(&s->json);
    json_key(&s->json, "name");
    json_text(&s->json, name.p, name.n);
    if (text.there) {
        md5_bytes(text.bytes.p, text.bytes.n, digest);
        json_key(&s->json, "source_digest");
        json_digits(&s->json, digest, sizeof digest);
    }
    put_counts(s, &text);
    put_branches(s);
    json_object_end(&s->json);
    source_texts_drop(&s->texts);
    return code;
}

int cov_write_coveralls(const struct cov_output *o)
{
    struct service_output s = {.o = o, .texts = cov_output_texts(o)};
    int code = APF_OK;
    begin(&s);
    json_key(&s.json, "source_files");
    json_array_begin(&s.json);
    for (size_t i = 0; i < o->n_files && code == APF_OK && !has_failed(&s); i++)
        code = put_coveralls(&s, o->files[i]);
    json_array_end(&s.json);
    return end(&s, code);
}
