/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections with pseudo probes, as bytes: functions of many tests, and a way to open them. */
#ifndef HELPERS_SHARED_PROBE_BUILD_H
#define HELPERS_SHARED_PROBE_BUILD_H

#include <anyprof/probe.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"

#define LEAF 7399155579282764986u
#define MID 4395024877212874786u
#define TOP 18040073496307205042u
#define MAIN 15822663052811949562u

/* The GUIDs for hex_bytes. */
#define HEX_MAIN "fad58de7366495db "
#define HEX_TOP "b28354b543375bfa "
#define HEX_MID "22384709d743fe3c "
#define HEX_LEAF "bab4ff04cc14af66 "

/* Independent of a compiler: the specification has the assembly. */
#define PROBES_MINI                                                                                          \
    HEX_MAIN "0200 018000 028209" HEX_TOP "0301 018000 02800c 048018 03" HEX_MID                             \
             "0500 018068 028005 038202 048007 058003" HEX_LEAF "0100 018000"

/* The output of clang 22 for fib.c. */
#define PROBES_FIB                                                                                           \
    "fad58de7366495db0101018007 02b28354b543375bfa0a01 018000 028000 088019 098000 028000 04800a 0680ca00 "  \
    "078102"                                                                                                 \
    "03800b 0a8000 05 45f43daaad51d2ef0500 0180a97f 048005 028011 038202 05802e"                             \
    "b28354b543375bfa0a01 018008 028000 088018 098000 028000 04800b 0680ce00 078103 03800a 0a8000 05"        \
    "45f43daaad51d2ef0500 0180a57f 048006 02800f 038203 058031 bab4ff04cc14af660100018000"

/* Open bytes or an ELF file that must be good. */
struct apf_probes *probe_open_section(const uint8_t *data, size_t n);
struct apf_probes *probe_open_elf(const struct eb_file *file);
/* A program with the probes of PROBES_MINI, and descriptors of main and top with the checksums 17 and 34; the caller
 * frees it. */
struct eb_bytes probe_build_program(void);
/* Fails the test unless the first section is written as these bytes. */
void probe_check_rewritten(const struct apf_probes *probes, const uint8_t *bytes, size_t n);

#endif
