/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions as they are shown. The caller's function that knows is asked once for each name. */
#ifndef EXPORT_EXPORT_NAMES_H
#define EXPORT_EXPORT_NAMES_H

#include <anyprof/export.h>

#include "export/numbered.h"

struct export_names {
    apf_name_fn *show; /* NULL: names stay as they are */
    void *user;
    bool stay; /* names and files of frames stay in place */
    struct numbered_texts names;
    VEC(struct apf_str) shown;                 /* of each name */
    char unknown[sizeof "0x0123456789abcdef"]; /* the last name that is none */
    VEC(char) local;                           /* the last name with a file */
};

/* The name of a frame's function: an id as a hash if it is unknown. Valid until the next call. */
struct apf_str export_name_of(struct export_names *names, const struct apf_export_frame *frame);
/* Sets that name as it is shown, likewise. */
int export_name(struct export_names *names, const struct apf_export_frame *frame, struct apf_str *shown,
                struct apf_error *error);
/* The same, after the file of the frame and a colon, if it has a file. */
int export_local_name(struct export_names *names, const struct apf_export_frame *frame, struct apf_str *shown,
                      struct apf_error *error);
void export_names_free(struct export_names *names);

#endif
