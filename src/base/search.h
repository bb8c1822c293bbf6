/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binary search. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

/* Sets the variable `at` to the first place of [begin, end) for which the expression `below`, in which `at` is the
 * place that is asked about, is false; end if it is true for all. Where it is true it must be so for all places before,
 * too. */
#define SEARCH(at, begin, end, below)                                                                        \
    do {                                                                                                     \
        __typeof__(at) low_ = (begin), high_ = (end);                                                        \
        while (low_ < high_) {                                                                               \
            (at) = low_ + (high_ - low_) / 2;                                                                \
            if (below)                                                                                       \
                low_ = (at) + 1;                                                                             \
            else                                                                                             \
                high_ = (at);                                                                                \
        }                                                                                                    \
        (at) = low_;                                                                                         \
    } while (0)

#endif
