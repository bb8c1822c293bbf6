/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/memprof/memprof_yaml_values.h"

#include "base/error.h"
#include "base/md5.h"
#include "base/number.h"
#include "base/text_bytes.h"
#include "instr/model/name_blob.h"

/* The last place of `what` in a name; n: it is not in it. */
static size_t find_last(const char *p, size_t n, const char *what)
{
    size_t length = strlen(what);
    for (size_t i = n < length ? 0 : n - length + 1; i-- > 0;)
        if (memcmp(p + i, what, length) == 0)
            return i;
    return n;
}

/* Ids are those of names without what compilers append: ".llvm.N", and ".part.N", in this order. */
static uint64_t id_of_function(struct apf_str name)
{
    static const char *const suffixes[] = {".llvm.", ".part."};
    for (size_t s = 0; s < 2; s++) {
        size_t at = find_last(name.p, name.n, suffixes[s]);
        if (at < name.n && find_last(name.p, name.n, ".") == at + strlen(suffixes[s]) - 1)
            name.n = at;
    }
    return md5_name_ref(name.p, name.n);
}

int memprof_yaml_guid(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    uint64_t v = 0;
    bool hex = e->text.n >= 2 && e->text.p[0] == '0' && (e->text.p[1] | 0x20) == 'x';
    if (e->kind != YAML_SCALAR)
        return yaml_bad(e, field->where, "expected an id or the name of a function");
    bool digits = true;
    for (size_t i = 0; i < e->text.n; i++)
        digits &= e->text.p[i] >= '0' && e->text.p[i] <= '9';
    if (digits)
        return yaml_bad(e, field->where, "use a hexadecimal GUID or a function instead");
    if (hex && !number_auto(e->text.p, e->text.n, &v))
        return yaml_bad(e, field->where, "invalid hex64 number");
    if (!hex)
        v = id_of_function(e->text);
    memcpy((char *)object + field->at, &v, sizeof v);
    return APF_OK;
}

/* The name of data up to the first dot that is not of ".__uniq.". */
static struct apf_str name_of_symbol(struct apf_str name)
{
    static const char unique[] = ".__uniq.";
    size_t from = 0, length = sizeof unique - 1;
    for (size_t i = 0; from == 0 && i + length <= name.n; i++)
        if (memcmp(name.p + i, unique, length) == 0)
            from = i + length;
    for (size_t i = from; i < name.n; i++)
        if (name.p[i] == '.' && i > 0) {
            name.n = i;
            break;
        }
    return name;
}

int memprof_yaml_symbol(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    if (e->kind != YAML_SCALAR || e->text.n == 0 || name_has_separator(e->text))
        return yaml_bad(e, field->where, "expected the name of a symbol");
    struct apf_str name = name_of_symbol(e->text);
    uint32_t v = memprof_string_number(memprof_yaml_of(e)->m, name.p, name.n);
    memcpy((char *)object + field->at, &v, sizeof v);
    return APF_OK;
}

int memprof_yaml_file(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    if (e->kind != YAML_SCALAR || name_has_separator(e->text))
        return yaml_bad(e, field->where, "expected the name of a file");
    uint32_t v = memprof_string_number(memprof_yaml_of(e)->m, e->text.p, e->text.n);
    memcpy((char *)object + field->at, &v, sizeof v);
    return APF_OK;
}
