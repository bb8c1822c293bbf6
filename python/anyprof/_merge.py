# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Merging profiles."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _anyprof
from ._bolt import BOLT_KINDS, BoltProfile, read_bolt, report as report_finding
from ._calls import (
    Contents,
    Findings,
    Input,
    OnFinding,
    OnProgress,
    Path,
    Source,
    correlator_of,
    listed,
    name_changes,
    one_input,
    options,
    path_bytes,
)
from ._enums import InstrFormat, SampleFormat
from ._errors import Code, make
from ._files import FAMILY_INSTR, FAMILY_SAMPLE

_FAILURE_MODES = {"any": 0, "all": 1, "warn": 2}
_FAIL_SHARE = 3
_MILLIONTHS = 1000000
_FIND_LOSSES = {FAMILY_INSTR: 8, FAMILY_SAMPLE: 2}
_KINDS = {"instr": FAMILY_INSTR, "sample": FAMILY_SAMPLE}
_INSTR_FORMATS = {"indexed": InstrFormat.INDEXED, "text": InstrFormat.TEXT}
_SAMPLE_FORMATS = {
    "text": SampleFormat.TEXT,
    "binary": SampleFormat.BINARY,
    "compact": SampleFormat.COMPACT,
    "extbinary": SampleFormat.EXTBINARY,
    "gcc": SampleFormat.GCC,
}


@dataclass(frozen=True)
class MergeResult:
    """What became of a merge.

    inputs   for each input, in their order, what became of it: InstrInput or SampleInput
    totals   all that was added, lost and changed: InstrTotals or SampleTotals
    written  of sample profiles that were written: what the output has no place for, a SampleWritten; else None
    skipped  what directories held beside the inputs, for each directory that was given
    report   with report=True the value of the JSON that `anyprof merge --report` writes; else None
    profile  without an output the sum, an InstrProfile or SampleProfile; else None
    """

    inputs: list[Union[_anyprof.InstrInput, _anyprof.SampleInput]]
    totals: Union[_anyprof.InstrTotals, _anyprof.SampleTotals]
    written: Optional[_anyprof.SampleWritten]
    skipped: dict[str, _anyprof.Skipped]
    report: Optional[Any]
    profile: Optional[Union[_anyprof.InstrProfile, _anyprof.SampleProfile]]


def _is_directory(path: str) -> bool:
    """Whether a path is that of a directory. A missing file is an error before any work, as it is for the command."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except OSError as error:
        number = error.errno or 0
        raise make(Code.IO, os.strerror(number), "file.stat", number=number, file=path) from None


def expand(
    sources: Union[Source, Iterable[Source]],
    weights: Optional[Sequence[int]],
    out: Optional[bytes],
    max_bytes: int,
    any_content: bool = False,
) -> tuple[list[Input], dict[str, _anyprof.Skipped]]:
    """The inputs, with the files of directories in place of these: profiles of instrumentation and of samples, or, with
    any_content, all files."""
    given = listed(sources)
    weights = [1] * len(given) if weights is None else list(weights)
    if len(weights) != len(given):
        raise ValueError(f"there are {len(given)} inputs and {len(weights)} weights")
    inputs: list[Input] = []
    skipped: dict[str, _anyprof.Skipped] = {}
    for source, weight in zip(given, weights):
        if weight < 1:
            raise ValueError(f"a weight must be at least 1, not {weight}")
        directory = None if isinstance(source, Contents) else path_bytes(source)
        if directory is None or not _is_directory(os.fsdecode(directory)):
            inputs.append(one_input(source, weight, max_bytes))
            continue
        found, skipped[os.fsdecode(directory)] = _anyprof.expand(directory, out, any_content)
        inputs.extend((path, None, None, weight, len(directory)) for path in found)
    return inputs, skipped


def _nothing(skipped: Iterable[str]) -> ValueError:
    """The error for a merge without inputs."""
    why = f"no profiles in {', '.join(skipped)}" if skipped else "no paths"
    return ValueError(f"there is nothing to merge: {why}")


def _family(inputs: Sequence[Input], kind: Optional[str]) -> int:
    """Whether instrumentation or sample profiles are merged, as `anyprof merge` finds out."""
    if kind is not None and kind not in _KINDS:
        raise ValueError(f'kind must be "instr" or "sample", not {kind!r}')
    if kind is not None:
        return _KINDS[kind]
    contents = names = 0
    for family, by_name in _anyprof.family(tuple(inputs)):
        contents |= family
        names |= by_name
    if contents == FAMILY_INSTR | FAMILY_SAMPLE:
        raise ValueError(
            "there are both instrumentation and sample profiles, which cannot be merged: give kind; "
            "the profiles of the other kind are bad inputs then"
        )
    if not contents and not names:
        _refuse_bolt(inputs[0])
    return FAMILY_SAMPLE if (contents or names) == FAMILY_SAMPLE else FAMILY_INSTR


def _refuse_bolt(given: Input) -> None:
    """Raises an error if the input is a profile of BOLT."""
    if _anyprof.detect((given,), options(Findings(None))).kind in BOLT_KINDS:
        name = os.fsdecode(given[2] or given[0] or b"")
        raise ValueError(f"{name} is a profile of BOLT: merge_bolt() merges such profiles")


def _format(family: int, name: Optional[str]) -> int:
    formats: Mapping[str, int] = _SAMPLE_FORMATS
    if family != FAMILY_SAMPLE:
        formats = _INSTR_FORMATS
    if name is None:
        return 0
    if name not in formats:
        raise ValueError(f"format must be one of {', '.join(formats)}, not {name!r}")
    return formats[name]


def _tolerance(max_loss: Optional[float], failure_mode: str) -> tuple[int, int]:
    if failure_mode not in _FAILURE_MODES:
        raise ValueError(f"failure_mode must be one of {', '.join(_FAILURE_MODES)}, not {failure_mode!r}")
    if max_loss is None:
        return _FAILURE_MODES[failure_mode], 0
    if failure_mode != "any":
        raise ValueError("give either max_loss or failure_mode")
    if not 0 <= max_loss <= 100:
        raise ValueError(f"max_loss is a percentage from 0 to 100, not {max_loss}")
    return _FAIL_SHARE, round(max_loss * _MILLIONTHS)


def merge(
    paths: Union[Source, Iterable[Source]],
    out: Optional[Path] = None,
    *,
    target: str = "auto",
    max_loss: Optional[float] = None,
    failure_mode: str = "any",
    kind: Optional[str] = None,
    format: Optional[str] = None,
    weights: Optional[Sequence[int]] = None,
    sparse: bool = False,
    vtable_names: bool = False,
    salvage: bool = False,
    drop_memprof: bool = False,
    report: bool = False,
    threads: int = 0,
    max_bytes: int = 0,
    max_records: int = 0,
    renames: Union[Mapping[str, str], Iterable[tuple[str, str]]] = (),
    prefix_map: Union[Mapping[str, str], Iterable[tuple[str, str]]] = (),
    debug_info: Union[Source, Iterable[Source]] = (),
    binary_file: Union[Source, Iterable[Source]] = (),
    on_finding: Optional[OnFinding] = None,
    on_progress: Optional[OnProgress] = None,
) -> MergeResult:
    """Merges profiles of any versions, instrumentation or sample profiles, as `anyprof merge` does.

    paths         paths of files and directories, which stand for the profiles below them, or anyprof.Contents; a
                  missing file is an error before any work
    out           the file to write; None: the sum is MergeResult.profile
    target        the compiler that reads the output: "auto", "llvm-16", "indexed-9"; for sample profiles also "gcc-12"
    max_loss      the percentage of the inputs that may be bad, empty or salvaged; None: failure_mode decides
    failure_mode  "any": one bad input is an error; "all": only if nothing is left; "warn": never
    kind          "instr" or "sample"; None: the inputs decide
    format        "indexed" or "text"; of sample profiles "text", "binary", "compact", "extbinary" or "gcc"
    weights       a number for each of the paths, by which its counts are multiplied
    sparse        leave out functions that were not executed; of instrumentation profiles only
    vtable_names  keep the names of vtables; of instrumentation profiles only
    salvage       keep the provably intact parts of damaged inputs
    drop_memprof  read inputs without their memory profiles
    report        also make the report of `anyprof merge --report`
    threads       threads that work; 0: as many as there are processors. The result is always the same
    max_bytes, max_records  limits on what an input may make the library do; 0: the defaults
    renames       functions that get another name, as with --remapping-file: old names and new ones
    prefix_map    beginnings of the files in names of static functions that are replaced; of several that fit, the last
    debug_info, binary_file  programs that complete raw profiles without metadata: of lightweight instrumentation, or of
                  binary correlation
    on_finding    is called with a Finding for everything odd; None: what may be wrong becomes a ProfileWarning
    on_progress   is called with a Progress after each input, and many times a second in between

    An exception of a callback, and Ctrl-C at any time, stop the merge; then nothing is written. Raises Error, with what
    became of the inputs in error.inputs, if more is lost than may be.

    >>> paths = [f"examples/profiles/clang-{n}-ir.profraw" for n in (13, 16, 22)]
    >>> result = anyprof.merge(paths, target="llvm-16")
    >>> result.totals.n_merged, len(result.profile)
    (3, 19)
    """
    output = None if out is None else path_bytes(out)
    inputs, skipped = expand(paths, weights, output, max_bytes)
    if not inputs:
        raise _nothing(skipped)
    family = _family(inputs, kind)
    if family == FAMILY_SAMPLE and (sparse or vtable_names):
        raise ValueError("sparse and vtable_names are for instrumentation profiles")
    changes = name_changes(renames), name_changes(prefix_map)
    if family == FAMILY_SAMPLE and changes[1]:
        raise ValueError("prefix_map is for instrumentation profiles")
    findings = Findings(on_finding)
    call = options(
        findings,
        threads=threads,
        salvage=salvage,
        drop_memprof=drop_memprof,
        max_bytes=max_bytes,
        max_records=max_records,
        on_progress=on_progress,
        correlator=correlator_of(debug_info, binary_file, findings),
    )
    mode, loss = _tolerance(max_loss, failure_mode)
    flags = (1 if sparse else 0) | (2 if vtable_names else 0)
    merge_flags = _FIND_LOSSES[family] if report else 0
    settings = (target, _format(family, format), 0, flags, merge_flags, mode, loss, report, *changes)
    work: Any = _anyprof.merge_sample if family == FAMILY_SAMPLE else _anyprof.merge_instr
    rows, totals, written, profile, text = work(tuple(inputs), output, call, settings)
    if family == FAMILY_INSTR and not totals.remapped:
        _report_unchanged(findings, "" if output is None else os.fsdecode(output), *changes)
    findings.done()
    return MergeResult(rows, totals, written, skipped, None if text is None else json.loads(text), profile)


def _report_unchanged(findings: Findings, result: str, renames: Any, prefix_map: Any) -> None:
    """Warns that names should have changed, and none has."""
    if renames:
        words = "renames has no effect: no function has one of the old names"
        report_finding(findings, "warning", result, Code.NOTE, "merge.renames", words)
    if prefix_map:
        words = "prefix_map has no effect: in no name of a static function does the path begin so"
        report_finding(findings, "warning", result, Code.NOTE, "merge.prefix_map", words)


def _report_skipped(findings: Findings, directory: str, skipped: _anyprof.Skipped) -> None:
    """Notes what a directory holds beside the inputs."""
    reasons = (
        (skipped.n_links, "symbolic links that lead out of the directory"),
        (skipped.n_output, "the output of an earlier merge"),
        (skipped.n_set_aside, "damaged profiles that the runtime has set aside"),
        (skipped.n_live, "profiles of processes that may still write them"),
        (skipped.n_no_files, "pipes, sockets, devices, and links to these or to nothing"),
    )
    words = ", ".join(f"{what} ({n})" for n, what in reasons if n)
    if words:
        report_finding(findings, "note", directory, Code.LEFT_OUT, "merge.directory", f"not read: {words}")


def merge_bolt(
    paths: Union[Source, Iterable[Source]],
    out: Optional[Path] = None,
    *,
    weights: Optional[Sequence[int]] = None,
    max_bytes: int = 0,
    max_records: int = 0,
    on_finding: Optional[OnFinding] = None,
    on_progress: Optional[OnProgress] = None,
) -> BoltProfile:
    """Merges profiles of BOLT, all of them fdata or all of them YAML, as `anyprof bolt merge` does.

    paths        paths of files, and of directories, which stand for all files below them, or anyprof.Contents
    out          the file to write, which may be one of the inputs; None: nothing is written
    weights      a number for each of the paths, by which its counts are multiplied
    max_bytes, max_records  limits on what the inputs may make the library do; 0: the defaults
    on_finding   is called with a Finding for everything odd; None: what may be wrong becomes a ProfileWarning
    on_progress  is called with a Progress after each input

    Returns the sum, an FdataProfile or a BoltYamlProfile. An exception of a callback stops the merge, and so does
    Ctrl-C after an input; then nothing is written. Raises Error, also if one input is bad, or if all are empty.

    >>> main = anyprof.Contents(b"1 main 0 1 main 1c 2 40\\n", "a.fdata")
    >>> with anyprof.merge_bolt([main, main], weights=[1, 2]) as profile:
    ...     print([(record.count, record.mispredictions) for record in profile])
    [(120, 6)]
    """
    output = None if out is None else path_bytes(out)
    inputs, skipped = expand(paths, weights, output, max_bytes, any_content=True)
    if not inputs:
        raise _nothing(skipped)
    findings = Findings(on_finding)
    for directory, left_out in skipped.items():
        _report_skipped(findings, directory, left_out)
    call = options(findings, max_bytes=max_bytes, max_records=max_records, on_progress=on_progress)
    profile = read_bolt(tuple(inputs), call, "a merge", None, findings)
    if not profile.info.known:
        raise make(Code.EMPTY_FDATA, "no profile can be merged: every input is empty", "merge.inputs")
    if isinstance(profile, _anyprof.BoltYamlProfile) and "," in (profile.header.events or ""):
        words = "llvm-bolt does not read profiles with a comma in profile-events: replace it by a semicolon"
        report_finding(findings, "warning", profile.source, Code.UNSUPPORTED, "yaml.header.profile-events", words)
    findings.done()
    if out is not None:
        profile.write(out)
    return profile
