/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints opened probes: parts that the views share. */
#ifndef PROBE_PROBE_PRINT_H
#define PROBE_PROBE_PRINT_H

#include "base/json_entry.h"
#include "base/text_append.h"
#include "probe/name_budget.h"

struct verification;
struct probes_diff;
struct lookup;

struct probe_printer {
    const struct apf_probes *probes;
    struct apf_probes_print_options options;
    struct name_budget names;
    struct arena arena; /* of everything below */
    struct file_out *out;
    struct json_writer *json; /* NULL: text */
    uint32_t *desc_of;        /* number of the descriptor of each node; APF_PROBE_NONE: none */
    uint32_t *order;          /* numbers of the probes to print, in that order */
    size_t n_order;
    const struct verification *verification; /* of verify */
    const struct probes_diff *diff;          /* of diff */
    struct lookup *lookup;                   /* of lookup */
    int code; /* of a view that failed, with the error filled in; APF_OK: memory is out */
};

/* Prints the rows of a view. False: an allocation failed. */
typedef bool probe_view(struct probe_printer *pr);

bool probe_text_desc(struct probe_printer *pr);
bool probe_text_list(struct probe_printer *pr);
bool probe_text_tree(struct probe_printer *pr);
bool probe_text_stats(struct probe_printer *pr);
bool probe_json_desc(struct probe_printer *pr);
bool probe_json_list(struct probe_printer *pr);
bool probe_json_tree(struct probe_printer *pr);
bool probe_json_stats(struct probe_printer *pr);

/* Prints the name of a function, or its GUID if the name is unknown. */
void probe_text_function(struct probe_printer *pr, struct apf_str name, uint64_t guid);
#define PROBE_MOST_FRAMES 64u /* of a context; outer frames are left out */
/* Prints the function of a node, and the calls through which it was inlined. After probe_name_nodes. */
void probe_text_node(struct probe_printer *pr, uint32_t node);
/* Writes the name of a function for the key "function". */
void probe_json_function(struct probe_printer *pr, struct apf_str name);
/* Opens the output, prints rows, and closes it. */
int probe_print_with(struct probe_printer *pr, probe_view *text, probe_view *json,
                     const struct apf_output *output, struct apf_error *error);

/* Writes the head of every JSON document. */
void probe_json_begin(struct probe_printer *pr, const char *schema);
void probe_json_type(struct json_writer *w, uint8_t type);

/* ---- what views share (probe_select.c) ---- */

/* Fills desc_of. */
bool probe_name_nodes(struct probe_printer *pr);
/* Fills `order` with the probes that pass the filters: by address, those without an address last; in objects by section
 * first. */
bool probe_select(struct probe_printer *pr);
/* The nodes to show, 0 or 1 for each; NULL: an allocation failed. For the list: the nodes of the probes in `order` and
 * those that they are inlined into. For the tree: the wanted function and the nodes inlined into it; for a range as for
 * the list. */
const uint8_t *probe_mark_list(struct probe_printer *pr);
const uint8_t *probe_mark_tree(struct probe_printer *pr);
/* The name of a node's function; n == 0: unknown. After probe_name_nodes. */
struct apf_str probe_node_name(const struct probe_printer *pr, uint32_t node);
/* Whether a node's function passes the filter. */
bool probe_wants_guid(const struct probe_printer *pr, uint64_t guid);
/* The number of probes of a node and of all nodes inlined into it. */
uint32_t probe_tree_probes(const struct apf_probes *p, uint32_t node);
/* The word for a type; NULL: none. */
const char *probe_type_name(uint8_t type);

#endif
