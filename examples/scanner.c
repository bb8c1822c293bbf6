/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the characters of a generated text. The example of docs/bolt.md: BOLT can improve the layout of this
 * program, because the compiler assumes that branches (a character equals a constant) are rare that are usually
 * taken. */
#include <stdio.h>
#include <string.h>

struct counts {
    unsigned long blanks, digits, letters, lines, others, strange;
};

static void note_strange(struct counts *c, int byte, size_t at)
{
    if (c->strange++ < 10)
        fprintf(stderr, "byte %d at %zu\n", byte, at);
}

__attribute__((noinline)) static void count_byte(struct counts *c, int byte, size_t at)
{
    if (byte == ' ')
        c->blanks++;
    else if (byte == '\n')
        c->lines++;
    else if (byte >= '0' && byte <= '9')
        c->digits++;
    else if (byte < 32 || byte > 126)
        note_strange(c, byte, at);
    else if ((byte | 32) >= 'a' && (byte | 32) <= 'z')
        c->letters++;
    else
        c->others++;
}

static void make_text(char *text, size_t n)
{
    memset(text, ' ', n);
    for (size_t i = 0; i < n; i += 9)
        text[i] = (char)(i % 4 ? 'a' + i % 26 : '0' + i % 10);
    for (size_t i = 79; i < n; i += 80)
        text[i] = '\n';
}

int main(void)
{
    static char text[20000];
    struct counts c = {0, 0, 0, 0, 0, 0};
    make_text(text, sizeof text);
    for (size_t i = 0; i < sizeof text; i++)
        count_byte(&c, (unsigned char)text[i], i);
    printf("%lu blanks, %lu digits, %lu letters, %lu lines, %lu others\n", c.blanks, c.digits, c.letters,
           c.lines, c.others);
    return 0;
}
