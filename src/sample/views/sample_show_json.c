/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON as llvm-profdata-22 lays it out, which json_write.h cannot: each number and bracket on its own line, nested as
 * deep as functions are inlined, and names that are no UTF-8 with U+FFFD for what is wrong in them. */
#include "base/utf8.h"
#include "sample/views/sample_show.h"

#define LEVEL 2u          /* blanks for each level of brackets */
#define TOP_LEVEL 1u      /* of functions at the top level: they are in an array */
#define LEVELS_OF_CALL 4u /* "callsites", its entry, "samples", its entry */

static void begin_line(struct sample_show *s, size_t level)
{
    text_append(s->out, "\n");
    sample_show_indent(s->out, level * LEVEL);
}

/* ---- strings ---- */

/* The bytes at p that a U+FFFD stands for, as no UTF-8 character begins there: as many as begin one, at least one. */
static size_t wrong_length(const uint8_t *p, size_t n)
{
    size_t wanted = p[0] >= 0xf0 && p[0] <= 0xf4 ? 4 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : 1;
    size_t length = 1;
    if (n < 2 || wanted == 1 || (p[1] & 0xc0) != 0x80)
        return 1;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] > 0x8f))
        return 1;
    while (length < n && length + 1 < wanted && (p[length] & 0xc0) == 0x80)
        length++;
    return length;
}

static void print_control(struct file_out *out, uint8_t c)
{
    if (c == '\t' || c == '\n' || c == '\r') {
        text_append(out, c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\r");
        return;
    }
    text_append(out, "\\u");
    text_hex_digits(out, c, 4);
}

/* Prints what is no plain ASCII at the start of n bytes. Returns its length. */
static size_t print_special(struct file_out *out, const uint8_t *p, size_t n)
{
    uint32_t character;
    if (p[0] < 0x20) {
        print_control(out, p[0]);
        return 1;
    }
    if (p[0] == '"' || p[0] == '\\')
        text_append(out, "\\");
    size_t length = utf8_decode(p, n, &character);
    if (length) {
        (void)file_out_write(out, p, length);
        return length;
    }
    text_append(out, "\xef\xbf\xbd");
    return wrong_length(p, n);
}

static void print_string(struct file_out *out, const char *text, size_t n)
{
    const uint8_t *p = (const uint8_t *)text;
    text_append(out, "\"");
    for (size_t i = 0; i < n;) {
        size_t from = i;
        while (i < n && p[i] >= 0x20 && p[i] < 0x80 && p[i] != '"' && p[i] != '\\')
            i++;
        (void)file_out_write(out, p + from, i - from);
        if (i < n)
            i += print_special(out, p + i, n - i);
    }
    text_append(out, "\"");
}

/* ---- values ---- */

static void print_key(struct sample_show *s, const char *key, size_t level, bool first)
{
    text_append(s->out, first ? "" : ",");
    begin_line(s, level);
    text_append(s->out, "\"");
    text_append(s->out, key);
    text_append(s->out, "\": ");
}

static void print_number(struct sample_show *s, const char *key, uint64_t v, size_t level)
{
    print_key(s, key, level, false);
    text_decimal(s->out, v, 0);
}

/* Prints the name as it is to be shown, or null if that is the same. */
static void print_demangled(struct sample_show *s, const struct sample_name *name, size_t level)
{
    const struct apf_str plain = {name->p, name->n}, shown = file_out_shown(s->out, plain);
    print_key(s, "demangled", level, false);
    if (!plain.p || text_equal(plain, shown))
        text_append(s->out, "null");
    else
        print_string(s->out, shown.p, shown.n);
}

/* The first entry of an object, or the first two. */
static void print_name(struct sample_show *s, const char *key, uint32_t number, size_t level)
{
    const struct sample_name *name = &s->sample->names.list.data[number];
    print_key(s, key, level, true);
    if (name->p) {
        print_string(s->out, name->p, name->n);
    } else {
        text_append(s->out, "\"");
        text_decimal(s->out, name->hash, 0);
        text_append(s->out, "\"");
    }
    if (s->out->show_name)
        print_demangled(s, name, level);
}

static void begin_entry(struct sample_show *s, size_t level, bool first)
{
    text_append(s->out, first ? "" : ",");
    begin_line(s, level);
    text_append(s->out, "{");
}

static void end_entry(struct sample_show *s, size_t level, const char *bracket)
{
    begin_line(s, level);
    text_append(s->out, bracket);
}

/* The first entries of an object. */
static void print_place(struct sample_show *s, uint64_t at, size_t level)
{
    print_key(s, "line", level, true);
    text_decimal(s->out, sample_place_line(at), 0);
    if (sample_place_discriminator(at))
        print_number(s, "discriminator", sample_place_discriminator(at), level);
}

/* ---- functions ---- */

static bool print_targets(struct sample_show *s, const struct sample_targets *list, uint64_t at,
                          uint32_t *next, size_t level)
{
    uint32_t n;
    const struct sample_target *targets = sample_order_targets(&s->order, list, at, next, &n);
    if (!n)
        return true;
    if (!targets)
        return false;
    print_key(s, "calls", level, false);
    text_append(s->out, "[");
    for (uint32_t i = 0; i < n; i++) {
        begin_entry(s, level + 1, i == 0);
        print_name(s, "function", targets[i].name, level + 2);
        print_number(s, "samples", targets[i].count, level + 2);
        end_entry(s, level + 1, "}");
    }
    end_entry(s, level, "]");
    return true;
}

static bool print_lines(struct sample_show *s, const struct sample_node *f, size_t level)
{
    uint32_t next = 0;
    if (!f->lines.n)
        return true;
    print_key(s, "body", level, false);
    text_append(s->out, "[");
    for (uint32_t i = 0; i < f->lines.n; i++) {
        begin_entry(s, level + 1, i == 0);
        print_place(s, f->lines.data[i].at, level + 2);
        print_number(s, "samples", f->lines.data[i].count, level + 2);
        if (next < f->targets.n && !print_targets(s, &f->targets, f->lines.data[i].at, &next, level + 2))
            return false;
        end_entry(s, level + 1, "}");
    }
    end_entry(s, level, "]");
    return true;
}

/* Prints a function up to what is inlined in it, which is printed next. `level` is that of its braces. */
static bool begin_function(struct sample_show *s, uint32_t node, size_t level, bool first)
{
    const struct sample_node *f = &s->sample->nodes.data[node];
    begin_entry(s, level, first);
    print_name(s, "name", f->name, level + 1);
    print_number(s, "total", f->total, level + 1);
    if (level == TOP_LEVEL)
        print_number(s, "head", f->head, level + 1);
    if (!print_lines(s, f, level + 1))
        return false;
    if (!f->callees.n) {
        end_entry(s, level, "}");
        return true;
    }
    print_key(s, "callsites", level + 1, false);
    text_append(s->out, "[");
    struct sample_show_frame frame = {node, s->tree.first[node], 0};
    return VEC_PUSH(&s->stack, frame);
}

/* Prints the next inlined function of the one on top of the stack, or its end. */
static bool print_next(struct sample_show *s)
{
    struct sample_show_frame *top = &s->stack.data[s->stack.n - 1];
    size_t level = TOP_LEVEL + LEVELS_OF_CALL * (s->stack.n - 1);
    bool first = top->next == s->tree.first[top->node];
    if (!first) { /* end "samples" of the one before, and its entry of "callsites" */
        end_entry(s, level + 3, "]");
        end_entry(s, level + 2, "}");
    }
    if (top->next == s->tree.first[top->node + 1]) {
        s->stack.n--;
        end_entry(s, level + 1, "]");
        end_entry(s, level, "}");
        return true;
    }
    uint32_t callee = s->tree.callees[top->next++];
    begin_entry(s, level + 2, first);
    print_place(s, s->sample->nodes.data[callee].at, level + 3);
    print_key(s, "samples", level + 3, false);
    text_append(s->out, "[");
    return begin_function(s, callee, level + LEVELS_OF_CALL, true);
}

bool sample_show_json(struct sample_show *s, uint32_t node)
{
    s->stack.n = 0;
    bool ok = begin_function(s, node, TOP_LEVEL, node == s->order.tops[0]);
    while (ok && s->stack.n)
        ok = print_next(s);
    return ok;
}
