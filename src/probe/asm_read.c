/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the probes of an assembly file, and the changes to make. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/options.h"
#include "probe/asm_unit.h"

static int report_wrong(struct asm_unit *u, const char *p, const char *where, const char *detail)
{
    uint32_t line = 1;
    const char *start = u->text;
    for (const char *q; (q = memchr(start, '\n', (size_t)(p - start))); start = q + 1)
        line++;
    error_set_column(u->error, APF_BAD_ASSEMBLY, where, (uint64_t)(p - u->text), line,
                     (uint32_t)(p - start) + 1, detail);
    return APF_BAD_ASSEMBLY;
}

/* ---- one directive ---- */

/* Finds the symbol whose code has the probe. */
static int find_symbol(struct asm_unit *u, const char *statement, uint32_t *symbol, const char **at)
{
    struct apf_str spelling = u->probe.function;
    *at = statement;
    if (spelling.n == 0) {
        u->info.n_named++;
        *symbol = asm_scope_function(&u->scope);
        return *symbol != ASM_NONE
                   ? APF_OK
                   : report_wrong(u, statement, "pseudoprobe.function", "there is no function here");
    }
    *at = spelling.p;
    if (!asm_scope_find(&u->scope, spelling, symbol))
        return asm_scope_error(&u->scope, u->error);
    return *symbol != ASM_NONE ? APF_OK
                               : report_wrong(u, *at, "pseudoprobe.function", "unknown function symbol");
}

static int add_part(struct asm_unit *u, const struct asm_part *part, uint64_t hash)
{
    uint32_t number;
    int code = trie_add_function(&u->trie, 0, 0, &number, u->error); /* completed by place_parts */
    if (code != APF_OK)
        return code;
    u->last_part = number;
    if (!VEC_PUSH(&u->parts, *part))
        return error_memory(u->error);
    hash_index_add(&u->part_index, hash, number);
    return APF_OK;
}

/* Sets last_part to the part of the symbol in the present section. */
static int find_part(struct asm_unit *u, uint32_t symbol, const char *p)
{
    uint32_t section = u->scope.at.section;
    const struct asm_part *last = u->last_part != ASM_NONE ? &u->parts.data[u->last_part] : NULL;
    if (last && last->symbol == symbol && last->section == section)
        return APF_OK;
    if (!hash_index_reserve(&u->part_index, 1))
        return hash_index_error(&u->part_index, u->error);
    uint64_t hash = hash_index_mix(&u->part_index, symbol, section);
    uint32_t e;
    HASH_INDEX_FIND(e, &u->part_index, hash,
                    u->parts.data[e].symbol == symbol && u->parts.data[e].section == section);
    if (e != HASH_INDEX_NONE) {
        u->last_part = e;
        return APF_OK;
    }
    struct asm_part part = {.symbol = symbol,
                            .section = section,
                            .base = u->scope.sections.data[section].label,
                            .label = (uint32_t)u->trie.probes.n,
                            .next = ASM_NONE,
                            .edit = u->edits.n,
                            .p = p};
    return add_part(u, &part, hash);
}

/* Replaces a text by `with`, or by the label of the last probe (NULL). */
static int replace_text(struct asm_unit *u, const char *p, const char *end, const char *with)
{
    struct asm_edit edit = {.at = (size_t)(p - u->text),
                            .n = (size_t)(end - p),
                            .with = with,
                            .label = (uint32_t)u->trie.probes.n - 1,
                            .part = ASM_NONE};
    return VEC_PUSH(&u->edits, edit) ? APF_OK : error_memory(u->error);
}

static int read_probe(struct asm_unit *u, const char *p, struct asm_span *operands)
{
    struct asm_fault fault = {NULL, NULL, NULL};
    uint32_t symbol;
    const char *at;
    if (u->scope.macros || u->scope.conditions.n)
        return report_wrong(u, p, "pseudoprobe",
                            "a probe in a macro or a conditional part, which are not expanded");
    enum asm_result result = asm_read_probe(operands, &u->probe, &fault);
    if (result == ASM_NO_MEMORY)
        return error_memory(u->error);
    if (result == ASM_WRONG)
        return report_wrong(u, fault.p, fault.where, fault.detail);
    int code = find_symbol(u, p, &symbol, &at);
    if (code == APF_OK)
        code = find_part(u, symbol, at);
    u->probe.entry.address = u->trie.probes.n;
    if (code == APF_OK)
        code = trie_add(&u->trie, u->last_part, &u->probe.entry, u->error);
    return code == APF_OK ? replace_text(u, p, operands->end, NULL) : code;
}

/* ---- other directives ---- */

/* Inserts .file 0 before the statement at p, in the same line. `file` has the operands that name the file. */
static int add_file_0(struct asm_unit *u, const char *p, struct apf_str file)
{
    static const char head[] = ".file 0 ", tail[] = "; ";
    char *text = arena_bytes(&u->scope.arena, sizeof head - 1 + file.n + sizeof tail);
    if (!text)
        return error_memory(u->error);
    memcpy(text, head, sizeof head - 1);
    memcpy(text + sizeof head - 1, file.p, file.n);
    memcpy(text + sizeof head - 1 + file.n, tail, sizeof tail);
    u->numbers_from_0 = true;
    return replace_text(u, p, p, text);
}

/* GNU as accepts .file NUMBER "DIRECTORY" "NAME" only for DWARF 5, which .file 0 selects; else both become one name,
 * which gives the same line table. With an MD5 the file is DWARF 5 even without .file 0, for which LLVM then uses the
 * first file. */
static int read_file_directive(struct asm_unit *u, const char *p, struct asm_span *s)
{
    struct apf_str number = asm_read_number(s), directory = asm_read_name(s);
    const char *end = s->p;
    struct apf_str name = asm_read_name(s);
    uint64_t n = 0;
    if (number_decimal(number.p, number.n, &n) && n == 0)
        u->numbers_from_0 = true;
    if (u->numbers_from_0 || number.n == 0 || !asm_is_quoted(directory) || !asm_is_quoted(name))
        return APF_OK;
    struct apf_str more = asm_read_name(s);
    if (asm_is_word(more, "md5"))
        return add_file_0(u, p, (struct apf_str){directory.p, (size_t)(s->end - directory.p)});
    if (more.n || asm_more(s))
        return APF_OK;
    if (name.p[1] == '/') /* needs no directory */
        return replace_text(u, directory.p, name.p, "");
    return replace_text(u, end - 1, name.p + 1, "/");
}

/* ---- the file ---- */

static bool is_left_out(struct apf_str word)
{
    return asm_is_word(word, ".addrsig") || asm_is_word(word, ".addrsig_sym") ||
           asm_is_word(word, ".cg_profile");
}

static int read_statement(struct asm_unit *u, struct asm_span *s, bool *ended)
{
    if (!asm_scope_labels(&u->scope, s))
        return asm_scope_error(&u->scope, u->error);
    if (!asm_more(s) || *s->p != '.')
        return APF_OK;
    const char *p = s->p;
    struct apf_str word = asm_read_name(s);
    if (asm_is_word(word, ".pseudoprobe"))
        return read_probe(u, p, s);
    if (is_left_out(word) && !u->scope.macros) {
        u->info.n_left_out++;
        return replace_text(u, p, s->end, "");
    }
    if (asm_is_word(word, ".file") && !u->scope.macros)
        return read_file_directive(u, p, s);
    if (asm_is_word(word, ".end") && !u->scope.macros && !u->scope.conditions.n) {
        *ended = true;
        u->end = (size_t)(p - u->text);
        return APF_OK;
    }
    return asm_scope_directive(&u->scope, word, s) ? APF_OK : asm_scope_error(&u->scope, u->error);
}

/* Sets the symbols from which distances count, once all symbols are known. */
static int place_parts(struct asm_unit *u)
{
    for (size_t i = 0; i < u->parts.n; i++) {
        struct asm_part *part = &u->parts.data[i];
        const struct asm_symbol *symbol = &u->scope.symbols.data[part->symbol];
        if (symbol->section == ASM_NONE)
            return report_wrong(u, part->p, "pseudoprobe.function",
                                "the function symbol is no label of this file");
        if (symbol->section == part->section)
            part->base = part->symbol;
        else
            u->info.n_split++;
        struct trie_function *f = &u->trie.functions.data[i];
        f->place = part->label;
        if (part->base == ASM_NONE) {
            u->info.n_symbols++;
            u->edits.data[part->edit].part = (uint32_t)i;
        } else {
            f->place = ASM_PLACE_SYMBOL | part->base;
            f->guid = u->scope.symbols.data[part->base].guid;
        }
    }
    return APF_OK;
}

static int read_unit(struct asm_unit *u)
{
    struct asm_span text = {u->text, u->text + u->n}, statement;
    int code = asm_scope_start(&u->scope) ? APF_OK : error_memory(u->error);
    bool ended = false;
    u->end = u->n;
    u->last_part = ASM_NONE;
    while (code == APF_OK && !ended && asm_statement(&text, &statement))
        code = read_statement(u, &statement, &ended);
    u->info.n_probes = u->trie.probes.n;
    return code == APF_OK ? place_parts(u) : code;
}

static int assemble_sections(struct asm_unit *u, const struct apf_output *output)
{
    int code = read_unit(u);
    if (code == APF_OK)
        code = asm_unit_write(u, output);
    asm_scope_free(&u->scope);
    trie_free(&u->trie);
    VEC_FREE(&u->probe.sites);
    VEC_FREE(&u->edits);
    VEC_FREE(&u->parts);
    hash_index_free(&u->part_index);
    return code;
}

int apf_probe_assemble(const struct apf_input *input, const struct apf_options *options,
                       const struct apf_output *output, struct apf_probe_asm_info *info,
                       struct apf_error *error)
{
    struct apf_options o;
    struct file_bytes file = {0};
    struct asm_unit unit = {.error = error};
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_probe_asm_info, info, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    code = file_read(&file, input, options_max_bytes(&o), error);
    if (code == APF_OK) {
        unit.text = file.n ? (const char *)file.data : "";
        unit.n = file.n;
        code = assemble_sections(&unit, output);
    }
    file_bytes_free(&file);
    if (code == APF_OK)
        result_fill(info, sizeof unit.info, &unit.info);
    return file_error(error, code, input, 0);
}
