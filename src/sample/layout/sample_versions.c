/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/layout/sample_versions.h"

#include <stddef.h>

#include "sample/layout/sample_layout.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The versions of a format ascend. */
static const struct sample_version versions[] = {
    {APF_SAMPLE_BINARY, 100, 0},                                     /* LLVM 3.5 to 3.7 */
    {APF_SAMPLE_BINARY, 102, SAMPLE_CAP_NAMES | SAMPLE_CAP_INLINED}, /* LLVM 3.8 */
    {APF_SAMPLE_BINARY, 103, SAMPLE_CAP_SUMMARY | SAMPLE_CAP_NAMES | SAMPLE_CAP_INLINED},
    {APF_SAMPLE_COMPACT, 103, SAMPLE_CAP_SUMMARY | SAMPLE_CAP_NAMES | SAMPLE_CAP_INLINED},
    {APF_SAMPLE_EXTBINARY, 103, SAMPLE_CAP_SUMMARY | SAMPLE_CAP_NAMES | SAMPLE_CAP_INLINED},
    /* after LLVM 22 */
    {APF_SAMPLE_EXTBINARY, 104,
     SAMPLE_CAP_SUMMARY | SAMPLE_CAP_NAMES | SAMPLE_CAP_INLINED | SAMPLE_CAP_SPANS},
};

const struct sample_version *sample_version_of(uint32_t format, uint64_t version)
{
    for (size_t i = 0; i < COUNT(versions); i++)
        if (versions[i].format == format && versions[i].version == version)
            return &versions[i];
    return NULL;
}

uint32_t sample_version_near(uint32_t format, uint64_t version)
{
    uint32_t near = 0;
    for (size_t i = 0; i < COUNT(versions) && (!near || near < version); i++)
        if (versions[i].format == format)
            near = versions[i].version;
    return near;
}

static const struct sample_section_flag flags[] = {
    {SAMPLE_SECTION_ANY, SAMPLE_FLAG_COMPRESSED, 0, "compressed", NULL, 0},
    {SAMPLE_SECTION_ANY, SAMPLE_FLAG_FLAT, 0, "flat", NULL, 0},
    {SAMPLE_SECTION_NAMES, SAMPLE_NAMES_FIXED, 0, "fixlenmd5", NULL, 0},
    {SAMPLE_SECTION_NAMES, SAMPLE_NAMES_MD5, SAMPLE_NAMES_FIXED, "md5", NULL, 0},
    {SAMPLE_SECTION_NAMES, SAMPLE_NAMES_UNIQUE, 0, "uniq", NULL, 0},
    {SAMPLE_SECTION_NAMES, SAMPLE_NAMES_SPANS, 0, NULL, "a name table in three spans (flag 8)",
     SAMPLE_CAP_SPANS},
    {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_PARTIAL, 0, "partial", NULL, 0},
    {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_CONTEXTS, 0, "context", NULL, 0},
    {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_PREINLINED, 0, "preInlined", NULL, 0},
    {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_FS, 0, "fs-discriminator", NULL, 0},
    {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_VTABLES, 0, NULL, NULL, 0},
    {SAMPLE_SECTION_OFFSETS, SAMPLE_OFFSETS_ORDERED, 0, "ordered", NULL, 0},
    {SAMPLE_SECTION_OFFSETS, SAMPLE_OFFSETS_SPANS, 0, NULL, "a function offset table in spans (flag 2)",
     SAMPLE_CAP_SPANS},
    {SAMPLE_SECTION_SYMBOLS, SAMPLE_SYMBOLS_HASHES, 0, NULL, "a profile symbol list of hashes (flag 1)",
     SAMPLE_CAP_SPANS},
    {SAMPLE_SECTION_METADATA, SAMPLE_METADATA_PROBES, 0, "probe", NULL, 0},
    {SAMPLE_SECTION_METADATA, SAMPLE_METADATA_ATTRIBUTES, 0, "attr", NULL, 0},
};

const struct sample_section_flag *sample_section_flag(uint64_t type, unsigned i)
{
    for (size_t row = 0; row < COUNT(flags); row++)
        if ((flags[row].type == type || flags[row].type == SAMPLE_SECTION_ANY) && i-- == 0)
            return &flags[row];
    return NULL;
}

static const struct sample_section_type types[] = {
    {0, "InvalidSection", "unknown section", "sample.ext.section.unknown"},
    {SAMPLE_SECTION_SUMMARY, "ProfileSummarySection", "summary", "sample.ext.section.summary"},
    {SAMPLE_SECTION_NAMES, "NameTableSection", "names", "sample.ext.section.names"},
    {SAMPLE_SECTION_SYMBOLS, "ProfileSymbolListSection", "symbols", "sample.ext.section.symbols"},
    {SAMPLE_SECTION_OFFSETS, "FuncOffsetTableSection", "offsets", "sample.ext.section.offsets"},
    {SAMPLE_SECTION_METADATA, "FunctionMetadata", "metadata", "sample.ext.section.metadata"},
    {SAMPLE_SECTION_CONTEXTS, "CSNameTableSection", "contexts", "sample.ext.section.contexts"},
    {SAMPLE_SECTION_FUNCTIONS, "LBRProfileSection", "functions", "sample.ext.section.functions"},
    {SAMPLE_SECTION_ANY, "UnknownSection", "unknown section", "sample.ext.section.unknown"},
};

const struct sample_section_type *sample_section_type_of(uint64_t type)
{
    size_t i = 0;
    while (types[i].type != type && types[i].type != SAMPLE_SECTION_ANY)
        i++;
    return &types[i];
}
