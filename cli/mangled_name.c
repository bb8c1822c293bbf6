/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libiberty bounds the depth of names of Rust, and of those of C++ by their length, 1024 bytes, which templates often
 * exceed: that is switched off, and LONGEST_CXX counts. It does not bound the time: types that are made of one another
 * double the work again and again, and a name of Rust can bind any number of lifetimes, also where nothing is written.
 * Its functions with a callback allocate nothing (but a buffer for a name of Rust in Punycode), so that they can be
 * left at any time. */
#include "mangled_name.h"

#include <demangle.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "memory.h"

#define TICK_MICROSECONDS 20000 /* of processor time */
#define MOST_TICKS 5            /* while one name is read */
/* What all names together may take: those of real programs take a fiftieth of this time, and become four times as
 * long. */
#define TICKS_ANYWAY 100u
#define BYTES_OF_A_TICK 20000u
#define MADE_ANYWAY ((uint64_t)1 << 20)
#define MOST_GROWTH 32u
#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define STYLE (DMGL_PARAMS | DMGL_ANSI | DMGL_TYPES)

/* What the signal handler reads: the name that is being read. */
static struct {
    volatile sig_atomic_t reading; /* 1: give it up by a jump; 2: by the next call of `collect` */
    volatile sig_atomic_t ticks;
    pthread_t thread; /* that reads it */
    sigjmp_buf start;
    unsigned begun; /* calls of mangled_names_begin without their end */
} clock_state;

enum { GIVEN_UP_SLOW = 1, GIVEN_UP_LONG };

/* The handler of SIGVTALRM, which any thread may get. */
static void tick(int number)
{
    if (!clock_state.reading)
        return;
    if (!pthread_equal(pthread_self(), clock_state.thread))
        pthread_kill(clock_state.thread, number);
    else if (++clock_state.ticks > MOST_TICKS && clock_state.reading == 1)
        siglongjmp(clock_state.start, GIVEN_UP_SLOW);
}

static void set_timer(long microseconds)
{
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    (void)setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

void mangled_names_begin(void)
{
    struct sigaction action;
    if (clock_state.begun++)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART;
    (void)sigaction(SIGVTALRM, &action, NULL);
    set_timer(TICK_MICROSECONDS);
}

void mangled_names_end(void)
{
    if (--clock_state.begun)
        return;
    set_timer(0); /* a last signal may still be on its way: the handler stays */
}

/* A demangle_callbackref. */
static void collect(const char *text, size_t n, void *user)
{
    struct mangled_names *names = (struct mangled_names *)user;
    if (clock_state.ticks > MOST_TICKS)
        siglongjmp(clock_state.start, GIVEN_UP_SLOW);
    if (n > LONGEST_DEMANGLED - names->n)
        siglongjmp(clock_state.start, GIVEN_UP_LONG);
    if (n) /* of an empty name of Rust, `text` is NULL */
        memcpy(names->text + names->n, text, n);
    names->n += n;
}

typedef int read_fn(const char *symbol, int style, demangle_callbackref callback, void *user);

/* Whether a symbol of Rust may have an identifier in Punycode: "u" and its length. */
static bool may_have_punycode(const char *symbol)
{
    while ((symbol = strchr(symbol, 'u')) != NULL)
        if (strspn(++symbol, DIGITS))
            return true;
    return false;
}

/* Whether a symbol of Rust may bind more than some thousand lifetimes: after the "F" of a function's type or the "D" of
 * dynamic traits, "G" and their number in base 62. Hardly any identifier has the same letters. */
static bool may_bind_many(const char *symbol)
{
    const size_t most_digits = 2;
    while ((symbol = strpbrk(symbol, "FD")) != NULL) {
        if (*++symbol != 'G')
            continue;
        const size_t n = strspn(symbol + 1, DIGITS LETTERS);
        if (n > most_digits && symbol[1 + n] == '_')
            return true;
    }
    return false;
}

/* Reads a symbol by one of libiberty's functions. *why: it was given up, and why. */
static bool read_bounded(struct mangled_names *names, const char *symbol, read_fn *by, sig_atomic_t reading,
                         int *why)
{
    *why = sigsetjmp(clock_state.start, 1);
    if (*why)
        return false;
    clock_state.reading = reading;
    return by(symbol, by == rust_demangle_callback ? STYLE : STYLE | DMGL_NO_RECURSE_LIMIT, collect, names) !=
           0;
}

/* The same, if names may still be read. */
static bool read_by(struct mangled_names *names, const char *symbol, read_fn *by)
{
    const bool is_rust = by == rust_demangle_callback, allocates = is_rust && may_have_punycode(symbol);
    int why;
    if (names->is_over || names->n_slow >= MOST_SLOW_NAMES)
        return false;
    if (is_rust ? allocates && may_bind_many(symbol) : strlen(symbol) > LONGEST_CXX) {
        names->any_long = true;
        return false;
    }
    names->n = 0;
    clock_state.ticks = 0;
    clock_state.thread = pthread_self();
    const bool good = read_bounded(names, symbol, by, allocates ? 2 : 1, &why);
    clock_state.reading = 0;
    names->n_slow += why == GIVEN_UP_SLOW;
    names->any_long |= why == GIVEN_UP_LONG;
    names->read += strlen(symbol);
    names->made += names->n;
    names->ticks += (uint64_t)clock_state.ticks;
    names->is_over = names->ticks > TICKS_ANYWAY + names->read / BYTES_OF_A_TICK ||
                     names->made > MADE_ANYWAY + names->read * MOST_GROWTH;
    names->text[names->n] = '\0';
    return good;
}

/* Appends to the result, as far as there is room. */
static void append(struct mangled_names *names, const char *text)
{
    const size_t n = strlen(text), room = LONGEST_DEMANGLED - names->n;
    memcpy(names->text + names->n, text, n < room ? n : room);
    names->n += n < room ? n : room;
    names->text[names->n] = '\0';
}

/* Cuts off the hash that rustc before 1.97 puts after the path: "::h" and 16 digits. */
static void cut_hash(struct mangled_names *names)
{
    const size_t length = 19;
    if (names->n <= length)
        return;
    char *hash = names->text + names->n - length;
    if (memcmp(hash, "::h", 3) == 0 && strspn(hash + 3, "0123456789abcdef") == length - 3) {
        *hash = '\0';
        names->n -= length;
    }
}

/* Where the suffix of a name of Rust begins: of the older mangling after the hash, "17h...E". */
static size_t rust_end(const char *symbol)
{
    if (symbol[1] == 'R')
        return strcspn(symbol, ".");
    for (const char *at = symbol; (at = strstr(at, "17h")) != NULL; at++)
        if (strspn(at + 3, "0123456789abcdef") == 16 && at[19] == 'E')
            return (size_t)(at - symbol) + 20;
    return 0;
}

/* Reads symbol[0, n), and writes the rest in brackets. */
static bool read_start(struct mangled_names *names, char *symbol, size_t n, read_fn *by)
{
    const char first = symbol[n];
    symbol[n] = '\0';
    bool good = read_by(names, symbol, by);
    symbol[n] = first;
    if (good && first) {
        append(names, " [clone ");
        append(names, symbol + n);
        append(names, "]");
    }
    return good;
}

static bool read_symbol(struct mangled_names *names, char *symbol)
{
    const size_t length = strlen(symbol), end = rust_end(symbol);
    if (end > LONGEST_RUST)
        names->any_long = true;
    else if (end && read_start(names, symbol, end, rust_demangle_callback))
        return true;
    if (symbol[1] == 'R')
        return false;
    const size_t dot = strcspn(symbol, ".");
    /* libiberty knows most suffixes, but not all. */
    bool good = read_by(names, symbol, cplus_demangle_v3_callback) ||
                (dot < length && read_start(names, symbol, dot, cplus_demangle_v3_callback));
    if (good)
        cut_hash(names);
    return good;
}

bool mangled_name_read(struct mangled_names *names, struct apf_str symbol)
{
    char copy[LONGEST_RUST + 256];
    const size_t extra = symbol.n > 2 && memcmp(symbol.p, "__", 2) == 0; /* of macOS */
    symbol.p += extra;
    symbol.n -= extra;
    if (symbol.n < 3 || symbol.p[0] != '_' || (symbol.p[1] != 'Z' && symbol.p[1] != 'R') ||
        memchr(symbol.p, '\0', symbol.n))
        return false;
    if (symbol.n >= sizeof copy) {
        names->any_long = true;
        return false;
    }
    memcpy(copy, symbol.p, symbol.n);
    copy[symbol.n] = '\0';
    if (!names->text)
        names->text = (char *)checked_realloc(NULL, LONGEST_DEMANGLED + 1, 1);
    return read_symbol(names, copy);
}
