/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers in the records of partial sample profiles: docs/formats/partial.md. */
#ifndef SAMPLE_PARTIAL_MODEL_H
#define SAMPLE_PARTIAL_MODEL_H

/* What a name is known by. */
enum { NAME_IS_HASH, NAME_IS_TEXT };

/* Flags of a node. */
#define NODE_HAS_CHECKSUM 1u
#define NODE_HAS_VTABLES 2u
#define NODE_HAS_TIME 4u
#define NODE_IS_CUT 8u /* a count was cut at 2^64-1 */
#define NODE_FLAGS 15u

#endif
