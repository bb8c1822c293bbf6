/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of perf.data, from the kernel's include/uapi/linux/perf_event.h and perf's own headers. */
#ifndef PERF_PERF_LAYOUT_H
#define PERF_PERF_LAYOUT_H

/* Types of records. The kernel writes those below PERF_RECORD_USER_TYPE_START, perf itself the others. */
enum {
    PERF_RECORD_MMAP = 1,
    PERF_RECORD_LOST = 2,
    PERF_RECORD_COMM = 3,
    PERF_RECORD_EXIT = 4,
    PERF_RECORD_THROTTLE = 5,
    PERF_RECORD_UNTHROTTLE = 6,
    PERF_RECORD_FORK = 7,
    PERF_RECORD_SAMPLE = 9,
    PERF_RECORD_MMAP2 = 10,
    PERF_RECORD_AUX = 11,
    PERF_RECORD_LOST_SAMPLES = 13,
    PERF_RECORD_USER_TYPE_START = 64,
    PERF_RECORD_HEADER_ATTR = 64,
    PERF_RECORD_HEADER_TRACING_DATA = 66,
    PERF_RECORD_HEADER_BUILD_ID = 67,
    PERF_RECORD_FINISHED_ROUND = 68,
    PERF_RECORD_AUXTRACE_INFO = 70,
    PERF_RECORD_AUXTRACE = 71,
    PERF_RECORD_EVENT_UPDATE = 78,
    PERF_RECORD_HEADER_FEATURE = 80,
    PERF_RECORD_COMPRESSED = 81,
    PERF_RECORD_COMPRESSED2 = 83
};

#define PERF_HEADER_BYTES ((size_t)8) /* of a record: type, misc, size */
#define PERF_LONGEST_RECORD ((size_t)65535)

/* Bits of `misc` of a record. */
#define PERF_MISC_CPUMODE 7u
#define PERF_MISC_MMAP_DATA (1u << 13)
#define PERF_MISC_COMM_EXEC (1u << 13)
#define PERF_MISC_MMAP_BUILD_ID (1u << 14)
#define PERF_MISC_BUILD_ID_SIZE (1u << 15)

/* Bits of perf_event_attr.sample_type. */
enum {
    PERF_SAMPLE_IP = 1u << 0,
    PERF_SAMPLE_TID = 1u << 1,
    PERF_SAMPLE_TIME = 1u << 2,
    PERF_SAMPLE_ADDR = 1u << 3,
    PERF_SAMPLE_READ = 1u << 4,
    PERF_SAMPLE_CALLCHAIN = 1u << 5,
    PERF_SAMPLE_ID = 1u << 6,
    PERF_SAMPLE_CPU = 1u << 7,
    PERF_SAMPLE_PERIOD = 1u << 8,
    PERF_SAMPLE_STREAM_ID = 1u << 9,
    PERF_SAMPLE_RAW = 1u << 10,
    PERF_SAMPLE_BRANCH_STACK = 1u << 11,
    PERF_SAMPLE_IDENTIFIER = 1u << 16
};

/* Bits of perf_event_attr.read_format. */
#define PERF_FORMAT_TIMES 3u
#define PERF_FORMAT_ID 4u
#define PERF_FORMAT_GROUP 8u
#define PERF_FORMAT_LOST 16u

/* The flags of perf_event_attr, by the number of the bit, the first field having 0. */
enum {
    PERF_ATTR_EXCLUDE_USER = 4,
    PERF_ATTR_EXCLUDE_KERNEL = 5,
    PERF_ATTR_EXCLUDE_HV = 6,
    PERF_ATTR_FREQ = 10,
    PERF_ATTR_PRECISE_IP = 15, /* two bits */
    PERF_ATTR_SAMPLE_ID_ALL = 18,
    PERF_ATTR_EXCLUDE_HOST = 19,
    PERF_ATTR_EXCLUDE_GUEST = 20
};

/* Bits of perf_event_attr.branch_sample_type. */
#define PERF_BRANCH_TYPE_ANY (1u << 3)
#define PERF_BRANCH_TYPE_CALL_STACK (1u << 11)
#define PERF_BRANCH_TYPE_HW_INDEX (1u << 17)
#define PERF_BRANCH_TYPE_COUNTERS (1u << 19)

/* Numbers of the features in the header of a file. */
enum {
    PERF_FEATURE_BUILD_ID = 2,
    PERF_FEATURE_HOSTNAME = 3,
    PERF_FEATURE_OSRELEASE = 4,
    PERF_FEATURE_VERSION = 5,
    PERF_FEATURE_ARCH = 6,
    PERF_FEATURE_CPUDESC = 8,
    PERF_FEATURE_CPUID = 9,
    PERF_FEATURE_CMDLINE = 11,
    PERF_FEATURE_EVENT_DESC = 12,
    PERF_FEATURE_PMU_MAPPINGS = 16,
    PERF_FEATURE_AUXTRACE = 18,
    PERF_FEATURE_STAT = 19,
    PERF_FEATURE_DIR_FORMAT = 24,
    PERF_FEATURES = 256
};

#endif
