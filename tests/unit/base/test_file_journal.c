/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The journal of an output: its contents when the output is the old one, the new one or another; torn and hostile
 * journals; locks; and temporary files that killed processes leave. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/endian.h"
#include "base/file.h"
#include "base/file_journal.h"

static const struct journal_entry entries[] = {{"/in/b", 10, 1000, 1, {3, 4}, false, false},
                                               {"/in/a", 20, 2000, 2, {1, 9}, false, false},
                                               {"/other/a", 20, 2000, 2, {1, 9}, false, false}};

static const char *out(void)
{
    return temp_path("out");
}

static const char *journal(void)
{
    return temp_path(".out.anyprof-merged");
}

static struct file_journal *opened(bool create)
{
    struct file_journal *j;
    struct apf_error e;
    if (file_journal_open(&j, out(), create, &e) != APF_OK)
        fail_msg("%s: %s", e.where, e.message);
    return j;
}

static void append(struct file_journal *j, const char *content, const struct journal_entry *list, size_t n)
{
    size_t size = strlen(content);
    assert_int_equal(file_journal_append(j, size, file_digest_bytes(content, size), list, n, NULL), APF_OK);
}

/* Writes a journal of one block about an output of that content. */
static void make(const char *content)
{
    struct file_journal *j = opened(true);
    append(j, content, entries, COUNT(entries));
    file_journal_close(j, true);
}

static bool held(const struct file_journal *j, const char *path, bool want_removed)
{
    bool removed, found = file_journal_held(j, path, &removed);
    return found && removed == want_removed;
}

static void check_entries(const struct file_journal *j)
{
    assert_true(j->useful);
    assert_int_equal(j->held.n, COUNT(entries));
    for (size_t i = 0; i < COUNT(entries); i++) {
        struct file_identity id = {1, 2, entries[i].size, entries[i].seconds, entries[i].nanoseconds, true};
        struct file_digest digest = entries[i].digest;
        const char *name = strrchr(entries[i].path, '/') + 1;
        assert_true(held(j, entries[i].path, false));
        assert_true(file_journal_holds(j, entries[i].path, &id, &digest));
        assert_true(file_journal_holds(j, name, &id, &digest));
        assert_false(file_journal_holds(j, "/in/c", &id, &digest));
        id.size++;
        assert_false(file_journal_holds(j, name, &id, &digest));
        id.size--;
        id.seconds++;
        assert_false(file_journal_holds(j, name, &id, &digest));
        id.seconds--;
        id.nanoseconds++;
        assert_false(file_journal_holds(j, name, &id, &digest));
        id.nanoseconds--;
        digest.low++;
        assert_false(file_journal_holds(j, name, &id, &digest));
        digest.low--;
        digest.high--;
        assert_false(file_journal_holds(j, name, &id, &digest));
    }
    assert_false(held(j, "/in/c", false) || held(j, "/in/c", true));
    assert_false(held(j, "a", false) || held(j, "a", true));
}

static void check_nothing(const struct file_journal *j)
{
    assert_false(j->useful);
    assert_int_equal(j->held.n, 0);
    assert_int_equal(j->end, 0);
}

static void test_none(void **state)
{
    (void)state;
    size_t open_before = open_files();
    struct file_journal *j = opened(false);
    check_nothing(j);
    assert_int_equal(j->fd, -1);
    file_journal_close(j, false);
    assert_int_equal(dir_entries(temp_dir), 0);
    j = opened(true);
    check_nothing(j);
    assert_false(j->output.regular);
    assert_int_equal(dir_entries(temp_dir), 1);
    assert_true(file_holds(journal(), NULL, 0));
    file_journal_close(j, true);
    assert_int_equal(dir_entries(temp_dir), 1);
    j = opened(false);
    check_nothing(j);
    file_journal_close(j, false);
    assert_int_equal(dir_entries(temp_dir), 0);
    file_journal_close(NULL, false);
    assert_int_equal(open_files(), open_before);
}

/* A block counts if it describes the output. */
static void test_output_decides(void **state)
{
    (void)state;
    make("new output");
    struct file_journal *j = opened(false); /* there is none */
    check_nothing(j);
    file_journal_close(j, true);
    static const char *const others[] = {"", "old", "old output", "new outpux"};
    for (size_t i = 0; i < COUNT(others); i++) {
        file_make(out(), others[i], strlen(others[i]));
        j = opened(false);
        check_nothing(j);
        file_journal_close(j, true);
    }
    for (int again = 0; again < 2; again++) { /* another inode, another age: the content is what counts */
        file_make(temp_path("x"), "new output", 10);
        assert_int_equal(rename(temp_path("x"), out()), 0);
        j = opened(again);
        check_entries(j);
        file_journal_close(j, true);
    }
}

static void test_several_blocks(void **state)
{
    (void)state;
    struct file_journal *j = opened(true);
    append(j, "first", entries, COUNT(entries));
    append(j, "second", entries, 1);
    append(j, "second", entries, COUNT(entries)); /* what was said last counts */
    append(j, "third", NULL, 0);
    file_journal_close(j, true);
    struct stat st;
    assert_int_equal(stat(journal(), &st), 0);
    static const struct {
        const char *content;
        size_t n;
    } rows[] = {{"first", 3}, {"second", 3}, {"third", 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        file_make(out(), rows[i].content, strlen(rows[i].content));
        j = opened(false);
        assert_true(j->useful);
        assert_int_equal(j->held.n, rows[i].n);
        assert_int_equal(j->end, st.st_size);
        file_journal_close(j, true);
    }
    /* More is appended after the last block; when no block is about the output, all of them are dropped. */
    j = opened(true);
    append(j, "fourth", entries, COUNT(entries));
    file_journal_close(j, true);
    file_make(out(), "first", 5);
    j = opened(true);
    check_entries(j);
    file_journal_close(j, true);
    file_make(out(), "fifth", 5);
    j = opened(true);
    append(j, "sixth", entries, COUNT(entries));
    file_journal_close(j, true);
    file_make(out(), "first", 5);
    j = opened(true);
    check_nothing(j);
    file_journal_close(j, true);
    file_make(out(), "sixth", 5);
    j = opened(true);
    check_entries(j);
    file_journal_close(j, false);
    assert_int_equal(dir_entries(temp_dir), 1);
}

static size_t read_journal(uint8_t *p, size_t room)
{
    FILE *f = fopen(journal(), "rb");
    assert_non_null(f);
    size_t n = fread(p, 1, room, f);
    fclose(f);
    assert_true(n < room);
    return n;
}

/* A second block that was cut short: the first one counts, and the next one replaces the second. */
static void test_torn(void **state)
{
    static uint8_t bytes[2000];
    (void)state;
    make("old");
    size_t first = read_journal(bytes, sizeof bytes);
    file_make(out(), "old", 3);
    struct file_journal *j = opened(true);
    append(j, "new", entries, 2);
    file_journal_close(j, true);
    size_t n = read_journal(bytes, sizeof bytes);
    assert_true(n > first);
    for (size_t cut = 0; cut < n; cut++) {
        file_make(out(), "new", 3);
        file_make(journal(), bytes, cut);
        j = opened(true);
        check_nothing(j);
        file_journal_close(j, true);
        file_make(out(), "old", 3);
        j = opened(true);
        if (cut < first) {
            check_nothing(j);
        } else {
            check_entries(j);
            assert_int_equal(j->end, first);
            append(j, "newer", entries, COUNT(entries));
        }
        file_journal_close(j, true);
        if (cut < first)
            continue;
        j = opened(true);
        check_entries(j);
        file_journal_close(j, true);
        file_make(out(), "newer", 5);
        j = opened(true);
        check_entries(j);
        file_journal_close(j, true);
    }
}

static void test_flipped(void **state)
{
    static uint8_t bytes[2000];
    (void)state;
    make("new");
    file_make(out(), "new", 3);
    size_t n = read_journal(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        file_make(journal(), bytes, n);
        struct file_journal *j = opened(false);
        check_nothing(j);
        file_journal_close(j, true);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    file_make(journal(), bytes, n);
    struct file_journal *j = opened(false);
    check_entries(j);
    file_journal_close(j, true);
}

/* A forged journal: numbers that are too large, with a correct digest. */
static void test_hostile(void **state)
{
    static const uint64_t wild[] = {0, 1, 4, 1000, (uint64_t)1 << 32, (uint64_t)1 << 60, UINT64_MAX};
    static uint8_t bytes[2000];
    (void)state;
    make("new");
    file_make(out(), "new", 3);
    size_t n = read_journal(bytes, sizeof bytes);
    for (size_t at = 8; at + 16 < n; at++) {
        for (size_t i = 0; i < COUNT(wild); i++) {
            uint64_t good = load64le(bytes + at);
            store64le(bytes + at, wild[i]);
            struct file_digest digest = file_digest_bytes(bytes, n - 16);
            uint8_t check[16];
            memcpy(check, bytes + n - 16, 16);
            store64le(bytes + n - 16, digest.low);
            store64le(bytes + n - 8, digest.high);
            file_make(journal(), bytes, n);
            struct file_journal *j = opened(false);
            assert_true(j->held.n <= COUNT(entries));
            file_journal_close(j, true);
            memcpy(bytes + n - 16, check, 16);
            store64le(bytes + at, good);
        }
    }
}

static void check_refused(bool create, int code, int sys_errno, const char *where)
{
    struct file_journal *j;
    struct apf_error e;
    assert_int_equal(file_journal_open(&j, out(), create, &e), code);
    assert_int_equal(e.code, code);
    assert_int_equal(e.sys_errno, sys_errno);
    assert_string_equal(e.where, where);
    file_journal_close(j, true);
}

static void test_locks(void **state)
{
    (void)state;
    struct file_journal *j = opened(true);
    check_refused(true, APF_OUTPUT_BUSY, 0, "journal.open");
    check_refused(false, APF_OUTPUT_BUSY, 0, "journal.open");
    file_journal_close(j, true);
    j = opened(false);
    check_refused(true, APF_OUTPUT_BUSY, 0, "journal.open");
    file_journal_close(j, true);
    /* A file that was removed is no lock any more. */
    j = opened(true);
    assert_int_equal(unlink(journal()), 0);
    struct file_journal *second = opened(true);
    assert_true(file_holds(journal(), NULL, 0));
    file_journal_close(second, true);
    file_journal_close(j, true);
}

/* Other things at the place of the journal, and of the output. */
static void test_other_files(void **state)
{
    (void)state;
    file_make(temp_path("victim"), "keep", 4);
    assert_int_equal(symlink("victim", journal()), 0);
    check_refused(true, APF_IO, ELOOP, "journal.open");
    assert_int_equal(unlink(journal()), 0);
    assert_int_equal(mkfifo(journal(), 0666), 0);
    check_refused(true, APF_IO, EEXIST, "journal.open");
    assert_int_equal(unlink(journal()), 0);
    assert_int_equal(mkdir(journal(), 0777), 0);
    check_refused(true, APF_IO, EISDIR, "journal.open");
    assert_int_equal(rmdir(journal()), 0);
    assert_int_equal(link(temp_path("victim"), journal()), 0);
    check_refused(true, APF_IO, EMLINK, "journal.open");
    check_refused(false, APF_IO, EMLINK, "journal.open");
    assert_true(file_holds(temp_path("victim"), "keep", 4));
    assert_int_equal(unlink(journal()), 0);

    struct file_journal *j;
    struct apf_error e;
    static const char *const odd[] = {"-", "/dev/null", "/"};
    for (size_t i = 0; i < COUNT(odd); i++) {
        assert_int_equal(file_journal_open(&j, odd[i], true, &e), APF_ARGUMENT);
        assert_string_equal(e.where, "output.open");
        file_journal_close(j, false);
        assert_int_equal(file_journal_open(&j, odd[i], false, &e), APF_OK);
        assert_null(j);
    }
    assert_int_equal(file_journal_open(&j, temp_path("none/out"), true, &e), APF_IO);
    assert_int_equal(e.sys_errno, ENOENT);
    file_journal_close(j, false);
    assert_int_equal(file_journal_open(&j, temp_path("none/out"), false, &e), APF_OK);
    assert_null(j);
}

/* The journal is beside the target of a link. */
static void test_link(void **state)
{
    struct file_journal *j;
    char real[PATH_MAX];
    (void)state;
    assert_int_equal(mkdir(temp_path("sub"), 0777), 0);
    assert_int_equal(symlink("sub/out", temp_path("link")), 0);
    assert_int_equal(file_journal_open(&j, temp_path("link"), true, NULL), APF_OK);
    assert_int_equal(access(temp_path("sub/.out.anyprof-merged"), F_OK), 0);
    assert_non_null(realpath(temp_path("sub"), real));
    strcat(real, "/out");
    assert_string_equal(j->target, real);
    file_journal_close(j, false);
    assert_int_equal(dir_entries(temp_path("sub")), 0);
}

static void test_overtaken(void **state)
{
    (void)state;
    struct file_journal *j = opened(true);
    assert_false(file_journal_overtaken(j));
    file_make(out(), "", 0);
    assert_true(file_journal_overtaken(j));
    file_journal_close(j, true);
    j = opened(true);
    assert_false(file_journal_overtaken(j));
    file_make(out(), "x", 1);
    assert_true(file_journal_overtaken(j));
    file_journal_close(j, true);
    j = opened(true);
    file_make(temp_path("x"), "x", 1);
    assert_int_equal(rename(temp_path("x"), out()), 0);
    assert_true(file_journal_overtaken(j));
    file_journal_close(j, true);
    j = opened(true);
    assert_int_equal(unlink(out()), 0);
    assert_true(file_journal_overtaken(j));
    assert_int_equal(symlink("x", out()), 0);
    assert_true(file_journal_overtaken(j));
    file_journal_close(j, false);
}

/* One block instead of all of them. */
static void test_rewrite(void **state)
{
    (void)state;
    make("old");
    file_make(out(), "old", 3);
    struct file_journal *j = opened(true);
    append(j, "new", entries, COUNT(entries));
    file_make(out(), "new", 3);
    assert_true(file_journal_overtaken(j));
    file_journal_renamed(j);
    assert_false(file_journal_overtaken(j));
    struct journal_entry list[] = {entries[1], entries[1], entries[2]};
    list[0].removed = list[2].removed = true;
    file_journal_rewrite(j, list, 3);
    assert_int_equal(dir_entries(temp_dir), 2);
    file_journal_close(j, true);
    j = opened(false);
    assert_true(j->useful);
    assert_int_equal(j->held.n, 3);
    assert_true(held(j, "/other/a", true));
    assert_true(held(j, "/in/a", false));
    assert_false(held(j, "/in/b", false) || held(j, "/in/b", true));
    file_journal_close(j, true);
    file_make(out(), "old", 3);
    j = opened(false);
    check_nothing(j);
    file_journal_close(j, true);
}

/* The journal of another user is ignored, unless that user owns the output, too. */
static void test_owners(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: not root, files cannot be given to others\n");
        return;
    }
    make("new");
    file_make(out(), "new", 3);
    assert_int_equal(chown(journal(), 65534, 65534), 0);
    check_refused(true, APF_IO, EPERM, "journal.open");
    check_refused(false, APF_IO, EPERM, "journal.open");
    assert_int_equal(chown(out(), 65534, 65534), 0);
    struct file_journal *j = opened(true);
    check_entries(j);
    file_journal_close(j, true);
    assert_int_equal(chown(out(), 65533, 65533), 0);
    check_refused(true, APF_IO, EPERM, "journal.open");
    file_make(journal(), "", 0); /* an empty one says nothing anyway */
    j = opened(true);
    check_nothing(j);
    file_journal_close(j, false);
}

/* ---- temporary files ---- */

static void test_leftovers(void **state)
{
    static const char *const ours[] = {".out.anyprof-tmpabcdefgh", ".out.anyprof-tmp........"};
    static const char *const others[] = {".out.anyprof-tmpabcdefg",   ".out.anyprof-tmpabcdefghi",
                                         "out.anyprof-tmpabcdefgh",   ".ou.anyprof-tmpabcdefgh",
                                         ".outs.anyprof-tmpabcdefgh", "out"};
    (void)state;
    for (size_t i = 0; i < COUNT(ours); i++)
        file_make(temp_path(ours[i]), "x", 1);
    for (size_t i = 0; i < COUNT(others); i++)
        file_make(temp_path(others[i]), "x", 1);
    assert_int_equal(mkfifo(temp_path(".out.anyprof-tmp-a-fifo-"), 0666), 0);
    assert_int_equal(symlink("out", temp_path(".out.anyprof-tmp-a-link-")), 0);
    file_make(temp_path(".out.anyprof-tmp-linked-"), "x", 1);
    assert_int_equal(link(temp_path(".out.anyprof-tmp-linked-"), temp_path("hard")), 0);
    /* A file that this process is writing; its own lock does not count. */
    struct apf_output output = apf_output_file(out());
    struct file_out *writer;
    assert_int_equal(file_out_open(&writer, &output, NULL), APF_OK);
    size_t before = dir_entries(temp_dir);
    file_out_clean(out());
    assert_int_equal(dir_entries(temp_dir), before - COUNT(ours));
    for (size_t i = 0; i < COUNT(ours); i++)
        assert_int_equal(access(temp_path(ours[i]), F_OK), -1);
    assert_true(file_out_write(writer, "new", 3));
    assert_int_equal(file_out_close(writer, true, NULL), APF_OK);
    assert_true(file_holds(out(), "new", 3));
    file_out_clean(temp_path("none/out"));
}

static void test_names(void **state)
{
    static const struct {
        const char *name;
        bool ours;
    } rows[] = {{".x.anyprof-merged", true},
                {"x.anyprof-merged", false},
                {".anyprof-merged", false},
                {".x.anyprof-mergedx", false},
                {".x.anyprof-tmpabcdefgh", true},
                {"x.anyprof-tmpabcdefgh", false},
                {".x.anyprof-tmpabcdefg", false},
                {".anyprof-tmpabcdefgh", false},
                {".x.anyprof-tmpabcdefghi", false},
                {"", false},
                {".", false},
                {"x.profraw", false}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (file_name_is_ours(rows[i].name) != rows[i].ours)
            fail_msg("%s", rows[i].name);
}

TEST_FILE(file_journal)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_none),      TEST_WITH_DIR(test_output_decides), TEST_WITH_DIR(test_several_blocks),
        TEST_WITH_DIR(test_torn),      TEST_WITH_DIR(test_flipped),        TEST_WITH_DIR(test_hostile),
        TEST_WITH_DIR(test_locks),     TEST_WITH_DIR(test_other_files),    TEST_WITH_DIR(test_link),
        TEST_WITH_DIR(test_overtaken), TEST_WITH_DIR(test_rewrite),        TEST_WITH_DIR(test_owners),
        TEST_WITH_DIR(test_leftovers), cmocka_unit_test(test_names),
    };
    return RUN_TESTS(tests);
}
