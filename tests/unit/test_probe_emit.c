/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects made from JSON, as it is printed or as somebody wrote it by hand. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/probe.h>

#include "helpers/shared/unit.h"
#include "object/elf_file.h"

#define LIST "{\"schema\": \"anyprof-probe-list/1\", "
#define DESC "{\"schema\": \"anyprof-probe-descriptors/1\", "

/* The object of one or two documents. */
static int emit(const char *first, const char *second, struct apf_buffer *out, struct apf_error *error)
{
    struct apf_input inputs[2] = {{NULL, first, strlen(first), NULL, 0},
                                  {NULL, second, second ? strlen(second) : 0, NULL, 0}};
    struct apf_output output = {NULL, apf_buffer_write, out, 0};
    error->message[0] = '\0';
    return apf_probes_emit(inputs, second ? 2 : 1, &output, NULL, error);
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
    assert_int_equal(f.copy.type, 1); /* SHT_PROGBITS */
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

struct member_list {
    unsigned n;
    uint32_t sections[4];
    bool comdat[4];
    char names[4][16];
};

static int note_member(void *user, const struct elf_member *member)
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
    assert_int_equal(elf_file_groups(elf, note_member, &members, NULL), APF_OK);
    assert_int_equal(members.n, 3); /* sections 3, 4 (a descriptor's), 5 behind two groups */
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
    assert_wrong("[]", NULL, WRONG "document: this is no object");
    assert_wrong("{}", NULL, WRONG "schema: expected anyprof-probe-list/1 or anyprof-probe-descriptors/1");
    assert_wrong(LIST "\"nodes\": []}", LIST "\"nodes\": []}",
                 WRONG "schema: there was such a document already");
    assert_wrong(LIST "\"nodes\": 3}", NULL, WRONG "nodes: this is no array");
    assert_wrong(LIST "\"nodes\": [3]}", NULL, WRONG "nodes[0]: this is no object");
    assert_wrong(LIST "\"nodes\": [{}]}", NULL, WRONG "nodes[0].guid: a number is missing");
    assert_wrong(LIST "\"nodes\": [{\"guid\": -1}]}", NULL,
                 WRONG "nodes[0].guid: this is no number of that size");
    assert_wrong(LIST "\"nodes\": [{\"guid\": \"0x10000000000000000\"}]}", NULL,
                 WRONG "nodes[0].guid: this is no number of that size");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1, \"parent\": 0}]}", NULL,
                 WRONG "nodes[0].parent: there is no node with that number");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1}, {\"guid\": 2}, {\"guid\": 3, \"parent\": 0}]}", NULL,
                 WRONG "nodes[2].parent: the node does not follow what it is inlined into");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1, \"node\": 3}, {\"guid\": 2, \"node\": 3}]}", NULL,
                 WRONG "nodes[1].node: the numbers of nodes do not ascend");
    assert_wrong(LIST "\"sections\": [], \"nodes\": [{\"guid\": 1}]}", NULL,
                 WRONG "nodes[0].section: there is none");
    assert_wrong(LIST "\"sections\": []}", NULL, WRONG "sections: there is none to make");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1, \"section\": 3}]}", NULL,
                 WRONG "nodes[0].section: there is no section with that number");
    assert_wrong(
        LIST "\"sections\": [{\"section\": 1}, {\"section\": 2}], \"nodes\": [{\"guid\": 1, \"section\": 1},"
             "{\"guid\": 1, \"section\": 2}, {\"guid\": 1, \"section\": 1}]}",
        NULL, WRONG "nodes[2].section: the nodes of a section do not stand together");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1}], \"probes\": [{\"node\": 0, \"id\": 1}]}", NULL,
                 WRONG "probes[0].distance: a number is missing");
    assert_wrong(
        LIST
        "\"nodes\": [{\"guid\": 1}], \"probes\": [{\"node\": 0, \"id\": 1, \"type\": 16, \"distance\": 1}]}",
        NULL, WRONG "probes[0].type: this is no number of that size");
    assert_wrong(LIST "\"nodes\": [{\"guid\": 1}], \"probes\": [{\"node\": 0, \"id\": 1, \"attributes\": 2, "
                      "\"distance\": 1}]}",
                 NULL, WRONG "probes[0].attributes: this is a sentinel");
    assert_wrong(LIST "\"file\": {\"elf_bits\": 64, \"elf_machine\": 62}}",
                 DESC "\"file\": {\"elf_bits\": 32}}", WRONG "file: the documents are of different targets");
    assert_int_equal(
        emit(LIST "\"file\": {\"relocatable\": true, \"old_encoding\": true}}", NULL, &out, &error),
        APF_UNSUPPORTED);
    assert_int_equal(out.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_errors),
    };
    return RUN_TESTS(tests);
}
