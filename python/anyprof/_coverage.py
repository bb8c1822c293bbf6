# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Coverage of source code."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Optional, Union

from . import _anyprof
from ._calls import Findings, OnFinding, Path, Source, listed, name_changes, one_input, options, path_bytes
from ._merge import expand

_UNION = 4
_CHECK_IDS = 16


def coverage(
    programs: Union[Source, Iterable[Source]] = (),
    profiles: Optional[Union[Source, Iterable[Source]]] = None,
    *,
    merge_instantiations: bool = False,
    check_binary_ids: bool = False,
    architecture: Optional[str] = None,
    compilation_dir: Optional[Path] = None,
    prefix_map: Union[Mapping[str, str], Iterable[tuple[str, str]]] = (),
    debug_directories: Iterable[Path] = (),
    threads: int = 0,
    max_bytes: int = 0,
    on_finding: Optional[OnFinding] = None,
) -> _anyprof.Coverage:
    """Reads what ran of the source code of programs, as `anyprof cov` does.

    programs   programs, shared libraries, object files and archives that clang, rustc or swiftc built for coverage
    profiles   profiles of their runs, raw or indexed, of any LLVM; a directory stands for those below it. None: nothing
               ran
    merge_instantiations  functions that begin at one place, such as instantiations of a template, cover together what
               any of them covers; otherwise each number is the largest one that any of them has
    check_binary_ids  a build that the profile names and no program is is an error
    architecture      which image of universal files is meant, such as "arm64"
    compilation_dir   the directory of relative names of source files; None: that of the compiler
    prefix_map        beginnings of the names of source files that are replaced; of several that fit, the last one
    debug_directories directories with further programs, which are found by their build ids
    threads    threads that read; 0: as many as there are processors
    max_bytes  the largest file; 0: the default
    on_finding is called with a Finding for everything odd; None: what may be wrong becomes a ProfileWarning

    Returns a Coverage, which is a context manager. Functions whose counts do not fit have none and are counted in its
    stats. Raises Error; Ctrl-C is noticed while profiles are read.
    """
    findings = Findings(on_finding)
    call = options(findings, threads=threads, max_bytes=max_bytes)
    directories = tuple(path_bytes(path) for path in debug_directories)
    given = tuple(one_input(program, 1, max_bytes) for program in listed(programs))
    if not given and not directories:
        raise ValueError("there is no program")
    read, skipped = expand(() if profiles is None else profiles, None, None, max_bytes)
    if profiles is not None and not read:
        raise ValueError(f"no profiles in {', '.join(skipped)}" if skipped else "there is no profile")
    flags = (_UNION if merge_instantiations else 0) | (_CHECK_IDS if check_binary_ids else 0)
    where = None if compilation_dir is None else os.fsdecode(path_bytes(compilation_dir))
    settings = (flags, where, architecture, name_changes(prefix_map), directories)
    result = _anyprof.open_cov(given, tuple(read), call, settings)
    findings.done()
    return result
