/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* LLVM_PROFILE_FILE's grammar (spec/runtime.md 3.1). The pattern is parsed twice: first to see whether it has a
 * specifier at all, because without one it is a name as it is, whatever percent signs it has. */
#include "rt_name.h"

#include "rt_decimal.h"
#include "rt_file.h"
#include "rt_say.h"
#include "rt_values.h"
#include "rt_write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int aprt_name_as_is;

#define DEFAULT_NAME "default.profraw"

/* What is longer stays relative, and may be found even so. */
enum { MOST_WITH_DIRECTORY = RT_PATH_MAX - 256 };

struct text {
    char *at, *end; /* a 0 follows; `at` beyond `end`: it did not fit */
};

static void put(struct text *to, char c)
{
    if (to->at < to->end)
        *to->at = c;
    to->at += to->at <= to->end;
}

/* Text as it is: not a marker. */
static void put_text(struct text *to, const char *text)
{
    for (; *text; text++) {
        put(to, *text);
        if (*text == 1)
            put(to, 1);
    }
}

static void put_number(struct text *to, uint64_t n)
{
    char digits[RT_MOST_DIGITS];
    size_t length = aprt_decimal(digits, n);
    for (size_t i = 0; i < length; i++)
        put(to, digits[i]);
}

struct specifier {
    char kind;       /* of "phtmcb"; 0: none of these */
    unsigned number; /* of %Nm; 1 without one */
    size_t length;   /* with the percent sign */
};

static struct specifier specifier_at(const char *pattern)
{
    struct specifier s = {.number = 1, .length = 1};
    size_t digits = strspn(pattern + 1, "0123456789");
    char c = pattern[1 + digits];
    if (c && (digits ? c == 'm' : strchr("phtmcb", c) != NULL)) {
        s.kind = c;
        s.length = digits + 2;
        if (digits)
            s.number = (unsigned)strtoul(pattern + 1, NULL, 10);
        s.number += s.number == 0;
    } else if (pattern[1]) {
        s.length = 2; /* dropped, with the character behind it */
    }
    return s;
}

static int put_hex(void *to, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned byte = ((const uint8_t *)bytes)[i];
        put(to, "0123456789abcdef"[byte >> 4]);
        put(to, "0123456789abcdef"[byte & 15]);
    }
    return 0;
}

/* What goes wrong with a specifier, or NULL. */
static const char *expand(struct aprt_name *name, struct text *to, const struct specifier *s)
{
    struct utsname host;
    const char *directory;
    char *before = to->at;
    switch (s->kind) {
    case 'p':
        put(to, 1);
        put(to, 'p');
        return NULL;
    case 'h':
        if (uname(&host) == 0)
            put_text(to, host.nodename);
        return NULL;
    case 't':
        directory = getenv("TMPDIR");
        if (!directory)
            return "TMPDIR is not set, in";
        put_text(to, directory);
        put(to, '/');
        return NULL;
    case 'm':
        if (name->pool)
            return "%m is there twice, in";
        name->pool = s->number;
        put(to, 1);
        put(to, 'm');
        return NULL;
    case 'c':
        if (name->continuous)
            return "%c is there twice, in";
        name->continuous = 1;
        return NULL;
    default:
        aprt_first_build_id(put_hex, to);
        return to->at == before ? "this program has no build id, for" : NULL;
    }
}

static const char *expand_all(struct aprt_name *name, struct text *to, const char *pattern)
{
    const char *wrong = NULL;
    for (const char *p = pattern; *p && !wrong;) {
        struct specifier s = {.length = 1};
        if (*p == '%')
            s = specifier_at(p);
        if (s.kind)
            wrong = expand(name, to, &s);
        else if (*p != '%')
            put_text(to, (const char[]){*p, 0});
        p += s.length;
    }
    return wrong;
}

static int has_specifier(const char *pattern)
{
    for (const char *p = strchr(pattern, '%'); p;) {
        struct specifier s = specifier_at(p);
        if (s.kind)
            return 1;
        p = strchr(p + s.length, '%'); /* the second of %% begins nothing */
    }
    return 0;
}

/* The directory in which the program was started: it may go elsewhere before it writes. */
static void put_directory(struct text *to, const char *pattern)
{
    /* Says nothing about the place. */
    while (pattern[0] == '%' && pattern[1] == 'c')
        pattern += 2;
    char *directory = aprt_spare_path;
    const char *begin = pattern[0] == '%' && pattern[1] == 't' ? getenv("TMPDIR") : pattern;
    if (aprt_name_as_is || !begin || begin[0] == '/' || !getcwd(directory, sizeof aprt_spare_path) ||
        strlen(directory) + strlen(pattern) > MOST_WITH_DIRECTORY)
        return;
    put_text(to, directory);
    put(to, '/');
}

void aprt_name_parse(struct aprt_name *name, const char *pattern, enum aprt_name_source source)
{
    struct text to = {name->text, name->text + sizeof name->text - 1};
    const char *wrong = NULL;
    name->pool = 0;
    name->continuous = 0;
    name->source = source;
    put_directory(&to, pattern);
    if (has_specifier(pattern))
        wrong = expand_all(name, &to, pattern);
    else
        put_text(&to, pattern);
    if (to.at > to.end)
        wrong = "too long a name:";
    if (wrong) {
        aprt_say(RT_WARNING, wrong, pattern, 0);
        aprt_name_parse(name, DEFAULT_NAME, source);
        return;
    }
    *to.at = 0;
}

/* compiler-rt brings its 1024 also where no values are profiled. */
static size_t nodes_there(void)
{
    size_t n = aprt_values_room();
    return n ? n : 1024;
}

/* As compiler-rt has it, so that both find the same file; that of 13 leaves out the magic number. */
static uint64_t signature(const struct aprt_image *image)
{
    uint64_t magic = image->layout->version == 7 ? 0 : aprt_magic();
    uint64_t first = image->num_data ? aprt_u64(image->data) : 0;
    return ((uint64_t)image->names_size << 40) +
           ((uint64_t)(image->counters_size / aprt_counter_size(image)) << 30) +
           ((uint64_t)image->num_data << 20) + ((uint64_t)nodes_there() << 10) + first + image->version +
           magic;
}

int aprt_name_expand(const struct aprt_name *name, const struct aprt_image *image, char path[RT_PATH_MAX])
{
    struct text to = {path, path + RT_PATH_MAX - 1};
    for (const char *p = name->text; *p; p++) {
        if (*p != 1) {
            put(&to, *p);
            continue;
        }
        switch (*++p) {
        case 'p':
            put_number(&to, (uint64_t)getpid());
            break;
        case 'm':
            put_number(&to, signature(image));
            put(&to, '_');
            put_number(&to, (uint64_t)getpid() % name->pool);
            break;
        default:
            put(&to, 1);
        }
    }
    *(to.at > to.end ? path : to.at) = 0;
    return to.at > to.end ? -1 : 0;
}
