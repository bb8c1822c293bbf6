#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilers use what anyprof merges exactly as what their own llvm-profdata merges.

Programs are instrumented with every clang there is, run, and merged three ways: by that release's own tool, by anyprof
with its automatic target, and by anyprof for that release. The LLVM IR that the compiler makes with each must be the
same, and right: the entry count of a function is how often it was called, which the program counted itself.
Then profiles cross releases, and profiles of several releases are merged into one.

ANYPROF=command pgo_use.py [--only=WORD] [--keep]"""
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _pgo  # noqa: E402

ANYPROF = os.environ.get("ANYPROF") or os.path.join(_pgo.HERE, "../../build/release/anyprof")
WORKERS = 2

C = _pgo.Program("c", ["pgo_main.c", "pgo_other.c"], [("40", "3"), ("7", "1"), ("120", "5")],
                 never=[("pgo_main.c", "never")])
CPP = _pgo.Program("c++", ["pgo_shapes.cpp"], [("30", "4"), ("101", "1"), ("64", "2")])
SMALL = _pgo.Program("small", ["pgo_small.c"], [("9",), ("4",)])
PROGRAMS = (C, CPP, SMALL)

FE, FE_USE = ["-fprofile-instr-generate"], "-fprofile-instr-use="
IR, IR_USE = ["-fprofile-generate"], "-fprofile-use="
MAPPED = FE + ["-fcoverage-mapping"]


def hidden(*options):
    return [word for option in options for word in ("-mllvm", option)]


FLAVOURS = [_pgo.Flavour(*a, **k) for a, k in [
    (("fe", C, FE, FE_USE), {"opt": "-O1"}),
    (("fe-c++", CPP, FE, FE_USE), {}),
    (("fe-small", SMALL, FE, FE_USE), {"kinds": ()}),
    (("fe-coverage", C, MAPPED, FE_USE), {"coverage": '"count":'}),
    (("fe-mcdc", C, MAPPED + ["-fcoverage-mcdc"], FE_USE), {"since": 19, "coverage": "mcdc", "text": "$"}),
    (("ir", C, IR, IR_USE), {"kinds": ("branch_weights", "VP")}),
    (("ir-c++", CPP, IR, IR_USE), {"kinds": ("branch_weights", "VP")}),
    (("ir-small", SMALL, IR, IR_USE), {"kinds": ()}),
    (("ir-entry", C, IR + hidden("-pgo-instrument-entry"), IR_USE), {"text": ":entry_first"}),
    (("ir-loops", C, IR + hidden("-pgo-instrument-loop-entries"), IR_USE), {"since": 22}),
    (("ir-temporal", C, IR + hidden("-pgo-temporal-instrumentation"), IR_USE),
     {"since": 19, "text": ":temporal_prof_traces"}),
    (("ir-vtables", CPP, IR + hidden("-enable-vtable-value-profiling"), IR_USE),
     {"since": 19, "kinds": ("branch_weights", "VP"), "text": "\n2\n",
      "use_flags": hidden("-enable-vtable-value-profiling", "-disable-icp")}),
    # One byte for each function or block: run or not. LLVM adds these.
    (("ir-entry-coverage", C, IR + hidden("-pgo-function-entry-coverage"), IR_USE),
     {"since": 14, "exact": False, "kinds": (), "text": ":single_byte_coverage"}),
    (("ir-block-coverage", C, IR + hidden("-pgo-block-coverage"), IR_USE),
     {"since": 19, "exact": False, "kinds": (), "text": ":single_byte_coverage"}),
]]
FLAVOUR = {f.name: f for f in FLAVOURS}
