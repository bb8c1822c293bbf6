# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading profiles of BOLT."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Union

from . import _anyprof
from ._calls import Findings, Input
from ._enums import FileKind
from ._errors import Code, Error, make

BoltProfile = Union[_anyprof.FdataProfile, _anyprof.BoltYamlProfile]

# What the files must be, as the C module takes it; None: the files decide, which must be of one kind.
_WANTED = {None: 0, "fdata": 1, "bolt-yaml": 2}
BOLT_KINDS = {FileKind.BOLT_FDATA: "fdata", FileKind.BOLT_YAML: "bolt-yaml"}


def _losses(profile: BoltProfile) -> Iterator[tuple[Code, str, str]]:
    """What a profile lacks of its files: code, place and words."""
    saturated = profile.info.n_saturated
    if isinstance(profile, _anyprof.FdataProfile):
        if saturated:
            words = "counts cut at 2^63 - 1, the largest that llvm-bolt reads: those of"
            yield Code.COUNTER_OVERFLOW, "fdata.records", f"{words} {saturated} records"
        return
    if saturated:
        yield Code.COUNTER_OVERFLOW, "yaml.functions", f"sums cut at 2^64 - 1, the largest count: {saturated}"
    if profile.info.probes_dropped:
        yield Code.LEFT_OUT, "yaml.probes", "the pseudo probes of the profiles differ: all are left out"


def report(findings: Findings, severity: str, source: str, code: Code, where: str, words: str) -> None:
    """Reports what this package has found, as the library reports its findings."""
    error = make(code, words, where)
    assert isinstance(error, Error)
    findings(_anyprof.Finding((severity, code, None, source, None, 0, words, error)))


def read_bolt(
    inputs: tuple[Input, ...], call: tuple[Any, ...], source: str, kind: Union[str, None], findings: Findings
) -> BoltProfile:
    """The sum of files, as a profile that is called `source`."""
    profile = _anyprof.open_bolt(inputs, call, source, _WANTED[kind])
    for code, where, words in _losses(profile):
        report(findings, "warning", source, code, where, words)
    return profile
