/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_gcc_producer.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

/* The version in a producer of GCC, "GNU C17 12.2.0 -mtune=...": after the language. NULL: none. */
static const char *find_version(const char *text)
{
    const char *at = strncmp(text, "GNU ", 4) == 0 ? strchr(text + 4, ' ') : NULL;
    while (at && !number_is_digit(at[1]))
        at = strchr(at + 1, ' ');
    return at ? at + 1 : NULL;
}

static bool names_release(const char *version, const char *name)
{
    size_t n = strlen(name);
    return strncmp(version, name, n) == 0 && !number_is_digit(version[n]);
}

/* Whether a version is that of a release which ignores discriminators. */
static bool ignores_discriminators(const char *version)
{
    const unsigned n = sample_release_count(APF_SAMPLE_FOR_GCC);
    for (unsigned i = 0; i < n; i++) {
        const struct sample_release *r = sample_release_row(APF_SAMPLE_FOR_GCC, i);
        if (names_release(version, r->name))
            return !(r->knows & SAMPLE_HAS_DISCRIMINATORS);
    }
    return false;
}

enum profgen_producer profgen_producer_of(const char *text, const struct sample_release *release)
{
    const char *version = find_version(text);
    if (!*text || strncmp(text, "GNU AS ", 7) == 0)
        return PROFGEN_PRODUCER_UNKNOWN;
    if (!version)
        return PROFGEN_PRODUCER_OTHER;
    bool plain = !(release->knows & SAMPLE_HAS_DISCRIMINATORS) && ignores_discriminators(version);
    return plain || names_release(version, release->name) ? PROFGEN_PRODUCER_SAME : PROFGEN_PRODUCER_OTHER;
}

static int report(const struct profgen_program *p, const struct sample_release *release, const char *text,
                  struct apf_error *error)
{
    const char *version = find_version(text), *end = version ? strchr(version, ' ') : NULL;
    struct apf_error finding;
    error_set_plain(&finding, APF_UNSUPPORTED, "dwarf.producer",
                    "a part of the counts will be lost or misplaced: GCC %s divides lines in other ways than "
                    "%.*s, which compiled it",
                    release->name, (int)(end && end - text < 60 ? end - text : 60), text);
    struct apf_diag d = {
        .severity = APF_SEVERITY_WARNING, .code = finding.code, .input = UINT64_MAX, .error = &finding};
    d.source = (struct apf_str){p->image.path, strlen(p->image.path)};
    return error_report_diag(p->options->diag, p->options->user, &d, error);
}

int profgen_gcc_check_producers(const struct profgen_program *p, const struct sample_release *release,
                                struct apf_error *error)
{
    const char *other = NULL, *text;
    for (size_t i = 0; (text = source_lines_producer(p->lines, i)) != NULL; i++) {
        enum profgen_producer producer = profgen_producer_of(text, release);
        if (producer == PROFGEN_PRODUCER_SAME)
            return APF_OK;
        if (producer == PROFGEN_PRODUCER_OTHER && !other)
            other = text;
    }
    return other ? report(p, release, other, error) : APF_OK;
}
