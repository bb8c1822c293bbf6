# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types keys into an interactive shell on a terminal of its own, and compares the arguments that the command gets."""
import os
import pty
import re
import select
import shutil
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("ANYPROF_SOURCE_DIR") or os.path.dirname(os.path.dirname(HERE))
COMPLETIONS = os.path.join(SOURCE, "cli", "completions")
PATIENCE = 60  # seconds, for the whole of a shell's answers

# (what is typed, the arguments): \t is the key that completes.
TYPED = [
    ("anyprof mer\t", ["merge"]),
    ("anyprof prob\tlis\t", ["probes", "list"]),
    ("anyprof help prob\ttre\t", ["help", "probes", "tree"]),
    ("anyprof merge --failu\tw\t", ["merge", "--failure-mode=warn"]),
    ("anyprof merge --failure-mode wa\t", ["merge", "--failure-mode", "warn"]),
    ("anyprof merge --for=llvm-16\t", ["merge", "--for=llvm-16"]),
    ("anyprof merge --weighted\t1,x", ["merge", "--weighted-input=1,x"]),
    ("anyprof merge --spa\t fi\t", ["merge", "--sparse", "first.profraw"]),
    ("anyprof merge --report=fi\t", ["merge", "--report=first.profraw"]),
    ("anyprof merge -o fi\t", ["merge", "-o", "first.profraw"]),
    ("anyprof show --tem\tfi\t", ["show", "--temporal-profile-traces", "first.profraw"]),
    ("anyprof bolt merge --print=ex\t", ["bolt", "merge", "--print=exec"]),
    ("anyprof bat stat\t--js\t", ["bat", "stats", "--json"]),
    # Of LLVM's tool nothing that only we have.
    ("llvm-profdata sho\t--cov\t", ["show", "--covered"]),
    ("llvm-profdata pro\t", ["pro"]),
    ("llvm-profdata merge --progr\t", ["merge", "--progr"]),
    ("llvm-profdata-16 mer\t--spa\t", ["merge", "--sparse"]),
    ("llvm-profgen --skip\t--infer-m\t", ["--skip-symbolization", "--infer-missing-frames"]),
    ("llvm-profgen-22 --perfd\tfi\t", ["--perfdata=first.profraw"]),
    ("llvm-profgen --ignore-b\t", ["--ignore-b"]),
    ("llvm-profgen -pd fi\t", ["-pd", "first.profraw"]),
]

FUNCTION = """anyprof() {
    printf 'ARGUMENTS:'
    for argument; do printf '<%s>' "$argument"; done
    printf ':END\\n'
}
llvm-profdata() { anyprof "$@"; }
llvm-profdata-16() { anyprof "$@"; }
llvm-profgen() { anyprof "$@"; }
llvm-profgen-22() { anyprof "$@"; }
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


class Shell:
    def __init__(self, argv, directory, environment):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(argv[0], argv, environment)

    def type(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, done, deadline):
        """False: the shell has ended, or is too slow."""
        while not done(self.seen):
            ready, _, _ = select.select([self.fd], [], [], max(0, deadline - time.monotonic()))
            try:
                more = os.read(self.fd, 65536) if ready else b""
            except OSError:
                more = b""
            if not more:
                return False
            self.seen += more
        return True

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def answers(seen):
    return re.findall(rb"ARGUMENTS:(.*?):END", seen)


def try_shell(name, make_argv):
    """Types everything into one shell; the exit code of the test. make_argv(directory) writes what it reads first."""
    if not shutil.which(name):
        skip(f"no {name}")
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        work = os.path.join(directory, "work")
        os.mkdir(work)
        with open(os.path.join(work, "first.profraw"), "wb"):
            pass
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C", "HOME": directory}
        environment["ZDOTDIR"] = directory
        shell = Shell(make_argv(directory), work, environment)
        deadline = time.monotonic() + PATIENCE
        for number, (keys, want) in enumerate(TYPED, 1):
            shell.type(keys + "\r")
            if not shell.read_until(lambda seen, n=number: len(answers(seen)) >= n, deadline):
                print(f"{name} has not answered to {keys!r}:", shell.seen[-2000:].decode(errors="replace"))
                failures += 1
                break
            got = re.findall(r"<(.*?)>", answers(shell.seen)[number - 1].decode())
            if got != want:
                print(f"{name}: {keys!r} became {got}, not {want}")
                failures += 1
        shell.end()
    print(f"{len(TYPED)} lines in {name}, {failures} failures")
    return 1 if failures else 0


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
