# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds of the fuzz targets that read sample profiles, for make_seeds.py."""

import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests", "oracle"))
import _gcc_afdo as afdo  # noqa: E402


def read(path):
    with open(path, "rb") as f:
        return f.read()


def both(a, b, weights=0):
    """An input of fuzz_merge."""
    head = weights << 12 | len(a)
    return bytes([head >> 8, head & 255]) + a + b


def sample_gcc_seeds():
    """Profiles of GCC in every layout, some in big-endian order, and two whose version is that of another layout."""
    leaf = afdo.Node(b"leaf", {(0, 0): (6, {})}, [])
    mid = afdo.Node(b"mid.part.0", {(1, 0): (7, {}), (65535, 3): (2**40, {})}, [(1, 0, leaf)])
    work = afdo.Node(b"work", {(2, 0): (1000, {}), (2, 3): (900, {b"leaf": 774, b"main": 5})},
                     [(2, 0, mid), (3, 1, leaf)])
    profile = afdo.Profile([afdo.Function(1, afdo.Node(b"main", {(3, 0): (1, {})}, []), 801840661248321),
                            afdo.Function(844, work)], {b"main": b"a.c", b"leaf": b"b.c"})
    for layout in afdo.LAYOUTS:
        yield layout, afdo.encode(profile, layout)[:-1544]
    for layout in "1", "3":
        yield layout + "-big", afdo.encode(profile, layout, ">")[:-1544]
    yield "whole", afdo.encode(afdo.Profile([]), "2")
    for layout, word in ("1", b"\2\0\0\0"), ("3", b"*704"):
        data = afdo.encode(profile, layout)[:-1544]
        yield layout + "-mislabelled", data[:4] + word + data[8:]


def sample_json_seeds():
    """Sample profiles as JSON: one with everything there can be, one with as little as there can be, and hashes."""
    whole = (b'{"schema":"anyprof-sample/1","source":{"kind":"gcc","version":3,"layout":"3a","byte_order":"big"},'
             b'"flags":["contexts","partial","times"],"findings":{"DECIMAL_NAMES":2},"summary":{"total":10,'
             b'"max_count":9,"max_head":8,"counts":7,"functions":6,'
             b'"rows":[{"cutoff":990000,"min_count":5,"counts":3}]},'
             b'"symbols":["a","\\udcff"],"names":[{"name":"alone"},{"hash":"0x9"}],"functions":[{"name":"leaf",'
             b'"file":"x.c","context":[{"name":"main","line":1},{"hash":7,"line":2,"discriminator":3}],"total":9,'
             b'"head":3,"checksum":"0x1f","attributes":["was_inlined","0x8"],"first_time":77,"saturated":true,'
             b'"lines":[{"line":1,"count":"9223372036854775808","targets":[{"name":"b","count":2}]}],'
             b'"vtables":[{"line":2,"name":"_ZTV1A","count":4}],"inlined":[{"depth":1,"line":4,"name":"g","total":5,'
             b'"lines":[]},{"depth":2,"line":5,"name":"","total":0,"lines":[{"line":0,"count":1}]}]}]}')
    yield "whole", whole
    yield "least", b'{"functions":[{"total":1,"name":"f"},{"name":"f","total":2}],"schema":"anyprof-sample/1"}'
    yield "fs", whole.replace(b'"contexts"', b'"fs_discriminators"').replace(b'"name":"leaf",', b'"hash":"0x5",')


def sample_compare_seeds():
    """Inputs of fuzz_sample_compare: options, and two sample profiles."""
    old = (b"main:100:5\n 1: 40\n 2: 10 f:6 g:4\n 2: vtables v:1 \n 3: helper:30\n  1: 30\n  2: g.llvm.1:5\n   1: 5\n"
           b"helper:10:3\n 1: 5\n 2.7: 5\ngone.part.3:10:1\n 1: 10\n")
    new = b"main:1000:50\n 1: 200\n 2: 300 f:100 h:100\n 3: helper:100\n  1: 100\ngone:1:1\n 1: 1\n"
    contexts = b"[main:1 @ f:2.3 @ g]:9:1\n 1: 8\n 2: 1 x:1\n[main]:20:2\n 1: 20\n[g]:5:5\n 1: 5\n"
    probes = b"f:9:1\n 1: 9\n 2: g:4\n  1: 4\n  !CFGChecksum: 7\n !CFGChecksum: 5\n !Attributes: 2\n"
    for flags in range(0, 16, 3):
        yield "lines-%d" % flags, both(old, new, flags)
    yield "contexts", both(contexts, contexts.replace(b"@ f:2.3 ", b"@ f:2 "), 2)
    yield "probes", both(probes, probes.replace(b": 5\n", b": 6\n"), 1)
    yield "kinds", both(contexts, old, 0)
    for name, data in sample_json_seeds():
        yield name, both(data, old, 4)


def sample_merge_seeds():
    """Inputs of fuzz_sample_merge: eight bytes of options, names, and sample profiles."""
    def request(options, names, *profiles):
        return bytes(options) + b"".join(struct.pack(">H", len(piece)) + piece for piece in (names, *profiles))

    lines = (b"main:100:5\n 1: 40\n 2: 10 f:6 g:4\n 2: vtables v:1 \n 3: helper:30\n  1: 30\n"
             b"  2: g.llvm.1:5\n   1: 5\nhelper:10:3\n 1: 5\n 2.7: 5\ngone.part.3:10:1\n 1: 10\n")
    contexts = b"[main:1 @ f:2.3 @ g]:9:1\n 1: 8\n 2: 1 x:1\n[main:1 @ f]:4:2\n 2.3: 4 g:4\n[main]:20:2\n 1: 20 f:2\n"
    probes = b"f:9:1\n 1: 9\n 2: g:4\n  1: 4\n  !CFGChecksum: 7\n !CFGChecksum: 5\n !Attributes: 2\n"
    both_kinds = (b"[f:2 @ g]:9:1\n 1: 9\n !CFGChecksum: 7\n !Attributes: 3\n"
                  b"[f]:8:2\n 1: 3\n 2: 5 g:5\n !CFGChecksum: 5\n")
    hashes = b"17339214271228151397:9:1\n 1: 2 20:2 x:1\n 7.3: 16434608426314478903:20\n  1: 3:1\n20:3:4\n"
    names = b"f helper\nhelper g\nmain\nx\n"
    binary = {name: read(os.path.join(HERE, "corpus", "sample_binary", name))[1:]
              for name in ("compact", "contexts", "contexts13", "md5", "probes", "raw", "split", "symbols", "vtables")}
    gcc = dict(sample_gcc_seeds())
    for number in range(5):
        yield "lines-%d" % number, request((0, 0, 0, number, number, 0, number, 4 * number), names, lines, lines[:100])
    for number, flags in enumerate((0, 1, 3, 7, 32, 40, 64, 128)):
        yield "contexts-%d" % flags, request((flags, 12, 10, 1, 0, 0, 0, 0), b"", contexts, contexts[26:])
        other = probes.replace(b": 5", b": 6")
        yield "probes-%d" % flags, request((flags, 4, 20, 4, 0, 0, number, 8), names, probes, other)
    yield "both", request((0, 5, 9, 4, 1, 0, 1, 8), names, both_kinds, both_kinds.replace(b": 5\n", b": 6\n"))
    yield "hashes", request((0, 0, 0, 4, 0, 0, 0, 0), names, hashes, lines)
    yield "kinds", request((0, 0, 0, 4, 0, 0, 0, 0), names, lines, contexts, probes, both_kinds)
    yield "cut", request((0, 0, 0, 1, 0, 0, 0, 20), b"", lines[:-5] + b"x", lines)
    for name, data in binary.items():
        yield name, request((0, 0, 0, 4, 0, 0, 2, 0), b"", data, lines[60:])
    for name in ("2", "3-big", "704"):
        yield "gcc-" + name, request((0, 0, 0, 5, 4 * len(name) + 3, 0, 8, 0), b"work main\n", gcc[name], gcc["3"])
    yield "gcc-flat", request((64, 0, 0, 0, 0, 0, 0, 1), b"", gcc["3"], gcc["1"])


def sample_text_seeds():
    """Inputs of fuzz_sample_text: a byte of flags, and a text sample profile."""
    nested = (b"# c\nmain:100:1\n 1: 2\n 1.3: 4 bar:2 std::g<a:b>:7\n 1.3: vtables _ZTV1A:3 _ZTV1B:4 \n"
              b" 2: bar:9\n  1: 9\n"
              b"  2.1: op::call x:3\n   1: 3\n   !CFGChecksum: 5\n  !CFGChecksum: 6\n  !Attributes: 2\n 1.3: baz:1\n"
              b" 1.3: vtables _ZTV1A:3 _ZTV1B:4 \n !CFGChecksum: 7\n !Attributes: 1\n !Flat\n\nmain:1:1\n 5\n")
    yield "nested", b" " + nested
    yield "fs", b"%" + nested.replace(b"1.3", b"768.513")
    yield "contexts", b" [main:1.3 @ bar:-2 @ baz]:5:6\r\n 70000.1: 1\n 2: [foo]:3\n  1: 3\n[baz]:1:1\nfoo:2:3\n"
    yield "hashes", b" 17339214271228151397:9:1\n 1: 2 20:2 x:1\n 7.3: 16434608426314478903:20\n  1: 3:1\n20:3:4\n"
    yield "unindented", b" foo:5:6\n1: 2\n1.2: 30 foo:4  b c:5\n# c\nbar:7:8\n65535: 1\n"
    yield "cut", b" " + nested[:-4] + b"x:"
    yield "overflow", b" foo:18446744073709551615:1\nfoo:1:18446744073709551615\n"
    yield "after-metadata", b" foo:1:1\n !Flat\n 1: 2\n"
