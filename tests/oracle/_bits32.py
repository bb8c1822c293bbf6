# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How programs for 32-bit x86 run here. Kernels can be built without what they need; qemu-i386 runs them then."""
import functools
import os
import platform
import shutil
import struct
import subprocess
import tempfile

# The smallest executable: one segment, and code that calls exit(0).
CODE = bytes.fromhex("31db" "b801000000" "cd80")
ADDRESS = 0x08048000
HEADERS = 52 + 32
SMALLEST = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack(
    "<HHIIIIIHHHHHH", 2, 3, 1, ADDRESS + HEADERS, 52, 0, 0, 52, 32, 1, 0, 0, 0) + struct.pack(
    "<IIIIIIII", 1, 0, ADDRESS, ADDRESS, HEADERS + len(CODE), HEADERS + len(CODE), 5, 0x1000) + CODE


@functools.cache
def runner():
    """The words to put before such a program: none if the kernel runs it, or an emulator. None: nothing runs it."""
    if platform.machine() != "x86_64":
        return None
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "exit")
        with open(program, "wb") as f:
            f.write(SMALLEST)
        os.chmod(program, 0o755)
        for words in ((), ("qemu-i386",)):
            if words and not shutil.which(words[0]):
                continue
            try:
                if subprocess.run([*words, program], timeout=60, check=False).returncode == 0:
                    return words
            except OSError:  # the kernel has no loader for it
                pass
    return None


def command(options, program, *arguments):
    """The command that runs a program that was compiled with these options."""
    return [*(runner() if "-m32" in options else ()), program, *arguments]
