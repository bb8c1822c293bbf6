/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bounds of this image's sections. Linkers define __start_S and __stop_S for an output section named S; a linker
 * script that merges the sections into others has to define the symbols itself (docs/runtime_bare_metal.md). */
#include "rt_atomic.h"
#include "rt_image.h"
#ifdef ANYPROF_RT_HOSTED
#include "rt_continuous.h"
#include "rt_memory.h"
#endif

#define BOUNDS(section)                                                                                      \
    extern uint8_t __start_##section[] RT_WEAK RT_HIDDEN;                                                    \
    extern uint8_t __stop_##section[] RT_WEAK RT_HIDDEN;
BOUNDS(__llvm_prf_data)
BOUNDS(__llvm_prf_cnts)
BOUNDS(__llvm_prf_bits)
BOUNDS(__llvm_prf_names)
BOUNDS(__llvm_prf_vtab)
BOUNDS(__llvm_prf_vns)

/* Objects of IR instrumentation and of byte coverage state their version. Hidden, because it concerns this image
 * only, although clang 13 to 15 export it. */
extern const uint64_t __llvm_profile_raw_version RT_WEAK RT_HIDDEN;

#ifdef ANYPROF_RT_HOSTED
#define BIAS(what) (RT_LINKED(&__llvm_profile_##what##_bias) ? __llvm_profile_##what##_bias : 0)
#else
#define BIAS(what) 0
#endif

static const struct aprt_layout *chosen;
static size_t num_data, num_sites;

#define SIZE(section) ((uintptr_t)__stop_##section - (uintptr_t)__start_##section)

#ifdef ANYPROF_RT_HOSTED
static size_t counters_used, bitmap_used;
static uint32_t *with_sites;
static size_t num_with_sites;
static unsigned site_changes;

/* Below this size, examining all records is as fast as using the index. (A record has at least 32 bytes.) */
enum { INDEX_FROM = 65536 };

static size_t site_index_size(const struct aprt_image *image)
{
    return (image->data_size / 32 + 1) * sizeof *image->with_sites;
}

/* Allocates the index of records with sites. It is never freed, because another thread may be reading it; so a
 * library, which may be loaded again and again, has none. */
static void allocate_site_index(struct aprt_image *image)
{
    if (image->data_size >= INDEX_FROM && !aprt_image_is_library())
        image->with_sites = aprt_room(site_index_size(image));
}

/* Publishes the index of the first thread that gets here; others free theirs. */
static void publish_site_index(struct aprt_image *image)
{
    static unsigned arrivals;
    if (!image->with_sites)
        return;
    if (image->layout && image->num_sites && RT_ADD(&arrivals, 1) == 0) {
        RT_STORE(&num_with_sites, image->num_with_sites);
        RT_STORE_RELEASE(&with_sites, image->with_sites);
    } else {
        aprt_pages_free(image->with_sites, site_index_size(image));
        image->with_sites = NULL;
    }
}

/* The index is not freed, because another thread may be reading it. */
void aprt_image_change_sites(size_t more)
{
    RT_STORE_RELEASE(&with_sites, NULL);
    (void)RT_ADD(&num_sites, more);
    (void)RT_ADD(&site_changes, 1);
}

/* Removes the filling of rt_live.c from the sizes: it is no counter. */
static void leave_out_filling(struct aprt_image *image)
{
    if (RT_LINKED(&apf_rt_live) && image->counters_used)
        image->counters_size = image->counters_used;
    if (RT_LINKED(&apf_rt_live_bitmaps) && image->bitmap_used)
        image->bitmap_size = image->bitmap_used;
}
#endif

/* What the linker's bounds say, and what an earlier examination found. */
static void fill_from_bounds(struct aprt_image *image, const struct aprt_layout *known)
{
    *image = (struct aprt_image){
        .layout = known,
        .data = __start___llvm_prf_data,
        .counters = __start___llvm_prf_cnts,
        .bitmap = __start___llvm_prf_bits,
        .counters_now = __start___llvm_prf_cnts + BIAS(counter),
        .bitmap_now = __start___llvm_prf_bits + BIAS(bitmap),
        .names = __start___llvm_prf_names,
        .vtables = __start___llvm_prf_vtab,
        .vtable_names = __start___llvm_prf_vns,
        .data_size = SIZE(__llvm_prf_data),
        .counters_size = SIZE(__llvm_prf_cnts),
        .bitmap_size = SIZE(__llvm_prf_bits),
        .counters_room = SIZE(__llvm_prf_cnts),
        .bitmap_room = SIZE(__llvm_prf_bits),
        .names_size = SIZE(__llvm_prf_names),
        .vtables_size = SIZE(__llvm_prf_vtab),
        .vtable_names_size = SIZE(__llvm_prf_vns),
        .num_data = RT_LOAD(&num_data),
        .num_sites = RT_LOAD(&num_sites),
    };
#ifdef ANYPROF_RT_HOSTED
    image->site_changes = RT_LOAD(&site_changes);
    /* The bitmaps are those of rt_live_bitmaps.c alone: the whole archive was linked. */
    if (RT_LINKED(&apf_rt_live_bitmaps) && image->bitmap == apf_rt_live_bitmaps &&
        image->bitmap_size == RT_LIVE_PAGE)
        image->bitmap_size = 0;
#endif
}

/* Examines all records and keeps what later calls need. */
static enum aprt_found examine_records(struct aprt_image *image, uint64_t said)
{
    image->version = said;
#ifdef ANYPROF_RT_HOSTED
    allocate_site_index(image);
#endif
    enum aprt_found found = aprt_layout_choose(image, said);
    RT_STORE(&num_data, image->num_data);
    RT_STORE(&num_sites, image->num_sites);
#ifdef ANYPROF_RT_HOSTED
    publish_site_index(image);
    RT_STORE(&counters_used, image->counters_used);
    RT_STORE(&bitmap_used, image->bitmap_used);
    leave_out_filling(image);
#endif
    /* Stored last: a thread that sees it also sees the rest. Threads that examine at the same time find the same. */
    if (image->layout)
        (void)RT_LINK(&chosen, const struct aprt_layout *, image->layout);
    return found;
}

enum aprt_found aprt_image_find(struct aprt_image *image)
{
    uint64_t said = RT_LINKED(&__llvm_profile_raw_version) ? __llvm_profile_raw_version : 0;
    const struct aprt_layout *known = RT_LOAD_ACQUIRE(&chosen);
    fill_from_bounds(image, known);
    if (!known)
        return examine_records(image, said);
    image->version = (said & ~RT_FORMAT_BITS) | known->version;
#ifdef ANYPROF_RT_HOSTED
    image->with_sites = RT_LOAD_ACQUIRE(&with_sites);
    image->num_with_sites = RT_LOAD(&num_with_sites);
    image->counters_used = RT_LOAD(&counters_used);
    image->bitmap_used = RT_LOAD(&bitmap_used);
    leave_out_filling(image);
#endif
    return RT_FOUND;
}

uint8_t aprt_values_at;

void aprt_values_find(void)
{
    struct aprt_image image;
    enum aprt_found found = aprt_image_find(&image);
    RT_STORE(&aprt_values_at, found == RT_FOUND ? image.layout->values : (uint8_t)RT_NO_VALUES);
}
