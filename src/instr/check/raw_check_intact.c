/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is intact of a raw file that the reader refuses: names and records, each for itself. Nobody uses them; it is
 * only looked at what else is wrong. So, other than where a file is salvaged, records are taken beside damaged ones. */
#include "instr/check/raw_check.h"
#include "instr/model/name_blob.h"

static void read_blob(struct raw_checker *k, const struct raw_section *s, const char *where,
                      struct symbols *out)
{
    struct cursor c = cursor_make(k->raw.file, k->raw.file_size, k->raw.swap);
    struct apf_error error;
    cursor_skip(&c, s->at);
    if (name_blob_read(&c, s->size, &k->reader->name_budget, where, out, &error) == APF_OK)
        return;
    k->profile->names_lost = true;
    check_failure(k->c, &error);
}

void raw_check_take_names(struct raw_checker *k)
{
    if (!(k->raw.version->caps & RAW_CAP_NAME_POINTERS))
        read_blob(k, &k->raw.names, "raw.names", &k->reader->instr->symbols);
    read_blob(k, &k->raw.vtable_names, "raw.vtable_names", &k->reader->instr->vtables);
}

static void take_values(struct raw_checker *k, const struct raw_profile_info *info)
{
    struct cursor c = cursor_make(k->raw.file, k->raw.file_size, k->raw.swap);
    struct record *records = k->reader->instr->records.data + info->first_record;
    struct apf_error error;
    size_t n = k->reader->instr->records.n - info->first_record;
    cursor_skip(&c, k->raw.values_at);
    for (size_t i = 0; i < n && k->c->code == APF_OK; i++)
        if (record_site_count(&records[i]) &&
            raw_reader_sites(k->reader, &records[i], &c, &error) == APF_NO_MEMORY)
            check_memory(k->c);
}

/* Without its metadata a profile is no bad one, and for the other records it is as if it were not there. */
static bool complete(struct raw_checker *k, struct raw_profile_info *info)
{
    struct apf_error error;
    if (!raw_profile_is_bare(&info->raw))
        return true;
    int code = raw_reader_begin(k->reader, &info->raw, &error);
    bool whole = info->raw.field[RAW_NAMES_SIZE] == 0; /* of a damaged header this may not be so */
    if (code == APF_MISSING_CORRELATION && whole)
        error_add(&error, "; the program has it: --against=PROGRAM");
    if (code == APF_MISSING_CORRELATION || code == APF_UNABLE_TO_CORRELATE)
        check_failure_as(k->c,
                         !whole                            ? APF_SEVERITY_ERROR
                         : code == APF_MISSING_CORRELATION ? APF_SEVERITY_NOTE
                                                           : APF_SEVERITY_WARNING,
                         &error);
    else if (code == APF_NO_MEMORY)
        check_memory(k->c);
    k->profile->records_lost = k->profile->records_lost || code != APF_OK;
    return code == APF_OK;
}

void raw_check_take_records(struct raw_checker *k)
{
    struct raw_profile_info info = {.raw = k->raw};
    struct raw_record record;
    struct apf_error error;
    raw_targets_free(&k->reader->targets);
    raw_reader_add_profile(k->reader->instr, &info.raw);
    if (!complete(k, &info))
        return;
    int code = raw_reader_begin_records(k->reader, &info, &error);
    for (uint64_t i = 0; code == APF_OK && i < info.raw.n_records; i++)
        if (raw_profile_record(&info.raw, i, &record, NULL) == APF_OK)
            code = raw_reader_record(k->reader, &info, i, &record, &error);
    if (code == APF_NO_MEMORY)
        check_memory(k->c);
    k->profile->records_lost = k->profile->records_lost || k->damaged || code != APF_OK;
    if (k->has_values && code == APF_OK)
        take_values(k, &info);
}
