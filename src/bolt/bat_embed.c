/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds the section to a program, or removes it. */
#include <elf.h>

#include "base/error.h"
#include "base/options.h"
#include "bolt/bat_model.h"
#include "object/elf_edit.h"

int apf_bat_write_program(const struct apf_bat *bat, const struct apf_input *program,
                          const struct apf_options *options, const struct apf_output *output,
                          struct apf_error *error)
{
    struct apf_options o;
    struct elf_edit edit = {BAT_SECTION, SHT_NOTE, bat ? bat->section : NULL, 0};
    struct file_bytes file = {0};
    edit.n = bat ? (size_t)bat->info.section_bytes : 0;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = inputs_check(program, 1, error);
    if (code != APF_OK)
        return code;
    code = file_read(&file, program, options_max_bytes(&o), error);
    if (code == APF_OK)
        code = elf_edit_section(file.data, file.n, &edit, output, error);
    if (code == APF_UNKNOWN_SECTION)
        code = error_plain(error, APF_NO_BAT, "elf.sections", "there is no section to remove");
    file_bytes_free(&file);
    return file_error(error, code, program, 0);
}
