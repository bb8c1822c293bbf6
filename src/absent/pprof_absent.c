/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In place of export/pprof_write.c and export/gzip_out.c: refuses to write pprof's format. */
#include "base/error.h"
#include "export/writers.h"

int pprof_write(struct export_run *run)
{
    return error_plain(
        run->error, APF_UNSUPPORTED, "build",
        "this anyprof was built without libprotobuf-c, which writes the format of pprof: build it "
        "with -DANYPROF_ELF=ON, or write folded stacks");
}
