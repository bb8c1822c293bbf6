# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small ELF files for x86-64, made by the ELF specification alone."""
import struct

PROGBITS, NOTE, ALLOC, CODE = 1, 7, 2, 6
SYMTAB, STRTAB = 2, 3


def build(sections, functions):
    """An executable file of sections (name, type, flags, address, bytes), their numbers beginning at 1, and functions
    (name, section, address, size). No program headers: nothing runs it."""
    strings, symbols = b"\0", bytes(24)
    for name, section, address, size in functions:
        symbols += struct.pack("<IBBHQQ", len(strings), 0x12, 0, section, address, size)
        strings += name.encode() + b"\0"
    link = len(sections) + 2
    parts = [(name, kind, flags, address, data, 0, 0, 0) for name, kind, flags, address, data in sections]
    parts += [(".symtab", SYMTAB, 0, 0, symbols, link, 1, 24), (".strtab", STRTAB, 0, 0, strings, 0, 0, 0)]
    names = b"\0" + b"".join(part[0].encode() + b"\0" for part in parts) + b".shstrtab\0"
    parts.append((".shstrtab", STRTAB, 0, 0, names, 0, 0, 0))
    body, headers = bytes(64), bytes(64)
    for name, kind, flags, address, data, linked, info, size in parts:
        body += bytes(-len(body) % 8)
        headers += struct.pack("<IIQQQQIIQQ", names.index(name.encode() + b"\0"), kind, flags, address, len(body),
                               len(data), linked, info, 8, size)
        body += data
    body += bytes(-len(body) % 8)
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, len(body), 0, 64, 0, 0, 64,
                                                    len(parts) + 1, len(parts))
    return head + body[64:] + headers
