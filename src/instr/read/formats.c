/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/read/formats.h"

#include <string.h>

#include "base/error.h"
#include "instr/indexed/indexed_format.h"
#include "instr/indexed/indexed_map.h"
#include "instr/json/profile_json.h"
#include "instr/memprof/memprof_yaml.h"
#include "instr/raw/raw_format.h"
#include "instr/text/text_read.h"

/* The formats in the order of recognition. The text format is last, since any text may be a text profile. */
static const struct instr_format formats[] = {
    {APF_FORMAT_INDEXED, indexed_begins, indexed_glance, indexed_read, indexed_salvage, indexed_map},
    {APF_FORMAT_RAW, raw_begins, raw_glance, raw_read, raw_salvage, raw_map},
    {APF_FORMAT_JSON, profile_json_begins, NULL, profile_json_read, NULL, NULL},
    {APF_FORMAT_MEMPROF, memprof_yaml_begins, NULL, memprof_yaml_read_profile, NULL, NULL},
    {APF_FORMAT_TEXT, text_begins, NULL, text_read, text_salvage, NULL},
};

const struct instr_format *instr_format_of(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].begins(data, n))
            return &formats[i];
    return NULL;
}

void profile_glance(struct apf_instr_info *info, const uint8_t *data, size_t n)
{
    const struct instr_format *format = instr_format_of(data, n);
    info->format = format ? format->format : 0;
    if (format && format->glance)
        format->glance(info, data, n);
}

static int report_unrecognized(const uint8_t *data, size_t n, struct apf_error *error)
{
    uint8_t first[sizeof(uint64_t)] = {0};
    memcpy(first, data, n < sizeof first ? n : sizeof first);
    struct error_at at = {"magic", 0, load64le(first), INDEXED_MAGIC};
    return error_magic(error, APF_UNRECOGNIZED_FORMAT, at);
}

int profile_read_into(struct apf_instr *instr, const uint8_t *data, size_t n,
                      const struct read_options *options, struct apf_error *error)
{
    const struct instr_format *format = instr_format_of(data, n);
    if (n == 0)
        return error_plain(error, APF_EMPTY_PROFILE, "file.size", NULL);
    if (!format)
        return report_unrecognized(data, n, error);
    int code = format->read(instr, data, n, options, error);
    return code == APF_OK ? profile_complete(instr, options, error) : code;
}

int profile_read(struct apf_instr **instr, const uint8_t *data, size_t n, const struct read_options *options,
                 struct apf_error *error)
{
    *instr = NULL;
    struct apf_instr *made = profile_new();
    if (!made)
        return error_memory(error);
    int code = profile_read_into(made, data, n, options, error);
    if (code == APF_OK)
        *instr = made;
    else
        profile_free(made);
    return code;
}
