/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "edit_distance.h"

#include <stdint.h>

#define LONGEST_WORD 256u
#define TOO_MANY (SIZE_MAX / 2) /* changes; 1 can be added */

size_t edit_distance(const char *a, size_t na, const char *b, size_t nb, size_t most)
{
    size_t rows[3][LONGEST_WORD + 2], last_least = 0;
    if (na > LONGEST_WORD || nb > LONGEST_WORD || (na > nb ? na - nb : nb - na) > most)
        return SIZE_MAX;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *twice_above = rows[(i + 1) % 3];
        /* A place that is further from the diagonal takes more than `most` changes. */
        size_t first = i > most ? i - most : 1, last = most < nb - (i < nb ? i : nb) ? i + most : nb;
        size_t least = row[first - 1] = first == 1 ? i : TOO_MANY;
        for (size_t j = first; j <= last; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                twice_above[j - 2] + 1 < best)
                best = twice_above[j - 2] + 1;
            row[j] = best;
            least = best < least ? best : least;
        }
        row[last + 1] = TOO_MANY;               /* above the last place of the next row */
        if (least > most && last_least >= most) /* a swap adds 1 to the row above the last one */
            return SIZE_MAX;
        last_least = least;
    }
    return rows[na % 3][nb] <= most ? rows[na % 3][nb] : SIZE_MAX;
}
