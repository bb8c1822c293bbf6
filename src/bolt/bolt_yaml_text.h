/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How LLVM lays out YAML. */
#ifndef BOLT_BOLT_YAML_TEXT_H
#define BOLT_BOLT_YAML_TEXT_H

#include <stddef.h>

/* Values stand 17 columns behind the beginning of their key, or one behind the colon of a long key. */
#define BOLT_YAML_PADDING "                "

static inline size_t bolt_yaml_padding(size_t n_key)
{
    return n_key < sizeof BOLT_YAML_PADDING - 1 ? sizeof BOLT_YAML_PADDING - 1 - n_key : 1;
}

#endif
