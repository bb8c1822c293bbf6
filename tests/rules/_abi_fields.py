#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""_abi_fields.py OLD NEW <NAMES: whether each of the structures NAMES in a file of abidw has, in another, the same
fields at the same offsets, perhaps with more after them. abidiff, when it ignores structures that grow, ignores also
those that grow since a field has got another type or has moved. The exit code is 1 if there is such a field; each is
named."""

import sys
import xml.etree.ElementTree


def structures(path):
    """Fields by structure, each (name, offset in bits, type). The ids of types are made of their names."""
    found = {}
    for element in xml.etree.ElementTree.parse(path).iter("class-decl"):
        fields = [
            (member.find("var-decl").get("name"), member.get("layout-offset-in-bits"),
             member.find("var-decl").get("type-id"))
            for member in element.findall("data-member")
        ]
        if element.get("name") and fields:
            found.setdefault(element.get("name"), fields)
    return found


def main():
    old, new = structures(sys.argv[1]), structures(sys.argv[2])
    bad = 0
    for name in sorted(set(sys.stdin.read().split()) & old.keys() & new.keys()):
        for was, now in zip(old[name], new[name] + [None] * len(old[name])):
            if was != now:
                print(f"struct {name}: at bit {was[1]} there is no longer the same '{was[0]}'")
                bad = 1
    return bad


sys.exit(main())
