/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/text_append.h"
#include "bolt/fdata_model.h"

static void write_header(struct file_out *out, const struct apf_fdata_info *info)
{
    /* no_lbr comes first: llvm-bolt does not read the other order, which perf2bolt writes. */
    if (info->flags & APF_FDATA_NO_LBR) {
        text_append(out, "no_lbr");
        for (uint64_t i = 0; i < info->n_events; i++) {
            text_append(out, " ");
            (void)file_out_write(out, info->events[i].p, info->events[i].n);
        }
        text_append(out, "\n");
    }
    if (info->flags & APF_FDATA_BOLTED)
        text_append(out, "boltedcollection\n");
}

static void write_number(struct file_out *out, uint64_t v)
{
    uint8_t *p = file_out_room(out, 1 + DECIMAL_MAX);
    *p = ' ';
    out->p += 1 + decimal_store(p + 1, v);
}

static void write_entry(struct file_out *out, const struct fdata_entry *entry, bool no_lbr)
{
    const char *text = fdata_entry_text(entry);
    (void)file_out_write(out, text, entry->n_text);
    if (!no_lbr && text[0] < '0' + (char)FDATA_MEMORY_DIGIT)
        write_number(out, entry->mispredictions);
    write_number(out, entry->count);
    text_append(out, "\n");
}

int apf_fdata_write(struct apf_fdata *f, const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out;
    int code = apf_fdata_sort(f, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    write_header(out, &f->info);
    for (size_t i = 0; i < f->order.n; i++) {
        if (i + FETCH_AHEAD < f->order.n)
            PREFETCH(fdata_entry_at(f, f->order.data[i + FETCH_AHEAD]));
        write_entry(out, fdata_entry_at(f, f->order.data[i]), f->info.flags & APF_FDATA_NO_LBR);
    }
    return file_out_close(out, true, error);
}
