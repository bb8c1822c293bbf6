/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_values.h"

#include "rt_atomic.h"

/* Compilers reserve nodes for each site; sites with more values use these, in the same section. */
#ifndef ANYPROF_RT_NODES
#define ANYPROF_RT_NODES 1024
#endif
#if ANYPROF_RT_NODES > 0
static struct aprt_node spare_nodes[ANYPROF_RT_NODES] __attribute__((section("__llvm_prf_vnds"), used));
/* A reference, without which linkers that drop unused sections drop the nodes. */
#define KEEP_NODES() __asm__ volatile("" : : "r"(spare_nodes))
#else
#define KEEP_NODES() ((void)0)
#endif

unsigned aprt_values_limit = 24;
uint32_t aprt_values_lost;
static size_t nodes_used;

size_t aprt_values_used(void)
{
    size_t n = RT_LOAD(&nodes_used), there = aprt_values_room();
    KEEP_NODES();
    return n < there ? n : there;
}

const struct aprt_node *aprt_values_end(void)
{
    return __start___llvm_prf_vnds + aprt_values_used();
}

/* Returns n adjacent nodes, or NULL. */
static struct aprt_node *allocate_nodes(size_t n)
{
    /* The test before the addition keeps nodes_used from growing for ever. */
    size_t there = aprt_values_room(), at = RT_LOAD(&nodes_used);
    if (n > there || at > there - n || (at = RT_ADD(&nodes_used, n)) > there - n)
        return NULL;
    return &__start___llvm_prf_vnds[at];
}

static struct aprt_node *allocate_node(uint64_t value, uint64_t count)
{
    struct aprt_node *node = allocate_nodes(1);
    if (!node && RT_LINKED(aprt_memory_permanent))
        node = aprt_memory_permanent(sizeof *node);
    if (node) {
        RT_STORE64(&node->value, value);
        RT_STORE64(&node->count, count);
    }
    return node;
}

/* Replaces the least value as compiler-rt does, so that a value with more than half of the weight stays whatever
 * follows. */
static void replace_value(struct aprt_node *least, uint64_t value, uint64_t count)
{
    uint64_t had = RT_LOAD64(&least->count);
    if (had <= count) {
        RT_STORE64(&least->value, value);
        RT_STORE64(&least->count, count);
    } else {
        RT_STORE64(&least->count, had - count);
    }
}

void aprt_values_reset(void)
{
    struct aprt_image image;
    if (aprt_image_find(&image) != RT_FOUND)
        return;
    for (size_t i = 0; i < aprt_site_records(&image); i++) {
        const uint8_t *record = aprt_site_record(&image, i);
        struct aprt_node **lists = (struct aprt_node **)aprt_pointer(record + image.layout->values);
        for (size_t site = lists ? aprt_record_sites(image.layout, record) : 0; site--;) {
            for (struct aprt_node *node = RT_LOAD_ACQUIRE(&lists[site]); node;
                 node = RT_LOAD_ACQUIRE(&node->next))
                RT_STORE64(&node->count, 0);
        }
    }
}

/* Returns the lists of a record, which another thread may be creating. */
static inline struct aprt_node **lists_in(const void *at)
{
    return RT_LOAD_ACQUIRE((struct aprt_node * *const *)at);
}

/* Creates the lists of a record whose compiler left them to the runtime: clang 13 to 16 for systems they do not know,
 * and -mllvm -vp-static-alloc=false. Without memory the lists are put into nodes, which are zero until used. */
static struct aprt_node **make_lists(void *at)
{
    struct aprt_node ***lists_at = at;
    struct aprt_image image;
    if (aprt_image_find(&image) != RT_FOUND)
        return NULL;
    size_t sites = aprt_record_sites(image.layout, (const uint8_t *)at - image.layout->values);
    size_t size = sites * sizeof(struct aprt_node *);
    struct aprt_node **lists = NULL;
    if (RT_LINKED(aprt_memory_permanent)) {
        lists = sites ? aprt_memory_permanent(size) : NULL;
        /* compiler-rt has this limit for such lists. */
        if (RT_LOAD(&aprt_values_limit) == 24)
            RT_STORE(&aprt_values_limit, RT_MOST_VALUES);
    } else if (sites) {
        lists = (struct aprt_node **)allocate_nodes((size + sizeof(struct aprt_node) - 1) /
                                                    sizeof(struct aprt_node));
    }
    if (lists)
        (void)RT_LINK(lists_at, struct aprt_node **, lists);
    return RT_LOAD_ACQUIRE(lists_at);
}

/* Without atomics an interrupt may damage a list; a walk over it must still end. */
#ifdef ANYPROF_RT_NO_ATOMICS
#define IS_SOUND(n) ((n) < RT_MOST_VALUES)
#else
#define IS_SOUND(n) 1
#endif

/* Replaces the least value of a full list. */
static __attribute__((noinline)) void replace_least(struct aprt_node **list, uint64_t value, uint64_t count)
{
    unsigned n = 0;
    struct aprt_node *least = NULL;
    uint64_t least_count = UINT64_MAX;
    for (struct aprt_node *node = RT_LOAD_ACQUIRE(list); node && IS_SOUND(n);
         node = RT_LOAD_ACQUIRE(&node->next), n++) {
        uint64_t has = RT_LOAD64(&node->count);
        least = has < least_count ? node : least;
        least_count = has < least_count ? has : least_count;
    }
    if (least)
        replace_value(least, value, count);
}

/* Appends a value that the list did not have a moment ago. The list was not full. */
static __attribute__((noinline)) void append_value(struct aprt_node **at, uint64_t value, uint64_t count)
{
    struct aprt_node *node = NULL, *next = NULL;
    for (unsigned n = 0; n < RT_LOAD(&aprt_values_limit); n++, at = &next->next) {
        if (!RT_LOAD_ACQUIRE(at) && !node && !(node = allocate_node(value, count))) {
            (void)RT_ADD(&aprt_values_lost, 1);
            return;
        }
        if (node && RT_LINK(at, struct aprt_node *, node))
            return;
        next = RT_LOAD_ACQUIRE(at);
        if (RT_LOAD64(&next->value) == value) {
            RT_COUNT(&next->count, count);
            return; /* another thread was quicker: the node is lost */
        }
    }
    /* Other threads have filled the list meanwhile; `next` is its last node. */
    if (next)
        replace_value(next, value, count);
}

/* Most calls end at one of the first nodes: that path makes no calls and saves no registers. */
static inline void add_to_list(struct aprt_node **list, uint64_t value, uint64_t count)
{
    unsigned n = 0;
    for (struct aprt_node *node = RT_LOAD_ACQUIRE(list); node && IS_SOUND(n);
         node = RT_LOAD_ACQUIRE(&node->next), n++) {
        if (RT_LOAD64(&node->value) == value) {
            RT_COUNT(&node->count, count);
            return;
        }
    }
    if (n < RT_LOAD(&aprt_values_limit))
        append_value(list, value, count);
    else
        replace_least(list, value, count);
}

/* The slow path: the first call, or a record without lists. */
static __attribute__((noinline)) void add_value_slowly(uint64_t value, const void *record, uint32_t site,
                                                       uint64_t count)
{
    uint8_t at = RT_LOAD(&aprt_values_at);
    if (at == 0) {
        aprt_values_find();
        at = RT_LOAD(&aprt_values_at);
    }
    if (!record || !count || at == RT_NO_VALUES)
        return;
    uint8_t *lists_at = (uint8_t *)(uintptr_t)record + at;
    struct aprt_node **lists = lists_in(lists_at);
    if (lists || (lists = make_lists(lists_at)))
        add_to_list(&lists[site], value, count);
}

static inline void add_value(uint64_t value, const void *record, uint32_t site)
{
    uint8_t at = RT_LOAD(&aprt_values_at);
    struct aprt_node **lists = NULL;
    if (at != 0 && at != RT_NO_VALUES && record)
        lists = lists_in((const uint8_t *)record + at);
    if (lists)
        add_to_list(&lists[site], value, 1);
    else
        add_value_slowly(value, record, site, 1);
}

void aprt_values_add(uint64_t value, const void *record, uint32_t site, uint64_t count)
{
    add_value_slowly(value, record, site, count);
}

void __llvm_profile_instrument_target_value(uint64_t value, void *record, uint32_t site, uint64_t count)
{
    add_value_slowly(value, record, site, count);
}

void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site)
{
    add_value(value, record, site);
}

/* Sizes are grouped into classes, named after their least: 0 to 8, 9 to 15, 16, 17 to 31, 32, ..., 513 and more. */
static uint64_t size_class(uint64_t size)
{
    if (size <= 8)
        return size;
    if (size >= 513)
        return 513;
    if ((size & (size - 1)) == 0)
        return size;
    return (1u << (31 - __builtin_clz((uint32_t)size))) + 1;
}

void __llvm_profile_instrument_memop(uint64_t size, void *record, uint32_t site)
{
    add_value(size_class(size), record, site);
}
