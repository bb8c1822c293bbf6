/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the view of a merge. */
#include "base/error.h"
#include "base/options.h"
#include "inputs/inputs_output.h"
#include "sample/merge/sample_filter.h"
#include "sample/merge/sample_merge.h"
#include "sample/model/sample_share.h"
#include "sample/write/sample_output.h"

/* One call of apf_sample_merge_write. */
struct writing {
    struct apf_sample_merge *merge;
    const struct apf_sample_write_options *options;
};

static int make_view(void *context, struct apf_error *error)
{
    const struct writing *w = (const struct writing *)context;
    return sample_merge_finish(w->merge, error);
}

struct counter {
    uint64_t bytes;
};

/* An apf_write_fn that counts. */
static int count_bytes(void *user, const void *p, size_t n)
{
    struct counter *counter = (struct counter *)user;
    (void)p;
    counter->bytes += n;
    return 0;
}

/* The size of the file of a profile. */
static int find_size(void *context, const struct apf_sample *s, uint64_t *size, struct apf_error *error)
{
    const struct apf_sample_write_options *options = (const struct apf_sample_write_options *)context;
    struct counter counter = {0};
    struct apf_output output = apf_output_callback(count_bytes, &counter);
    struct apf_sample_write_result result;
    struct file_out *out;
    int code = file_out_open(&out, &output, error);
    if (code != APF_OK)
        return code;
    code = file_out_finish(out, sample_write(s, options, out, &result, error), error);
    *size = counter.bytes;
    return code;
}

/* Makes a profile of the view that is small enough. */
static int limit_view(const struct writing *w, struct apf_sample **limited, struct apf_error *error)
{
    struct apf_sample_merge *m = w->merge;
    struct apf_sample_write_options options = *w->options;
    int code = sample_share(m->view, &m->view->names, limited, error);
    if (code != APF_OK)
        return code;
    (*limited)->has_symbols = m->view->has_symbols;
    (*limited)->symbols.data = m->view->symbols.data; /* until unlimit_view */
    (*limited)->symbols.n = m->view->symbols.n;
    code = sample_limit(*limited, m->options.size_limit, find_size, &options, &m->stats.over_limit, error);
    if (code == APF_OK)
        code = sample_complete(*limited, error);
    /* Names that were left out stay other names than those without their suffixes; names of other classes, which are in
     * the table, too, do not count. */
    (*limited)->info.flags &= ~(uint32_t)APF_SAMPLE_UNIQUE;
    (*limited)->info.flags |= m->view->info.flags & APF_SAMPLE_UNIQUE;
    return code;
}

static void unlimit_view(struct apf_sample *limited)
{
    if (limited) {
        limited->symbols.data = NULL;
        limited->symbols.n = limited->symbols.capacity = 0;
    }
    sample_share_free(limited);
}

static int write_view(void *context, struct file_out *out, struct apf_error *error)
{
    const struct writing *w = (const struct writing *)context;
    struct apf_sample_merge *m = w->merge;
    struct apf_sample *limited = NULL;
    int code = m->options.size_limit ? limit_view(w, &limited, error) : APF_OK;
    if (code == APF_OK)
        code = sample_write(limited ? limited : m->view, w->options, out, &m->written, error);
    unlimit_view(limited);
    return code == APF_OK ? sample_write_report(&m->written, &m->common, error) : code;
}

int apf_sample_merge_write(struct apf_sample_merge *m, const struct apf_sample_write_options *options,
                           const struct apf_output *output, struct apf_sample_write_result *result,
                           struct apf_error *error)
{
    static const struct apf_sample_write_result nothing;
    struct apf_sample_write_options o;
    struct apf_options common;
    int code = sample_write_options_read(&o, &common, options, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_sample_write_result, result, error);
    if (code == APF_OK)
        code = output_check(output, error);
    if (code != APF_OK)
        return code;
    struct writing writing = {m, &o};
    const struct inputs_writer writer = {&writing, false, make_view, write_view};
    m->written = nothing;
    m->stats.over_limit = 0;
    code = inputs_write(&m->kept, &writer, output, error);
    result_fill(result, sizeof m->written, &m->written);
    return code;
}
