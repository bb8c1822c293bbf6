// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that has an inline function of which the executable has a copy, too: the linker takes that one for both.
// PART 1 and 2: the library; its first record is that of the inline function. 3: the executable. 4: one without a copy,
// so that the library has its own.
typedef int function(int);
__attribute__((noinline)) inline int first(int x)
{
    return x + 1;
}
int library(function *, int);
#if PART == 1
static volatile int used = first(2);
#elif PART == 2
static function *volatile pointer = first;
__attribute__((noinline)) static int own(int x)
{
    return x * 3;
}
__attribute__((noinline)) int seen(int x)
{
    return x * 5;
}
int library(function *theirs, int n)
{
    int sum = theirs(1);
    for (int i = 0; i < n; i++) {
        pointer = i % 3 ? own : seen;
        sum += pointer(i);
    }
    pointer = first;
    return sum + pointer(2);
}
#elif PART == 4
static int other(int x)
{
    return x - 1;
}
int main()
{
    return library(other, 30) < 0;
}
#else
static int theirs(int x)
{
    return first(x) + 1;
}
int main()
{
    return library(first, 30) + library(theirs, 0) < 0;
}
#endif
