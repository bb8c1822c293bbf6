# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods of the C module's types that are written in Python; the module calls them by these names."""

from __future__ import annotations

import array
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Optional, Union

from . import _anyprof
from ._calls import Findings, OnFinding, Path, Source, name_changes, one_input, options, path_bytes
from ._enums import SampleFormat, SummaryScope

_SPARSE = 1
_VTABLE_NAMES = 2
_MD5 = 1
_COMPRESS = 2
_PARTIAL = 4
_BRANCH_SOURCE = 1


class WriteResult(NamedTuple):
    """What SampleProfile.write() returns: the bytes (None: they are in the file), and what they have no place for."""

    data: Optional[bytes]
    losses: _anyprof.SampleWritten


def _out(out: Optional[Path]) -> Optional[bytes]:
    return None if out is None else path_bytes(out)


def instr_summary_of(profile: _anyprof.InstrProfile, scope: int = SummaryScope.ALL) -> _anyprof.Summary:
    return profile._summary(SummaryScope(scope))


def instr_write_text(
    profile: _anyprof.InstrProfile, out: Optional[Path] = None, *, sparse: bool = False, vtable_names: bool = False
) -> Optional[bytes]:
    return profile._write(_out(out), False, (_SPARSE if sparse else 0) | (_VTABLE_NAMES if vtable_names else 0))


def instr_write_json(profile: _anyprof.InstrProfile, out: Optional[Path] = None) -> Optional[bytes]:
    return profile._write(_out(out), True, 0)


def sample_write_file(
    profile: _anyprof.SampleProfile,
    out: Optional[Path] = None,
    *,
    target: str = "auto",
    format: Optional[SampleFormat] = None,
    md5: bool = False,
    compress: bool = False,
    partial: bool = False,
    on_finding: Optional[OnFinding] = None,
) -> WriteResult:
    findings = Findings(on_finding)
    flags = (_MD5 if md5 else 0) | (_COMPRESS if compress else 0) | (_PARTIAL if partial else 0)
    number = 0 if format is None else int(SampleFormat(format))
    if number == SampleFormat.JSON:
        raise ValueError("write_json() writes JSON")
    data, losses = profile._write(_out(out), options(findings), target, number, 0, flags)
    findings.done()
    assert losses is not None
    return WriteResult(data, losses)


def sample_write_json(profile: _anyprof.SampleProfile, out: Optional[Path] = None) -> Optional[bytes]:
    return profile._write(_out(out), options(Findings(None)), None, SampleFormat.JSON, 0, 0)[0]


def _numbers(addresses: Iterable[int]) -> array.array[int]:
    return array.array("Q", (address for address in addresses))


def probes_lookup_at(probes: _anyprof.Probes, addresses: Union[int, Iterable[int]]) -> Any:
    listed = [addresses] if isinstance(addresses, int) else addresses
    path = repr_source(probes)
    return json.loads(probes._lookup(_numbers(listed), path))


def repr_source(probes: _anyprof.Probes) -> Optional[bytes]:
    """The path of the program, which is where split DWARF is looked for; None for bytes in memory."""
    source = os.fsencode(probes.source)
    return source if os.path.exists(source) else None


def bat_translate_at(
    table: _anyprof.BatTable, addresses: Union[int, Iterable[int]], *, branch_source: bool = False
) -> Union[_anyprof.BatPlace, list[_anyprof.BatPlace]]:
    flags = _BRANCH_SOURCE if branch_source else 0
    if isinstance(addresses, int):
        return table._translate(_numbers([addresses]), flags)[0]
    return table._translate(_numbers(addresses), flags)


def bat_read_original_at(table: _anyprof.BatTable, source: Source) -> int:
    return table._read_original((one_input(source),), options(Findings(None)))


def fdata_write_to(profile: _anyprof.FdataProfile, out: Optional[Path] = None) -> Optional[bytes]:
    return profile._write(_out(out))


def bolt_yaml_write_to(profile: _anyprof.BoltYamlProfile, out: Optional[Path] = None) -> Optional[bytes]:
    return profile._write(_out(out))


_COVERAGE_FORMATS = ("json", "lcov", "report", "functions", "show", "cobertura", "codecov", "coveralls", "html")
_SUMMARY_ONLY = 1


def _source_names(sources: Union[str, Iterable[str]]) -> tuple[bytes, ...]:
    names = [sources] if isinstance(sources, str) else sources
    return tuple(name.encode("utf-8", "surrogateescape") for name in names)


def coverage_functions_of(
    coverage: _anyprof.Coverage, *, left_out: bool = False
) -> list[_anyprof.CoverageFunction]:
    return coverage._functions(left_out)


def coverage_totals_of(coverage: _anyprof.Coverage, sources: Union[str, Iterable[str]] = ()) -> _anyprof.CoverageTotals:
    return coverage._totals(_source_names(sources))


def coverage_write_to(
    coverage: _anyprof.Coverage,
    out: Optional[Path] = None,
    *,
    format: str = "json",
    sources: Union[str, Iterable[str]] = (),
    summary_only: bool = False,
    source_map: Union[Mapping[str, str], Iterable[tuple[str, str]]] = (),
) -> Optional[bytes]:
    if format not in _COVERAGE_FORMATS:
        raise ValueError(f"format must be one of {', '.join(_COVERAGE_FORMATS)}, not {format!r}")
    if summary_only and format not in ("json", "lcov"):
        raise ValueError("summary_only is for json and lcov")
    flags = _SUMMARY_ONLY if summary_only else 0
    names = _source_names(sources)
    return coverage._write(_out(out), _COVERAGE_FORMATS.index(format), flags, names, name_changes(source_map))
