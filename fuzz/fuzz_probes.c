/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A section .pseudo_probe, or an ELF file. The input: a byte for byte order (1), continuing after damage (2), ELF (4)
 * and printing one function only (8); then the bytes. */
#include <anyprof/probe.h>

#include "fuzz_profile.h"

#define BIG 1u
#define GO_ON 2u
#define ELF 4u
#define ONE 8u

static uint64_t findings;

static int count_finding(void *user, const struct apf_diag *diag)
{
    (void)user;
    REQUIRE(diag->error->offset != UINT64_MAX && diag->error->where[0]);
    findings++;
    return 0;
}

static int forget(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return 0;
}

/* Requires that decoded probes are written as the same bytes. */
static void check_written(const struct apf_probes *probes, uint8_t flags, const uint8_t *data, size_t n)
{
    for (size_t i = 0; apf_probes_section(probes, i) != APF_PROBE_NONE; i++) {
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&buffer);
        int code = apf_probes_write_section(probes, apf_probes_section(probes, i), &output, NULL);
        REQUIRE(code == APF_OK || (flags & ELF && code == APF_UNSUPPORTED));
        if (!(flags & ELF) && findings == 0)
            REQUIRE(buffer.n == n && (n == 0 || memcmp(buffer.data, data, n) == 0));
        apf_buffer_free(&buffer);
    }
}

/* Prints every view. */
static void check_printed(const struct apf_probes *probes, uint8_t flags)
{
    struct apf_output output = apf_output_callback(forget, NULL);
    struct apf_probes_print_options o = {0};
    struct apf_probes_verdict verdict = {.size = sizeof verdict};
    const struct apf_probe_node *node = apf_probes_node(probes, 0);
    uint64_t differences;
    o.size = sizeof o;
    if (flags & ONE && node) {
        o.guid = node->guid;
        o.flags = APF_PROBES_PRINT_ONE_FUNCTION;
    }
    for (o.view = APF_PROBES_VIEW_DESC; o.view <= APF_PROBES_VIEW_STATS; o.view++) {
        o.flags ^= APF_PROBES_PRINT_JSON;
        REQUIRE(apf_probes_print(probes, &o, &output, NULL) == APF_OK);
        o.flags ^= APF_PROBES_PRINT_JSON;
        REQUIRE(apf_probes_print(probes, &o, &output, NULL) == APF_OK);
    }
    for (uint32_t json = 0; json <= APF_PROBES_PRINT_JSON; json += APF_PROBES_PRINT_JSON) {
        struct apf_probes_check_options check = {
            .size = sizeof check, .flags = json | (o.flags & APF_PROBES_PRINT_ONE_FUNCTION), .guid = o.guid};
        REQUIRE(apf_probes_check(probes, probes, &check, &output, &verdict, NULL) == APF_OK);
        REQUIRE(verdict.n_changed == 0 && verdict.n_findings >= findings);
        REQUIRE(apf_probes_diff(probes, probes, &check, &output, &differences, NULL) == APF_OK);
        REQUIRE(differences == 0);
    }
}

/* Requires that every find function agrees with a walk over all probes. */
static void check_found(const struct apf_probes *probes)
{
    const struct apf_probes_info *info = apf_probes_info(probes);
    uint64_t nodes = 0, bytes = 0, placed = 0;
    size_t first;
    for (size_t i = 0; i < info->n_nodes; i++) {
        const struct apf_probe_node *node = apf_probes_node(probes, i);
        REQUIRE(i + node->n_nodes <= info->n_nodes && node->first_probe + node->n_probes <= info->n_probes);
        bytes += node->parent == APF_PROBE_NONE ? node->size : 0;
        nodes += node->parent == APF_PROBE_NONE;
    }
    REQUIRE(nodes == info->n_records && bytes <= info->probe_bytes && info->n_sentinels <= info->probe_bytes);
    for (size_t i = 0; i < info->n_probes; i++) {
        const struct apf_probe *probe = apf_probes_probe(probes, i);
        struct apf_probe_frame frames[4];
        placed += !(probe->flags & APF_PROBE_FLAG_UNPLACED);
        REQUIRE(apf_probes_frames(probes, i, frames, 4) == apf_probes_node(probes, probe->node)->depth);
    }
    REQUIRE(apf_probes_find_range(probes, 0, UINT64_MAX, &first) <= placed && first == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_probe_options o = {0};
    struct apf_probes *probes;
    struct apf_error error;
    if (size < 1)
        return -1;
    uint8_t flags = data[0];
    struct apf_input input = apf_input_memory(data + 1, size - 1, "fuzz");
    findings = 0;
    o.size = sizeof o;
    struct apf_options common = {.size = sizeof common};
    o.options = &common;
    common.max_bytes = (uint64_t)1 << 24;
    common.diag = count_finding;
    o.flags = flags & GO_ON ? APF_PROBES_OPEN_KEEP_GOING : 0;
    o.big_endian = flags & BIG;
    int code = flags & ELF ? apf_probes_open(&probes, &input, &o, &error)
                           : apf_probes_open_sections(&probes, &input, NULL, &o, &error);
    REQUIRE((code == APF_OK) == (probes != NULL));
    if (code != APF_OK) {
        REQUIRE(error.code == code && error.where[0]);
        REQUIRE(flags & ELF || code == APF_BAD_PROBES || code == APF_TRUNCATED ||
                code == APF_DECOMPRESS_FAILED || code == APF_UNCOMPRESS_FAILED || code == APF_TOO_LARGE);
        return 0;
    }
    check_written(probes, flags, data + 1, size - 1);
    check_printed(probes, flags);
    check_found(probes);
    apf_probes_close(probes);
    return 0;
}
