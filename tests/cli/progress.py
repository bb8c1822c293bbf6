#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The line that shows progress: on a terminal, after the first second of work, never in the way of messages, and never
elsewhere. A named pipe that is filled late is the long work: that it took a second at least is sure on any machine."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("ANYPROF_SOURCE_DIR") or os.path.dirname(os.path.dirname(HERE))
ANYPROF = os.environ.get("ANYPROF") or os.path.join(SOURCE, "build", "anyprof")
WIPE = b"\r\x1b[K"
GOOD = b"main\n1\n2\n3\n4\n"
LATE = 1.3  # seconds
checks = failures = 0


def check(what, good, *shown):
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print("FAILED:", what, *shown)


def environment(term):
    env = {k: v for k, v in os.environ.items() if k not in ("TERM", "NO_COLOR")}
    return dict(env, LC_ALL="C", NO_COLOR="1", **({} if term is None else {"TERM": term}))


def on_terminal(arguments, directory, term="xterm", columns=80, foreground=True):
    """(exit code, what a terminal got that is standard error, and standard output of the command)"""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def begin():  # a session of its own, so that the terminal is its own, too
        os.setsid()
        if foreground:
            fcntl.ioctl(2, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [ANYPROF] + arguments, cwd=directory, env=environment(term), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=slave, preexec_fn=begin
    )
    os.close(slave)
    seen = b""
    while True:
        ready, _, _ = select.select([master], [], [], 120)
        try:
            more = os.read(master, 65536) if ready else b""
        except OSError:  # no process has it open any more
            more = b""
        if not more:
            break
        seen += more
    os.close(master)
    out = process.stdout.read()
    process.stdout.close()
    return process.wait(), seen.replace(b"\r\n", b"\n"), out


def screen(seen):
    """What is left on the screen: a line is wiped out by the two codes that are used, and by them only."""
    lines, line = [], b""
    for part in re.split(rb"(\r\x1b\[K|\n)", seen):
        if part == WIPE:
            line = b""
        elif part == b"\n":
            lines.append(line)
            line = b""
        else:
            line += part
    return lines + ([line] if line else [])


def progress_lines(seen):
    return re.findall(rb"\r\x1b\[K(\d[^\r\n]*)", seen)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def test_always(directory):
    """--progress=always shows every step, whatever standard error is: nothing depends on time."""
    inputs = [f"{i}.proftext" for i in range(70)]
    for i, name in enumerate(inputs):
        write(os.path.join(directory, name), b"main\n1\n" if i in (3, 65) else GOOD)
    merge = ["merge", "-j", "1", "--for=llvm-23", "--failure-mode=warn", "-o", "always.profdata"] + inputs
    code, seen, _ = on_terminal(merge + ["--progress=always"], directory)
    check("exit code", code == 0, code)
    lines = progress_lines(seen)
    form = re.compile(rb"(\d+) of 70 files, \d+\.\d MB/s(?:, (\d) bad)?")
    parts = [form.fullmatch(line) for line in lines]
    check("form of the lines", all(parts), lines)
    check("steps", [int(p[1]) for p in parts] == list(range(1, 71)), lines)
    bad = [int(p[2] or 0) for p in parts]
    check("bad ones", bad == [0] * 3 + [1] * 62 + [2] * 5, bad)
    # What is left is what there is without it.
    quiet = subprocess.run(
        [ANYPROF] + merge + ["--progress=never"], cwd=directory, env=environment("xterm"), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, check=False
    )
    check("messages", screen(seen) == quiet.stderr.split(b"\n")[:-1], screen(seen), quiet.stderr)
    check("there are messages", quiet.stderr.count(b"warning: ") == 2 and WIPE not in quiet.stderr, quiet.stderr)
    with open(os.path.join(directory, "always.profdata"), "rb") as file:
        result = file.read()
    piped = subprocess.run(
        [ANYPROF] + merge + ["--progress=always", "--quiet"], cwd=directory, env=environment(None),
        stderr=subprocess.PIPE, check=False
    )
    check("into a pipe", len(progress_lines(piped.stderr)) == 70 and piped.stderr.endswith(WIPE), piped.stderr)
    with open(os.path.join(directory, "always.profdata"), "rb") as file:
        check("the result", file.read() == result)


def test_text_behind(directory):
    """Text on standard output begins when the line is gone."""
    write(os.path.join(directory, "a.proftext"), GOOD)
    code, seen, out = on_terminal(["merge", "--text", "--progress=always", "a.proftext"], directory)
    check("exit code", code == 0, code)
    check("text", out.endswith(b"main\n# Func Hash:\n1\n# Num Counters:\n2\n# Counter Values:\n3\n4\n\n"), out)
    check("gone", seen.endswith(WIPE) and screen(seen) == [], seen)


def test_messages_between(directory):
    """A message in the middle of the work has a line of its own; after it the work is shown again."""
    with open(os.path.join(SOURCE, "examples", "profiles", "clang-14-ir.profraw"), "rb") as file:
        data = bytearray(file.read())
    ids, n_data, padding = struct.unpack_from("<3Q", data, 16)
    struct.pack_into("<Q", data, 88 + ids + 48 * n_data + padding, 1 << 57)  # the first counter, which is warned of
    write(os.path.join(directory, "odd.profraw"), data)
    inputs = ["a.proftext"] * 50 + ["odd.profraw"] + ["a.proftext"] * 50
    code, seen, _ = on_terminal(
        ["merge", "-j", "1", "--for=llvm-23", "-o", "odd.profdata", "--progress=always"] + inputs, directory
    )
    check("exit code", code == 0, seen)
    at = seen.find(b"warning: odd.profraw: ")
    check("a message", at >= 0 and screen(seen)[0].startswith(b"warning: odd.profraw: "), screen(seen))
    before = seen[:at]
    check("in front of it", before.endswith(WIPE) and WIPE + b"50 of 101 files" in before, before[-80:])
    check("after it", WIPE + b"51 of 101 files" in seen[at:], seen[at:at + 200])


def test_info_and_check(directory):
    """Of many files; check prints what it finds in between, on the same screen, and no line is torn."""
    names = ["good0.proftext", "wrong.proftext", "good1.proftext"]
    for name in names:
        write(os.path.join(directory, name), b"main\n1\n" if name == "wrong.proftext" else GOOD)
    for command, options in (("info", ["-j", "1"]), ("check", [])):
        arguments = [command] + options + names
        code, seen, out = on_terminal(arguments + ["--progress=always"], directory)
        check("exit code", code == 1, command, code)
        steps = [re.sub(rb"\d+\.\d MB/s", b"MB/s", line) for line in progress_lines(seen)]
        wanted = [b"1 of 3 files, MB/s", b"2 of 3 files, MB/s, 1 bad", b"3 of 3 files, MB/s, 1 bad"]
        check("steps", steps == wanted + wanted[2:] * (command == "info"), command, steps)
        check("gone", screen(seen) == [], command, seen)
        plain = subprocess.run([ANYPROF] + arguments, cwd=directory, stdout=subprocess.PIPE, check=False).stdout
        check("output", out == plain and out.endswith(b"\n"), command, out)
        code, seen, _ = on_terminal(arguments + ["--quiet"], directory)
        check("quiet", code == 1 and seen == b"", command, seen)


def test_check_on_one_screen(directory):
    """More findings than a buffer holds, so that some come in the middle of the work, and of a line."""
    write(os.path.join(directory, "wrong.proftext"), b"main\n1\n")
    names = ["wrong.proftext"] * 3000
    master, slave = pty.openpty()
    with subprocess.Popen(
        [ANYPROF, "check", "--progress=always"] + names, cwd=directory, env=environment("xterm"),
        stdin=subprocess.DEVNULL, stdout=slave, stderr=slave
    ) as process:
        os.close(slave)
        seen = b""
        while True:
            try:
                more = os.read(master, 65536)
            except OSError:
                more = b""
            if not more:
                break
            seen += more
        code = process.wait()
    os.close(master)
    plain = subprocess.run(
        [ANYPROF, "check"] + names, cwd=directory, stdout=subprocess.PIPE, check=False
    )
    shown = screen(seen.replace(b"\r\n", b"\n"))
    check("exit code", code == plain.returncode == 1, code)
    check("there is much", len(plain.stdout) > 1 << 17, len(plain.stdout))
    check("lines", shown == plain.stdout.split(b"\n")[:-1], shown[:3], len(shown))
    steps = progress_lines(seen)
    check("progress", 1000 < len(steps) <= 3000 and steps[0].startswith(b"1 of 3000 files, "), steps[:2], len(steps))


def test_narrow(directory):
    merge = ["merge", "--for=llvm-23", "-o", "x", "--progress=always", "a.proftext"]
    code, seen, _ = on_terminal(merge, directory, columns=20)
    check("exit code", code == 0, code)
    lines = progress_lines(seen)
    check("width", lines and all(len(line) == 19 for line in lines), lines)


def test_bolt(directory):
    for i in range(3):
        write(os.path.join(directory, f"{i}.fdata"), b"1 main 0 1 main 4 0 1\n")
    arguments = ["bolt", "merge", "-o", "x.fdata", "--progress=always", "0.fdata", "1.fdata", "2.fdata"]
    code, seen, _ = on_terminal(arguments, directory)
    check("exit code", code == 0, code)
    steps = [line.split(b",")[0] for line in progress_lines(seen)]
    check("bolt merge", steps == [b"%d of 3 files" % i for i in (1, 2, 3)], steps)
    check("gone", screen(seen) == [], seen)


def late(directory, name, more=(), **how):
    """A merge that waits LATE seconds for its first input; what the terminal got."""
    pipe = os.path.join(directory, name)
    os.mkfifo(pipe)

    def fill():
        with open(pipe, "wb") as file:
            time.sleep(LATE)
            file.write(GOOD)

    writer = threading.Thread(target=fill)
    writer.start()
    arguments = ["merge", "-j", "1", "--for=llvm-23", "-o", name + ".profdata", *more, name, "a.proftext"]
    if how.pop("terminal", True):
        result = on_terminal(arguments, directory, **how)
    else:
        done = subprocess.run(
            [ANYPROF] + arguments, cwd=directory, env=environment("xterm"), stderr=subprocess.PIPE, check=False
        )
        result = (done.returncode, done.stderr, b"")
    writer.join()
    check("exit code of " + name, result[0] == 0, result)
    return result[1]


def test_waiting(directory):
    """Without the option: on a terminal that can wipe out, and only there. All of them wait at the same time."""
    seen = {}
    cases = {
        "shown": {},
        "dumb": {"term": "dumb"},
        "noterm": {"term": None},
        "quiet": {"more": ["--quiet"]},
        "never": {"more": ["--progress=never"]},
        "pipe": {"terminal": False},
        "background": {"foreground": False},
    }
    threads = [
        threading.Thread(target=lambda n=name, c=case: seen.update({n: late(directory, n, **c)}))
        for name, case in cases.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = progress_lines(seen["shown"])
    check("shown", lines and lines[0].startswith(b"1 of 2 files, 0.0 MB/s"), seen["shown"])
    check("gone", screen(seen["shown"]) == [], seen["shown"])
    for name in cases:
        if name != "shown":
            check("not shown: " + name, seen[name] == b"", seen[name])


def test_short(directory):
    """Nothing within the first second; where the machine took longer, that is not known."""
    began = time.monotonic()
    _, seen, _ = on_terminal(["merge", "--for=llvm-23", "-o", "x", "a.proftext"], directory)
    check("short work", seen == b"" or time.monotonic() - began >= 1, seen)


def main():
    if not os.access(ANYPROF, os.X_OK):
        print(f"skipped: no command at {ANYPROF}")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        for test in (
            test_always, test_text_behind, test_messages_between, test_info_and_check, test_check_on_one_screen,
            test_narrow, test_bolt, test_waiting, test_short
        ):
            test(directory)
    print(f"{checks} checks, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
