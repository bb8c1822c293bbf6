# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Result codes and exceptions."""

from __future__ import annotations

import enum
import errno as _errno
from typing import Any, Optional, Union


class Code(enum.IntEnum):
    """Every result code of the library; the numbers never change."""

    OK = 0
    END = 1
    UNRECOGNIZED_FORMAT = 10
    BAD_MAGIC = 11
    BAD_HEADER = 12
    UNSUPPORTED_VERSION = 13
    UNSUPPORTED_HASH_TYPE = 14
    TOO_LARGE = 15
    TRUNCATED = 16
    MALFORMED = 17
    MISSING_CORRELATION = 18
    UNEXPECTED_CORRELATION = 19
    UNABLE_TO_CORRELATE = 20
    INVALID_PROFILE = 21
    UNKNOWN_FUNCTION = 22
    HASH_MISMATCH = 23
    COUNT_MISMATCH = 24
    BITMAP_MISMATCH = 25
    COUNTER_OVERFLOW = 26
    VALUE_SITE_MISMATCH = 27
    COMPRESS_FAILED = 28
    UNCOMPRESS_FAILED = 29
    EMPTY_PROFILE = 30
    COUNTER_TOO_LARGE = 31
    LEVEL_CONFLICT = 32
    COVERAGE_CONFLICT = 33
    ENTRY_CONFLICT = 34
    NO_MEMORY = 40
    IO = 41
    LIMIT = 42
    ARGUMENT = 43
    UNSUPPORTED = 44
    STOPPED = 45
    NOT_REPRESENTABLE = 46
    NOTE = 47
    DECOMPRESS_FAILED = 48
    ALREADY_MERGED = 49
    NOT_REMOVED = 50
    OUTPUT_BUSY = 51
    NO_PROBES = 52
    BAD_PROBES = 53
    BAD_PROBE_DESCS = 54
    LEFT_OUT = 55
    BAD_ASSEMBLY = 57
    BAD_JSON = 58
    NO_BAT = 60
    BAD_BAT = 61
    UNKNOWN_SECTION = 62
    BAD_ELF = 63
    BAD_FDATA = 64
    FDATA_CONFLICT = 65
    EMPTY_FDATA = 66
    BAD_SAMPLES = 67
    BAD_YAML = 68
    YAML_CONFLICT = 69
    UNKNOWN_KEY = 70
    BAD_RECORDING = 71
    NOT_RECORDED = 72
    WRONG_DEBUG_FILE = 73
    SALVAGED = 78
    METADATA_SKIPPED = 80
    INCONSISTENT = 90
    SAMPLE_UNRECOGNIZED = 100
    SAMPLE_BAD_MAGIC = 101
    SAMPLE_VERSION = 102
    SAMPLE_TOO_LARGE = 103
    SAMPLE_TRUNCATED = 104
    SAMPLE_MALFORMED = 105
    SAMPLE_NAME_TABLE = 106
    SAMPLE_LINE_OFFSET = 107
    SAMPLE_OVERFLOW = 108
    SAMPLE_HASH_MISMATCH = 109
    SAMPLE_UNWRITABLE = 110
    SAMPLE_UNCOMPRESS = 111
    BAD_SAMPLE_TEXT = 112
    SAMPLE_PROBE_CONFLICT = 113
    SAMPLE_CONTEXT_CONFLICT = 114
    BAD_SAMPLE_GCC = 115
    AMBIGUOUS_NAME = 116
    BAD_PARTIAL = 117
    BAD_COVERAGE = 118
    COVERAGE_VERSION = 119
    NO_COVERAGE = 120
    BAD_PATCH = 121


def code_of(number: int) -> Union[Code, int]:
    """The member of Code with a number; the number itself if a newer library has a code that this package lacks."""
    try:
        return Code(number)
    except ValueError:
        return number


class Error(Exception):
    """Something is wrong with an input, an output or an option.

    str(error) is the whole message. What is wrong is in the attributes:

    code      a Code
    where     the field, a dotted path such as "raw.header.names_size"
    offset    byte offset in the input, or None
    found     the value that was found
    expected  the value, or the bound, that would have been right
    input     number of the input, from 0
    line, column  place in a text, from 1; 0: it is no text
    errno     the system's error number, or None
    file      name of the file, or None
    message   the message without the file
    inputs, totals  of a merge: what became of each input, and of all; else None

    Errors of the system are also the OSError that Python has for them (FileNotFoundError, PermissionError, ...), names
    that are not in a profile are also a KeyError, and arguments that cannot be right a ValueError.
    """

    # The values of an error that a caller makes.
    code: Union[Code, int] = Code.OK
    message: str = ""
    where: str = ""
    offset: Optional[int] = None
    found: int = 0
    expected: int = 0
    input: int = 0
    line: int = 0
    column: int = 0
    subject: int = 0
    file: Optional[str] = None
    inputs: Optional[list[Any]] = None
    totals: Optional[Any] = None

    def __str__(self) -> str:
        message = self.message or super().__str__()
        return f"{self.file}: {message}" if self.file else message

    def __reduce__(self) -> tuple[Any, ...]:
        state = dict(self.__dict__)
        number = self.errno if isinstance(self, OSError) else None
        return _again, (int(self.code), number, self.args, self.file), state


class FileError(Error, OSError):
    """The system could not do something with a file."""


class MissingFileError(FileError, FileNotFoundError):
    """A file does not exist."""


class FilePermissionError(FileError, PermissionError):
    """A file may not be read or written."""


class DirectoryError(FileError, IsADirectoryError):
    """A directory is where a file is needed."""


class UnknownFunctionError(Error, KeyError):
    """A profile has no such function."""


class ArgumentError(Error, ValueError):
    """An argument cannot be right, whatever the files are."""


_BY_ERRNO = {
    _errno.ENOENT: MissingFileError,
    _errno.EACCES: FilePermissionError,
    _errno.EPERM: FilePermissionError,
    _errno.EISDIR: DirectoryError,
}
_BY_CODE = {
    Code.UNKNOWN_FUNCTION: UnknownFunctionError,
    Code.HASH_MISMATCH: UnknownFunctionError,
    Code.ARGUMENT: ArgumentError,
}


def _new(code: int, number: Optional[int]) -> Error:
    if number:
        return _BY_ERRNO.get(number, FileError)(number, "")
    return _BY_CODE.get(code_of(code), Error)()  # type: ignore[call-overload,no-any-return]


def _again(code: int, number: Optional[int], args: tuple[Any, ...], file: Optional[str]) -> Error:
    """What a pickled error becomes again, but for its attributes."""
    error = _new(code, number)
    error.args = args
    if isinstance(error, OSError):
        error.strerror, error.filename = args[-1], file
    return error


def make(
    code: int,
    message: str,
    where: str,
    offset: Optional[int] = None,
    found: int = 0,
    expected: int = 0,
    number_of_input: int = 0,
    line: int = 0,
    column: int = 0,
    number: int = 0,
    subject: int = 0,
    file: Optional[str] = None,
) -> BaseException:
    """The exception for an error of the library."""
    if code == Code.NO_MEMORY:
        return MemoryError(f"{file}: {message}" if file else message)
    error = _new(code, number or None)
    error.args = (message,) if not number else (number, message)
    error.code = code_of(code)
    error.message = message
    error.where = where
    error.offset = offset
    error.found = found
    error.expected = expected
    error.input = number_of_input
    error.line = line
    error.column = column
    error.subject = subject
    error.file = file
    error.inputs = None
    error.totals = None
    if not isinstance(error, OSError):
        error.errno = None  # type: ignore[attr-defined]
    else:
        error.errno = number
        error.strerror = message
        error.filename = file
    return error
