/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/mapping_versions.h"

/* By the stored number. */
static const struct mapping_version versions[] = {
    {1, 0},                                                 /* LLVM 3.6 to 3.8 */
    {2, MAPPING_REFS},                                      /* 3.9 to 5 */
    {3, MAPPING_REFS},                                      /* 6 to 10: gap regions */
    {4, MAPPING_REFS | MAPPING_COVFUN},                     /* 11 */
    {5, MAPPING_REFS | MAPPING_COVFUN},                     /* 12: branches */
    {6, MAPPING_REFS | MAPPING_COVFUN | MAPPING_DIRECTORY}, /* 13 to 17 */
    {7, MAPPING_REFS | MAPPING_COVFUN | MAPPING_DIRECTORY}  /* 18 and later: MC/DC */
};

const struct mapping_version *mapping_version_find(uint32_t stored)
{
    return stored < sizeof versions / sizeof *versions ? &versions[stored] : NULL;
}
