/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects made from JSON, printed or written by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/probe.h>

#include "helpers/shared/unit.h"
#include "object/elf_file.h"

#define LIST "{\"schema\": \"anyprof-probe-list/1\", "
#define DESC "{\"schema\": \"anyprof-probe-descriptors/1\", "

/* The object of one or two documents. */
static int emit_with(const char *first, const char *second, uint32_t flags, struct apf_probe_emit_info *info,
                     struct apf_buffer *out, struct apf_error *error)
{
    struct apf_probe_emit_options options = {.size = sizeof options, .flags = flags};
    struct apf_input inputs[2] = {apf_input_memory(first, strlen(first), NULL),
                                  apf_input_memory(second, second ? strlen(second) : 0, NULL)};
    struct apf_output output = apf_output_buffer(out);
    error->message[0] = '\0';
    return apf_probes_emit(inputs, second ? 2 : 1, &options, &output, info, error);
}

static int emit(const char *first, const char *second, struct apf_buffer *out, struct apf_error *error)
{
    return emit_with(first, second, 0, NULL, out, error);
}

struct found {
    const char *name;
    struct elf_section copy;
    unsigned skip;
};

static int look(void *user, const struct elf_section *section)
{
    struct found *f = user;
    if (strcmp(section->name, f->name) != 0 || f->skip-- != 0)
        return 0;
    f->copy = *section;
    return 1;
}

/* The n-th section of that name holds exactly this. */
static void assert_section(const struct apf_buffer *object, const char *name, unsigned n, const void *bytes,
                           size_t n_bytes)
{
    struct elf_file *elf;
    struct found f = {.name = name, .skip = n};
    const uint8_t *data;
    size_t size;
    assert_int_equal(elf_file_open(&elf, object->data, object->n, NULL), APF_OK);
    elf_file_sections(elf, look, &f);
    assert_int_equal(elf_file_bytes(elf, f.copy.index, &data, &size, NULL), APF_OK);
    bool mips =
        elf_file_facts(elf)->machine == 8; /* there descriptors are SHT_MIPS_DWARF, else SHT_PROGBITS */
    assert_int_equal(f.copy.type, mips && strcmp(name, ".pseudo_probe_desc") == 0 ? 0x7000001e : 1);
    assert_int_equal(size, n_bytes);
    assert_memory_equal(data, bytes, n_bytes);
    elf_file_close(elf);
}

/* As little as will do: everything has a default. Probes by "probe", or else in their order. */
static void test_by_hand(void **state)
{
    static const char list[] =
        LIST "\"nodes\": [{\"guid\": \"0x1122334455667788\", \"symbol\": \"9\"},"
             "            {\"guid\": 7, \"parent\": 0, \"call_probe\": 5}],"
             "\"probes\": [{\"node\": 1, \"id\": 300, \"type\": \"direct_call\", \"distance\": -2},"
             "             {\"node\": 0, \"id\": 1, \"distance\": 0},"
             "             {\"node\": 0, \"id\": 2, \"type\": 5, \"attributes\": 1, \"discriminator\": 130, "
             "\"distance\": 64}]}";
    static const uint8_t probes[] = {
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 3, 1, 0, 0x20, 9, 0, 0, 0, 0, 0, 0,    0, 1,    0x80,
        0,    2,    0xd5, 0xc0, 0,    0x82, 1,    5,    7, 0, 0, 0,    0, 0, 0, 0, 1, 0, 0xac, 2, 0x82, 0x7e};
    static const char desc[] =
        DESC "\"descriptors\": [{\"guid\": 7, \"hash\": \"0x8\", \"function\": \"a\\u0000\"}]}";
    static const uint8_t descs[] = {7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 2, 'a', 0};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error error;
    (void)state;
    int code = emit(list, desc, &out, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    assert_section(&out, ".pseudo_probe", 0, probes, sizeof probes);
    assert_section(&out, ".pseudo_probe_desc", 0, descs, sizeof descs);
    assert_section(&out, ".note.GNU-stack", 0, "", 0);
    apf_buffer_free(&out);
}

/* Words are compared with all their bytes, also those after a NUL. */
static void test_words(void **state)
{
    static const struct {
        const char *type;
        int code;
    } types[] = {{"block", APF_OK},
                 {"direct_call", APF_OK},
                 {"direct_call\\u0000", APF_BAD_JSON},
                 {"block\\u0000s", APF_BAD_JSON},
                 {"\\u0000block", APF_BAD_JSON},
                 {"bloc", APF_BAD_JSON}};
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        struct apf_buffer out = {NULL, 0, 0};
        struct apf_error error;
        char list[300];
        snprintf(list, sizeof list,
                 LIST "\"nodes\": [{\"guid\": 7}], \"probes\": [{\"node\": 0, \"id\": 1, \"distance\": 0, "
                      "\"type\": \"%s\"}]}",
                 types[i].type);
        assert_int_equal(emit(list, NULL, &out, &error), types[i].code);
        apf_buffer_free(&out);
    }
}

struct member_list {
    unsigned n;
    uint32_t sections[4];
    bool comdat[4];
    char names[4][16];
};

static int record_member(void *user, const struct elf_member *member)
{
    struct member_list *list = user;
    assert_true(list->n < 4);
    list->sections[list->n] = member->section;
    list->comdat[list->n] = member->comdat;
    strncpy(list->names[list->n++], member->signature, 15);
    return 0;
}

/* Sections in the order of their numbers, in their groups; 32 bits, big-endian. */
static void test_groups(void **state)
{
    static const char list[] = LIST "\"file\": {\"elf_bits\": 32, \"elf_machine\": 8, \"big_endian\": true},"
                                    "\"sections\": [{\"section\": 30, \"group\": \"f\", \"comdat\": true}, "
                                    "{\"section\": 40, \"group\": \"f\", "
                                    "\"comdat\": true}],"
                                    "\"nodes\": [{\"node\": 4, \"guid\": 1, \"section\": 40}, {\"node\": 9, "
                                    "\"guid\": 2, \"section\": 30}],"
                                    "\"probes\": []}";
    static const char desc[] =
        DESC "\"file\": {\"elf_bits\": 32, \"elf_machine\": 8, \"big_endian\": true},"
             "\"sections\": [{\"section\": 35, \"group\": \"g\", \"comdat\": false}, {\"section\": 41}],"
             "\"descriptors\": [{\"guid\": 5, \"hash\": 6, \"function\": \"x\", \"section\": 35}]}";
    static const uint8_t first[] = {0, 0, 0, 0, 0, 0, 0, 2, 0, 0}, second[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0};
    static const uint8_t descs[] = {0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 1, 'x'};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error error;
    struct elf_file *elf;
    struct member_list members = {.n = 0};
    (void)state;
    int code = emit(desc, list, &out, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    assert_section(&out, ".pseudo_probe", 0, first, sizeof first);
    assert_section(&out, ".pseudo_probe", 1, second, sizeof second);
    assert_section(&out, ".pseudo_probe_desc", 0, descs, sizeof descs);
    assert_section(&out, ".pseudo_probe_desc", 1, "", 0);
    assert_int_equal(elf_file_open(&elf, out.data, out.n, NULL), APF_OK);
    assert_int_equal(elf_file_facts(elf)->bits, 32);
    assert_int_equal(elf_file_facts(elf)->machine, 8);
    assert_true(elf_file_facts(elf)->big_endian);
    assert_true(elf_file_facts(elf)->relocatable);
    assert_int_equal(elf_file_groups(elf, record_member, &members, NULL), APF_OK);
    assert_int_equal(members.n, 3); /* sections 3, 4 (a descriptor's), 5 after two groups */
    assert_string_equal(members.names[0], "f");
    assert_true(members.comdat[0]);
    assert_int_equal(members.sections[0], 3);
    assert_string_equal(members.names[1], "f");
    assert_int_equal(members.sections[1], 5);
    assert_string_equal(members.names[2], "g");
    assert_false(members.comdat[2]);
    assert_int_equal(members.sections[2], 4);
    elf_file_close(elf);
    apf_buffer_free(&out);
}

#define GROUPED                                                                                              \
    "\"sections\": [{\"section\": 1, \"group\": \"f\", \"comdat\": true}, "                                  \
    "{\"section\": 2, \"group\": \"f\"}, {\"section\": 3, \"group\": \".pseudo_probe_desc_f\", \"comdat\": " \
    "true}]"

/* Groups of code are counted, or left out. Others cannot take code away: of those that are no COMDAT groups linkers
 * keep all, and in those of descriptors there is nothing else. */
static void test_code_groups(void **state)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_probe_emit_info info = {.size = sizeof info};
    struct apf_error error;
    struct elf_file *elf;
    (void)state;
    assert_int_equal(emit_with(DESC GROUPED "}", LIST GROUPED "}", 0, &info, &out, &error), APF_OK);
    assert_int_equal(info.n_sections, 6);
    assert_int_equal(info.n_in_code_groups, 2);
    apf_buffer_free(&out);
    int code = emit_with(DESC GROUPED "}", NULL, APF_PROBE_EMIT_NO_CODE_GROUPS, &info, &out, &error);
    assert_int_equal(code, APF_OK);
    assert_int_equal(info.n_sections, 3);
    assert_int_equal(info.n_in_code_groups, 0);
    struct member_list members = {.n = 0};
    assert_int_equal(elf_file_open(&elf, out.data, out.n, NULL), APF_OK);
    assert_int_equal(elf_file_groups(elf, record_member, &members, NULL), APF_OK);
    assert_int_equal(members.n, 2);
    assert_string_equal(members.names[0], "f");
    assert_false(members.comdat[0]);
    assert_string_equal(members.names[1], ".pseudo_probe_d");
    elf_file_close(elf);
    apf_buffer_free(&out);
}

/* Bytes that are no UTF-8, beside the characters that would stand for them, and pairs of surrogates. */
static void test_bytes(void **state)
{
    static const char desc[] =
        DESC "\"sections\": [{\"section\": 1, \"group\": \"g\\udc80\\uDCff\"}],"
             "\"descriptors\": [{\"guid\": 1, \"hash\": 2, \"function\": "
             "\"\\udcc3\xef\x9c\x80\\\\udc80\\u0000\\uf701\\ud83d\\ude00\\udce9\xc3\xa9\"}]}";
    static const uint8_t descs[] = {1,   0, 0,    0,    0,    0,    0,    0,    2,    0,    0,    0,   0,
                                    0,   0, 0,    21,   0xc3, 0xef, 0x9c, 0x80, '\\', 'u',  'd',  'c', '8',
                                    '0', 0, 0xef, 0x9c, 0x81, 0xf0, 0x9f, 0x98, 0x80, 0xe9, 0xc3, 0xa9};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error error;
    struct elf_file *elf;
    struct member_list members = {.n = 0};
    (void)state;
    int code = emit(desc, NULL, &out, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    assert_section(&out, ".pseudo_probe_desc", 0, descs, sizeof descs);
    assert_int_equal(elf_file_open(&elf, out.data, out.n, NULL), APF_OK);
    assert_int_equal(elf_file_groups(elf, record_member, &members, NULL), APF_OK);
    assert_string_equal(members.names[0], "g\x80\xff");
    elf_file_close(elf);
    apf_buffer_free(&out);
    /* The place of an error is that in the text. */
    assert_int_equal(emit("{\n \"a\": \"\\udc80\\udc81\", x}", NULL, &out, &error), APF_BAD_JSON);
    assert_int_equal(error.line, 2);
    uint32_t column = error.column;
    uint64_t offset = error.offset;
    assert_int_equal(emit("{\n \"a\": \"\\u1c80\\u1c81\", x}", NULL, &out, &error), APF_BAD_JSON);
    assert_int_equal(error.column, column);
    assert_int_equal(error.offset, offset);
    /* Other lone surrogates are no bytes. */
    assert_int_equal(emit("{\"a\": \"\\udc7f\"}", NULL, &out, &error), APF_BAD_JSON);
    assert_int_equal(emit("{\"a\": \"\\ud800\\udc80\\ud800\"}", NULL, &out, &error), APF_BAD_JSON);
}

/* A text that has nearly all characters of 16 bits, and bytes that are no UTF-8. */
static void test_all_characters(void **state)
{
    struct apf_buffer text = {NULL, 0, 0}, out = {NULL, 0, 0};
    struct apf_error error;
    char escape[8];
    uint8_t descs[17 + 1] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0x80};
    (void)state;
    apf_buffer_write(&text, DESC "\"a\": \"\\udc80", strlen(DESC "\"a\": \"\\udc80"));
    for (unsigned c = 0x80; c < 0xffa0; c++) {
        if (c >= 0xd800 && c < 0xe000)
            continue;
        snprintf(escape, sizeof escape, "\\u%04x", c);
        apf_buffer_write(&text, escape, 6);
    }
    static const char rest[] =
        "\", \"descriptors\": [{\"guid\": 1, \"hash\": 2, \"function\": \"\\udc80\"}]}";
    apf_buffer_write(&text, rest, sizeof rest);
    assert_int_equal(emit(text.data, NULL, &out, &error), APF_OK);
    assert_section(&out, ".pseudo_probe_desc", 0, descs, sizeof descs);
    apf_buffer_free(&text);
    apf_buffer_free(&out);
}

/* The i-th section, which has that number, is written as it was. */
static void assert_written(const struct apf_probes *probes, size_t i, uint32_t section, const void *bytes,
                           size_t n)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_probes_section(probes, i), section);
    assert_int_equal(apf_probes_write_section(probes, section, &output, NULL), APF_OK);
    assert_int_equal(out.n, n);
    assert_memory_equal(out.data, bytes, n);
    apf_buffer_free(&out);
}

/* Each section finds its descriptors, sentinels and long numbers, whatever their order in the document. */
static void test_sections(void **state)
{
    static const char list[] = LIST "\"sections\": [{\"section\": 7}, {\"section\": 5}],"
                                    "\"nodes\": [{\"guid\": 1, \"section\": 7, \"symbol\": 3}, {\"guid\": 2, "
                                    "\"section\": 5, \"symbol\": 4}],"
                                    "\"padded\": [{\"section\": 7, \"offset\": 9, \"bytes\": 3}, "
                                    "{\"section\": 5, \"offset\": 9, \"bytes\": "
                                    "2}, {\"section\": 7, \"offset\": 8, \"bytes\": 1}]}";
    static const char desc[] =
        DESC "\"sections\": [{\"section\": 6}, {\"section\": 5}],"
             "\"descriptors\": [{\"guid\": 1, \"hash\": 1, \"section\": 6, \"offset\": 4},"
             "{\"guid\": 2, \"hash\": 2, \"section\": 5}, {\"guid\": 3, \"hash\": 3, \"section\": 6, "
             "\"offset\": 2}],"
             "\"padded\": [{\"section\": 6, \"offset\": 16, \"bytes\": 64}, {\"section\": 5, \"offset\": 16, "
             "\"bytes\": "
             "2}]}";
    static const uint8_t probes5[] = {2, 0, 0, 0, 0, 0, 0, 0, 1, 0x80, 0, 0, 0x20, 4, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t probes7[] = {1, 0, 0,    0, 0, 0, 0, 0, 1, 0x80, 0x80,
                                      0, 0, 0x20, 3, 0, 0, 0, 0, 0, 0,    0};
    static const uint8_t descs5[] = {2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x80, 0};
    uint8_t descs6[16 + 64 + 17] = {0};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error error;
    (void)state;
    descs6[0] = descs6[8] = 3;
    memset(descs6 + 16, 0x80, 63);
    descs6[80] = descs6[88] = 1;
    int code = emit(list, desc, &out, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    assert_section(&out, ".pseudo_probe", 0, probes5, sizeof probes5);
    assert_section(&out, ".pseudo_probe", 1, probes7, sizeof probes7);
    assert_section(&out, ".pseudo_probe_desc", 0, descs5, sizeof descs5);
    assert_section(&out, ".pseudo_probe_desc", 1, descs6, sizeof descs6);
    struct apf_probes *opened;
    struct apf_input object = apf_input_memory(out.data, out.n, NULL);
    assert_int_equal(apf_probes_open(&opened, &object, NULL, NULL), APF_OK);
    assert_written(opened, 0, 1, probes5, sizeof probes5); /* descriptors are in 2 and 3 */
    assert_written(opened, 1, 4, probes7, sizeof probes7);
    assert_written(opened, 2, 2, descs5, sizeof descs5);
    assert_written(opened, 3, 3, descs6, sizeof descs6);
    assert_int_equal(apf_probes_section(opened, 4), APF_PROBE_NONE);
    apf_probes_close(opened);
    apf_buffer_free(&out);
}

/* So many sections that anything quadratic in them would take minutes: they are refused before they are made. */
static void test_many_sections(void **state)
{
    enum { MANY = 300000 };
    struct apf_buffer text = {NULL, 0, 0}, out = {NULL, 0, 0};
    struct apf_error error;
    char entry[80];
    (void)state;
    apf_buffer_write(&text, DESC "\"sections\": [", strlen(DESC "\"sections\": ["));
    for (unsigned i = 0; i < MANY; i++) {
        int n = snprintf(entry, sizeof entry, "%s{\"section\": %u}", i ? "," : "", i);
        apf_buffer_write(&text, entry, (size_t)n);
    }
    apf_buffer_write(&text, "], \"descriptors\": [", strlen("], \"descriptors\": ["));
    for (unsigned i = 0; i < MANY; i++) {
        int n =
            snprintf(entry, sizeof entry, "%s{\"guid\": 1, \"hash\": 1, \"section\": %u}", i ? "," : "", i);
        apf_buffer_write(&text, entry, (size_t)n);
    }
    apf_buffer_write(&text, "]}", 3);
    assert_int_equal(emit(text.data, NULL, &out, &error), APF_LIMIT);
    assert_string_equal(error.where, "elf.sections");
    assert_int_equal(error.subject, APF_SUBJECT_OUTPUT);
    assert_int_equal(out.n, 0);
    apf_buffer_free(&text);
}

/* Numbers may be strings, and the flags of the ELF header are kept. */
static void test_strings(void **state)
{
    static const char list[] = LIST
        "\"file\": {\"elf_machine\": \"243\", \"elf_flags\": \"0x5\", \"literal_bytes\": null},"
        "\"nodes\": [{\"guid\": \"1\"}], \"probes\": [{\"node\": \"0\", \"id\": \"1\", \"distance\": \"5\"},"
        "{\"node\": 0, \"id\": 2, \"distance\": \"-0x1\"}]}";
    static const uint8_t probes[] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x80, 5, 2, 0x80, 0x7f};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error error;
    (void)state;
    int code = emit(list, NULL, &out, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    assert_section(&out, ".pseudo_probe", 0, probes, sizeof probes);
    assert_memory_equal((const char *)out.data + 48, "\5\0\0\0", 4); /* e_flags */
    apf_buffer_free(&out);
}

static void assert_wrong(const char *first, const char *second, const char *message)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error error;
    assert_int_equal(emit(first, second, &out, &error), APF_BAD_JSON);
    assert_string_equal(error.message, message);
    assert_int_equal(out.n, 0);
    apf_buffer_free(&out);
}

#define WRONG "JSON with an error: "

static void test_errors(void **state)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error error;
    (void)state;
    assert_int_equal(emit("{\n \"schema\": x}", NULL, &out, &error), APF_BAD_JSON);
    assert_int_equal(error.line, 2);
    assert_int_equal(emit("", NULL, &out, &error), APF_BAD_JSON);
    assert_wrong("[]", NULL, WRONG "an object was expected [line 1, column 1, json]");
    assert_wrong(
        "{}", NULL,
        WRONG "expected anyprof-probe-list/1 or anyprof-probe-descriptors/1 [line 1, column 1, json.schema]");
    assert_wrong(LIST "\"nodes\": []}", LIST "\"nodes\": []}",
                 WRONG "there was such a document already [line 1, column 12, json.schema]");
    assert_wrong(LIST "\"nodes\": 3}", NULL, WRONG "an array was expected [line 1, column 45, json.nodes]");
    assert_wrong(LIST "\"nodes\": [3]}", NULL,
                 WRONG "an object was expected [line 1, column 46, json.nodes]");
    assert_wrong(LIST "\"nodes\": [{}]}", NULL,
                 WRONG "a number is missing [line 1, column 46, json.nodes.guid]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": -1}]}", NULL,
                 WRONG "this is no whole number from 0 to 2^64-1 [line 1, column 55, json.nodes.guid]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": \"0x10000000000000000\"}]}", NULL,
                 WRONG "this is no whole number from 0 to 2^64-1 [line 1, column 55, json.nodes.guid]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1, \"parent\": 0}]}", NULL,
                 WRONG "there is no node with that number [line 1, column 68, json.nodes.parent]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1}, {\"guid\": 2}, {\"guid\": 3, \"parent\": 0}]}", NULL,
                 WRONG
                 "the node does not follow what it is inlined into [line 1, column 94, json.nodes.parent]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1, \"node\": 3}, {\"guid\": 2, \"node\": 3}]}", NULL,
                 WRONG "the numbers of nodes do not ascend [line 1, column 90, json.nodes.node]");
    assert_wrong(LIST "\"sections\": [], \"nodes\": [{\"guid\": 1}]}", NULL,
                 WRONG "there is no section [line 1, column 62, json.nodes.section]");
    assert_wrong(LIST "\"sections\": []}", NULL,
                 WRONG "there is no section [line 1, column 48, json.sections]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1, \"section\": 3}]}", NULL,
                 WRONG "there is no section with that number [line 1, column 69, json.nodes.section]");
    assert_wrong(
        LIST "\"sections\": [{\"section\": 1}, {\"section\": 2}], \"nodes\": [{\"guid\": 1, \"section\": 1},"
             "{\"guid\": 1, \"section\": 2}, {\"guid\": 1, \"section\": 1}]}",
        NULL, WRONG "the nodes of a section do not stand together [line 1, column 168, json.nodes.section]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1}], \"probes\": [{\"node\": 0, \"id\": 1}]}", NULL,
                 WRONG "a number is missing [line 1, column 71, json.probes.distance]");
    assert_wrong(
        LIST
        "\"nodes\": [{\"guid\": 1}], \"probes\": [{\"node\": 0, \"id\": 1, \"type\": 16, \"distance\": 1}]}",
        NULL, WRONG "the number is too large [line 1, column 100, json.probes.type]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1}], \"probes\": [{\"node\": 0, \"id\": 1, \"attributes\": 2, "
                      "\"distance\": 1}]}",
                 NULL, WRONG "this is a sentinel [line 1, column 106, json.probes.attributes]");
    assert_wrong(LIST "\"file\": {\"elf_bits\": 64, \"elf_machine\": 62}}",
                 DESC "\"file\": {\"elf_bits\": 32}}",
                 WRONG "the documents are of different targets [line 1, column 44, json.file]");
    assert_wrong(LIST "\"file\": {\"elf_flags\": 1}}", DESC "\"file\": {\"elf_flags\": 2}}",
                 WRONG "the documents are of different targets [line 1, column 44, json.file]");
    assert_wrong(LIST "\"file\": 5}", NULL, WRONG "an object was expected [line 1, column 44, json.file]");
    assert_wrong(LIST "\"file\": {\"literal_bytes\": 5}}", NULL,
                 WRONG "literal_bytes is neither 4 nor 8 [line 1, column 62, json.file.literal_bytes]");
    assert_wrong(LIST "\"sections\": [{\"section\": 3}, {\"section\": 2}, {\"section\": 3}]}", NULL,
                 WRONG "two sections have the same number [line 1, column 48, json.sections]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1}], \"padded\": [{\"offset\": 8, \"bytes\": 65}]}", NULL,
                 WRONG "no number is that long [line 1, column 94, json.padded.bytes]");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1}], \"probes\": [{\"node\": 0, \"id\": 1, \"distance\": "
                      "\"9223372036854775808\"}]}",
                 NULL,
                 WRONG
                 "this is no whole number from -2^63 to 2^63-1 [line 1, column 104, json.probes.distance]");
    assert_wrong(LIST "\"partial\": true, \"nodes\": [{\"guid\": 1}]}", NULL,
                 WRONG
                 "the document does not hold all that the sections did [line 1, column 47, json.partial]");
    assert_int_equal(
        emit(LIST "\"file\": {\"relocatable\": true, \"old_encoding\": true}}", NULL, &out, &error),
        APF_UNSUPPORTED);
    assert_int_equal(out.n, 0);
}

/* Which input an error is about. */
static void test_error_input(void **state)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error error;
    struct apf_input empty = {.size = sizeof(struct apf_input)};
    struct apf_output output = apf_output_buffer(&out);
    (void)state;
    assert_int_equal(emit(DESC "\"descriptors\": []}", LIST "\"nodes\": [{}]}", &out, &error), APF_BAD_JSON);
    assert_int_equal(error.input, 1);
    assert_int_equal(emit(DESC "\"descriptors\": [{}]}", LIST "\"nodes\": []}", &out, &error), APF_BAD_JSON);
    assert_int_equal(error.input, 0);
    assert_int_equal(emit(LIST "\"nodes\": []}", DESC "\"file\": {\"elf_bits\": 33}}", &out, &error),
                     APF_BAD_JSON);
    assert_int_equal(error.input, 1);
    assert_int_equal(apf_probes_emit(&empty, 1, NULL, &output, NULL, &error), APF_BAD_JSON);
    assert_int_equal(error.line, 1);
    assert_string_equal(error.message, "JSON with an error: the document ends here [line 1, column 1, json]");
}

TEST_FILE(probe_emit)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),     cmocka_unit_test(test_words),
        cmocka_unit_test(test_groups),      cmocka_unit_test(test_code_groups),
        cmocka_unit_test(test_bytes),       cmocka_unit_test(test_all_characters),
        cmocka_unit_test(test_sections),    cmocka_unit_test(test_many_sections),
        cmocka_unit_test(test_strings),     cmocka_unit_test(test_errors),
        cmocka_unit_test(test_error_input),
    };
    return RUN_TESTS(tests);
}
