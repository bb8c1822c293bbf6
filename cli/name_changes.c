/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name_changes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "streams.h"

/* ---- --remapping-file ---- */

/* Adds a line "OLD NEW", which has one blank. False: the line is wrong. */
static bool parse_line(struct name_changes *names, const char *line, size_t n)
{
    const char *blank = (const char *)memchr(line, ' ', n);
    if (!blank || blank == line)
        return false;
    size_t from = (size_t)(blank - line), to = n - from - 1;
    if (to == 0 || memchr(blank + 1, ' ', to))
        return false;
    struct apf_name_change change = {{line, from}, {blank + 1, to}};
    if ((names->n_remaps & (names->n_remaps - 1)) == 0) /* the capacity is a power of 2 */
        names->remaps = (struct apf_name_change *)checked_realloc(names->remaps, 2 * names->n_remaps + 1,
                                                                  sizeof *names->remaps);
    names->remaps[names->n_remaps++] = change;
    return true;
}

static int read_remapping(struct name_changes *names, const struct session *session, const char *path)
{
    size_t n = 0, number = 1;
    names->remapping = read_whole(path, &n);
    if (!names->remapping) {
        report_errno(session, path, errno);
        return EXIT_DATA;
    }
    for (size_t at = 0; at < n; number++) {
        const char *line = names->remapping + at;
        const char *end = (const char *)memchr(line, '\n', n - at);
        size_t length = end ? (size_t)(end - line) : n - at;
        at += length + (end != NULL);
        if (end && length && line[length - 1] == '\r')
            length--;
        if (length == 0 || line[0] == '#' || parse_line(names, line, length))
            continue;
        char file[4096];
        snprintf(file, sizeof file, "%s:%zu", path, number);
        report_error(session, file, "unexpected line in remapping file");
        report_note(session, "expected 'old_symbol new_symbol'");
        return EXIT_DATA;
    }
    return 0;
}

static bool reads_stdin(const struct merge_inputs *inputs, const struct arguments *args)
{
    bool found = strcmp(option_text(args, OPT_INPUT_FILES, ""), "-") == 0;
    for (size_t i = 0; i < inputs->n; i++)
        found |= strcmp(stream_path(&inputs->data[i]), "-") == 0;
    return found;
}

/* ---- --prefix-map ---- */

static int parse_prefixes(struct name_changes *names, const struct session *session,
                          const struct option_value *given)
{
    if (!given->n_list)
        return 0;
    names->prefixes = (struct apf_name_change *)checked_realloc(NULL, given->n_list, sizeof *names->prefixes);
    for (size_t i = 0; i < given->n_list; i++) {
        const char *text = given->list[i], *equals = strchr(text, '=');
        if (!equals) {
            report_usage(session, "--prefix-map takes FROM=TO, not '%s'", text);
            return session->persona->usage_exit;
        }
        struct apf_name_change change = {{text, (size_t)(equals - text)}, {equals + 1, strlen(equals + 1)}};
        names->prefixes[names->n_prefixes++] = change;
    }
    return 0;
}

/* ---- --function, --no-function ---- */

/* An apf_name_filter_fn; `user` is a struct name_changes. */
static int filter_name(void *user, struct apf_str name)
{
    struct name_changes *names = (struct name_changes *)user;
    const char *text = name_text_set(&names->name, name);
    int keep = names->keep.text ? name_pattern_match(&names->keep, text) : 1;
    int drop = keep > 0 && names->drop.text ? name_pattern_match(&names->drop, text) : 0;
    return drop < 0 ? drop : drop ? 0 : keep;
}

static bool has_filter(const struct name_changes *names)
{
    return names->keep.text || names->drop.text;
}

/* ---- all of it ---- */

int name_changes_parse(struct name_changes *names, const struct session *session,
                       const struct arguments *args, const struct merge_inputs *inputs)
{
    const char *remapping = option_text(args, OPT_REMAPPING_FILE, "");
    int code = parse_prefixes(names, session, &args->values[OPT_PREFIX_MAP]);
    if (code == 0 && strcmp(remapping, "-") == 0 && reads_stdin(inputs, args)) {
        report_error(session, NULL, "standard input cannot be both an input and the remapping file");
        code = session->persona->usage_exit;
    }
    if (code == 0 && *remapping)
        code = read_remapping(names, session, remapping);
    if (code == 0)
        code = name_pattern_parse(&names->keep, session, "--function", option_text(args, OPT_FUNCTION, ""));
    if (code == 0)
        code = name_pattern_parse(&names->drop, session, "--no-function",
                                  option_text(args, OPT_NO_FUNCTION, ""));
    if (code == 0 && has_filter(names) && option_flag(args, OPT_DELETE_INPUTS)) {
        report_error(session, NULL, "--delete-inputs would lose what --function and --no-function leave out");
        code = session->persona->usage_exit;
    }
    return code;
}

void name_changes_free(struct name_changes *names)
{
    name_pattern_free(&names->keep);
    name_pattern_free(&names->drop);
    free(names->remapping);
    free(names->remaps);
    free(names->prefixes);
    free(names->name.p);
}

void name_changes_set(struct name_changes *names, struct apf_merge_options *options)
{
    options->remaps = names->remaps;
    options->n_remaps = names->n_remaps;
    options->prefix_maps = names->prefixes;
    options->n_prefix_maps = names->n_prefixes;
    options->filter = has_filter(names) ? filter_name : NULL;
    options->filter_user = names;
}

void name_changes_set_samples(struct name_changes *names, struct apf_sample_merge_options *options)
{
    options->remaps = names->remaps;
    options->n_remaps = names->n_remaps;
    options->filter = has_filter(names) ? filter_name : NULL;
    options->filter_user = names;
    name_pattern_add_hash(&names->keep);
    name_pattern_add_hash(&names->drop);
}

/* Prints how many functions a filter left out. */
static void report_filter(const struct name_changes *names, const struct session *session, uint64_t filtered,
                          uint64_t all)
{
    if (has_filter(names))
        fprintf(stderr, "%" PRIu64 " of %" PRIu64 " functions in the original profile are filtered.\n",
                filtered, all);
    if (names->keep.text && all && filtered == all)
        report_warning(session, NULL, "no function is left: --function='%s' matches no name%s",
                       names->keep.text, names->drop.text ? " that --no-function keeps" : "");
}

/* Warns of a remapping file that has no names. LLVM's tool is silent about it. */
static void report_empty_remapping(const struct name_changes *names, const struct session *session)
{
    if (names->remapping && !names->n_remaps && !session->persona->tool)
        report_warning(session, NULL, "--remapping-file renames nothing: the file has no line 'OLD NEW'");
}

/* No count says whether a remapping file is without effect: those of the merge leave out names of inlined functions,
 * call targets and callers. */
void name_changes_report_samples(const struct name_changes *names, const struct session *session,
                                 const struct apf_sample_merge_stats *stats)
{
    report_filter(names, session, stats->filtered, stats->names);
    report_empty_remapping(names, session);
}

void name_changes_report(const struct name_changes *names, const struct session *session,
                         const struct apf_merge_stats *stats)
{
    report_filter(names, session, stats->filtered, stats->names);
    report_empty_remapping(names, session);
    if (names->n_remaps && !stats->remapped && !session->persona->tool)
        report_warning(session, NULL,
                       "--remapping-file renames nothing: no function has one of its old names");
    if (names->n_prefixes && !stats->remapped && stats->names)
        report_warning(session, NULL,
                       "--prefix-map changes nothing: in no name of a local function does the path begin so");
}
