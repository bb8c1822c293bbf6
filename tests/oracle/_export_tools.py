# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other tools make of exported profiles: flamegraph.pl, pprof of Go, protoc with pprof's own definition of its
format, and sqlite3. Each function returns what the tool found, or None if the tool is not installed."""

import ast
import collections
import gzip
import html
import json
import os
import re
import shutil
import subprocess

FLAMEGRAPH = (shutil.which("flamegraph.pl"), "/usr/share/perl5/Devel/NYTProf/flamegraph.pl")
PROFILE_PROTO = "/usr/share/gocode/src/github.com/google/pprof/proto/profile.proto"
BOX = re.compile(r'<title>(.*?) \(([\d,]+) samples, [^)]*\)</title><rect x="[^"]*" y="([^"]*)"', re.S)
SCRIPT = re.compile(r"s\('(?:[^'\\]|\\.)*'\)")
LOCATION = re.compile(r"\s+(\d+): 0x0 M=1 (.*) (\S*):(\d+)(?::\d+)? s=\d+")


def run(words, **options):
    return subprocess.run(words, capture_output=True, timeout=120, check=False, **options)


# --- flamegraph.pl ----------------------------------------------------------------------------------------------


def flamegraph(folded):
    """({(row, name): count}, the scripts that are no call with one text) of the flame graph; rows are counted from the
    bottom, where "all" is row 0."""
    script = next((path for path in FLAMEGRAPH if path and os.path.exists(path)), None)
    if not script or not shutil.which("perl"):
        return None
    done = run(["perl", script, "--minwidth=0"], input=folded)
    if done.returncode or done.stderr:
        return {"stderr": done.stderr}, []
    svg = done.stdout.decode("utf-8", "replace")
    boxes = [(float(y), html.unescape(name), int(count.replace(",", ""))) for name, count, y in BOX.findall(svg)]
    rows = sorted({y for y, _, _ in boxes}, reverse=True)
    sums = collections.Counter()
    for y, name, count in boxes:
        sums[(rows.index(y), name)] += count
    scripts = [html.unescape(text) for text in re.findall(r'onmouseover="(s\(.*?)"', svg)]
    return dict(sums), [text for text in scripts if not SCRIPT.fullmatch(text)]


def rows_of(stacks):
    """The same of stacks: {(frame, ...): count}."""
    sums = collections.Counter()
    for stack, count in stacks.items():
        sums[(0, "all")] += count
        for row, name in enumerate(stack):  # which the tool writes with other brackets
            sums[(row + 1, name.translate(str.maketrans("<>", "()")))] += count
    return dict(sums)


# --- pprof ------------------------------------------------------------------------------------------------------


def go_pprof(path, directory):
    """Stacks of a file: [(((function, file, line), ...), values)], the outermost caller first, as strings of pprof
    -raw; and what -top prints."""
    go = shutil.which("go")
    if not go:
        return None
    environment = dict(os.environ, HOME=directory, PPROF_TMPDIR=directory, GOFLAGS="-mod=mod", GOTOOLCHAIN="local")
    tool = [go, "tool", "pprof", "-symbolize=none"]
    raw, top = (run([*tool, *words, path], env=environment, stdin=subprocess.DEVNULL, cwd=directory)
                for words in (["-raw"], ["-top", "-nodecount=5"]))
    if raw.returncode or top.returncode:
        return [("failed", raw.stderr[-400:], top.stderr[-400:])], ""
    text = raw.stdout.decode()
    samples, locations = text.split("\nSamples:\n")[1].split("\nLocations\n")
    places = {}
    for line in locations.split("\nMappings")[0].split("\n"):
        match = LOCATION.fullmatch(line)
        places[match[1] if match else line] = match.groups()[1:] if match else line
    stacks = []
    for line in samples.split("\n")[1:]:
        values, ids = line.split(":")
        stacks.append((tuple(places.get(one) for one in reversed(ids.split())), [int(one) for one in values.split()]))
    return stacks, top.stdout.decode()


def text_message(lines):
    """A message in protobuf's text format: {field: [value, ...]}, where values are numbers, texts or messages."""
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            message[line[:-1].strip()].append(text_message(lines))
            continue
        name, _, value = line.partition(": ")
        message[name].append(ast.literal_eval("b" + value).decode() if value[0] == '"' else int(value))
    return message


def protoc(path):
    """The profile as text_message has it; by the definition of Google's pprof, whose unknown fields are numbers."""
    if not shutil.which("protoc") or not os.path.exists(PROFILE_PROTO):
        return None
    with gzip.open(path) as file:
        done = run(["protoc", "--decode=perftools.profiles.Profile", "-I", os.path.dirname(PROFILE_PROTO),
                    PROFILE_PROTO], input=file.read())
    return {"failed": done.stderr} if done.returncode or done.stderr else text_message(
        iter(done.stdout.decode("ascii").splitlines()))


# --- spreadsheets -----------------------------------------------------------------------------------------------


def sqlite(path):
    """The rows of CSV, as dicts of texts."""
    if not shutil.which("sqlite3"):
        return None
    done = run(["sqlite3", "-json", ":memory:", "-cmd", f".import --csv {path} p", "SELECT * FROM p"])
    if done.returncode or done.stderr:
        return [{"stderr": done.stderr}]
    return json.loads(done.stdout or b"[]")


