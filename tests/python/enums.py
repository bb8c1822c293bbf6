#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names for numbers and bits in the package are those of the headers."""

import glob
import os
import re
import unittest

import _package as p

import anyprof
from anyprof import _coverage, _merge, _methods

HEADERS = "\n".join(p.read(h).decode() for h in sorted(glob.glob(os.path.join(p.SOURCE, "include", "anyprof", "*.h"))))
HEADERS = re.sub(r"/\*.*?\*/", "", HEADERS, flags=re.S).replace("\\\n", " ")

# Enumerations of C: class, enum, prefix, enumerators that are only ends.
ENUMS = [
    (anyprof.InstrFormat, "apf_instr_format", "APF_FORMAT_"),
    (anyprof.ValueKind, "apf_value_kind", "APF_VALUE_"),
    (anyprof.SummaryScope, "apf_summary_scope", "APF_SUMMARY_"),
    (anyprof.SampleFormat, "apf_sample_format", "APF_SAMPLE_"),
    (anyprof.FileKind, "apf_file_kind", "APF_KIND_"),
    (anyprof.ProbeType, "apf_probe_type", "APF_PROBE_TYPE_"),
    (anyprof.BatEncoding, "apf_bat_encoding", "APF_BAT_ENCODING_"),
    (anyprof.CoverageFit, "apf_cov_fit", "APF_COV_"),
    (anyprof.CoverageRegionKind, "apf_cov_region_kind", "APF_COV_REGION_"),
    (anyprof.FdataKind, "apf_fdata_kind", "APF_FDATA_"),
    (anyprof.FdataSymbol, "apf_fdata_symbol", "APF_FDATA_"),
    (anyprof.BoltYamlOrder, "apf_bolt_yaml_order", "APF_BOLT_ORDER_"),
    (anyprof.BoltYamlHash, "apf_bolt_yaml_hash", "APF_BOLT_"),
]
# Macros of C: class, prefix, how many there are in the headers, names with the prefix that mean something else.
MACROS = [
    (anyprof.Variant, "APF_VARIANT_", r"APF_VARIANT_\w+"),
    (anyprof.SampleAttribute, "APF_SAMPLE_", r"APF_SAMPLE_(?:WAS_INLINED|SHOULD_BE_INLINED|DUPLICATED)"),
    (anyprof.ElfContents, "APF_ELF_", r"APF_ELF_\w+"),
    (anyprof.DiffChange, "APF_DIFF_", r"APF_DIFF_(?!CS\b|ABSOLUTE\b|EXACT_NAMES\b|JSON\b|CHANGES\b)\w+"),
    (anyprof.SampleDiffChange, "APF_SAMPLE_DIFF_", r"APF_SAMPLE_DIFF_(?!ABSOLUTE\b|EXACT_NAMES\b|JSON\b|CHANGES\b)\w+"),
    (anyprof.BatEntryFlag, "APF_BAT_ENTRY_", r"APF_BAT_ENTRY_\w+"),
    (anyprof.BatPlaceFlag, "APF_BAT_PLACE_", r"APF_BAT_PLACE_\w+"),
    (anyprof.FdataFlag, "APF_FDATA_", r"APF_FDATA_(?!MOST\b)\w+"),
    (anyprof.BoltYamlFlag, "APF_BOLT_YAML_", r"APF_BOLT_YAML_\w+"),
]
ENDS = {"KINDS"}


def number(text):
    text = text.strip().rstrip("u")
    shift = re.fullmatch(r"\(\(uint64_t\)1 << (\d+)\)", text)
    return 1 << int(shift.group(1)) if shift else int(text, 0)


def macros(pattern):
    found = re.findall(rf"^#define ({pattern})[ \t]+(\S.*?)[ \t]*$", HEADERS, re.M)
    return {name: number(value) for name, value in found}


def enumerators(enum):
    values, last = {}, -1
    body = re.search(rf"enum {enum} \{{(.*?)\}};", HEADERS, re.S).group(1)
    for entry in filter(None, (e.strip() for e in body.split(","))):
        name, _, value = (part.strip() for part in entry.partition("="))
        last = number(value) if value else last + 1
        values[name] = last
    return values


class Names(unittest.TestCase):
    def test_enums(self):
        for kind, enum, prefix in ENUMS:
            theirs = {n[len(prefix):]: v for n, v in enumerators(enum).items()}
            theirs = {n: v for n, v in theirs.items() if n not in ENDS}
            theirs.setdefault("UNKNOWN", 0) if "UNKNOWN" in kind.__members__ else None
            self.assertEqual({m.name: int(m) for m in kind}, theirs)

    def test_macros(self):
        for kind, prefix, pattern in MACROS:
            theirs = {n[len(prefix):]: v for n, v in macros(pattern).items()}
            self.assertEqual({m.name: int(m) for m in kind}, theirs, kind)

    def test_sample_flags(self):
        """They share their prefix with others, so that the names are looked up."""
        for flag in anyprof.SampleFlag:
            self.assertEqual(macros(f"APF_SAMPLE_{flag.name}"), {f"APF_SAMPLE_{flag.name}": int(flag)})

    def test_private_numbers(self):
        for value, name in ((_merge._FAIL_SHARE, "APF_FAIL_SHARE"), (_merge._FAILURE_MODES["any"], "APF_FAIL_ANY"),
                            (_merge._FAILURE_MODES["all"], "APF_FAIL_ALL"),
                            (_merge._FAILURE_MODES["warn"], "APF_FAIL_WARN")):
            self.assertEqual(enumerators("apf_failure_mode")[name], value)
        for value, name in ((_merge._FIND_LOSSES[1], "APF_MERGE_FIND_LOSSES"),
                            (_merge._FIND_LOSSES[2], "APF_SAMPLE_MERGE_FIND_LOSSES"),
                            (_methods._SPARSE, "APF_WRITE_SPARSE"), (_methods._VTABLE_NAMES, "APF_WRITE_VTABLE_NAMES"),
                            (_methods._MD5, "APF_SAMPLE_WRITE_MD5"), (_methods._COMPRESS, "APF_SAMPLE_WRITE_COMPRESS"),
                            (_methods._PARTIAL, "APF_SAMPLE_WRITE_PARTIAL"),
                            (_methods._BRANCH_SOURCE, "APF_BAT_TRANSLATE_BRANCH_SOURCE"),
                            (_merge._MILLIONTHS * 100, "APF_LOSS_ALL"), (_coverage._UNION, "APF_COV_UNION"),
                            (_coverage._CHECK_IDS, "APF_COV_CHECK_IDS"),
                            (_methods._SUMMARY_ONLY, "APF_COV_SUMMARY_ONLY")):
            self.assertEqual(macros(name), {name: value})
        self.assertEqual([f"APF_COV_{name.upper()}" for name in _methods._COVERAGE_FORMATS],
                         list(enumerators("apf_cov_format")))

    def test_totals_have_all_counters(self):
        """A counter that the library gets is not lost on the way."""
        for kind, struct in ((anyprof.InstrTotals, "apf_merge_stats"), (anyprof.SampleTotals, "apf_sample_merge_stats"),
                             (anyprof.SampleWritten, "apf_sample_write_result"),
                             (anyprof.CoverageStats, "apf_cov_stats"), (anyprof.FdataInfo, "apf_fdata_info"),
                             (anyprof.BoltYamlInfo, "apf_bolt_yaml_info")):
            body = re.search(rf"struct {struct} \{{(.*?)\n\}};", HEADERS, re.S).group(1)
            names = {n.strip() for part in re.findall(r"uint(?:32|64)_t ([^;]+);", body) for n in part.split(",")}
            names = {n for n in names if not n.startswith(("supplement", "reserved", "excluded", "n_events"))}
            self.assertEqual({n for n in dir(kind) if n in names}, names)


if __name__ == "__main__":
    p.main()
