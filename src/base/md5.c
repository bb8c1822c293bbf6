/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/md5.h"

#include <md5.h> /* libmd */

#include "base/endian.h"

uint64_t md5_name_ref(const void *name, size_t n)
{
    MD5_CTX ctx;
    uint8_t digest[MD5_DIGEST_LENGTH];
    MD5Init(&ctx);
    MD5Update(&ctx, (const uint8_t *)name, n);
    MD5Final(digest, &ctx);
    return load64le(digest);
}
