/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The source files that were named, in the programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anyprof/jobs.h>

#include "cov.h"
#include "memory.h"

/* The name of a source file or directory in the programs, which is absolute, or relative to a directory that may be the
 * present one. NULL: it is not covered. The caller frees it. */
static char *find_source(const struct apf_cov *cov, const char *named)
{
    char *absolute = realpath(named, NULL), *here = realpath(".", NULL), *found = NULL;
    const size_t length = here ? strlen(here) : 0;
    const char *names[] = {absolute, named, NULL};
    if (absolute && length && !strncmp(absolute, here, length) && absolute[length] == '/')
        names[2] = absolute + length + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        if (names[i] && apf_cov_source_files(cov, names[i]))
            found = checked_copy(names[i]);
    free(absolute);
    free(here);
    return found;
}

/* Reports a source file that is not covered. True: it is no source file at all. */
static bool report_uncovered(const struct cov_request *r, const char *named)
{
    const struct session *session = r->base.session;
    const struct apf_input input = apf_input_file(named);
    struct stat st;
    char head[4] = "";
    FILE *file =
        session_is_llvm(session) || stat(named, &st) != 0 || !S_ISREG(st.st_mode) ? NULL : fopen(named, "rb");
    const bool is_elf =
        file && fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, "\177ELF", 4) == 0;
    const bool is_profile = file && !is_elf && apf_file_family(&input) != 0;
    if (file)
        fclose(file);
    if (is_elf)
        report_error(session, named,
                     "this is a program or an object, and here source files are named: use --object=%s",
                     named);
    else if (is_profile)
        report_error(session, named,
                     "this is a profile, and here source files are named: give each a --profile, quote the "
                     "pattern, or "
                     "name the directory");
    else if (!session_is_llvm(session))
        report_warning(session, NULL, "the file '%s' is not covered", named);
    else if (stat(named, &st) != 0)
        report_warning(session, NULL, "%s: Source file doesn't exist, proceeded by ignoring it.", named);
    return is_elf || is_profile;
}

int cov_request_find_sources(struct cov_request *r, const struct apf_cov *cov, uint32_t format)
{
    const bool strict = (r->options.flags & APF_COV_LLVM) != 0;
    const size_t n_named = r->n_sources;
    char *uncovered = NULL; /* a file that is there */
    bool wrong = false;
    size_t n = 0;
    for (size_t i = 0; i < r->n_sources; i++) {
        char *named = r->sources[i], *found = find_source(cov, named);
        const bool ignored =
            found && strict && cov_request_wants(r, (struct apf_str){found, strlen(found)}) == 0;
        if (found && !ignored)
            r->sources[n++] = found;
        else if (!found)
            wrong |= report_uncovered(r, named);
        if (ignored)
            free(found);
        else if (!found && access(named, F_OK) == 0 && !uncovered)
            uncovered = checked_copy(named);
        free(named);
    }
    r->n_sources = n;
    /* llvm-cov's show shows nothing if a file that was named is there; else all files are shown, as in the others */
    if (!n && uncovered && strict && format == APF_COV_SHOW)
        r->sources[r->n_sources++] = uncovered;
    else
        free(uncovered);
    if (wrong)
        return EXIT_DATA;
    if (n || !n_named || strict)
        return 0;
    report_error(r->base.session, NULL, "no source file that was named is covered");
    return EXIT_DATA;
}
