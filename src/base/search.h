/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binary search. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

/* Sets the variable `at` to the first place of [begin, end) for which the expression `below`, which uses `at`, is
 * false; to `end` if it is true everywhere. `below` must be true for all places before one where it is true. */
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
