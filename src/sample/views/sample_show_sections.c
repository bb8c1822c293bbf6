/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the table of sections, as llvm-profdata show --show-sec-info-only does. */
#include <anyprof/sample_views.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text_append.h"
#include "sample/binary/sample_binary_read.h"
#include "sample/binary/sample_sections.h"

static void print_number(struct file_out *out, const char *label, uint64_t n)
{
    text_append(out, label);
    text_decimal(out, n, 0);
}

static void print_section(struct file_out *out, const struct sample_section *section)
{
    const char *word, *before = "";
    text_append(out, section->kind->name);
    print_number(out, " - Offset: ", section->offset);
    print_number(out, ", Size: ", section->size);
    text_append(out, ", Flags: {");
    for (unsigned i = 0; (word = sample_section_word(section, &i)) != NULL; before = ",") {
        text_append(out, before);
        text_append(out, word);
    }
    text_append(out, "}\n");
}

/* Sizes wrap at 2^64 where a damaged file has such; LLVM's do, too. */
static void print_table(struct file_out *out, const struct sample_sections *sections)
{
    uint64_t total = 0, end = 0;
    for (size_t i = 0; i < sections->list.n; i++) {
        const struct sample_section *section = &sections->list.data[i];
        print_section(out, section);
        total += section->size;
        if (end < section->offset + section->size)
            end = section->offset + section->size;
    }
    print_number(out, "Header Size: ", sections->list.n ? sections->list.data[0].offset : sections->end);
    print_number(out, "\nTotal Sections Size: ", total);
    print_number(out, "\nFile Size: ", end);
    text_append(out, "\n");
}

static int read_table(struct sample_sections *sections, const struct apf_input *input,
                      const struct apf_options *o, struct apf_error *error)
{
    struct file_bytes bytes = {0};
    int code = file_read(&bytes, input, options_max_bytes(o), error);
    if (code == APF_OK && !sample_ext_begins(bytes.data, bytes.n))
        code = error_plain(error, APF_UNSUPPORTED, "sample.ext.sections",
                           "only extensible binary profiles have a table of sections");
    else if (code == APF_OK)
        code = sample_sections_read(sections, bytes.data, bytes.n, bytes.n, error);
    file_bytes_free(&bytes);
    return file_error(error, code, input, 0);
}

int apf_sample_print_sections(const struct apf_input *input, const struct apf_options *options,
                              const struct apf_output *output, struct apf_error *error)
{
    struct sample_sections sections = {0};
    struct apf_options o;
    struct file_out *out;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code == APF_OK)
        code = output_check(output, error);
    if (code == APF_OK)
        code = read_table(&sections, input, &o, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code == APF_OK) {
        print_table(out, &sections);
        code = file_out_finish(out, APF_OK, error);
    }
    sample_sections_free(&sections);
    return code;
}
