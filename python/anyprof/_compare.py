# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparing profiles."""

from __future__ import annotations

from typing import Any, NamedTuple, Union

from . import _anyprof
from ._calls import Source
from ._files import open as open_file

Profile = Union[_anyprof.InstrProfile, _anyprof.SampleProfile]

_INSTR_FLAGS = {"cs": 1, "absolute": 2, "exact_names": 4}
_SAMPLE_FLAGS = {"absolute": 1, "exact_names": 2}
_ALL = 2**64 - 1


class Diff(NamedTuple):
    """What changed from one profile to another: the totals, and the functions, those with the largest effect first."""

    totals: Union[_anyprof.DiffTotals, _anyprof.SampleDiffTotals]
    functions: list[Union[_anyprof.DiffFunction, _anyprof.SampleDiffFunction]]


def _opened(source: Union[Source, Profile]) -> tuple[Profile, bool]:
    """A profile, and whether it was opened here."""
    if isinstance(source, (_anyprof.InstrProfile, _anyprof.SampleProfile)):
        return source, False
    profile = open_file(source)
    if isinstance(profile, (_anyprof.InstrProfile, _anyprof.SampleProfile)):
        return profile, True
    profile.close()
    raise TypeError(f"instrumentation and sample profiles are compared, and {source!r} is neither")


class _Pair:
    """Two profiles of one family, those that are opened here closed at the end."""

    def __init__(self, a: Union[Source, Profile], b: Union[Source, Profile]):
        self._own: list[Profile] = []
        try:
            self.a, self.b = self._take(a), self._take(b)
            if type(self.a) is not type(self.b):
                raise TypeError("an instrumentation and a sample profile cannot be compared")
        except BaseException:
            self.__exit__()
            raise

    def _take(self, source: Union[Source, Profile]) -> Profile:
        profile, own = _opened(source)
        if own:
            self._own.append(profile)
        return profile

    def __enter__(self) -> _Pair:
        return self

    def __exit__(self, *args: object) -> None:
        for profile in self._own:
            profile.close()


def diff(
    a: Union[Source, Profile],
    b: Union[Source, Profile],
    *,
    function: str = "",
    max_functions: int = _ALL,
    absolute: bool = False,
    exact_names: bool = False,
    cs: bool = False,
) -> Diff:
    """What changed from a profile to another, as `anyprof diff` says: a Diff.

    a, b           profiles, or sources that are opened, both of instrumentation or both of samples
    function       only functions whose name contains this
    max_functions  most functions in the result; the totals are about all
    absolute       compare counts as they are, not as shares of their profile's sum
    exact_names    functions are the same only if their names are
    cs             compare the context-sensitive records of IR profiles, not the others

    >>> result = anyprof.diff("examples/profiles/server-1.prof", "examples/profiles/server-2.prof")
    >>> print(f"{100 * result.totals.difference:.1f} % of the samples moved, {result.totals.differ} functions")
    11.6 % of the samples moved, 7 functions
    """
    with _Pair(a, b) as pair:
        work: Any = _anyprof.diff_sample
        bits = _SAMPLE_FLAGS
        if isinstance(pair.a, _anyprof.InstrProfile):
            work, bits = _anyprof.diff_instr, _INSTR_FLAGS
        elif cs:
            raise ValueError("cs is for instrumentation profiles")
        given = {"cs": cs, "absolute": absolute, "exact_names": exact_names}
        flags = sum(bit for name, bit in bits.items() if given[name])
        return Diff(*work(pair.a, pair.b, flags, function, max_functions))


def overlap(
    base: Union[Source, Profile], test: Union[Source, Profile], *, cs: bool = False
) -> Union[_anyprof.Overlap, _anyprof.SampleOverlap]:
    """How much two profiles have in common, measured as `llvm-profdata overlap` does.

    >>> path = "examples/profiles/clang-22-ir.profraw"
    >>> round(anyprof.overlap(path, path).overlap.edges, 3)
    1.0
    """
    with _Pair(base, test) as pair:
        if isinstance(pair.a, _anyprof.InstrProfile) and isinstance(pair.b, _anyprof.InstrProfile):
            return _anyprof.overlap_instr(pair.a, pair.b, 1 if cs else 0)
        if cs:
            raise ValueError("cs is for instrumentation profiles")
        assert isinstance(pair.a, _anyprof.SampleProfile) and isinstance(pair.b, _anyprof.SampleProfile)
        return _anyprof.overlap_sample(pair.a, pair.b)
