/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "collect_metrics.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "numbers.h"
#include "report.h"

struct metric {
    size_t offset; /* of the field of struct collect_metrics */
    const char *field, *name, *label, *help;
};

#define METRIC(field, name, label, help) {offsetof(struct collect_metrics, field), #field, name, label, help},
static const struct metric totals[] = {COLLECT_TOTALS(METRIC)};
static const struct metric gauges[] = {COLLECT_GAUGES(METRIC)};
#define N_TOTALS (sizeof totals / sizeof *totals)
#define N_GAUGES (sizeof gauges / sizeof *gauges)

static uint64_t value_of(const struct collect_metrics *m, const struct metric *metric)
{
    uint64_t value;
    memcpy(&value, (const char *)m + metric->offset, sizeof value);
    return value;
}

/* ---- text ---- */

CLI_PRINTF(2, 3) static void append(struct apf_buffer *text, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (apf_buffer_write(text, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) != 0)
        out_of_memory();
}

static bool write_text(struct apf_buffer *text, const struct session *session, const char *path)
{
    struct apf_error error;
    struct apf_output output = apf_output_file(path);
    output.flags = APF_OUTPUT_CLEAN;
    const int code = apf_output_write(&output, text->data, text->n, &error);
    apf_buffer_free(text);
    return exit_code(session, path, code, &error) == 0;
}

/* ---- totals ---- */

void collect_metrics_load(struct collect_metrics *m, const struct collect_state *s)
{
    char *path = collect_path(s->path, "totals"), *save = NULL;
    size_t n;
    char *text = read_some(path, 65536, &n);
    *m = (struct collect_metrics){0};
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
        const size_t n_name = strcspn(line, " ");
        uint64_t number;
        for (size_t i = 0; i < N_TOTALS; i++)
            if (strlen(totals[i].field) == n_name && memcmp(totals[i].field, line, n_name) == 0 &&
                line[n_name] && parse_decimal(line + n_name + 1, strlen(line + n_name + 1), &number))
                memcpy((char *)m + totals[i].offset, &number, sizeof number);
    }
    free(text);
    free(path);
}

bool collect_metrics_save(const struct collect_metrics *m, const struct collect_state *s,
                          const struct session *session)
{
    struct apf_buffer text = {0};
    char *path = collect_path(s->path, "totals");
    for (size_t i = 0; i < N_TOTALS; i++)
        append(&text, "%s %" PRIu64 "\n", totals[i].field, value_of(m, &totals[i]));
    const bool ok = write_text(&text, session, path);
    free(path);
    return ok;
}

/* ---- Prometheus ---- */

/* The spool as the value of a label. A path that is not UTF-8 stays as it is, although Prometheus refuses the file. */
static void escape(char *to, size_t size, const char *path)
{
    size_t n = 0;
    for (; *path && n + 3 < size; path++) {
        const bool special = *path == '\\' || *path == '"' || *path == '\n';
        if (special)
            to[n++] = '\\';
        to[n++] = (char)(*path == '\n' ? 'n' : *path);
    }
    to[n] = '\0';
}

static void append_metric(struct apf_buffer *text, const struct collect_metrics *m,
                          const struct metric *metric, const char *spool, bool total)
{
    const char *end = total ? "_total" : "", *label = metric->label;
    if (*metric->help)
        append(text, "# HELP anyprof_collect_%s%s %s.\n# TYPE anyprof_collect_%s%s %s\n", metric->name, end,
               metric->help, metric->name, end, total ? "counter" : "gauge");
    append(text, "anyprof_collect_%s%s{spool=\"%s\"%s%s} %" PRIu64 "\n", metric->name, end, spool,
           label ? "," : "", label ? label : "", value_of(m, metric));
}

bool collect_metrics_write(const struct collect_metrics *m, const struct collect_state *s,
                           const struct session *session, const char *path)
{
    struct apf_buffer text = {0};
    char spool[512];
    escape(spool, sizeof spool, s->spool);
    for (size_t i = 0; i < N_TOTALS; i++)
        append_metric(&text, m, &totals[i], spool, true);
    for (size_t i = 0; i < N_GAUGES; i++)
        append_metric(&text, m, &gauges[i], spool, false);
    return write_text(&text, session, path);
}
