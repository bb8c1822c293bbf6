/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ELF note that contains the tables. */
#include <string.h>

#include "base/error.h"
#include "bolt/bat_model.h"

static int report_malformed(struct apf_error *error, const char *where, uint64_t offset, uint64_t found,
                            uint64_t expected, const char *detail)
{
    struct error_at at = {where, offset, found, expected};
    return error_at(error, APF_BAD_BAT, at, "%s", detail);
}

int bat_note_open(const uint8_t *section, size_t n, struct cursor *payload, struct apf_error *error)
{
    struct error_at too_large = {"bat.section", 0, n, UINT32_MAX};
    if (n > UINT32_MAX)
        return error_at(error, APF_LIMIT, too_large, "larger than a note can be");
    struct cursor c = cursor_make(section, n, HOST_BIG_ENDIAN);
    uint32_t name_bytes = cursor_u32(&c), bytes = cursor_u32(&c), type = cursor_u32(&c);
    const uint8_t *name = cursor_bytes(&c, sizeof BAT_NOTE_NAME - 1);
    if (!name || n < BAT_NOTE_HEADER)
        return report_malformed(error, "bat.note", 0, n, BAT_NOTE_HEADER,
                                "shorter than the header of a note");
    if (type != BAT_NOTE_TYPE)
        return report_malformed(error, "bat.note.type", 8, type, BAT_NOTE_TYPE, "another kind of note");
    if (memcmp(name, BAT_NOTE_NAME, sizeof BAT_NOTE_NAME - 1) != 0)
        return error_place(error, APF_BAD_BAT, "bat.note.name", 12, "the note's name is not BOLT");
    size_t head = 12 + ((size_t)name_bytes + 3) / 4 * 4;
    if (name_bytes < sizeof BAT_NOTE_NAME - 1 || head > n)
        return report_malformed(error, "bat.note.namesz", 0, name_bytes, sizeof BAT_NOTE_NAME,
                                "not the size of the name BOLT");
    if (bytes > n - head)
        return report_malformed(error, "bat.note.descsz", 4, bytes, n - head, "more than the section has");
    *payload = c;
    payload->p = section + head;
    payload->end = section + head + bytes;
    return APF_OK;
}
