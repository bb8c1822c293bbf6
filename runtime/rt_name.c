/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* LLVM_PROFILE_FILE's grammar (docs/runtime.md). A pattern is scanned twice: first for any specifier, because
 * without one the pattern is the name, percent signs included. */
#include "rt_name.h"

#include "rt_decimal.h"
#include "rt_elf.h"
#include "rt_file.h"
#include "rt_message.h"
#include "rt_values.h"
#include "rt_write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

RT_LARGE struct aprt_name aprt_name_chosen;

#define DEFAULT_NAME "default.profraw"

/* Longer names stay relative, which may still work. */
enum { MOST_WITH_DIRECTORY = RT_PATH_MAX - 256 };

struct text {
    char *at, *end; /* a 0 follows; at beyond end: the text did not fit */
};

static void append_char(struct text *to, char c)
{
    if (to->at < to->end)
        *to->at = c;
    to->at += to->at <= to->end;
}

/* Appends text; bytes that look like a marker are escaped. */
static void append_text(struct text *to, const char *text)
{
    for (; *text; text++) {
        append_char(to, *text);
        if (*text == 1)
            append_char(to, 1);
    }
}

static void append_number(struct text *to, uint64_t n)
{
    char digits[RT_MOST_DIGITS];
    size_t length = aprt_decimal(digits, n);
    for (size_t i = 0; i < length; i++)
        append_char(to, digits[i]);
}

struct specifier {
    char kind;       /* one of "phtmcb"; 0: no specifier */
    unsigned number; /* the N of %Nm; 1 without one */
    size_t length;   /* including the percent sign */
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
        s.length = 2; /* dropped with the next character */
    }
    return s;
}

static int append_hex(void *to, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned byte = ((const uint8_t *)bytes)[i];
        append_char(to, "0123456789abcdef"[byte >> 4]);
        append_char(to, "0123456789abcdef"[byte & 15]);
    }
    return 0;
}

/* Why a pattern is not used: our words and compiler-rt's. */
struct fault {
    const char *what, *theirs;
};

/* Appends the expansion of a specifier. Returns NULL or what is wrong. */
static const struct fault *append_expansion(struct aprt_name *name, struct text *to,
                                            const struct specifier *s)
{
    static const struct fault no_directory = {"TMPDIR is not set, in",
                                              "Unable to get the TMPDIR environment variable, referenced "
                                              "in @. Using the default path."},
                              two_pools = {"%m occurs twice, in",
                                           "%m specifier can only be specified once in @."},
                              two_modes = {"%c occurs twice, in",
                                           "%c specifier can only be specified once in @."},
                              no_id = {"this program has no build id, for",
                                       "Unable to get binary ID for filename pattern @. Using the default "
                                       "name."};
    struct utsname host;
    const char *directory;
    char *before = to->at;
    switch (s->kind) {
    case 'p':
        append_char(to, 1);
        append_char(to, 'p');
        return NULL;
    case 'h':
        if (uname(&host) == 0)
            append_text(to, host.nodename);
        return NULL;
    case 't':
        directory = getenv("TMPDIR");
        if (!directory)
            return &no_directory;
        append_text(to, directory);
        append_char(to, '/');
        return NULL;
    case 'm':
        if (name->pool)
            return &two_pools;
        name->pool = s->number;
        append_char(to, 1);
        append_char(to, 'm');
        return NULL;
    case 'c':
        if (name->continuous)
            return &two_modes;
        name->continuous = 1;
        return NULL;
    default:
        aprt_write_first_build_id(append_hex, to);
        return to->at == before ? &no_id : NULL;
    }
}

static const struct fault *expand_all(struct aprt_name *name, struct text *to, const char *pattern)
{
    const struct fault *wrong = NULL;
    for (const char *p = pattern; *p && !wrong;) {
        struct specifier s = {.length = 1};
        if (*p == '%')
            s = specifier_at(p);
        if (s.kind)
            wrong = append_expansion(name, to, &s);
        else if (*p != '%')
            append_text(to, (const char[]){*p, 0});
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
        p = strchr(p + s.length, '%'); /* the second % of %% begins no specifier */
    }
    return 0;
}

/* Appends the directory in which the program was started: it may change the directory before it writes. */
static void append_directory(struct text *to, const char *pattern)
{
    /* %c does not affect the path. */
    while (pattern[0] == '%' && pattern[1] == 'c')
        pattern += 2;
    char *directory = aprt_spare_path;
    const char *begin = pattern[0] == '%' && pattern[1] == 't' ? getenv("TMPDIR") : pattern;
    if (aprt_compatible || !begin || begin[0] == '/' || !getcwd(directory, sizeof aprt_spare_path) ||
        strlen(directory) + strlen(pattern) > MOST_WITH_DIRECTORY)
        return;
    append_text(to, directory);
    append_char(to, '/');
}

void aprt_name_parse(struct aprt_name *name, const char *pattern, enum aprt_name_source source)
{
    struct text to = {name->text, name->text + sizeof name->text - 1};
    static const struct fault too_long = {"the name is too long:", NULL};
    const struct fault *wrong = NULL;
    name->pool = 0;
    name->continuous = 0;
    name->source = source;
    append_directory(&to, pattern);
    if (has_specifier(pattern))
        wrong = expand_all(name, &to, pattern);
    else
        append_text(&to, pattern);
    if (to.at > to.end)
        wrong = &too_long;
    if (wrong) {
        aprt_message_or(RT_WARNING, wrong->what, wrong->theirs, pattern, 0);
        aprt_name_parse(name, DEFAULT_NAME, source);
        return;
    }
    *to.at = 0;
}

/* compiler-rt has 1024 nodes even where no values are profiled. */
static size_t count_nodes(void)
{
    size_t n = aprt_values_room();
    return n ? n : 1024;
}

/* Equal to compiler-rt's, so that both runtimes find the same file; that of clang 13 leaves out the magic number. */
static uint64_t program_signature(const struct aprt_image *image)
{
    uint64_t magic = image->layout->version == 7 ? 0 : aprt_magic();
    uint64_t first = image->num_data ? aprt_u64(image->data) : 0;
    return ((uint64_t)image->names_size << 40) +
           ((uint64_t)(image->counters_size / aprt_counter_size(image)) << 30) +
           ((uint64_t)image->num_data << 20) + ((uint64_t)count_nodes() << 10) + first + image->version +
           magic;
}

int aprt_name_expand(const struct aprt_name *name, const struct aprt_image *image, char path[RT_PATH_MAX])
{
    struct text to = {path, path + RT_PATH_MAX - 1};
    for (const char *p = name->text; *p; p++) {
        if (*p != 1) {
            append_char(&to, *p);
            continue;
        }
        switch (*++p) {
        case 'p':
            append_number(&to, (uint64_t)getpid());
            break;
        case 'm':
            append_number(&to, program_signature(image));
            append_char(&to, '_');
            append_number(&to, (uint64_t)getpid() % name->pool);
            break;
        default:
            append_char(&to, 1);
        }
    }
    *(to.at > to.end ? path : to.at) = 0;
    return to.at > to.end ? -1 : 0;
}
