# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The share of its cases that a test runs: ANYPROF_SHARE=K/N, share K (from 0) of N. The N shares together are all
cases, and each share has at least one case of each kind. Without ANYPROF_SHARE a test runs all cases.

test.sh sets K by the commit, so that successive commits run successive shares; ./test.sh full runs all cases.
"""

import collections
import hashlib
import os
import re


def parse_share(text):
    """(K, N); (0, 1) is everything."""
    if not text:
        return 0, 1
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not int(match[1]) < int(match[2]):
        raise SystemExit("FAILED: ANYPROF_SHARE is '%s', not K/N with K below N" % text)
    return int(match[1]), int(match[2])


SHARE, SHARES = parse_share(os.environ.get("ANYPROF_SHARE", ""))
WHOLE = SHARES == 1


def shuffle_key(*words):
    """A number that depends on nothing but the words: cases that follow each other have much in common."""
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:8], "big")


def positions_of(kind, size, share, shares):
    """The positions, among the cases of a kind, that are in a share."""
    order = sorted(range(size), key=lambda i: shuffle_key(kind, i))
    if size < shares:
        return {order[(share + shuffle_key(kind)) % size]}
    return set(order[(share + shuffle_key(kind)) % shares::shares])


class Cases(list):
    """The cases of this share, in their order. `left_out`: {kind: how many cases are in other shares only}."""

    def __init__(self, every, kind):
        super().__init__()
        sizes = collections.Counter(map(kind, every))
        chosen = {k: positions_of(k, size, SHARE, SHARES) for k, size in sizes.items()}
        seen = collections.Counter()
        self.left_out = collections.Counter()
        for case in every:
            k = kind(case)
            if seen[k] in chosen[k]:
                self.append(case)
            else:
                self.left_out[k] += 1
            seen[k] += 1


def pick(every, kind=lambda case: "", what="cases"):
    """The Cases of this share; how many of how many is printed. `kind(case)` is a string or a tuple of strings."""
    every = list(every)
    cases = Cases(every, kind)
    if not WHOLE:
        print("share: ANYPROF_SHARE=%d/%d: %d of %d %s" % (SHARE, SHARES, len(cases), len(every), what))
    return cases


def least(floor, *picked):
    """Returns the floor of the picked Cases where all cases reach `floor`: half of their part, since cases differ."""
    chosen, others = sum(map(len, picked)), sum(sum(cases.left_out.values()) for cases in picked)
    return floor if not others else floor * chosen // (chosen + others) // 2
