/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of fault_preload.sh: fault_victim FROM TO RENAMED all|some calls each function that fault_preload.c can
 * make fail once (open and close twice), and prints the results. `some`: memory, and calls with file descriptors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void print_result(const char *name, int ok)
{
    printf(" %s=%s", name,
           ok                ? "ok"
           : errno == ENOSPC ? "ENOSPC"
           : errno == EIO    ? "EIO"
           : errno == EMFILE ? "EMFILE"
           : errno == ENOMEM ? "ENOMEM"
           : errno == EACCES ? "EACCES"
           : errno == EINTR  ? "EINTR"
           : errno == EAGAIN ? "EAGAIN"
                             : "?");
}

static void use_memory(void)
{
    /* volatile: else the compiler would remove the calls of malloc. */
    void *volatile plain = malloc(10);
    print_result("malloc", plain != NULL);
    void *volatile zeros = calloc(10, 10);
    print_result("calloc", zeros != NULL);
    void *volatile larger = realloc(plain, 1000);
    print_result("realloc", larger != NULL);
    free(zeros);
    free(larger ? larger : plain);
}

static void use_files(char **paths)
{
    char bytes[100];
    int from = open(paths[0], O_RDONLY);
    print_result("open", from >= 0);
    ssize_t n = read(from, bytes, sizeof bytes);
    print_result("read", n >= 0);
    int failed = close(from);
    print_result("close", !failed);
    int to = open(paths[1], O_WRONLY | O_CREAT | O_TRUNC, 0640);
    print_result("open", to >= 0);
    ssize_t done = write(to, bytes, n < 0 ? 0 : (size_t)n);
    print_result("write", done == n);
    failed = ftruncate(to, n < 0 ? 0 : n);
    print_result("ftruncate", !failed);
    failed = fsync(to);
    print_result("fsync", !failed);
    failed = close(to);
    print_result("close", !failed);
    failed = rename(paths[1], paths[2]);
    print_result("rename", !failed);
    char link[4096];
    snprintf(link, sizeof link, "%s.link", paths[1]);
    failed = symlink("nowhere", link) || unlink(link);
    print_result("unlink", !failed);
}

static void ask_about_files(char **paths)
{
    struct stat st;
    char link[100];
    print_result("stat", stat(paths[0], &st) == 0);
    print_result("lstat", lstat(paths[0], &st) == 0);
    print_result("fstat", fstat(STDOUT_FILENO, &st) == 0);
    print_result("access", access(paths[0], R_OK) == 0);
    print_result("readlink", readlink("/proc/self/exe", link, sizeof link) > 0);
    print_result("fchmod", stat(paths[2], &st) != 0 || fchmod(STDOUT_FILENO, 0600) == 0);
    DIR *dir = opendir("/");
    print_result("opendir", dir != NULL);
    print_result("readdir", dir && readdir(dir));
    if (dir)
        closedir(dir);
}

static void use_streams(char **paths)
{
    static char room[BUFSIZ];
    char bytes[4];
    FILE *file = fopen(paths[0], "rb");
    print_result("fopen", file != NULL);
    if (!file)
        return;
    setvbuf(file, room, _IOFBF, sizeof room);
    print_result("fread", fread(bytes, 1, sizeof bytes, file) == sizeof bytes && !ferror(file));
    print_result("fflush", fflush(file) == 0);
    print_result("fclose", fclose(file) == 0);
}

static void *nothing(void *arg)
{
    return arg;
}

static void use_threads(void)
{
    pthread_t id;
    errno = pthread_create(&id, NULL, nothing, NULL);
    print_result("thread", errno == 0);
    if (errno == 0)
        pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
    static char out[4096]; /* so that stdio needs no memory */
    setvbuf(stdout, out, _IOFBF, sizeof out);
    if (argc != 5)
        return 2;
    const char *what = argv[4];
    use_memory();
    use_files(argv + 1);
    if (strcmp(what, "all") == 0) {
        ask_about_files(argv + 1);
        use_streams(argv + 1);
        use_threads();
    }
    printf("\n");
    return 0;
}
