/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the input of the benchmark of `bolt merge` with YAML: the profile of a program that was never compiled.
 *
 *     make_bolt_yaml FUNCTIONS >FILE
 *
 * Each function has 10 to 44 blocks, each block a successor or two, and one block in four a call. The layout is that of
 * perf2bolt. The same argument makes the same bytes. */
#include <inttypes.h>

#define MAKER "make_bolt_yaml"
#include "maker.h"

#define MASK_48 ((uint64_t)0xffffffffffff)

static void write_header(void)
{
    puts("---\n"
         "header:\n"
         "  profile-version: 1\n"
         "  binary-name:     program\n"
         "  binary-build-id: '<unknown>'\n"
         "  profile-flags:   [ lbr ]\n"
         "  profile-origin:  perf data aggregator\n"
         "  profile-events:  ''\n"
         "  dfs-order:       false\n"
         "  hash-func:       xxh3\n"
         "functions:");
}

static void write_block(uint32_t block, uint32_t n_blocks, uint32_t n_functions, uint64_t *seed)
{
    uint64_t r = next_random(seed), count = 1 + (r >> 50 >> (r % 15));
    printf("      - bid:             %" PRIu32 "\n"
           "        insns:           %" PRIu64 "\n"
           "        hash:            0x%" PRIX64 "\n",
           block, 1 + r % 20, next_random(seed));
    if (r % 4 == 0)
        printf("        calls:           [ { off: 0x%" PRIX64 ", fid: %" PRIu64 ", cnt: %" PRIu64 " } ]\n",
               r % 60, 1 + (r >> 8) % n_functions, count);
    if (block + 1 < n_blocks && r % 3 == 0)
        printf("        succ:            [ { bid: %" PRIu32 ", cnt: %" PRIu64 ", mis: %" PRIu64
               " }, { bid: %" PRIu64 ", cnt: %" PRIu64 " } ]\n",
               block + 1, count, count / 8, (r >> 16) % n_blocks, 1 + count / 3);
    else if (block + 1 < n_blocks)
        printf("        succ:            [ { bid: %" PRIu32 ", cnt: %" PRIu64 " } ]\n", block + 1, count);
}

static void write_function(uint32_t number, uint32_t n_functions, uint64_t *seed)
{
    uint64_t r = next_random(seed);
    uint32_t n_blocks = 10 + (uint32_t)(r % 35);
    printf("  - name:            fn%" PRIu32 "\n"
           "    fid:             %" PRIu32 "\n"
           "    hash:            0x%" PRIX64 "\n"
           "    exec:            %" PRIu64 "\n"
           "    nblocks:         %" PRIu32 "\n"
           "    blocks:\n",
           number, number, next_random(seed), (r & MASK_48) >> 30 >> (r % 15), n_blocks);
    for (uint32_t block = 0; block < n_blocks; block++)
        write_block(block, n_blocks, n_functions, seed);
}

int main(int argc, char **argv)
{
    uint64_t seed = 13;
    uint32_t n = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (n == 0) {
        fprintf(stderr, "usage: make_bolt_yaml FUNCTIONS >FILE\n");
        return 2;
    }
    write_header();
    for (uint32_t number = 1; number <= n; number++)
        write_function(number, n, &seed);
    puts("...");
    if (fflush(stdout) != 0 || ferror(stdout))
        die("output");
    return 0;
}
