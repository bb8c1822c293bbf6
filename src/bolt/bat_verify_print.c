/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/error.h"
#include "base/json_entry.h"
#include "base/options.h"
#include "base/text_append.h"
#include "bolt/bat_verify.h"

#define MOST_LINES ((size_t)20) /* lines of text about findings of one kind */

static const struct {
    const char *json, *text; /* `text` follows the name of the fragment */
} kinds[BAT_FINDINGS] = {
    [BAT_REST] = {"rest", "bytes after the tables, which BOLT ignores"},
    [BAT_FRAGMENT_ORDER] = {"fragment_order", "its address is below that of the fragment before it"},
    [BAT_SAME_ADDRESS] = {"same_address", "another fragment has its address"},
    [BAT_ENTRY_ORDER] = {"entry_order", "entries are not in the order of their offsets in the output"},
    [BAT_EQUAL] = {"equal_prefix",
                   "the equal prefix is not the longest: BOLT would have written other bytes"},
    [BAT_SKEW] = {"skew", "the skew is not the offset of its first entry in the input"},
    [BAT_SECONDARY] = {"secondary_order", "secondary entry points do not ascend"},
    [BAT_BLOCK_NUMBER] = {"block_number", "the function has fewer blocks"},
    [BAT_BLOCK_TWICE] = {"block_twice", "another block is at this offset in the input"},
    [BAT_NO_PARENT] = {"no_parent", "its function is not known"},
    [BAT_NO_SYMBOL] = {"no_symbol", "no symbol of a function is at its address"},
    [BAT_BEYOND] = {"beyond_symbol", "it is after the end of the symbol"},
    [BAT_NOT_CODE] = {"not_at_instruction", "no instruction begins there"},
    [BAT_INPUT_BEYOND] = {"input_beyond_function", "in the input it is after the end of the function"},
    [BAT_INPUT_NOT_CODE] = {"input_not_at_instruction", "no instruction begins there in the input"},
    [BAT_OTHER_KIND] = {"other_instruction", "a call, branch or return on one side is none on the other one"},
};

/* ---- text ---- */

static void write_hex(struct file_out *out, uint64_t v)
{
    text_append(out, "0x");
    text_hex(out, v, 0);
}

static void write_finding(const struct apf_bat *bat, struct file_out *out, const struct bat_finding *f)
{
    if (f->fragment != APF_BAT_NONE) {
        const struct apf_bat_fragment *fragment = &bat->fragments.data[f->fragment];
        if (fragment->name.n)
            text_name(out, fragment->name);
        else
            write_hex(out, fragment->address);
    }
    if (f->entry != APF_BAT_NONE) {
        const struct apf_bat_entry *e = &bat->entries.data[f->entry];
        text_append(out, "+");
        write_hex(out, e->output);
        text_append(out, " -> ");
        write_hex(out, e->input);
    }
    text_append(out, f->fragment != APF_BAT_NONE ? ": " : "");
    if (f->kind == BAT_REST) {
        text_decimal(out, f->n, 0);
        text_append(out, " ");
    }
    text_append(out, kinds[f->kind].text);
    if (f->entry != APF_BAT_NONE && f->n > 1) {
        text_append(out, " (and ");
        text_decimal(out, f->n - 1, 0);
        text_append(out, f->n == 2 ? " more entry)" : " more entries)");
    }
    text_append(out, "\n");
}

static void write_text(const struct bat_verification *v, struct file_out *out)
{
    uint64_t shown[BAT_FINDINGS] = {0};
    const struct apf_bat_info *info = &v->bat->info;
    for (size_t i = 0; i < v->findings.n; i++)
        if (shown[v->findings.data[i].kind]++ < MOST_LINES)
            write_finding(v->bat, out, &v->findings.data[i]);
    for (size_t kind = 0; kind < BAT_FINDINGS; kind++) {
        if (shown[kind] <= MOST_LINES)
            continue;
        text_append(out, "and ");
        text_decimal(out, shown[kind] - MOST_LINES, 0);
        text_append(out, " more: ");
        text_append(out, kinds[kind].text);
        text_append(out, "\n");
    }
    if (v->not_decoded.code != APF_OK) {
        text_append(out, "not checked: whether instructions begin where entries are (");
        text_message(out, v->not_decoded.message);
        text_append(out, ")\n");
    }
    text_decimal(out, v->findings.n, 0);
    text_append(out, v->findings.n == 1 ? " finding in " : " findings in ");
    text_decimal(out, info->n_hot + (uint64_t)info->n_cold, 0);
    text_append(out, " fragments with ");
    text_decimal(out, info->n_entries, 0);
    text_append(out, " entries; code of ");
    text_decimal(out, v->verdict.n_decoded, 0);
    text_append(out, " fragments and, in the input, ");
    text_decimal(out, v->verdict.n_originals, 0);
    text_append(out, " functions compared\n");
}

/* ---- JSON ---- */

static void finding_json(struct json_writer *w, const struct apf_bat *bat, const struct bat_finding *f)
{
    struct apf_str none = {NULL, 0};
    const struct apf_bat_fragment *fragment =
        f->fragment != APF_BAT_NONE ? &bat->fragments.data[f->fragment] : NULL;
    const struct apf_bat_entry *e = f->entry != APF_BAT_NONE ? &bat->entries.data[f->entry] : NULL;
    json_line_object(w);
    json_entry_string(w, "kind", kinds[f->kind].json);
    json_entry_string(w, "message", kinds[f->kind].text);
    json_key(w, "fragment");
    if (fragment)
        json_u64(w, f->fragment);
    else
        json_none(w);
    json_entry_name(w, "name", fragment ? fragment->name : none);
    json_key(w, "output");
    if (e)
        json_u64(w, e->output);
    else
        json_none(w);
    json_key(w, "input");
    if (e)
        json_u64(w, e->input);
    else
        json_none(w);
    json_entry_u64(w, "offset", e ? e->offset : fragment ? fragment->offset : 0);
    json_entry_u64(w, "n", f->n);
    json_object_end(w);
}

static int write_json(const struct bat_verification *v, struct file_out *out, struct apf_error *error)
{
    struct json_writer w;
    json_start(&w, file_out_callback, out, 2);
    json_object_begin(&w);
    json_head(&w, "anyprof-bat-verification/1");
    json_key(&w, "findings");
    json_array_begin(&w);
    for (size_t i = 0; i < v->findings.n && !json_failed(&w); i++)
        finding_json(&w, v->bat, &v->findings.data[i]);
    json_array_end(&w);
    json_entry_u64(&w, "fragments_decoded", v->verdict.n_decoded);
    json_entry_u64(&w, "original_functions_decoded", v->verdict.n_originals);
    json_entry_string(&w, "not_decoded", v->not_decoded.code != APF_OK ? v->not_decoded.message : NULL);
    json_object_end(&w);
    return json_finish(&w, error);
}

/* ---- the call ---- */

static int print_verification(const struct bat_verification *v, uint32_t flags,
                              const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    if (flags & APF_BAT_PRINT_JSON)
        code = write_json(v, out, error);
    else
        write_text(v, out);
    return file_out_finish(out, code, error);
}

int apf_bat_check(const struct apf_bat *bat, uint32_t flags, const struct apf_output *output,
                  struct apf_bat_verdict *verdict, struct apf_error *error)
{
    struct bat_verification v = {.bat = bat};
    int code = RESULT_CHECK(apf_bat_verdict, verdict, error);
    if (code == APF_OK)
        code = flags_check(flags, APF_BAT_PRINT_JSON, "apf_bat_check.flags", error);
    if (code != APF_OK)
        return code;
    bool done = bat_verify_table(&v) && bat_verify_code(&v);
    v.verdict.n_findings = v.findings.n;
    result_fill(verdict, sizeof v.verdict, &v.verdict);
    code = done ? print_verification(&v, flags, output, error) : error_memory(error);
    VEC_FREE(&v.findings);
    return code;
}
