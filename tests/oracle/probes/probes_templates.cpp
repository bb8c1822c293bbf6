// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For probes_asm.py: functions in COMDAT groups (templates, inline and virtual ones), constructors that are aliases,
// lambdas, exceptions. No headers, so that it can be compiled for any target.
extern "C" int printf(const char *format, ...);

template <class T> __attribute__((noinline)) T square(T x)
{
    return x > 3 ? x * x : x + 1;
}

template <int N> struct Steps {
    static int sum(int x)
    {
        return (x & N ? x : -x) + Steps<N - 1>::sum(x + 1);
    }
};
template <> struct Steps<0> {
    static int sum(int x)
    {
        return x;
    }
};

struct Base {
    int n;
    explicit Base(int start);
    virtual ~Base() {}
    virtual int step(int x)
    {
        return n + x;
    }
};
Base::Base(int start) : n(start)
{
    if (start > 5)
        n = square(start);
}

struct Derived : Base {
    using Base::Base;
    int step(int x) override
    {
        return x % 2 ? Steps<4>::sum(x) : n - x;
    }
};

inline __attribute__((noinline)) int counted(int x)
{
    static int calls;
    return x + ++calls;
}

template <class F> __attribute__((noinline)) int each(int n, F f)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f(i);
    return sum;
}

namespace {
__attribute__((noinline)) int checked(int x)
{
    if (x % 50 == 49)
        throw x;
    return counted(x) + square(x);
}
} // namespace

int attempt(int x)
{
    try {
        return checked(x);
    } catch (int caught) {
        return square(-caught);
    }
}

int main(int argc, char **)
{
    Derived derived(argc);
    Base base(argc + 6);
    Base *all[] = {&derived, &base};
    int sum = each(100, [&](int i) { return all[i & 1]->step(i) + attempt(i); });
    sum += each(argc * 7, [](int i) { return Steps<3>::sum(i); });
    printf("%d %d\n", sum, (int)square(2.5 * argc));
    return 0;
}
