/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inputs of a merge, of whatever kind of files: which there were, what became of each, and how many were lost.
 *
 * A room that merges embeds a struct inputs in its merge, and has data of its own for each input in an array beside the
 * list, with the same indices. The life of both:
 *
 *     inputs_open                        when the merge is made
 *     inputs_add (inputs_add.h)          reads inputs and adds them; the room's functions do the adding
 *     inputs_reject, inputs_accept       which inputs go together is decided when all are known: only the room can
 *     inputs_count                       each input, when that is decided
 *     inputs_verdict (inputs_verdict.h)  whether too much was lost
 *     inputs_write (inputs_output.h)     the result in a file; inputs may be removed then (inputs_removal.h)
 *     inputs_report (inputs_report.h)    what became of all this, as JSON
 *     inputs_close                       when the merge is freed
 *
 * A merge, and with it a struct inputs, belongs to one thread at a time. Only the functions that inputs_add calls for
 * single inputs, and functions that say so, run on several threads. */
#ifndef INPUTS_INPUTS_H
#define INPUTS_INPUTS_H

#include "base/arena.h"
#include "base/file.h"
#include "base/file_identity.h"
#include "base/vec.h"

/* A file that was an input. */
struct input_file {
    const char *path; /* absolute; NULL: standard input, which has no path */
    struct file_identity identity;
    struct file_digest digest;
    bool through_link; /* found in a directory that was given as a symbolic link, so that it is not removed */
};

/* Kept of each input until the merge ends. Strings and errors are in the arena of the merge. The functions of this room
 * set all fields but `damage`; inputs_reject and inputs_accept change code and error. */
struct kept_input {
    struct apf_str name; /* in messages */
    /* APF_OK: it is in the sum; APF_EMPTY_PROFILE: a file of 0 bytes; APF_ALREADY_MERGED: the output holds it; else why
     * it was rejected whole. */
    int code;
    uint64_t weight;               /* with which it was added, from 1 */
    const struct apf_error *error; /* the details when code is not APF_OK, else NULL */
    /* Set by inputs_adder.commit: the error of an input of which only the intact part was added; NULL: the input was
     * added whole, or not at all. */
    const struct apf_error *damage;
    uint64_t n_inputs; /* that it stands for: one or, in a partial profile without names, several */
    bool unnamed;      /* it is such inputs, and `name` that of the partial profile */
    bool member;       /* it is one of a partial profile */
    /* not 0: it is the first entry of a partial profile, which has so many; `file` is the profile */
    size_t n_members;
    const char *path;              /* to read the input again; NULL: impossible or not needed */
    size_t n_directory;            /* as in struct apf_input */
    const struct input_file *file; /* NULL: not needed later */
    struct apf_error *why;         /* memory of inputs_reject */
    bool removed;                  /* the file was removed after the merge */
};

/* The most inputs that partial profiles can stand for, whose number is what they say. All numbers of inputs end here,
 * so that products with percentages do not overflow. */
#define INPUTS_MOST ((uint64_t)1 << 35)
static inline uint64_t inputs_sum(uint64_t a, uint64_t b)
{
    return a < INPUTS_MOST && b < INPUTS_MOST - a ? a + b : INPUTS_MOST;
}

/* Numbers of inputs. The first group counts the inputs for which inputs_count was called, each in one number beside
 * n_inputs; the second is of inputs_removal.h. */
struct input_counts {
    uint64_t n_inputs;
    uint64_t n_merged;   /* added whole */
    uint64_t n_salvaged; /* only the intact part was added */
    uint64_t n_empty;
    uint64_t n_held; /* the output held them already */
    uint64_t n_rejected;

    uint64_t n_removed, removed_bytes; /* files that were removed, and their size */
    uint64_t n_not_removed;            /* files that were merged and not removed ... */
    uint64_t n_undeletable;            /* ... those of them that the system refused to remove */
};

/* How much of an input the result of the merge holds. */
enum input_held {
    INPUT_HELD,
    INPUT_HELD_IN_PART, /* a part did not go with the other inputs, and was left out */
    INPUT_HELD_UNKNOWN  /* a part was left out of some inputs, and of this one perhaps */
};

/* What this room asks of the room that merges, or tells it. `merge` is inputs.merge. */
struct inputs_room {
    /* Called when code, error or `removed` of entry i has changed, so that results for callers can show it. */
    void (*changed)(void *merge, size_t i);
    /* Called when inputs.counts has changed. */
    void (*counted)(void *merge);
    /* How much the result, which was made, holds of the merged input i, which is not damaged. For INPUT_HELD_IN_PART,
     * if `why` is not NULL, fills it in by error_set_plain(why, APF_NOT_REMOVED, "input.remove", ...) with words that
     * say what is left out. Called for inputs that could be removed, with inputs_setup.remove only. */
    enum input_held (*held)(const void *merge, size_t i, struct apf_error *why);
    /* NULL, or whether a result was made and turned out to have nothing of the salvaged inputs, which were all. */
    bool (*is_void)(const void *merge);
};

struct inputs_removal;

/* The last output; see inputs_output.h. */
struct inputs_output {
    enum { OUTPUT_NONE, OUTPUT_WRITTEN, OUTPUT_FAILED } state;
    struct apf_str path;    /* p == NULL: no path */
    struct apf_error error; /* when it failed */
};

struct inputs {
    const struct inputs_room *room;
    void *merge;                      /* for the functions of `room` */
    const struct apf_options *common; /* of every call of the merge; must live as long as the merge */
    struct arena *arena;              /* of the merge, for the calling thread */
    VEC(struct kept_input) list;      /* in the order in which they were given */
    /* Of each input that was given, the number of its first entry: a partial profile has one for each of its inputs. */
    VEC(size_t) firsts;
    struct inputs_slices {
        struct apf_slice next; /* n = 0: none is awaited */
        size_t first, n_members;
    } slices; /* of a partial profile that is in several inputs */
    struct input_counts counts;
    bool read_again; /* kept_input.path is wanted */
    bool undecided;  /* as in struct inputs_setup */
    /* A call failed half-way: the sum may have a part of an input, and the merge can only be freed. Set by inputs_add,
     * and by the room for failures of its own. */
    bool broken;
    struct apf_tolerance tolerance; /* of the merge's options; all zero, nothing may be lost, without one */
    bool has_tolerance;
    bool was_judged; /* the caller has asked for a verdict on the inputs there are now, and decides */
    struct inputs_removal *removal; /* NULL: the output is unknown beforehand */
    struct inputs_output output;
    struct pulse pulse;           /* of the call that adds or writes */
    struct apf_progress progress; /* that was reported last */
};

/* Begins the pulse of a call that makes or writes the result; its beats report the progress of the last addition.
 * pulse_end must follow. */
void inputs_begin_pulse(struct inputs *in);

/* How a merge begins. */
struct inputs_setup {
    const struct inputs_room *room;
    void *merge;
    const struct apf_options *common;
    struct arena *arena;
    const struct apf_tolerance *tolerance; /* NULL or one that passed inputs_tolerance_check; copied */
    const char *output;                    /* NULL, or the path that will be written; copied */
    bool remove;                           /* the inputs are removed when the output is written */
    bool read_again; /* the room reads inputs again: kept_input.path; included in `remove` */
    /* the output is a partial profile, which loses nothing of inputs that contradict each other */
    bool undecided;
};

/* Fills in inputs, which are all zero, and opens the journal of the output if one is named. APF_ARGUMENT at
 * "merge.output": inputs are to be removed and no output is named; APF_IO and APF_OUTPUT_BUSY because of the output.
 * After a failure, too, inputs_close must follow. */
int inputs_open(struct inputs *in, const struct inputs_setup *setup, struct apf_error *error);
/* Frees what is not in the arena, which must still be there. All zero is fine. */
void inputs_close(struct inputs *in);

/* APF_ARGUMENT when inputs->broken is set. */
int inputs_check_whole(const struct inputs *in, struct apf_error *error);

/* Makes an input that was added rejected: its kind contradicts that of others. Reports it (APF_SEVERITY_ERROR) unless
 * it was rejected with this code before. The room leaves the input out of the result. APF_NO_MEMORY, APF_STOPPED. */
int inputs_reject(struct inputs *in, size_t i, int code, struct apf_error *error);
/* Makes an input that was added, and perhaps rejected by inputs_reject, one of the result. */
void inputs_accept(struct inputs *in, size_t i);
/* Adds an input, whose code is final for now, to the counts. */
void inputs_count(struct inputs *in, size_t i);
/* Makes the counts of inputs_count zero, so that all inputs are counted again. */
void inputs_uncount(struct inputs *in);

/* The result that was made of the inputs is out of date: there are more, or the room has other data. No verdict and no
 * output belong to the next one yet. */
void inputs_outdate(struct inputs *in);

/* The number of an entry before it is known, since more partial profiles may come first: that of the input that was
 * given, and the entry's among those of this input. INPUT_NONE stands for no entry. */
#define INPUT_NONE UINT64_MAX
static inline uint64_t input_member(size_t given, size_t member)
{
    return given < UINT32_MAX && member < UINT32_MAX ? (uint64_t)given << 32 | member : INPUT_NONE;
}
/* The number in the list of such an entry, whose input was committed. */
static inline size_t inputs_entry(const struct inputs *in, uint64_t member)
{
    return in->firsts.data[member >> 32] + (uint32_t)member;
}

/* The input for a second reading of entry i, whose `path` is not NULL. */
struct apf_input inputs_again(const struct inputs *in, size_t i);

#endif
