/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of the lists of nodes. Private to sample/model. */
#ifndef SAMPLE_LISTS_H
#define SAMPLE_LISTS_H

#include "sample/model/sample_profile.h"

/* Moves a list of `n` entries of `size` bytes to a block with room for at least `need`; the old block is reused. `data`
 * is the address of the list's pointer. */
int sample_blocks_grow(struct sample_blocks *b, void *data, uint32_t n, uint32_t *room, uint64_t need,
                       size_t size, struct apf_error *error);
/* Gives the block of a list back, which becomes empty. */
void sample_blocks_release(struct sample_blocks *b, void *data, uint32_t *n, uint32_t *room, size_t size);

/* Makes room in a list for `need` entries in all. */
#define SAMPLE_LIST_GROW(b, list, need, error)                                                               \
    ((need) <= (list)->room ? APF_OK                                                                         \
                            : sample_blocks_grow((b), &(list)->data, (list)->n, &(list)->room, (need),       \
                                                 sizeof *(list)->data, (error)))
#define SAMPLE_LIST_RELEASE(b, list)                                                                         \
    sample_blocks_release((b), &(list)->data, &(list)->n, &(list)->room, sizeof *(list)->data)

/* Makes s->first_top as long as the list of contexts. */
int sample_tops_reserve(struct apf_sample *s, struct apf_error *error);
/* Makes a node findable by its context and, in sums, its checksum, for which there is none yet. sample_tops_reserve
 * must have come before. */
int sample_top_link(struct apf_sample *s, uint32_t node, struct apf_error *error);
/* Appends a node; and one at the top level, which sample_top_find does not find. */
int sample_push_node(struct apf_sample *s, const struct sample_node *new, uint32_t *node,
                     struct apf_error *error);
int sample_push_top(struct apf_sample *s, const struct sample_node *new, uint32_t *node,
                    struct apf_error *error);

#endif
