# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs anyprof-mpi under mpirun, with more ranks than processors."""

import os
import re
import shutil
import subprocess
import sys

ANYPROF = os.environ["ANYPROF"]
ANYPROF_MPI = os.path.join(os.path.dirname(ANYPROF), "anyprof-mpi")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_base_warn_component_unused="0", OMPI_MCA_btl_vader_single_copy_mechanism="none")
# Messages of mpirun itself, about a process that ended with another code than 0.
RULE = b"-" * 74 + b"\n"


def skip_without_mpi():
    """Ends the test as skipped if this build has no anyprof-mpi."""
    if not os.path.exists(ANYPROF_MPI) or not shutil.which("mpirun"):
        print("skipped: anyprof-mpi is not built (Open MPI)")
        sys.exit(77)


def words_of(*ranks):
    """mpirun's words for (number of ranks, words of anyprof-mpi) once or more."""
    words = ["mpirun", "-q", "--oversubscribe"]
    for i, (n, own) in enumerate(ranks):
        words += ([":"] if i else []) + ["-n", str(n), ANYPROF_MPI, *own]
    return words


def run(*ranks, **how):
    """Runs it to its end; messages are without mpirun's."""
    done = subprocess.run(words_of(*ranks), capture_output=True, check=False, env=ENVIRONMENT, timeout=300, **how)
    parts = done.stderr.split(RULE)
    done.stderr = b"".join(parts[::2])
    # libevent, in mpirun, may find a descriptor closed that it wants to forget.
    done.stderr = re.sub(rb"(?m)^\[warn\] Epoll .*: Bad file descriptor\n", b"", done.stderr)
    return done


def start(*ranks):
    return subprocess.Popen(words_of(*ranks), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as f:
        return f.read()
