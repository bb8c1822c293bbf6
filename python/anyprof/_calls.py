# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that many functions share: sources, outputs, options and findings."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Callable, NamedTuple, Optional, Union

from . import _anyprof

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Contents(NamedTuple):
    """The contents of a file in memory, in place of its path, and the name by which messages call it."""

    data: Any
    name: str = "<memory>"


Source = Union[Path, Contents]

# What the C module takes as an input: path, contents, name, weight, n_directory.
Input = tuple[Optional[bytes], Any, Optional[bytes], int, int]

OnFinding = Callable[["_anyprof.Finding"], object]
OnProgress = Callable[["_anyprof.Progress"], object]


class ProfileWarning(UserWarning):
    """A finding that does not stop the work, but says that something is missing or may be wrong."""


_MOST_WARNINGS = 20
_FLAG_DROP_MEMPROF = 1
_FLAG_SALVAGE = 2
# What the library reads at most by default: of a file, and of a device, most of which have no end.
_MOST_BYTES = 64 << 30
_MOST_OF_DEVICE = 256 << 20


def path_bytes(path: Path) -> bytes:
    """The bytes of a path; the library takes "-" for standard input, which is a file here as for open()."""
    if isinstance(path, (bytearray, memoryview)):
        raise TypeError("a path must be str, bytes or os.PathLike; wrap the contents of a file in anyprof.Contents")
    result = os.fsencode(path)
    if b"\0" in result:
        raise ValueError("a path has a byte 0")
    if not result:
        raise ValueError("a path is empty")
    return b"./-" if result == b"-" else result


def source_name(source: Source) -> str:
    """The name of a source in messages."""
    return source.name if isinstance(source, Contents) else os.fsdecode(path_bytes(source))


def _is_pipe(path: bytes) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)


def _read_pipe(path: bytes, max_bytes: int) -> bytes:
    """The bytes of a pipe, at most one more than there may be, which the library refuses."""
    parts = []
    with open(path, "rb", buffering=0) as file:
        device = stat.S_ISCHR(os.fstat(file.fileno()).st_mode)
        left = 1 + (max_bytes or (_MOST_OF_DEVICE if device else _MOST_BYTES))
        while left and (part := file.read(min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


def one_input(source: Source, weight: int = 1, max_bytes: int = 0) -> Input:
    """A source as the C module takes it. A pipe, which can be read only once, is read into memory."""
    if isinstance(source, Contents):
        name = os.fsencode(source.name)
        if b"\0" in name:
            raise ValueError("a name has a byte 0")
        return None, source.data, name, weight, 0
    path = path_bytes(source)
    if _is_pipe(path):
        return None, _read_pipe(path, max_bytes), path, weight, 0
    return path, None, None, weight, 0


def listed(sources: Union[Source, Iterable[Source]]) -> list[Source]:
    """One source, or several, as a list."""
    if isinstance(sources, (str, bytes, os.PathLike, Contents)):
        return [sources]
    return list(sources)


def name_changes(changes: Union[Mapping[str, str], Iterable[tuple[str, str]]]) -> tuple[tuple[bytes, bytes], ...]:
    """Beginnings of names and what replaces them, as the C module takes them."""
    pairs = changes.items() if isinstance(changes, Mapping) else changes
    return tuple((os.fsencode(old), os.fsencode(new)) for old, new in pairs)


class Findings:
    """The callback of a call. Without one of the caller's, warnings and errors become ProfileWarnings: the first ones;
    the last one says how many more there are."""

    def __init__(self, callback: Optional[OnFinding]):
        if callback is not None and not callable(callback):
            raise TypeError("on_finding must be callable")
        self._callback = callback
        self._n = 0

    def __call__(self, finding: _anyprof.Finding) -> None:
        if self._callback is not None:
            self._callback(finding)
        elif finding.severity != "note":
            self._n += 1
            if self._n <= _MOST_WARNINGS:
                _warn(_text(finding))

    def done(self) -> None:
        """Ends the call."""
        if self._n > _MOST_WARNINGS:
            _warn(f"{self._n - _MOST_WARNINGS} more warnings: on_finding receives them all")


def _text(finding: _anyprof.Finding) -> str:
    parts = [finding.source, finding.function, finding.message]
    return ": ".join(part for part in parts if part)


def _warn(text: str) -> None:
    """Warns at the line that called this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("anyprof."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, ProfileWarning, stacklevel=level)


def options(
    findings: Findings,
    *,
    threads: int = 0,
    salvage: bool = False,
    drop_memprof: bool = False,
    max_bytes: int = 0,
    max_records: int = 0,
    max_depth: int = 0,
    on_progress: Optional[OnProgress] = None,
    correlator: Any = None,
) -> tuple[Any, ...]:
    """The options of a call as the C module takes them."""
    if on_progress is not None and not callable(on_progress):
        raise TypeError("on_progress must be callable")
    flags = (_FLAG_SALVAGE if salvage else 0) | (_FLAG_DROP_MEMPROF if drop_memprof else 0)
    return threads, flags, max_bytes, max_records, max_depth, findings, on_progress, correlator


_METADATA_BINARY = 2
_METADATA_DEBUG_INFO = 3
_MOST_WARNINGS_OF_PROGRAM = 5


def correlator_of(
    debug_info: Union[Source, Iterable[Source]], binary_file: Union[Source, Iterable[Source]], findings: Findings
) -> Any:
    """The programs that complete raw profiles, as the C module takes them; None: there are none."""
    with_info, with_sections = listed(debug_info), listed(binary_file)
    if with_info and with_sections:
        raise ValueError("give either debug_info or binary_file")
    kind = _METADATA_DEBUG_INFO if with_info else _METADATA_BINARY
    programs = tuple(one_input(program) for program in with_info or with_sections)
    if not programs:
        return None
    return _anyprof.correlator(programs, options(findings), kind, _MOST_WARNINGS_OF_PROGRAM)
