/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where text can hold a name. There are no escapes, so a name must not be read as something else there, by anyprof or
 * by LLVM. */
#ifndef SAMPLE_TEXT_NAMES_H
#define SAMPLE_TEXT_NAMES_H

#include "sample/model/sample_profile.h"

#define SAMPLE_TEXT_AS_HEADER 1u  /* of a header without a context */
#define SAMPLE_TEXT_AS_FRAME 2u   /* in a context */
#define SAMPLE_TEXT_AS_INLINED 4u /* of an inlined function */
#define SAMPLE_TEXT_AS_TARGET 8u
#define SAMPLE_TEXT_AS_VTABLE 16u
#define SAMPLE_TEXT_DECIMAL 32u /* a hash, or a name that looks like one: see sample_adopt_decimals */
#define SAMPLE_TEXT_USED 64u    /* for the writer */

/* The places where a name can stand, as SAMPLE_TEXT_AS_*, and SAMPLE_TEXT_DECIMAL. */
uint8_t sample_text_uses(const struct sample_name *entry);
/* Whether the name of a function that is inlined in one with a context would be read as the name between the
 * brackets. */
static inline bool sample_text_in_brackets(struct apf_str name)
{
    return name.p && name.n >= 2 && name.p[0] == '[' && name.p[name.n - 1] == ']';
}
/* Whether LLVM takes the line of an inlined function with this name, or of which only the hash is known, for that of a
 * count: no LLVM reads such a file. */
static inline bool sample_text_is_numbered(struct apf_str name)
{
    return !name.p || (name.n && name.p[0] >= '0' && name.p[0] <= '9');
}
/* Whether the format of a file whose first line begins with this name would be mistaken. */
bool sample_text_mistaken(const struct sample_name *entry);

#endif
