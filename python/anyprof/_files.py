# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opening files, and finding out what they are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Optional, Union

from . import _anyprof
from ._bolt import BOLT_KINDS, BoltProfile, read_bolt
from ._calls import Findings, OnFinding, Source, correlator_of, listed, one_input, options, source_name
from ._enums import ElfContents, FileKind
from ._errors import Code, Error, make

Opened = Union[_anyprof.InstrProfile, _anyprof.SampleProfile, _anyprof.Probes, _anyprof.BatTable, BoltProfile]

FAMILY_INSTR = 1
FAMILY_SAMPLE = 2
_KINDS = ("instr", "sample", "probes", "bat", *BOLT_KINDS.values())
# Files that may begin like a profile of the first kinds, or like nothing, until all of them is read.
_UNSURE = (FileKind.INSTR_TEXT, FileKind.INSTR_JSON, FileKind.UNKNOWN)
_READ = (
    *_UNSURE,
    FileKind.EMPTY,
    FileKind.INSTR_RAW,
    FileKind.INSTR_INDEXED,
    FileKind.SAMPLE_BINARY,
    FileKind.SAMPLE_TEXT,
    FileKind.SAMPLE_GCOV,
    FileKind.SAMPLE_JSON,
    FileKind.MEMPROF_YAML,
    FileKind.PARTIAL,
    FileKind.PARTIAL_SAMPLE,
    FileKind.ELF,
    FileKind.BAT_SECTION,
    *BOLT_KINDS,
    # which could not be unpacked: the reader says why
    FileKind.GZIP,
    FileKind.ZSTD,
)
_OTHERS = tuple(kind for kind in FileKind if kind not in _READ)


def _elf_kind(info: _anyprof.FileInfo, name: str) -> str:
    has = ElfContents(info.contents)
    if ElfContents.PROBES in has and ElfContents.BAT in has:
        raise ValueError(f'{name} has both pseudo probes and a BAT table: give kind="probes" or kind="bat"')
    if ElfContents.BAT in has:
        return "bat"
    if ElfContents.PROBES in has:
        return "probes"
    message = "this ELF file has neither pseudo probes nor a BAT table"
    if ElfContents.COVERAGE_MAP in has:
        message += "; coverage() reads it, with the profile of a run"
    elif ElfContents.INSTRUMENTED in has:
        message += "; it is an instrumented program, which writes profiles when it runs"
    raise make(Code.UNSUPPORTED, message, "open.kind", file=name)


def _unread(kind: FileKind, name: str) -> BaseException:
    """The error for a file that is something else than what open() reads."""
    what, hint = _anyprof.kind_words(kind)
    if kind == FileKind.ARCHIVE:
        hint = "coverage() reads those of object files"
    message = f"open() does not read {what}" + (f": {hint}" if hint else "")
    return make(Code.UNSUPPORTED, message, "open.kind", file=name)


def _kind_of(source: Source, given: Any, call: tuple[Any, ...]) -> str:
    family, names = _anyprof.family((given,))[0]
    if family:
        return "sample" if family == FAMILY_SAMPLE else "instr"
    info = _anyprof.detect((given,), call)
    if info.kind == FileKind.ELF:
        return _elf_kind(info, source_name(source))
    if info.kind == FileKind.BAT_SECTION:
        return "bat"
    if info.kind in BOLT_KINDS:
        return BOLT_KINDS[FileKind(info.kind)]
    if info.kind in _UNSURE and source_name(source).endswith((".fdata", ".fdata.gz", ".fdata.zst")):
        return "fdata"  # a damaged one
    if info.kind in _OTHERS:
        raise _unread(FileKind(info.kind), source_name(source))
    return "sample" if names == FAMILY_SAMPLE else "instr"


def _explain(error: Error, given: Any, name: str) -> BaseException:
    """The error for a file that could not be read as a profile, whose first bytes do not say what it is."""
    facts = json.loads(_anyprof.info((given,), options(Findings(None))))["files"][0]
    for kind in _OTHERS:
        if kind.name.lower() == facts["kind"]:
            return _unread(kind, name)
    if facts["kind"] is None and facts["error"]:
        error.message += f"; it is {facts['error']['message'].rpartition(': ')[2]}"
        error.args = (error.message,)
    return error


def open(
    source: Source,
    kind: Optional[str] = None,
    *,
    threads: int = 0,
    salvage: bool = False,
    drop_memprof: bool = False,
    max_bytes: int = 0,
    max_records: int = 0,
    max_depth: int = 0,
    debug_info: Union[Source, Iterable[Source]] = (),
    binary_file: Union[Source, Iterable[Source]] = (),
    on_finding: Optional[OnFinding] = None,
) -> Opened:
    """Opens a file of any kind, by its contents, and reads all of it.

    source        the path of a file, or anyprof.Contents for bytes in memory
    kind          "instr", "sample", "probes", "bat", "fdata" or "bolt-yaml", if it must be that; None: what the file is
    threads       threads that read; 0: as many as there are processors
    salvage       keep the provably intact parts of a damaged profile: see the attribute salvage of the result
    drop_memprof  leave out a memory profile in the file
    max_bytes, max_records, max_depth  limits on what a file may make the library do; 0: the defaults
    debug_info, binary_file  programs that complete a raw profile without metadata: of lightweight instrumentation, or
                  of binary correlation
    on_finding    is called with a Finding for everything odd; None: what may be wrong becomes a ProfileWarning

    Returns an InstrProfile, a SampleProfile, Probes, a BatTable, or of BOLT's profiles an FdataProfile or a
    BoltYamlProfile, each of them a context manager. Raises Error.

    >>> with anyprof.open("examples/profiles/clang-22-ir.profraw") as profile:
    ...     print(len(profile), max(profile["main"].counts))
    12 26000
    """
    if kind is not None and kind not in _KINDS:
        raise ValueError(f"kind must be one of {', '.join(_KINDS)}, not {kind!r}")
    findings = Findings(on_finding)
    call = options(
        findings,
        threads=threads,
        salvage=salvage,
        drop_memprof=drop_memprof,
        max_bytes=max_bytes,
        max_records=max_records,
        max_depth=max_depth,
        correlator=correlator_of(debug_info, binary_file, findings),
    )
    given, name, detected = one_input(source, 1, max_bytes), source_name(source), kind is None
    if kind is None:
        kind = _kind_of(source, given, call)
    try:
        if kind == "sample":
            result: Opened = _anyprof.open_sample((given,), call, name, 0, 0)
        elif kind == "probes":
            result = _anyprof.open_probes((given,), call, name, 0)
        elif kind == "bat":
            result = _anyprof.open_bat((given,), call, name)
        elif kind in BOLT_KINDS.values():
            result = read_bolt((given,), call, name, kind, findings)
        else:
            result = _anyprof.open_instr((given,), call, name)
    except Error as error:
        if not detected or not isinstance(error.code, Code) or _anyprof.detect((given,), call).kind not in _UNSURE:
            raise
        raise _explain(error, given, name) from None
    findings.done()
    return result


def detect(source: Source) -> _anyprof.FileInfo:
    """What a file is, by its first bytes: a FileInfo. Fails only if the file cannot be read.

    >>> anyprof.FileKind(anyprof.detect("examples/profiles/server-1.prof").kind).name
    'SAMPLE_TEXT'
    """
    return _anyprof.detect((one_input(source),), options(Findings(None)))


def _sources(sources: Union[Source, Iterable[Source]]) -> tuple[Any, ...]:
    """One source, or several."""
    return tuple(one_input(source) for source in listed(sources))


def info(sources: Union[Source, Iterable[Source]], *, threads: int = 0) -> Any:
    """Facts about files of any kind: the value of the JSON that `anyprof info --json` prints (docs/json.md).

    >>> anyprof.info("examples/profiles/clang-13-ir.profraw")["files"][0]["version"]
    7
    """
    return json.loads(_anyprof.info(_sources(sources), options(Findings(None), threads=threads)))


def check(sources: Union[Source, Iterable[Source]], *, threads: int = 0) -> Any:
    """Everything that is wrong with profiles: the value of the JSON that `anyprof check --json` prints (docs/json.md).

    >>> anyprof.check("examples/profiles/clang-13-ir.profraw")["totals"]["errors"]
    0
    """
    return json.loads(_anyprof.check(_sources(sources), options(Findings(None), threads=threads)))
