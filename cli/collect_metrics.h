/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The numbers of a collector: totals, which outlive the process, and what is there at the moment. */
#ifndef CLI_COLLECT_METRICS_H
#define CLI_COLLECT_METRICS_H

#include <anyprof/merge.h>

#include "collect_state.h"

/* Totals: the field, the metric without its prefix and _total, a label or NULL, and what it counts. Metrics of one name
 * follow each other. */
#define COLLECT_TOTALS(X)                                                                                    \
    X(merged, "profiles", "result=\"merged\"", "Profiles that were taken from the spool, by result")         \
    X(empty, "profiles", "result=\"empty\"", "")                                                             \
    X(rejected, "profiles", "result=\"rejected\"", "")                                                       \
    X(bytes, "merged_bytes", NULL, "Bytes of the profiles that were merged")                                 \
    X(rounds, "rounds", NULL, "Rounds, at the end of which the output is complete")                          \
    X(failures, "failed_rounds", NULL, "Rounds in which something failed")                                   \
    X(outputs, "outputs", NULL, "How often the output was written, which it is if it changes")               \
    X(old_builds, "forgotten_builds", "reason=\"age\"", "Builds that were forgotten, by reason")             \
    X(evicted_builds, "forgotten_builds", "reason=\"disk\"", "")                                             \
    X(old_rejects, "removed_rejects", "reason=\"age\"", "Rejected files that were removed, by reason")       \
    X(evicted_rejects, "removed_rejects", "reason=\"disk\"", "")

/* What is there: the same, without _total. */
#define COLLECT_GAUGES(X)                                                                                    \
    X(builds, "builds", "in=\"output\"", "Builds, in the output and out of it")                              \
    X(outsiders, "builds", "in=\"none\"", "")                                                                \
    X(functions, "output_functions", NULL, "Functions in the output")                                        \
    X(lost_functions, "output_lost", "what=\"functions\"",                                                   \
      "What the sums have and the output does not: functions that contradict others, values beyond 255 of "  \
      "a place, what its version cannot hold")                                                               \
    X(lost_values, "output_lost", "what=\"values\"", "")                                                     \
    X(waiting, "waiting_profiles", NULL, "Profiles that a program still writes, or that changed too lately") \
    X(ignored, "ignored_files", NULL, "Files in the spool that are no instrumentation profiles")             \
    X(stuck, "stuck_profiles", NULL, "Profiles that could not be taken from the spool")                      \
    X(rejects, "rejected_files", NULL, "Rejected files that are kept")                                       \
    X(spool_bytes, "disk_bytes", "place=\"spool\"", "Bytes on the disk")                                     \
    X(sum_bytes, "disk_bytes", "place=\"sums\"", "")                                                         \
    X(reject_bytes, "disk_bytes", "place=\"rejected\"", "")                                                  \
    X(round_time, "last_round_timestamp_seconds", NULL, "When the last round ended")                         \
    X(output_time, "last_output_timestamp_seconds", NULL, "When the output was last written or found right") \
    X(round_ms, "last_round_milliseconds", NULL, "How long the last round took")

struct collect_metrics {
#define COLLECT_FIELD(field, name, label, help) uint64_t field;
    COLLECT_TOTALS(COLLECT_FIELD)
    COLLECT_GAUGES(COLLECT_FIELD)
#undef COLLECT_FIELD
};

/* Reads the totals of earlier processes; without them, all is zero. */
void collect_metrics_load(struct collect_metrics *m, const struct collect_state *s);
/* Writes them. False: reported. */
bool collect_metrics_save(const struct collect_metrics *m, const struct collect_state *s,
                          const struct session *session);
/* Writes all numbers for Prometheus. False: reported. */
bool collect_metrics_write(const struct collect_metrics *m, const struct collect_state *s,
                           const struct session *session, const char *path);

#endif
