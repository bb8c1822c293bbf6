/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/gcc_example.h"

static const char *const names[] = {"", "f", "g", "main", "work"};
static const char *const files[] = {"b.c", "a.c"};
static const uint32_t name_files[] = {UINT32_MAX, 0, 1, 0, UINT32_MAX};

static const struct gb_target two_targets[] = {{2, 774}, {4, 0x100000005}};
static const struct gb_line leaf_lines[] = {{0, 0, 6, NULL, 0}};
const struct gb_node gcc_example_leaf = {2, leaf_lines, 1, NULL, 0};
static const struct gb_line mid_lines[] = {{1, 0, 7, NULL, 0}, {65535, 65535, 2, NULL, 0}};
static const struct gb_call mid_calls[] = {{1, 0, &gcc_example_leaf}};
const struct gb_node gcc_example_mid = {4, mid_lines, 2, mid_calls, 1};
static const struct gb_line work_lines[] = {
    {2, 0, 1000, NULL, 0}, {2, 3, 0x200000001, two_targets, 2}, {4, 0, 0, NULL, 0}};
static const struct gb_call work_calls[] = {{2, 0, &gcc_example_mid}, {2, 3, &gcc_example_leaf}};
static const struct gb_node work = {4, work_lines, 3, work_calls, 2};
static const struct gb_line main_lines[] = {{3, 0, 1, NULL, 0}};
static const struct gb_node main_node = {3, main_lines, 1, NULL, 0};
static const struct gb_function functions[] = {{5, &main_node, 801840661248321}, {UINT64_MAX, &work, 0}};

struct gb_profile gcc_example(unsigned layout)
{
    struct gb_profile p = {.layout = gb_layouts[layout],
                           .files = files,
                           .n_files = 2,
                           .names = names,
                           .name_files = name_files,
                           .n_names = 5,
                           .functions = functions,
                           .n_functions = 2,
                           .tail = GB_WORKING_SET};
    return p;
}
