# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads, merges, compares and writes compiler profiles of every LLVM and GCC version, without LLVM.

open(path) opens a file of any kind; merge(paths, out) merges profiles, merge_bolt() those of BOLT; diff() and overlap()
compare them; coverage() says what of the source code ran. The guide is docs/python.md in the source tree.

>>> import anyprof
>>> profile = anyprof.open("examples/profiles/clang-16-ir.profraw")
>>> hottest = max(profile, key=lambda record: max(record.counts))
>>> profile.close()
"""

from __future__ import annotations

from collections.abc import Sequence as _Sequence

from . import _anyprof
from ._anyprof import (
    Array,
    BatEntry,
    BatFragment,
    BatInfo,
    BatPlace,
    BatTable,
    BoltYamlBlock,
    BoltYamlCall,
    BoltYamlFunction,
    BoltYamlHeader,
    BoltYamlInfo,
    BoltYamlProfile,
    BoltYamlSuccessor,
    Call,
    Common,
    Coverage,
    CoverageFunction,
    CoverageLine,
    CoverageRegion,
    CoverageShare,
    CoverageStats,
    CoverageTotals,
    DiffFunction,
    DiffSide,
    DiffTotals,
    FdataInfo,
    FdataLocation,
    FdataProfile,
    FdataRecord,
    FileInfo,
    Finding,
    Frame,
    Function,
    InstrInfo,
    InstrInput,
    InstrProfile,
    InstrTotals,
    Line,
    Overlap,
    OverlapSums,
    Probe,
    ProbeFrame,
    ProbeFunction,
    ProbeNode,
    Probes,
    ProbesInfo,
    Progress,
    Record,
    Salvage,
    SampleDiffFunction,
    SampleDiffSide,
    SampleDiffTotals,
    SampleInfo,
    SampleInput,
    SampleOverlap,
    SampleProfile,
    SampleSalvage,
    SampleTotals,
    SampleWritten,
    Skipped,
    Summary,
    SummaryRow,
    Trace,
    Value,
)
from ._calls import Contents, ProfileWarning
from ._compare import Diff, diff, overlap
from ._coverage import coverage
from ._enums import (
    BatEncoding,
    BatEntryFlag,
    BatPlaceFlag,
    BoltYamlFlag,
    BoltYamlHash,
    BoltYamlOrder,
    CoverageFit,
    CoverageRegionKind,
    DiffChange,
    ElfContents,
    FdataFlag,
    FdataKind,
    FdataSymbol,
    FileKind,
    InstrFormat,
    ProbeType,
    SampleAttribute,
    SampleDiffChange,
    SampleFlag,
    SampleFormat,
    SummaryScope,
    ValueKind,
    Variant,
)
from ._errors import (
    ArgumentError,
    Code,
    DirectoryError,
    Error,
    FileError,
    FilePermissionError,
    MissingFileError,
    UnknownFunctionError,
)
from ._files import check, detect, info, open
from ._merge import MergeResult, merge, merge_bolt
from ._methods import WriteResult

__version__ = _anyprof.version()

_RELEASE_KINDS = {"instr": 0, "llvm": 1, "gcc": 2}


def releases(bits: int, kind: str = "instr") -> list[str]:
    """The names of releases whose bits are set in a field such as InstrInfo.producers ("instr"), or in llvm_readers
    ("llvm") and gcc_readers ("gcc") of a SampleWritten.

    >>> anyprof.releases(0b110000)
    ['3.9', '4']
    """
    return _anyprof.releases(_RELEASE_KINDS[kind], bits)


def name_id(name: str) -> int:
    """The id of a name, as in Record.id, Value.value, Function.hash and ProbeFunction.guid.

    >>> hex(anyprof.name_id("main"))
    '0xdb956436e78dd5fa'
    """
    return _anyprof.name_id(name)


__all__ = [
    "ArgumentError",
    "Array",
    "BatEncoding",
    "BatEntry",
    "BatEntryFlag",
    "BatFragment",
    "BatInfo",
    "BatPlace",
    "BatPlaceFlag",
    "BatTable",
    "BoltYamlBlock",
    "BoltYamlCall",
    "BoltYamlFlag",
    "BoltYamlFunction",
    "BoltYamlHash",
    "BoltYamlHeader",
    "BoltYamlInfo",
    "BoltYamlOrder",
    "BoltYamlProfile",
    "BoltYamlSuccessor",
    "Call",
    "Code",
    "Common",
    "Contents",
    "Coverage",
    "CoverageFit",
    "CoverageFunction",
    "CoverageLine",
    "CoverageRegion",
    "CoverageRegionKind",
    "CoverageShare",
    "CoverageStats",
    "CoverageTotals",
    "Diff",
    "DiffChange",
    "DiffFunction",
    "DiffSide",
    "DiffTotals",
    "DirectoryError",
    "ElfContents",
    "Error",
    "FdataFlag",
    "FdataInfo",
    "FdataKind",
    "FdataLocation",
    "FdataProfile",
    "FdataRecord",
    "FdataSymbol",
    "FileError",
    "FileInfo",
    "FileKind",
    "FilePermissionError",
    "Finding",
    "Frame",
    "Function",
    "InstrFormat",
    "InstrInfo",
    "InstrInput",
    "InstrProfile",
    "InstrTotals",
    "Line",
    "MergeResult",
    "MissingFileError",
    "Overlap",
    "OverlapSums",
    "Probe",
    "ProbeFrame",
    "ProbeFunction",
    "ProbeNode",
    "ProbeType",
    "Probes",
    "ProbesInfo",
    "ProfileWarning",
    "Progress",
    "Record",
    "Salvage",
    "SampleAttribute",
    "SampleDiffChange",
    "SampleDiffFunction",
    "SampleDiffSide",
    "SampleDiffTotals",
    "SampleFlag",
    "SampleFormat",
    "SampleInfo",
    "SampleInput",
    "SampleOverlap",
    "SampleProfile",
    "SampleSalvage",
    "SampleTotals",
    "SampleWritten",
    "Skipped",
    "Summary",
    "SummaryRow",
    "SummaryScope",
    "Trace",
    "UnknownFunctionError",
    "Value",
    "ValueKind",
    "Variant",
    "WriteResult",
    "check",
    "coverage",
    "detect",
    "diff",
    "info",
    "merge",
    "merge_bolt",
    "name_id",
    "open",
    "overlap",
    "releases",
]
