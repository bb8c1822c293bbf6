/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a profile in YAML as LLVM's tools lay it out: byte for byte what llvm-bolt writes. */
#include "base/text_put.h"
#include "bolt/bolt_yaml_model.h"
#include "bolt/bolt_yaml_text.h"

/* ---- texts ---- */

enum quotes { PLAIN, SINGLE, DOUBLE };

/* The length of the UTF-8 sequence at p, and its character; 0: it is none. */
static size_t decode(const unsigned char *p, size_t n, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t more = *p < 0x80 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : 1;
    if (*p >= 0xf8 || (*p >= 0x80 && *p < 0xc0) || more >= n)
        return 0;
    *c = more == 0 ? *p : *p & (0x3fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *c = *c << 6 | (p[i] & 0x3fu);
    }
    return *c < least[more + 1] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000) ? 0 : more + 1;
}

bool yaml_is_utf8(struct apf_str text)
{
    const unsigned char *p = (const unsigned char *)text.p;
    for (size_t i = 0, step; i < text.n; i += step) {
        uint32_t c;
        step = decode(p + i, text.n - i, &c);
        if (step == 0)
            return false;
    }
    return true;
}

static bool is_alnum(unsigned char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static size_t span_digits(const char *p, size_t n, bool hex)
{
    size_t i = 0;
    while (i < n && ((p[i] >= '0' && p[i] <= '9') || (hex && (p[i] | 0x20) >= 'a' && (p[i] | 0x20) <= 'f')))
        i++;
    return i;
}

static bool equals(struct apf_str s, const char *word)
{
    return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

/* What YAML takes for a number: decimal with sign, point and exponent, 0x and 0o, infinity and what is not a number. */
static bool is_number(struct apf_str s)
{
    static const char *const words[] = {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"};
    for (size_t i = 0; i < 3; i++)
        if (equals(s, words[i]))
            return true;
    if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'o')) {
        size_t n = span_digits(s.p + 2, s.n - 2, s.p[1] == 'x');
        return n == s.n - 2 && (s.p[1] == 'x' || !memchr(s.p + 2, '8', n) || !memchr(s.p + 2, '9', n));
    }
    if (s.n && (*s.p == '-' || *s.p == '+')) {
        s.p++;
        s.n--;
    }
    for (size_t i = 3; i < 6; i++)
        if (equals(s, words[i]))
            return true;
    size_t whole = span_digits(s.p, s.n, false), at = whole, part = 0;
    if (at < s.n && s.p[at] == '.') {
        part = span_digits(s.p + at + 1, s.n - at - 1, false);
        at += 1 + part;
    }
    if (whole + part == 0)
        return false;
    if (at < s.n && (s.p[at] | 0x20) == 'e') {
        at++;
        at += at < s.n && (s.p[at] == '-' || s.p[at] == '+');
        size_t exponent = span_digits(s.p + at, s.n - at, false);
        return exponent && at + exponent == s.n;
    }
    return at == s.n;
}

/* Words that would be read as something other than a text. */
static bool is_special(struct apf_str s)
{
    static const char *const words[] = {"null", "Null", "NULL",  "~",     "true",
                                        "True", "TRUE", "false", "False", "FALSE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (equals(s, words[i]))
            return true;
    return is_number(s);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static enum quotes quotes_of(struct apf_str s)
{
    if (s.n == 0)
        return SINGLE;
    enum quotes quotes = PLAIN;
    if (is_space(s.p[0]) || is_space(s.p[s.n - 1]) || is_special(s) ||
        (s.p[0] && strchr("-?:\\,[]{}#&*!|>'\"%@`", s.p[0])))
        quotes = SINGLE;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (is_alnum(c) || (c && strchr("_-^., \t", c)))
            continue;
        if (c < 0x20 || c >= 0x7f)
            return DOUBLE;
        quotes = SINGLE;
    }
    return quotes;
}

static void put_hex_upper(struct file_out *out, uint64_t v, unsigned digits)
{
    uint8_t *p = file_out_room(out, HEX_MAX);
    for (unsigned i = digits; i-- > 0; v >>= 4)
        p[i] = (uint8_t)"0123456789ABCDEF"[v & 15];
    out->p += digits;
}

/* A character between double quotes, of n bytes. */
static void put_character(struct file_out *out, const char *p, size_t n, uint32_t c)
{
    static const char from[] = "\\\"\0\a\b\t\n\v\f\r\x1b", to[] = "\\\"0abtnvfre";
    const char *at = c < 0x80 ? (const char *)memchr(from, (int)c, sizeof from - 1) : NULL;
    if (at) {
        char escape[2] = {'\\', to[at - from]};
        (void)file_out_write(out, escape, 2);
    } else if (c == 0x85 || c == 0xa0 || c == 0x2028 || c == 0x2029) {
        text_put(out, c == 0x85 ? "\\N" : c == 0xa0 ? "\\_" : c == 0x2028 ? "\\L" : "\\P");
    } else if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfeff || (c & 0xfffe) == 0xfffe) {
        bool small = c <= 0xff, middle = c <= 0xffff;
        text_put(out, small ? "\\x" : middle ? "\\u" : "\\U");
        put_hex_upper(out, c, small ? 2 : middle ? 4 : 8);
    } else {
        (void)file_out_write(out, p, n);
    }
}

static void put_text(struct file_out *out, struct apf_str s)
{
    enum quotes quotes = quotes_of(s);
    const char *quote = quotes == PLAIN ? "" : quotes == SINGLE ? "'" : "\"";
    text_put(out, quote);
    if (quotes == PLAIN)
        (void)file_out_write(out, s.p, s.n);
    for (size_t i = 0, n; i < s.n && quotes != PLAIN; i += n) {
        uint32_t c = 0;
        n = decode((const unsigned char *)s.p + i, s.n - i, &c);
        if (n == 0)
            break; /* nothing else is let in */
        if (quotes == DOUBLE)
            put_character(out, s.p + i, n, c);
        else
            (void)file_out_write(out, c == '\'' ? "''" : s.p + i, c == '\'' ? 2 : n);
    }
    text_put(out, quote);
}

/* ---- lines ---- */

static void put_key(struct file_out *out, const char *indent, const char *key)
{
    text_put(out, indent);
    text_put(out, key);
    text_put(out, ":");
    (void)file_out_write(out, BOLT_YAML_PADDING, bolt_yaml_padding(strlen(key)));
}

static void put_line(struct file_out *out, const char *indent, const char *key, const char *value)
{
    put_key(out, indent, key);
    text_put(out, value);
    text_put(out, "\n");
}

static void put_text_line(struct file_out *out, const char *indent, const char *key, struct apf_str value)
{
    put_key(out, indent, key);
    put_text(out, value);
    text_put(out, "\n");
}

static void put_number(struct file_out *out, const char *indent, const char *key, uint64_t v)
{
    put_key(out, indent, key);
    text_decimal(out, v, 0);
    text_put(out, "\n");
}

static void put_hash(struct file_out *out, const char *indent, uint64_t v)
{
    put_key(out, indent, "hash");
    text_put(out, "0x");
    put_hex_upper(out, v, hex_digits(v));
    text_put(out, "\n");
}

/* Lines that are kept as they are. */
static void put_kept(struct file_out *out, const char *indent, struct apf_str lines)
{
    while (lines.n) {
        const char *end = (const char *)memchr(lines.p, '\n', lines.n);
        size_t n = end ? (size_t)(end - lines.p) : lines.n;
        text_put(out, indent);
        (void)file_out_write(out, lines.p, n);
        text_put(out, "\n");
        n += end != NULL;
        lines.p += n;
        lines.n -= n;
    }
}

/* ---- what is in a profile ---- */

static void put_field(struct file_out *out, const char *key, uint64_t v)
{
    text_put(out, key);
    text_decimal(out, v, 0);
}

static void put_optional(struct file_out *out, const char *key, uint64_t v)
{
    if (v)
        put_field(out, key, v);
}

static void put_call(struct file_out *out, const struct apf_bolt_yaml_edge *e, bool probes)
{
    text_put(out, "{ off: 0x");
    put_hex_upper(out, e->offset, hex_digits(e->offset));
    put_field(out, ", fid: ", e->to);
    put_optional(out, ", disc: ", e->entry);
    put_field(out, ", cnt: ", e->count);
    put_optional(out, ", mis: ", e->mispredictions);
    if (probes) {
        put_optional(out, ", pp: ", e->probe);
        put_optional(out, ", ppn: ", e->node);
        text_put(out, e->indirect ? ", ind: true" : "");
    }
    text_put(out, " }");
}

static void put_successor(struct file_out *out, const struct apf_bolt_yaml_edge *e)
{
    put_field(out, "{ bid: ", e->to);
    put_field(out, ", cnt: ", e->count);
    put_optional(out, ", mis: ", e->mispredictions);
    text_put(out, " }");
}

static void put_edges(struct file_out *out, const struct yaml_edges *list, const char *key, bool calls,
                      bool probes)
{
    if (list->n == 0)
        return;
    put_key(out, "        ", key);
    for (size_t i = 0; i < list->n; i++) {
        text_put(out, i ? ", " : "[ ");
        if (calls)
            put_call(out, &list->data[i], probes);
        else
            put_successor(out, &list->data[i]);
    }
    text_put(out, " ]\n");
}

static void put_block(struct file_out *out, const struct yaml_block *b, bool probes)
{
    static const char indent[] = "        ";
    put_number(out, "      - ", "bid", b->index);
    put_number(out, indent, "insns", b->n_instructions);
    if (b->hash)
        put_hash(out, indent, b->hash);
    if (b->exec)
        put_number(out, indent, "exec", b->exec);
    if (b->events)
        put_number(out, indent, "events", b->events);
    put_edges(out, &b->calls, "calls", true, probes);
    put_edges(out, &b->successors, "succ", false, probes);
    if (probes)
        put_kept(out, indent, b->probes);
}

static void put_function(struct file_out *out, const struct yaml_function *f, bool probes)
{
    static const char indent[] = "    ";
    put_text_line(out, "  - ", "name", f->name);
    put_number(out, indent, "fid", f->fid);
    put_hash(out, indent, f->hash);
    put_number(out, indent, "exec", f->exec);
    if (f->entered)
        put_number(out, indent, "extern", f->entered);
    put_number(out, indent, "nblocks", f->n_all_blocks);
    if (f->n)
        text_put(out, "    blocks:\n");
    for (size_t i = 0; i < f->n; i++)
        put_block(out, &f->blocks[i], probes);
    if (probes)
        put_kept(out, indent, f->probes);
}

static void put_flags(struct file_out *out, uint32_t flags)
{
    static const char *const names[] = {"lbr", "sample", "memevent"};
    bool some = false;
    put_key(out, "  ", "profile-flags");
    text_put(out, "[ ");
    for (unsigned i = 0; i < 3; i++) {
        if (!(flags >> i & 1))
            continue;
        text_put(out, some ? ", " : "");
        text_put(out, names[i]);
        some = true;
    }
    text_put(out, " ]\n");
}

static void put_header(struct file_out *out, const struct apf_bolt_yaml_header *h)
{
    static const char indent[] = "  ";
    text_put(out, "---\nheader:\n");
    put_line(out, indent, "profile-version", "1");
    put_text_line(out, indent, "binary-name", h->binary_name);
    put_text_line(out, indent, "binary-build-id", h->build_id);
    put_flags(out, h->flags);
    put_text_line(out, indent, "profile-origin", h->origin);
    put_text_line(out, indent, "profile-events", h->events);
    if (h->order != APF_BOLT_ORDER_UNSAID)
        put_line(out, indent, "dfs-order", h->order == APF_BOLT_ORDER_DFS ? "true" : "false");
    if (h->hash == APF_BOLT_XXH3)
        put_line(out, indent, "hash-func", "xxh3");
}

int apf_bolt_yaml_write(struct apf_bolt_yaml *y, const struct apf_output *output, struct apf_error *error)
{
    struct apf_bolt_yaml_header header;
    struct file_out *out;
    bool probes = !y->info.probes_dropped;
    int code = apf_bolt_yaml_header(y, &header, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    put_header(out, &header);
    text_put(out, y->order.n ? "functions:\n" : "functions:       []\n");
    for (size_t i = 0; i < y->order.n; i++)
        put_function(out, &y->functions.data[y->order.data[i]], probes);
    if (probes && y->header.desc.n) {
        text_put(out, "pseudo_probe_desc:\n");
        put_kept(out, "  ", y->header.desc);
    }
    text_put(out, "...\n");
    return file_out_close(out, true, error);
}
