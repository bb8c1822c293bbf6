/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Other names for functions, wherever they stand: at the top level, inlined, in contexts, as call targets. */
#ifndef SAMPLE_REMAP_H
#define SAMPLE_REMAP_H

#include "sample/model/sample_profile.h"

/* Changes of whole names. All zero: none. */
struct sample_remaps {
    VEC(struct apf_name_change) list; /* no two have the same `from` */
    struct hash_index by_text;
    struct hash_index by_hash; /* of names that profiles know by hash only */
};

/* Copies changes into an arena; of several changes of one name the first counts. */
int sample_remaps_copy(struct sample_remaps *r, const struct apf_name_change *changes, size_t n,
                       struct arena *arena, struct apf_error *error);
void sample_remaps_free(struct sample_remaps *r);

/* Adds the new names to a table, and makes the map of the numbers of its names, which the caller frees. A hash
 * without a name is what `from` is if it is the hash of that. The new name keeps the source file. */
int sample_remaps_map(const struct sample_remaps *r, struct sample_names *names, uint32_t **map,
                      struct apf_error *error);

#endif
