/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/yaml_events.h"

#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/error.h"

const char *yaml_library_version(void)
{
    return yaml_get_version_string();
}

struct yaml_parsing {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one */
};

static uint32_t narrow_size(size_t v)
{
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

static int bad_byte(const struct yaml_events *e, size_t offset, const char *where, const char *detail)
{
    size_t line = 1, begin = 0;
    if (offset > e->n)
        offset = e->n;
    for (size_t i = 0; i < offset; i++) {
        if (e->data[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    error_set_column(e->error, APF_BAD_YAML, where, offset, narrow_size(line),
                     narrow_size(offset - begin + 1), detail);
    return APF_BAD_YAML;
}

int yaml_bad_at(const struct yaml_events *e, size_t at, const char *where, const char *detail)
{
    size_t offset = 0; /* libyaml counts characters */
    for (; offset < e->n && at > 0; at--)
        for (offset++; offset < e->n && (e->data[offset] & 0xc0) == 0x80;)
            offset++;
    return bad_byte(e, offset, where, detail);
}

int yaml_bad(const struct yaml_events *e, const char *where, const char *detail)
{
    return yaml_bad_at(e, e->at, where, detail);
}

/* Reports the error that libyaml found. Its words are constants. */
static int report_syntax(const struct yaml_events *e)
{
    const yaml_parser_t *parser = &e->parsing->parser;
    const char *problem = parser->problem ? parser->problem : "not YAML";
    switch (parser->error) {
    case YAML_MEMORY_ERROR:
        return error_memory(e->error);
    case YAML_READER_ERROR:
        return bad_byte(e, parser->problem_offset, "yaml.bytes", problem);
    default:
        return yaml_bad_at(e, parser->problem_mark.index, "yaml.syntax", problem);
    }
}

static int next_event(struct yaml_events *e)
{
    yaml_event_t *event = &e->parsing->event;
    yaml_event_delete(event);
    if (!yaml_parser_parse(&e->parsing->parser, event))
        return report_syntax(e);
    e->at = event->start_mark.index;
    return APF_OK;
}

static int no_properties(const struct yaml_events *e, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    return anchor || tag ? yaml_bad(e, "yaml.syntax", "an anchor or a tag, which no profile has") : APF_OK;
}

int yaml_next(struct yaml_events *e)
{
    static const struct apf_str none = {"", 0};
    int code = next_event(e);
    if (code != APF_OK)
        return code;
    const yaml_event_t *event = &e->parsing->event;
    e->text = none;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        e->kind = YAML_SCALAR;
        e->text.p = (const char *)event->data.scalar.value;
        e->text.n = event->data.scalar.length;
        return no_properties(e, event->data.scalar.anchor, event->data.scalar.tag);
    case YAML_SEQUENCE_START_EVENT:
        e->kind = YAML_LIST;
        return no_properties(e, event->data.sequence_start.anchor, event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        e->kind = YAML_MAP;
        return no_properties(e, event->data.mapping_start.anchor, event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
        e->kind = YAML_LIST_END;
        return APF_OK;
    case YAML_MAPPING_END_EVENT:
        e->kind = YAML_MAP_END;
        return APF_OK;
    case YAML_ALIAS_EVENT:
        return yaml_bad(e, "yaml.syntax", "an alias, which no profile has");
    case YAML_STREAM_END_EVENT:
        e->kind = YAML_END;
        return APF_OK;
    default:
        e->kind = YAML_NOTHING;
        return APF_OK;
    }
}

int yaml_events_open(struct yaml_events *e, const void *data, size_t n, struct apf_error *error)
{
    memset(e, 0, sizeof *e);
    e->data = data;
    e->n = n;
    e->error = error;
    e->parsing = calloc(1, sizeof *e->parsing);
    if (!e->parsing || !yaml_parser_initialize(&e->parsing->parser)) {
        free(e->parsing);
        e->parsing = NULL;
        return error_memory(error);
    }
    yaml_parser_set_encoding(&e->parsing->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&e->parsing->parser, data, n);
    int code = next_event(e); /* the stream */
    if (code == APF_OK)
        code = next_event(e); /* the document */
    if (code == APF_OK)
        code = yaml_next(e);
    if (code != APF_OK)
        yaml_events_close(e);
    return code;
}

void yaml_events_close(struct yaml_events *e)
{
    if (!e->parsing)
        return;
    yaml_event_delete(&e->parsing->event);
    yaml_parser_delete(&e->parsing->parser);
    free(e->parsing);
    e->parsing = NULL;
}
