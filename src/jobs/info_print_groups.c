/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the facts of several files as text: a line for each build. */
#include "base/text_append.h"
#include "jobs/file_kinds.h"
#include "jobs/info_print.h"

/* Writes the kind in a word or two. */
static void write_short_kind(struct file_out *out, const struct apf_file_facts *f)
{
    const struct file_kind *kind = file_kind_row(f->file->kind);
    if (!info_is_profile(f)) {
        info_write_kind(out, f);
        return;
    }
    text_append(out, kind->brief);
    if (kind->traits & KIND_OF_ORIGIN)
        info_write_origin(out, f);
    else if (f->version)
        text_decimal(out, f->version, 0);
    text_append(out, ", ");
    info_write_variant(out, f);
}

/* Writes the ids and the build digest; the digest may link files without ids to a build. */
static void write_build(struct file_out *out, const struct apf_file_facts *f)
{
    if (info_build_of(f) == INFO_BUILD_NONE)
        return;
    for (size_t i = 0; i < f->n_binary_ids; i++) {
        text_append(out, i ? " " : "id ");
        info_write_digits(out, f->binary_ids[i]);
    }
    if (f->n_binary_ids && f->build_digest)
        text_append(out, "; ");
    if (f->build_digest) {
        text_append(out, "build digest ");
        text_hex_digits(out, f->build_digest, HEX_MAX);
    }
    text_append(out, info_build_of(f) == INFO_BUILD_UNKNOWN ? "build unknown; " : "; ");
}

static void write_programs(struct file_out *out, const struct apf_info *info, const struct info_group *group)
{
    for (size_t i = 0; i < group->n_programs; i++) {
        text_blanks(out, 36);
        text_append(out, "of ");
        text_name(out, info->files.data[info->programs.data[group->programs + i]].path);
        text_append(out, group->by_build_digest ? ", by build digest\n" : ", by id\n");
    }
}

static void write_group(struct file_out *out, const struct apf_info *info, const struct info_group *group)
{
    const struct apf_file_facts *f = &info->files.data[group->first];
    bool samples =
        file_kind_has(f->file->kind, KIND_SAMPLES); /* which are of no build: other functions in each */
    text_decimal(out, group->n_files, 7);
    text_append(out, " ");
    text_decimal(out, group->n_bytes, 14);
    text_append(out, " ");
    if (samples || f->n_functions || (info_is_profile(f) && f->n_bare == 0))
        text_decimal(out, samples ? group->n_functions : f->n_functions, 10);
    else
        text_append(out, "         -");
    text_append(out, "  ");
    write_short_kind(out, f);
    text_append(out, "; ");
    write_build(out, f);
    text_append(out, group->n_files == 1 ? "" : "first ");
    text_name(out, f->path);
    text_append(out, "\n");
    write_programs(out, info, group);
}

void info_write_groups(struct file_out *out, const struct apf_info *info)
{
    text_append(out, "  files          bytes  functions  build\n");
    for (size_t i = 0; i < info->groups.n; i++)
        write_group(out, info, &info->groups.data[i]);
    for (size_t i = 0; i < info->files.n; i++) {
        const struct apf_file_facts *f = &info->files.data[i];
        if (!f->error)
            continue;
        text_append(out, "unreadable: ");
        text_name(out, f->path);
        text_append(out, ": ");
        text_message(out, f->error->message);
        text_append(out, "\n");
    }
    info_write_count(out, info->files.n, "file of ", "files of ");
    info_write_count(out, info->n_bytes, "byte in ", "bytes in ");
    info_write_count(out, info->groups.n, "group, ", "groups, ");
    text_decimal(out, info->n_unreadable, 0);
    text_append(out, " unreadable\n");
}
