/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Balanced partitioning (L. Dhulipala and others, "Compressing Graphs and Indexes with Recursive Graph Bisection",
 * 2016) with the parameters and the random choices of LLVM: a range of functions is cut in halves, and the halves
 * exchange functions as long as that brings functions with common units together; then each half is cut. */
#include <string.h>

#include "base/error.h"
#include "base/mt19937.h"
#include "base/sort.h"
#include "instr/views/order.h"

#define DEEPEST 18u    /* ranges this deep are not cut */
#define ITERATIONS 40u /* largest number of rounds of exchanges of one range */
#define SKIPPED 0.1f   /* part of the good exchanges that is skipped at random, to leave local optima */
#define CACHED_LOGARITHMS 16384u
#define NEW UINT32_MAX

/* The functions places[from .. from + n). */
struct range {
    uint32_t from, n;
    uint32_t root; /* 1 for all, 2r and 2r + 1 for the halves of r: the seed of the random numbers */
    uint32_t depth;
};

/* A unit while number_units renumbers the units of a range. */
struct unit {
    uint32_t owners; /* functions of the range that have it */
    uint32_t number; /* its new number, or NEW */
};

/* A unit of the current range. */
struct balance {
    uint32_t owners[2]; /* functions in the left and the right half that have it */
    bool known;         /* its unit_gains are up to date */
};

struct gain {
    float gain; /* of moving the function to the other half */
    uint32_t node;
};

struct bisection {
    struct order_set *set;
    uint32_t *places; /* the result: numbers of functions in their order */
    uint32_t *other;  /* scratch memory of part_places */
    uint8_t *right;   /* for each function: it is in the right half */
    struct unit *units;
    uint32_t *seen; /* scratch memory of number_units: the units of the range */
    struct balance *balances;
    float *unit_gains
        [2]; /* for each unit, the gain of moving one of its owners out of the left or the right half */
    struct gain *gains, *scratch;
    float logarithms[CACHED_LOGARITHMS];
    struct mt19937 random;
    uint32_t seed;
    bool seeded; /* `random` was seeded for the range at hand */
};

/* ---- arithmetic ---- */

float order_log2(uint32_t v)
{
    static const double two_over_ln2 = 2.8853900817779268;
    unsigned exponent = (unsigned)BIT_WIDTH(v) - 1;
    double m = (double)v / (double)((uint64_t)1 << exponent);
    if (m > 1.4142135623730951) {
        m /= 2;
        exponent++;
    }
    /* ln m = 2 artanh s */
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int k = 23; k > 0; k -= 2)
        sum = sum * square + 1.0 / k;
    return (float)(exponent + two_over_ln2 * s * sum);
}

static float find_log2(const struct bisection *b, uint32_t v)
{
    return v < CACHED_LOGARITHMS ? b->logarithms[v] : order_log2(v);
}

/* The cost of a unit with x owners in one half and y in the other. Wraps and rounds as in LLVM. */
static float find_cost(const struct bisection *b, uint32_t x, uint32_t y)
{
    return -((float)x * find_log2(b, x + 1) + (float)y * find_log2(b, y + 1));
}

static void find_gains(struct bisection *b, uint32_t number)
{
    struct balance *unit = &b->balances[number];
    uint32_t left = unit->owners[0], right = unit->owners[1];
    float now = find_cost(b, left, right);
    b->unit_gains[0][number] = left ? now - find_cost(b, left - 1, right + 1) : 0;
    b->unit_gains[1][number] = right ? now - find_cost(b, left + 1, right - 1) : 0;
    unit->known = true;
}

/* ---- one round of exchanges ---- */

/* Partitions the gains like std::partition of the C++ library that LLVM is built with, since the result decides the
 * order of functions of equal gain: from both ends, pairs on the wrong side are exchanged. Returns the number of
 * functions in the left half. */
static uint32_t part_gains(const struct bisection *b, struct gain *gains, uint32_t n)
{
    uint32_t first = 0, last = n;
    for (;;) {
        while (first != last && !b->right[gains[first].node])
            first++;
        if (first == last)
            return first;
        do
            last--;
        while (first != last && b->right[gains[last].node]);
        if (first == last)
            return first;
        struct gain swap = gains[first];
        gains[first++] = gains[last];
        gains[last] = swap;
    }
}

#define INSERTION_RUN 16u

/* Sorts from the largest gain down; stable. With sort_merge, which calls a function for each comparison, ordering takes
 * 10 % longer. */
static void sort_gains(struct gain *gains, struct gain *scratch, uint32_t n)
{
    for (uint32_t from = 0; from < n; from += INSERTION_RUN) {
        uint32_t end = n - from < INSERTION_RUN ? n : from + INSERTION_RUN;
        for (uint32_t i = from + 1; i < end; i++) {
            struct gain one = gains[i];
            uint32_t j = i;
            for (; j > from && gains[j - 1].gain < one.gain; j--)
                gains[j] = gains[j - 1];
            gains[j] = one;
        }
    }
    struct gain *in = gains, *out = scratch;
    for (uint64_t width = INSERTION_RUN; width < n; width *= 2) {
        for (uint64_t from = 0; from < n; from += 2 * width) {
            uint64_t a = from, middle = from + width < n ? from + width : n, c = middle;
            uint64_t end = middle + width < n ? middle + width : n;
            for (uint64_t at = from; at < end; at++) {
                bool second = a == middle || (c < end && in[c].gain > in[a].gain);
                out[at] = in[second ? c++ : a++];
            }
        }
        struct gain *swap = in;
        in = out;
        out = swap;
    }
    if (in != gains)
        memcpy(gains, in, n * sizeof *gains);
}

static float largest_gain(const struct gain *gains, uint32_t n)
{
    float most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = i == 0 || gains[i].gain > most ? gains[i].gain : most;
    return most;
}

/* Removes the gains whose sum with the largest gain of the other half is not above 0: these functions cannot be
 * exchanged. Returns the number of gains that stay. */
static uint32_t keep_hopeful(struct gain *gains, uint32_t n, float other)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (gains[i].gain + other > 0)
            gains[kept++] = gains[i];
    return kept;
}

/* A random number in [0, 1) with the 24 bits of a float. */
static float draw_random(struct bisection *b)
{
    if (!b->seeded)
        mt19937_seed(&b->random, b->seed);
    b->seeded = true;
    float r = (float)mt19937_next(&b->random) / 4294967296.0f;
    return r < 1 ? r : 0x1.fffffep-1f;
}

/* Moves a function to the other half. False: the move was skipped. */
static bool move_function(struct bisection *b, uint32_t number)
{
    const struct order_node *node = &b->set->nodes[number];
    const uint32_t *units = b->set->units + node->first;
    if (draw_random(b) <= SKIPPED)
        return false;
    unsigned from = b->right[number], to = !from;
    b->right[number] = (uint8_t)to;
    for (uint32_t i = 0; i < node->n; i++) {
        struct balance *unit = &b->balances[units[i]];
        unit->owners[from]--;
        unit->owners[to]++;
        unit->known = false;
    }
    return true;
}

/* One round of exchanges. Returns the number of functions that moved. */
static uint32_t exchange_functions(struct bisection *b, const struct range *range, uint32_t n_units)
{
    const uint32_t *places = b->places + range->from;
    for (uint32_t i = 0; i < n_units; i++)
        if (!b->balances[i].known)
            find_gains(b, i);
    for (uint32_t i = 0; i < range->n; i++) {
        const struct order_node *node = &b->set->nodes[places[i]];
        const uint32_t *units = b->set->units + node->first;
        const float *gains = b->unit_gains[b->right[places[i]]];
        float gain = 0;
        for (uint32_t k = 0; k < node->n; k++)
            gain += gains[units[k]];
        struct gain one = {gain, places[i]};
        b->gains[i] = one;
    }
    uint32_t n_left = part_gains(b, b->gains, range->n), n_right = range->n - n_left, moved = 0;
    struct gain *left = b->gains, *right = b->gains + n_left;
    float most_left = largest_gain(left, n_left), most_right = largest_gain(right, n_right);
    n_left = keep_hopeful(left, n_left, most_right);
    n_right = keep_hopeful(right, n_right, most_left);
    sort_gains(left, b->scratch, n_left);
    sort_gains(right, b->scratch, n_right);
    for (uint32_t i = 0; i < n_left && i < n_right && left[i].gain + right[i].gain > 0; i++) {
        moved += move_function(b, left[i].node);
        moved += move_function(b, right[i].node);
    }
    return moved;
}

/* ---- one range ---- */

/* Removes from the functions of a range, for good, the units that only one of them or all of them have, and numbers the
 * other units. Returns the number of these units. */
static uint32_t number_units(struct bisection *b, const struct range *range)
{
    const uint32_t *places = b->places + range->from;
    uint32_t n_seen = 0, n = 0;
    for (uint32_t i = 0; i < range->n; i++) {
        const struct order_node *node = &b->set->nodes[places[i]];
        for (uint32_t k = 0; k < node->n; k++) {
            uint32_t unit = b->set->units[node->first + k];
            if (b->units[unit].owners++ == 0)
                b->seen[n_seen++] = unit;
        }
    }
    for (uint32_t i = 0; i < range->n; i++) {
        struct order_node *node = &b->set->nodes[places[i]];
        uint32_t *units = b->set->units + node->first, kept = 0;
        for (uint32_t k = 0; k < node->n; k++) {
            struct unit *unit = &b->units[units[k]];
            if (unit->owners == 1 || unit->owners == range->n)
                continue;
            if (unit->number == NEW)
                unit->number = n++;
            units[kept++] = unit->number;
        }
        node->n = kept;
    }
    for (uint32_t i = 0; i < n_seen; i++) {
        b->units[b->seen[i]].owners = 0;
        b->units[b->seen[i]].number = NEW;
    }
    return n;
}

static void count_owners(struct bisection *b, const struct range *range, uint32_t n_units)
{
    memset(b->balances, 0, n_units * sizeof *b->balances);
    for (uint32_t i = 0; i < range->n; i++) {
        uint32_t number = b->places[range->from + i];
        const struct order_node *node = &b->set->nodes[number];
        for (uint32_t k = 0; k < node->n; k++)
            b->balances[b->set->units[node->first + k]].owners[b->right[number]]++;
    }
}

/* Moves the functions of the left half before those of the right one; both keep their order. Returns the number of
 * functions in the left half. */
static uint32_t part_places(struct bisection *b, const struct range *range)
{
    uint32_t *places = b->places + range->from, left = 0, right = 0;
    for (uint32_t i = 0; i < range->n; i++) {
        uint32_t number = places[i];
        if (b->right[number])
            b->other[right++] = number;
        else
            places[left++] = number;
    }
    if (right)
        memcpy(places + left, b->other, right * sizeof *places);
    return left;
}

/* Cuts a range in two. Returns the number of functions in the left half. */
static uint32_t cut_range(struct bisection *b, const struct range *range)
{
    uint32_t half = (range->n + 1) / 2, n_units = number_units(b, range);
    for (uint32_t i = 0; i < range->n; i++)
        b->right[b->places[range->from + i]] = i >= half;
    if (n_units == 0)
        return half; /* no exchange has a gain */
    count_owners(b, range, n_units);
    b->seed = range->root;
    b->seeded = false;
    for (unsigned i = 0; i < ITERATIONS && exchange_functions(b, range, n_units); i++)
        continue;
    return part_places(b, range);
}

static void cut_all(struct bisection *b)
{
    /* a stack, which has at most one range of each depth, and two of the last one */
    struct range list[DEEPEST + 2];
    struct range all = {0, b->set->n, 1, 0};
    size_t n = 0;
    list[n++] = all;
    while (n) {
        struct range range = list[--n];
        if (range.n <= 1 || range.depth >= DEEPEST)
            continue;
        uint32_t left = cut_range(b, &range);
        struct range halves[2] = {{range.from, left, 2 * range.root, range.depth + 1},
                                  {range.from + left, range.n - left, 2 * range.root + 1, range.depth + 1}};
        list[n++] = halves[0];
        list[n++] = halves[1];
    }
}

static bool make_arrays(struct bisection *b, struct arena *arena)
{
    uint32_t n = b->set->n, n_units = b->set->n_units;
    b->other = arena_array(arena, n, sizeof *b->other);
    b->right = arena_zeros(arena, n, sizeof *b->right);
    b->gains = arena_array(arena, n, sizeof *b->gains);
    b->scratch = arena_array(arena, n, sizeof *b->scratch);
    b->units = arena_zeros(arena, n_units, sizeof *b->units);
    b->seen = arena_array(arena, n_units, sizeof *b->seen);
    b->balances = arena_array(arena, n_units, sizeof *b->balances);
    b->unit_gains[0] = arena_array(arena, n_units, sizeof **b->unit_gains);
    b->unit_gains[1] = arena_array(arena, n_units, sizeof **b->unit_gains);
    if (!b->other || !b->right || !b->gains || !b->scratch || !b->units || !b->seen || !b->balances ||
        !b->unit_gains[0] || !b->unit_gains[1])
        return false;
    for (uint32_t i = 0; i < n_units; i++)
        b->units[i].number = NEW;
    for (uint32_t i = 1; i < CACHED_LOGARITHMS; i++)
        b->logarithms[i] = order_log2(i);
    for (uint32_t i = 0; i < n; i++)
        b->places[i] = i;
    return true;
}

int order_bisect(struct order_set *set, uint32_t *places, struct apf_error *error)
{
    struct arena arena = {0};
    struct bisection *b = arena_zeros(&arena, 1, sizeof *b);
    bool ready = false;
    if (b) {
        b->set = set;
        b->places = places;
        ready = make_arrays(b, &arena);
    }
    if (ready)
        cut_all(b);
    arena_free(&arena);
    return ready ? APF_OK : error_memory(error);
}
