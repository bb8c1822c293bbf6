/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* YAML as a sequence of events, through libyaml, which is used nowhere else. Only the YAML of profiles is accepted: one
 * document, without aliases, anchors and tags. */
#ifndef BASE_YAML_EVENTS_H
#define BASE_YAML_EVENTS_H

#include <anyprof/error.h>

enum yaml_kind {
    YAML_SCALAR,
    YAML_LIST,
    YAML_LIST_END,
    YAML_MAP,
    YAML_MAP_END,
    YAML_NOTHING, /* between documents */
    YAML_END      /* after the last document */
};

struct yaml_events {
    struct yaml_parsing *parsing; /* of libyaml: its parser, and the current event */
    enum yaml_kind kind;          /* of the current event */
    struct apf_str text;          /* of a scalar; until the next event */
    size_t at;                    /* where the event begins, in characters */
    const uint8_t *data;
    size_t n;
    struct apf_error *error;
    /* Called for an unknown key, which is the current event and is passed over then; the caller sets it after opening.
     * NULL: unknown keys are errors. */
    void (*unknown)(struct yaml_events *e);
};

/* Opens a document. The current event is that of its value, or YAML_NOTHING, or YAML_END. */
/* Version of libyaml; NULL: the library was built without it. */
const char *yaml_library_version(void);

int yaml_events_open(struct yaml_events *e, const void *data, size_t n, struct apf_error *error);
void yaml_events_close(struct yaml_events *e);
/* Moves to the next event. */
int yaml_next(struct yaml_events *e);
/* Reports APF_BAD_YAML at a place, in characters. */
int yaml_bad_at(const struct yaml_events *e, size_t at, const char *where, const char *detail);
/* Reports APF_BAD_YAML at the current event. */
int yaml_bad(const struct yaml_events *e, const char *where, const char *detail);

#endif
