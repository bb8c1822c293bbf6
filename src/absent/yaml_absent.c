/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In place of base/yaml_events.c: refuses to read YAML. No document is opened, so only yaml_events_open and
 * yaml_events_close are ever called. */
#include "base/error.h"
#include "base/yaml_events.h"

const char *yaml_library_version(void)
{
    return NULL;
}

int yaml_events_open(struct yaml_events *e, const void *data, size_t n, struct apf_error *error)
{
    (void)e;
    (void)data;
    (void)n;
    return error_plain(
        error, APF_UNSUPPORTED, "build",
        "this anyprof was built without libyaml, which reads memory profiles in YAML: build it "
        "with -DANYPROF_ELF=ON");
}

void yaml_events_close(struct yaml_events *e)
{
    (void)e;
}

int yaml_next(struct yaml_events *e)
{
    return error_plain(e->error, APF_UNSUPPORTED, "build", "no YAML");
}

int yaml_bad_at(const struct yaml_events *e, size_t at, const char *where, const char *detail)
{
    (void)at;
    return error_plain(e->error, APF_BAD_YAML, where, "%s", detail);
}

int yaml_bad(const struct yaml_events *e, const char *where, const char *detail)
{
    return yaml_bad_at(e, 0, where, detail);
}
