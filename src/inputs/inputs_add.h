/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds inputs to a merge: read and added on any thread, in any order; committed on the calling thread, in input order.
 *
 * An input is a transaction: it is validated as a whole, then added, or it is refused and adds nothing. What an
 * addition changes at once must not depend on the order of additions, as sums do not; all else (lists in the order of
 * the inputs, findings) waits in the outcome until commit. */
#ifndef INPUTS_ADD_H
#define INPUTS_ADD_H

#include "inputs/inputs.h"

/* What became of an input. */
enum input_fate {
    /* No decision was made: the function of the room failed half-way, or before it knew whether the input is good. The
     * call of inputs_add fails with the input's code and error, and the merge is broken. */
    INPUT_UNDECIDED,
    INPUT_REFUSED, /* nothing of it was added, nor will be: code says why */
    INPUT_ADDED    /* code is APF_OK */
};

/* The outcome of an input until it is committed. A room has a structure of its own whose first field is this; all else
 * in it is zero when `add` is called. An outcome belongs to one thread at a time, and needs no lock. */
struct input_outcome {
    size_t number;          /* of the input among all that were given, from 0: an index of inputs.firsts */
    uint64_t weight;        /* from 1 */
    struct arena *arena;    /* of this outcome, freed after commit; for what waits in the outcome */
    struct input_file file; /* without its path */
    /* Set by the room. APF_NO_MEMORY is a failure of the call whatever the fate is. */
    int code;
    enum input_fate fate;
    struct apf_error error; /* if code is not APF_OK */
    /* NULL, or the inputs that a partial profile was made of, which stand in the list in its place. Texts and errors
     * are in memory that stays until the merge ends. */
    const struct kept_input *members;
    size_t n_members; /* from 1, if there are members */
    size_t member;    /* number of the one for which `commit` is called; else 0 */
    /* All zero, or which slice of such a profile it is. One that is not the first has the members of the one before it,
     * with which it is one input. */
    struct apf_slice slice;
};

/* An input on its way. */
struct input_task {
    const struct apf_input *input;
    /* Its bytes, of which most functions need `data` and `n` only. They belong to the thread, and last until it reads
     * the next file. The room may give the memory away (file_bytes_donate) when it does not need the bytes any more. */
    struct file_bytes *bytes;
    void *memory;  /* of the thread: what thread_begin returned */
    bool streamed; /* inputs_adder.streams said so */
    bool last; /* probably: no input is left that another thread has not begun, so that memory may be kept */
};

/* How a room adds inputs. `context` is the caller's; the functions that run on several threads lock what they share. */
struct inputs_adder {
    void *context;
    size_t outcome_size; /* of the room's structure that begins with struct input_outcome */
    /* Makes the memory that a thread reuses for every input. NULL: allocation failed; then nothing may be left of it.
     * thread_end frees it when the thread has ended, before inputs_add returns. Both are called on the calling thread;
     * thread 0 is that one. */
    void *(*thread_begin)(void *context, unsigned thread);
    void (*thread_end)(void *context, unsigned thread, void *memory);
    /* NULL, or whether `add` reads an input itself, piece by piece: then its `bytes` are none, and nothing of it is
     * salvaged. Not for merges that remove inputs. On any thread. */
    bool (*streams)(void *context, const struct apf_input *input);
    /* Validates an input that was read, and adds it: sets code, error and fate. A file of 0 bytes (bytes->n, and data
     * may be NULL) is refused with APF_EMPTY_PROFILE, which counts as an empty run and not as a bad input. On any
     * thread. */
    void (*add)(void *context, const struct input_task *task, struct input_outcome *out);
    /* NULL, or, with APF_FLAG_SALVAGE: adds the intact part of an input that was refused, also of one that could not be
     * unpacked (bytes->proven), if out->code is of the kind that leaves something intact, as apf_code_is_damage says.
     * If nothing is intact, it leaves the outcome as it is; else it sets fate to INPUT_UNDECIDED and goes on as `add`
     * does, and out->error stays: `commit` copies it for kept_input.damage. On any thread. */
    void (*salvage)(void *context, const struct input_task *task, struct input_outcome *out);
    /* Keeps what waits in an outcome, on the calling thread, in input order. The input is the last entry of inputs.list
     * by now. First the room appends its own data of the input to its array, of refused inputs too (out->fate); then it
     * merges lists and the like, and reports the findings of inputs that were added (refused ones are reported after
     * it). Of an outcome with members it is called for each of them; of a slice other than the first it is called once,
     * and there is no new entry. On a failure, inputs_add fails. */
    int (*commit)(void *context, const struct apf_input *input, const struct input_outcome *out,
                  struct apf_error *error);
};

/* Adds inputs, which passed inputs_check; several at a time, as the options of the merge say. A bad input is no failure
 * of this call, but an entry in the list, and a finding. A file that the output holds already is an entry with
 * APF_ALREADY_MERGED, and is not given to `add`. Progress is reported. Fails when memory is out, when a callback stops
 * it, and because of the journal of the output; then inputs->broken is set.
 *
 * The caller checks that the merge is whole (inputs_check_whole) before, and afterwards decides which inputs go
 * together and counts the new ones. */
int inputs_add(struct inputs *in, const struct apf_input *inputs, size_t n, const struct inputs_adder *adder,
               struct apf_error *error);

#endif
