#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completion in a real zsh."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _completion  # noqa: E402


def make_argv(directory):
    _completion.write(
        os.path.join(directory, ".zshrc"),
        f"fpath=('{_completion.COMPLETIONS}' $fpath)\nautoload -U compinit\ncompinit -u -D\nunsetopt beep\n"
        + _completion.FUNCTION,
    )
    return ["zsh", "-d", "-i"]


sys.exit(_completion.try_shell("zsh", make_argv))
