#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shell steps of action.yml, packaging/gitlab-ci.yml and packaging/Containerfile, run as they stand there: those of
the action and of GitLab in scratch directories with the variables that GitHub and GitLab set, the RUN lines of the
Containerfile in root directories of Debian 12, which debootstrap makes if this is root and Debian's packages can be
had. What a runner, GitLab and podman do around them is not tried."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("ANYPROF_SOURCE_DIR") or os.path.dirname(os.path.dirname(HERE))
PROFILE = os.path.join(ROOT, "examples", "profiles", "clang-22-ir.profraw")
bad = 0


def check(what, passed, said=""):
    global bad
    if not passed:
        print(f"FAILED: {what}\n{said[-2000:]}")
        bad += 1


def lines(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read().split("\n")


def indent(line):
    return len(line) - len(line.lstrip())


def block(text, at):
    """The block scalar that the line `at`, which ends in `|`, begins: its lines without their indentation."""
    taken = []
    for line in text[at + 1:]:
        if line.strip() and indent(line) <= indent(text[at]):
            break
        taken.append(line)
    width = min(indent(line) for line in taken if line.strip())
    return "\n".join(line[width:] for line in taken)


def action_steps():
    text = lines("action.yml")
    return [block(text, n) for n, line in enumerate(text) if line.strip() == "run: |"]


def gitlab_script():
    """The elements of before_script, one after the other, as GitLab's runner joins them."""
    text = lines("packaging", "gitlab-ci.yml")
    start = next(n for n, line in enumerate(text) if line.strip() == "before_script:")
    script = []
    for n in range(start + 1, len(text)):
        found = re.match(r"    - (.*)", text[n])
        if found:
            script.append(block(text, n) if found.group(1) == "|" else found.group(1))
    return "\n".join(script)


def run(script, shell, **variables):
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **variables}
    for name in ("CCACHE_DIR", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_BUILD_PARALLEL_LEVEL"):
        if name in os.environ:
            environment[name] = os.environ[name]
    done = subprocess.run([*shell, "-c", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, cwd=variables["HERE"])
    return done.returncode, done.stdout


def works(what, where, command="anyprof", words=("merge", "-o", "out.profdata", PROFILE)):
    done = subprocess.run([os.path.join(where, "bin", command), *words], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, cwd=where)
    check(f"{what}: {command}", done.returncode == 0, done.stdout)
    return done.stdout


def try_action(tmp):
    """Built from the sources with the names of LLVM's tools, and from a tarball without them. Returns the tarball."""
    steps = action_steps()
    check("action.yml has a step", len(steps) == 1)

    def once(name, **inputs):
        here = os.path.join(tmp, name)
        os.mkdir(here)
        path = os.path.join(here, "path")
        values = {"ANYPROF_TARBALL": "", "ANYPROF_SHA256": "", "ANYPROF_LLVM_NAMES": "false", **inputs}
        done = run(steps[0], ["bash", "--noprofile", "--norc", "-eo", "pipefail"], HERE=here, RUNNER_TEMP=here,
                   GITHUB_ACTION_PATH=ROOT, GITHUB_PATH=path, **values)
        return done, os.path.join(here, "anyprof"), path

    (code, said), prefix, path = once("built", ANYPROF_LLVM_NAMES="true")
    check("the action builds anyprof", code == 0, said)
    with open(path, encoding="utf-8") as file:
        check("PATH", file.read() == os.path.join(prefix, "bin") + "\n")
    works("the action", prefix)
    check("the name", "works as llvm-profdata" in works("the action", prefix, "llvm-profdata", ["--version"]))
    for name in ("llvm-cov", "llvm-profgen", "merge-fdata", "llvm-bat-dump", "profile_merger", "dump_gcov"):
        works("the action", prefix, name, ["--version"])
        os.unlink(os.path.join(prefix, "bin", name))
    os.unlink(os.path.join(prefix, "bin", "llvm-profdata"))
    tarball = os.path.join(tmp, "anyprof.tar.gz")
    with tarfile.open(tarball, "w:gz") as file:
        file.add(prefix, "anyprof-0-linux-x86_64")
    with open(tarball, "rb") as file:
        good = hashlib.sha256(file.read()).hexdigest()

    (code, said), prefix, path = once("unpacked", ANYPROF_TARBALL=tarball, ANYPROF_SHA256=good)
    check("the action unpacks a tarball", code == 0, said)
    works("the tarball", prefix)
    check("no names", os.listdir(os.path.join(prefix, "bin")) == ["anyprof"])
    (code, said), prefix, path = once("another", ANYPROF_TARBALL=tarball, ANYPROF_SHA256="0" * 64)
    check("another sum", code != 0 and "has another SHA-256 sum" in said and not os.path.exists(path), said)
    (code, said), prefix, path = once("download", ANYPROF_TARBALL="https://invalid./anyprof.tar.gz")
    check("a download without a sum", code != 0 and "give its sum" in said, said)
    if shutil.which("curl"):
        (code, said), prefix, path = once("file", ANYPROF_TARBALL="file://" + tarball, ANYPROF_SHA256=good)
        check("the action downloads a tarball", code == 0, said)
        works("the download", prefix)

    prefix = os.path.join(tmp, "taken")
    os.makedirs(os.path.join(prefix, "bin"))
    foreign = os.path.join(prefix, "bin", "llvm-cov")
    os.symlink("/nowhere/llvm-cov", foreign)
    script = f"{ROOT}/packaging/ci_install.sh --llvm-names --tarball={tarball} {prefix}"
    code, said = run(script, ["sh"], HERE=tmp)
    check("a link of others", code != 0 and "is no link to anyprof" in said and os.readlink(foreign)[0] == "/" and
          os.listdir(os.path.join(prefix, "bin")) == ["llvm-cov"], said)
    os.unlink(foreign)
    for digest, code in (("''", 1), (good.upper(), 0)):
        check(f"sum {digest}", run(script + " --sha256=" + digest, ["sh"], HERE=tmp)[0] == code)
    for what in ("its own names", "them again"):
        code, said = run(script, ["sh"], HERE=tmp)
        check(what, code == 0 and os.readlink(foreign) == "anyprof", said)
    return tarball


def try_gitlab(tmp, tarball):
    script = gitlab_script()
    with open(tarball, "rb") as file:
        tar_sum = hashlib.sha256(file.read()).hexdigest()
    for name, variables in (("gitlab-tarball", {"ANYPROF_TARBALL": tarball}),
                            ("gitlab-source", {"ANYPROF_SOURCE": "file://" + ROOT})):
        if "ANYPROF_SOURCE" in variables and not os.path.exists(os.path.join(ROOT, ".git")):
            print("note: not a git checkout: GitLab's build from the sources is not tried")
            continue
        here = os.path.join(tmp, name)
        os.mkdir(here)
        values = {"ANYPROF_TARBALL": "", "ANYPROF_SOURCE": "", **variables}
        code, said = run(script + "\ncommand -v anyprof", ["bash", "-eo", "pipefail"], HERE=here, CI_PROJECT_DIR=here,
                         GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory", GIT_CONFIG_VALUE_0="*", **values)
        check(name, code == 0 and said.rstrip().endswith("/.anyprof/bin/anyprof"), said)
        works(name, os.path.join(here, ".anyprof"))
        if name == "gitlab-tarball":
            for what, digest in (("sum", tar_sum), ("another sum", "0" * 64)):
                code, said = run(script, ["bash", "-eo", "pipefail"], HERE=here, CI_PROJECT_DIR=here, **values,
                                 ANYPROF_SHA256=digest)
                check(f"{name}: {what}", (code == 0) == (digest == tar_sum), said)


def instructions():
    """Of the Containerfile: (word, rest) of each line."""
    return [tuple(line.split(" ", 1)) for line in lines("packaging", "Containerfile") if line and line[0] != "#"]


def copy_sources(to):
    """What .containerignore leaves of the tree."""
    ignored = [line for line in lines(".containerignore") if line and line[0] != "#"]
    shutil.copytree(ROOT, to, symlinks=True, ignore=lambda where, names: [
        name for name in names if os.path.relpath(os.path.join(where, name), ROOT) in ignored])


def try_container(tmp):
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("note: not root, or no debootstrap: the Containerfile is not tried")
        return
    base = os.path.join(tmp, "debian")
    done = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", base], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        print("note: debootstrap fails: the Containerfile is not tried: " + done.stdout[-200:])
        return
    # How this machine reaches Debian's packages, as podman gives a container its network.
    shutil.copy("/etc/resolv.conf", os.path.join(base, "etc", "resolv.conf"))
    stages, root = {}, None
    for word, rest in instructions():
        if word == "FROM":
            image = rest.split(" AS ")
            check("the image is of Debian 12", image[0] == "debian:12-slim")
            root = os.path.join(tmp, "stage%d" % len(stages))
            subprocess.run(["cp", "-a", base, root], check=True)
            stages[image[-1]] = root
        elif word == "COPY" and rest.startswith("--from="):
            name, source, to = re.fullmatch(r"--from=(\S+) (\S+) (\S+)", rest).groups()
            subprocess.run(["cp", "-a", stages[name] + source + "/.", root + to], check=True)
        elif word == "COPY":
            source, to = rest.split()
            check("the sources are copied", source == ".")
            copy_sources(root + to)
        elif word == "RUN":
            done = subprocess.run(["chroot", root, "/bin/sh", "-c", rest], stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.STDOUT, check=False,
                                  env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"})
            check("RUN " + rest, done.returncode == 0, done.stdout)
        else:
            check("CMD", (word, rest) == ("CMD", '["anyprof", "help"]'), f"{word} {rest}")
    shutil.copy(PROFILE, os.path.join(root, "in.profraw"))
    done = subprocess.run(["chroot", root, "/usr/local/bin/anyprof", "merge", "-o", "/out.profdata", "/in.profraw"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check("the image", done.returncode == 0 and os.path.getsize(os.path.join(root, "out.profdata")) > 100, done.stdout)


def main():
    for tool in ("bash", "cmake", "ninja", "gcc", "git", "tar", "sha256sum"):
        if not shutil.which(tool):
            print(f"skipped: no {tool}")
            return 77
    if os.environ.get("ANYPROF_INSTRUMENTED", "0") != "0":
        print("skipped: instrumented build; the release build makes packages")
        return 77
    with tempfile.TemporaryDirectory() as tmp:
        tarball = try_action(tmp)
        if not bad:
            try_gitlab(tmp, tarball)
        try_container(tmp)
    return 1 if bad else 0


sys.exit(main())
