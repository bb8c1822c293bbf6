/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The number of processors that this process may use. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

/* The number of processors that the process may run on (its affinity), or fewer where its control group limits its
 * time: 1.5 processors count as 2. At least 1. */
unsigned cpus_usable(void);
/* The limit of the control groups that `membership` lists (/proc/self/cgroup) below the mount point `root`
 * (/sys/fs/cgroup): the lowest of a group and the groups around it, versions 1 and 2, rounded up. 0: there is none. */
unsigned cpus_in_group(const char *membership, const char *root);

#endif
