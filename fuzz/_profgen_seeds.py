# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The seeds of the fuzz targets of profgen: samples of the programs in profgen_programs.h. The first byte chooses the
program (bit 0), options (1 to 5), and of perf script and perf.data two more (6 and 7)."""

import os
import re

import _perf_seeds as perf

PROBES, LINES = 0, 1
FLAT, COLD, SHORT, COUNTS, THIRD, FOURTH = 4, 6, 16, 32, 64, 128


def programs():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "profgen_programs.h"), encoding="ascii") as f:
        text = f.read()
    for name, body in re.findall(r"uint8_t (\w+)\[\] = \{([^}]*)\}", text):
        yield name.split("_")[0], bytes(int(byte, 16) for byte in re.findall(r"0x[0-9a-f]{2}", body))


def profgen_program_seeds():
    """Programs; up to three more bytes choose whether samples have call stacks, and lines instead of probes."""
    for name, data in programs():
        for i in range(2):
            yield "%s-%d" % (name, i), data + bytes(i)
    yield "lined-2", dict(programs())["lined"] + bytes(2)


def profgen_raw_seeds():
    counts = (b"7\n120-129:1\n130-13f:1\n13c-13f:1\n13c-143:2\n148-148:1\n14a-152:2\n14d-152:1\n"
              b"6\n129->148:1\n13f->14a:2\n143->120:2\n148->14d:1\n152->13c:4\n169->130:1\n")
    contexts = (b"[]\n  0\n  1\n  169->130:1\n[0x169]\n  2\n  130-13f:1\n  13c-143:2\n  2\n  13f->14a:2\n  143->120:2\n"
                b"[0x169 @ 0x143]\n  1\n  120-129:1\n  1\n  129->148:1\n")
    lines = b"2\n170-17a:3\n1af-1b8:3\n3\n1b8->170:3\n17a->1bd:3\nffffffffffdff001->1d0:1\n"
    named = (b"[main:0 @ top]\n  1\n  180-196:2\n  1\n  1d9->180:2\n[main:0 @ top:4 @ mid]\n  1\n  1af-1b8:5\n  1\n"
             b"  1b8->170:5\n[main:0 @ top:4.2 @ mid:3 @ leaf]\n  1\n  170-17a:5\n  1\n  17a->1bd:5\n[]\n  0\n  0\n")
    recursion = b"[0x169 @ 0x143 @ 0x143 @ 0x169 @ 0x143 @ 0x169 @ 0x143]\n  1\n  120-128:9\n  0\n"
    for program, plain, called in ((PROBES, counts, contexts), (LINES, lines, named)):
        yield "counts-%d" % program, bytes([program]) + plain
        for option in (0, FLAT, COLD | COUNTS, SHORT, SHORT | COUNTS | 8, 10):
            yield "contexts-%d-%d" % (program, option), bytes([program | option]) + called
    yield "absolute", bytes([PROBES | 12]) + counts.replace(b"\n1", b"\n2011").replace(b">1", b">2011")
    yield "segment", bytes([PROBES | 14]) + counts
    yield "recursion", bytes([PROBES]) + recursion
    yield "recursion-flat", bytes([PROBES | FLAT | SHORT]) + recursion
    yield "huge", bytes([PROBES]) + b"2\n120-170:N\n0-fff:N\n1\n169->130:N\n".replace(b"N", b"18446744073709551615")
    yield "backwards", bytes([PROBES]) + b"1\n13c-130:10\n0\n"
    yield "frame", bytes([LINES]) + named.replace(b"[main:0 @ top]", b"[*M\x18main:0 @ top]", 1)
    yield "cut", bytes([PROBES]) + counts[:-20] + b"\n"
    yield "empty", bytes([PROBES])


MAPS = (b"PERF_RECORD_MMAP2 100/100: [0x201000(0x1000) @ 0 08:01 1 1]: r-xp /x/program\n",
        b"PERF_RECORD_MMAP 100/100: [0x7f0000001000(0x1000) @ 0]: x /x/program\n")
LBR = (b"0x201152/0x20113c/P/-/-/0  0x201148/0x20114d/P/-/-/0  0x201129/0x201148/P/-/-/0  0x201143/0x201120/P/-/-/0  "
       b"0x201152/0x20113c/P/-/-/0  0x20113f/0x20114a/P/-/-/0  0x201152/0x20113c/P/-/-/0\n",
       b"0x201143/0x201120/P/-/-/0  0x201152/0x20113c/P/-/-/0  0x20113f/0x20114a/P/-/-/0  0x201169/0x201130/P/-/-/0\n")
FRAMES = (b"\t          20113c\n\t          20116e\n\t    7f68c5788793\n",
          b"\t          201124\n\t          201148\n\t          20116e\n\t    7f68c5788793\n")
LINE_LBR = (b"0x2011b8/0x201170/P/-/-/0 0x2011ad/0x2011af/P/-/-/0 0x2011bd/0x2011a4/P/-/-/0 0x20117a/0x2011bd/P/-/-/0 "
            b"0x2011b8/0x201170/P/-/-/0 0x201196/0x2011af/P/-/-/0 0x2011d9/0x201180/P/-/-/0 0x99/0x2011d0/P/-/-/0\n")
LINE_FRAMES = b"\t 201174\n\t 2011bd\n\t 2011de\n\t 7f0000000\n"


def profgen_script_seeds():
    plain = MAPS[0] + b"  20113c  " + LBR[0] + b"10\n  201120  " + LBR[1]
    called = MAPS[0] + b"".join(b"\n" + frames + b" " + lbr for frames, lbr in zip(FRAMES, LBR))
    lines, named = MAPS[0] + b" " + LINE_LBR, MAPS[0] + b"3\n" + LINE_FRAMES + b" " + LINE_LBR
    yield "plain", bytes([PROBES]) + plain
    yield "moved", bytes([PROBES]) + MAPS[1] + plain[len(MAPS[0]):].replace(b"0x20", b"0x7f000000")
    yield "unmapped", bytes([PROBES]) + plain[len(MAPS[0]):]
    yield "two-maps", bytes([PROBES | FOURTH]) + plain + MAPS[1] + MAPS[0].replace(b"100/", b"7/") + plain
    yield "lines", bytes([LINES]) + lines
    for program, text in ((PROBES, called), (LINES, named)):
        for option in (0, FLAT, COLD, SHORT, SHORT | COUNTS | 8, 10, THIRD):
            yield "called-%d-%d" % (program, option), bytes([program | option]) + text
    yield "as-lines", bytes([PROBES | 12]) + called
    yield "odd", bytes([PROBES]) + (b"x y\n\n5\n\t201124\n" + MAPS[0][:40] + b"\n" +
                                    MAPS[0].replace(b"@ 0", b"@ 0x5000") + called +
                                    b"\t zz\n 0x1/0x2\n 0x201169/main\n")
    yield "huge", bytes([PROBES]) + MAPS[0] + b"18446744073709551615\n " + LBR[0] + b"18446744073709551615\n " + LBR[0]
    yield "deep", bytes([PROBES]) + MAPS[0] + b"\t201124\n" + 40 * b"\t201148\n\t20116e\n" + b" " + LBR[1]


class Recording(perf.Recording):
    """Recordings of the programs: the same branches, at addresses of theirs."""

    def branch(self, start, to, bits=1):
        page = start & ~0xfff
        return super().branch(*{6: (page + 0x152, page + 0x13c), 2: (page + 0x143, page + 0x120)}[start - page], bits)

    def sample(self, time, pid=100, base=0x201000, number=0, misc=2, n=2):
        return super().sample(time, pid, base, number, misc, n).replace(
            self.pack("QQ", base + 3, base + 5), self.pack("QQ", base + 0x124, base + 0x148))

    def map2(self, time, start=0x201000, pid=100, build=b"", name=b"/x/program", prot=5):
        return super().map2(time, start, pid, build, name, prot)


def profgen_perf_seeds():
    build = b"\x00\x11\x22\x33\x44\x55\x66\x77"
    little, big = Recording(), Recording(">")
    calls = Recording(kinds=(perf.USUAL | perf.CHAIN,))
    both = Recording(kinds=(perf.USUAL | perf.IDENTIFIER, perf.USUAL | perf.IDENTIFIER | perf.CHAIN))
    few = little.map2(1) + little.sample(2) + little.fork(3, 102) + little.sample(4, 102, n=9) + little.sample(5, n=0)
    called = calls.map2(1) + calls.sample(2, n=3) + calls.sample(3, n=1)
    for program in (PROBES, LINES):
        yield "little-%d" % program, bytes([program]) + little.file(few)
        yield "calls-%d" % program, bytes([program]) + calls.file(called)
    yield "calls-flat", bytes([FLAT | SHORT]) + calls.file(called)
    yield "calls-unused", bytes([THIRD]) + calls.file(called)
    yield "big", bytes([PROBES]) + big.file(big.map2(1) + big.sample(2, n=6))
    yield "pipe", bytes([PROBES]) + little.pipe(few)
    yield "two-events", bytes([PROBES]) + both.file(both.map2(1) + both.sample(2) + both.sample(3, number=1, n=4))
    yield "moved", bytes([PROBES]) + little.file(little.map2(1, 0x555555560000) + little.sample(2, base=0x555555560000))
    yield "build", bytes([LINES]) + little.file(little.map2(1, build=build) + little.sample(2, n=5), features=False)
    yield "other-build", bytes([LINES | FOURTH]) + little.file(little.map2(1, build=build[::-1]) + little.sample(2),
                                                               features=False)
    yield "wrong-build", bytes([LINES]) + little.file(little.map2(1, build=build[::-1]) + little.sample(2),
                                                      features=False)
    yield "other", bytes([PROBES]) + little.file(little.map2(1, name=b"/x/other") + little.sample(2), features=False)
    yield "cut", bytes([PROBES]) + little.file(few, cut=300)
