/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON of https://www.speedscope.app/file-format-schema.json: a list of frames and, for each value, a profile with two
 * lists, the stacks as numbers of frames and their weights. Each list is a walk of its own. Browsers read numbers as
 * doubles: the nearest one to a large weight is what they would make of it anyway. */
#include "base/json_entry.h"
#include "export/frame_table.h"
#include "export/writers.h"

struct speedscope {
    struct json_writer json;
    struct export_run *run;
    struct frame_table frames;
    size_t value;   /* of the profile that is written */
    uint64_t least; /* bytes that the numbers of the frames will have in each profile */
    uint64_t total[APF_EXPORT_MOST_VALUES]; /* of the weights */
};

/* Writes a frame that is new. */
static int write_frame(struct speedscope *s, const struct apf_export_frame *frame)
{
    struct apf_str shown;
    const int code = export_joined_name(s->run, frame, &shown);
    if (code != APF_OK)
        return code;
    json_line_object(&s->json);
    json_key(&s->json, "name");
    json_bytes(&s->json, shown.p, shown.n);
    if (frame->file.n) {
        json_key(&s->json, "file");
        json_bytes(&s->json, frame->file.p, frame->file.n);
    }
    if (frame->line_known)
        json_entry_u64(&s->json, "line", frame->line);
    json_object_end(&s->json);
    return APF_OK;
}

/* An apf_export_stack_fn: the frames that are new, and the totals. */
static int list_frames(void *writer, const struct apf_export_stack *stack)
{
    struct speedscope *s = (struct speedscope *)writer;
    uint32_t number = 0;
    int code = export_check_output(s->run, s->least);
    if (export_is_zero(s->run, stack)) {
        s->run->result->n_zero++;
        return APF_OK;
    }
    export_count_stack(s->run, stack);
    for (size_t i = 0; i < s->run->source->n_values; i++)
        if (ADD_OVERFLOWS(s->total[i], stack->values[i], &s->total[i]))
            s->total[i] = UINT64_MAX;
    for (size_t i = 0; i < stack->n_frames && code == APF_OK; i++) {
        const size_t n = s->frames.lines.list.n;
        code = frame_table_add(&s->frames, s->run, &stack->frames[i], &number);
        if (code == APF_OK && s->frames.lines.list.n > n)
            code = write_frame(s, &stack->frames[i]);
    }
    s->least += 2 * stack->n_frames; /* a digit and a comma or bracket for each */
    return code;
}

/* An apf_export_stack_fn. */
static int list_stack(void *writer, const struct apf_export_stack *stack)
{
    struct speedscope *s = (struct speedscope *)writer;
    uint32_t number = 0;
    int code = APF_OK;
    if (stack->values[s->value] == 0)
        return APF_OK;
    json_array_begin(&s->json);
    for (size_t i = 0; i < stack->n_frames && code == APF_OK; i++) {
        code = frame_table_add(&s->frames, s->run, &stack->frames[i], &number);
        json_u64(&s->json, number);
    }
    json_array_end(&s->json);
    return code;
}

/* An apf_export_stack_fn. */
static int list_weight(void *writer, const struct apf_export_stack *stack)
{
    struct speedscope *s = (struct speedscope *)writer;
    if (stack->values[s->value])
        json_rounded(&s->json, stack->values[s->value]);
    return APF_OK;
}

static int write_list(struct speedscope *s, const char *key, apf_export_stack_fn *entry)
{
    json_key(&s->json, key);
    json_array_begin(&s->json);
    const int code = export_walk(s->run, s->run->options->flags & APF_EXPORT_BY_LINE, entry, s);
    json_array_end(&s->json);
    return code;
}

static int write_profile(struct speedscope *s)
{
    struct json_writer *w = &s->json;
    json_object_begin(w);
    json_entry_string(w, "type", "sampled");
    json_entry_string(w, "name", s->run->source->values[s->value].name);
    json_entry_string(w, "unit", "none"); /* speedscope's units are of time and memory */
    json_entry_u64(w, "startValue", 0);
    json_key(w, "endValue");
    json_rounded(w, s->total[s->value]);
    int code = write_list(s, "samples", list_stack);
    if (code == APF_OK)
        code = write_list(s, "weights", list_weight);
    json_object_end(w);
    return code;
}

static int write_all(struct speedscope *s)
{
    struct json_writer *w = &s->json;
    const char *title = s->run->options->title;
    json_object_begin(w);
    json_entry_string(w, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_entry_string(w, "exporter", "anyprof");
    if (title) {
        json_key(w, "name");
        json_text(w, title, strlen(title));
    }
    json_entry_u64(w, "activeProfileIndex", 0);
    json_key(w, "shared");
    json_object_begin(w);
    int code = write_list(s, "frames", list_frames);
    json_object_end(w);
    json_key(w, "profiles");
    json_array_begin(w);
    for (s->value = 0; s->value < s->run->source->n_values && code == APF_OK; s->value++)
        code = write_profile(s);
    json_array_end(w);
    json_object_end(w);
    return code == APF_OK ? json_finish(w, s->run->error) : code;
}

int speedscope_write(struct export_run *run)
{
    struct speedscope s = {.run = run};
    json_start(&s.json, file_out_callback, run->out, 0);
    const int code = write_all(&s);
    frame_table_free(&s.frames);
    return code;
}
