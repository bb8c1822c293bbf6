#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completion in a real bash."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _completion  # noqa: E402


def make_argv(directory):
    rc = os.path.join(directory, "rc")
    load = f". '{_completion.COMPLETIONS}/anyprof.bash'\nbind 'set bell-style none'\n"
    _completion.write(rc, _completion.FUNCTION + load)
    return ["bash", "--noprofile", "--rcfile", rc, "-i"]


sys.exit(_completion.try_shell("bash", make_argv))
