# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and bits that the library's structures hold, by name."""

from __future__ import annotations

import enum


class InstrFormat(enum.IntEnum):
    """Formats of instrumentation profiles."""

    UNKNOWN = 0
    RAW = 1
    INDEXED = 2
    TEXT = 3
    MERGED = 4
    JSON = 5
    MEMPROF = 6


class Variant(enum.IntFlag):
    """Variant bits of an instrumentation profile, as LLVM defines them."""

    LOOP_ENTRIES = 1 << 55
    IR = 1 << 56
    CS = 1 << 57
    ENTRY_FIRST = 1 << 58
    DEBUG_CORRELATE = 1 << 59
    BYTE_COVERAGE = 1 << 60
    ENTRY_ONLY = 1 << 61
    MEMPROF = 1 << 62
    TEMPORAL = 1 << 63


class ValueKind(enum.IntEnum):
    """Kinds of profiled values."""

    INDIRECT_CALL = 0
    MEMOP_SIZE = 1
    VTABLE = 2


class SummaryScope(enum.IntEnum):
    """The records that a summary is about."""

    ALL = 0
    NOT_CS = 1
    CS = 2


class SampleFormat(enum.IntEnum):
    """Formats of sample profiles."""

    UNKNOWN = 0
    TEXT = 1
    BINARY = 2
    COMPACT = 3
    EXTBINARY = 4
    GCC = 5
    MERGED = 6
    JSON = 7


class SampleFlag(enum.IntFlag):
    """Properties of a sample profile."""

    PROBES = 1
    CONTEXTS = 2
    PREINLINED = 4
    FS = 8
    MD5 = 16
    UNIQUE = 32
    PARTIAL = 64
    VTABLES = 128
    ATTRIBUTES = 256
    TIMES = 512


class SampleAttribute(enum.IntFlag):
    """Attributes of a function of a sample profile."""

    WAS_INLINED = 1
    SHOULD_BE_INLINED = 2
    DUPLICATED = 4


class FileKind(enum.IntEnum):
    """What a file is."""

    UNKNOWN = 0
    EMPTY = 1
    INSTR_RAW = 2
    INSTR_INDEXED = 3
    INSTR_TEXT = 4
    SAMPLE_BINARY = 5
    SAMPLE_TEXT = 6
    SAMPLE_GCOV = 7
    MEMPROF_RAW = 8
    PERF_DATA = 9
    ELF = 10
    ARCHIVE = 11
    GZIP = 12
    ZSTD = 13
    BZIP2 = 14
    XZ = 15
    BOLT_FDATA = 16
    BOLT_YAML = 17
    BOLT_SAMPLES = 18
    MEMPROF_YAML = 19
    INSTR_JSON = 20
    OTHER_JSON = 21
    PERF_SCRIPT = 22
    BAT_SECTION = 23
    HTML = 24
    GIT_LFS = 25
    TAR = 26
    ZIP = 27
    GCDA = 28
    GCNO = 29
    CORE = 30
    SAMPLE_JSON = 31
    PARTIAL = 32
    PARTIAL_SAMPLE = 33


class ElfContents(enum.IntFlag):
    """Sections of an ELF file that concern profiling."""

    INSTRUMENTED = 1
    COVERAGE_MAP = 2
    PROBES = 4
    BAT = 8
    DEBUG_INFO = 16
    MEMPROF = 32
    BOLTED = 64
    BOLT_INSTRUMENTED = 128
    STRIPPED = 256
    GCOV = 512


class DiffChange(enum.IntFlag):
    """How a function of an instrumentation profile has changed."""

    ONLY_A = 1
    ONLY_B = 2
    HASH = 4
    COUNTERS = 8
    BITMAP = 16
    SITES = 32
    COUNTS = 64
    BITS = 128
    VALUES = 256
    PSEUDO = 512
    NAME = 1024


class SampleDiffChange(enum.IntFlag):
    """How a function of a sample profile has changed."""

    ONLY_A = 1
    ONLY_B = 2
    CHECKSUM = 4
    SHARE = 8
    LINES = 16
    TARGETS = 32
    VTABLES = 64
    CALLERS = 128
    ATTRIBUTES = 256
    NAME = 512


class ProbeType(enum.IntEnum):
    """Types of pseudo probes."""

    BLOCK = 0
    INDIRECT_CALL = 1
    DIRECT_CALL = 2


class BatEncoding(enum.IntEnum):
    """Encodings of a BAT table."""

    CURRENT = 0
    LEB = 1
    FIXED = 2


class BatEntryFlag(enum.IntFlag):
    """What an entry of a BAT table is."""

    BRANCH = 1
    DELETED = 2


class BatPlaceFlag(enum.IntFlag):
    """What is special about a place that BatTable.translate() or reverse() has found."""

    OUTSIDE = 1
    NO_ENTRY = 2
    REMOVED = 4
    ESTIMATED = 8


class CoverageFit(enum.IntEnum):
    """Why a function has no counts, or is left out."""

    FITS = 0
    MISMATCH = 1
    SHORT_COUNTERS = 2
    CIRCULAR = 3
    DAMAGED = 4
    AMBIGUOUS = 5
    UNUSED = 6
    DUPLICATE = 7
    EXCLUDED = 8


class CoverageRegionKind(enum.IntEnum):
    """Kinds of regions; the numbers are those of LLVM's JSON."""

    CODE = 0
    EXPANSION = 1
    SKIPPED = 2
    GAP = 3
    BRANCH = 4
    DECISION = 5
    CONDITION = 6


class FdataFlag(enum.IntFlag):
    """Header lines of a profile in fdata."""

    BOLTED = 1
    NO_LBR = 2


class FdataKind(enum.IntEnum):
    """Kinds of records of a profile in fdata."""

    BRANCH = 0
    SAMPLE = 1
    MEMORY = 2


class FdataSymbol(enum.IntEnum):
    """Whether a place of a profile in fdata is in a symbol."""

    NO_SYMBOL = 0
    SYMBOL = 1
    LOCAL_SYMBOL = 2


class BoltYamlFlag(enum.IntFlag):
    """What was sampled for a profile of BOLT in YAML."""

    LBR = 1
    SAMPLE = 2
    MEMEVENT = 4


class BoltYamlOrder(enum.IntEnum):
    """Orders in which the blocks of a profile of BOLT in YAML are numbered."""

    UNSAID = 0
    DFS = 1
    LAYOUT = 2


class BoltYamlHash(enum.IntEnum):
    """Functions that make the hashes in a profile of BOLT in YAML."""

    STD_HASH = 0
    XXH3 = 1
