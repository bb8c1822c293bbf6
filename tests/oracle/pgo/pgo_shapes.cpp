/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C++ program: virtual calls, templates, an anonymous namespace, lambdas, exceptions. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pgo_count.h"

namespace {

struct Failure {
    int why;
};

class Shape {
public:
    virtual ~Shape() {}
    virtual int area(int scale) const = 0;
    virtual int corners() const { return 0; }
};

class Square final : public Shape {
public:
    explicit Square(int side) : side_(side) {}
    NOINLINE int area(int scale) const override
    {
        ENTER_AS("_ZNK12_GLOBAL__N_16Square4areaEi");
        return scale > 3 ? side_ * side_ * scale : side_ * side_;
    }
    NOINLINE int corners() const override
    {
        ENTER_AS("_ZNK12_GLOBAL__N_16Square7cornersEv");
        return 4;
    }

private:
    int side_;
};

NOINLINE int local_sum(const int *list, int n)
{
    ENTER_AS("_ZN12_GLOBAL__N_19local_sumEPKii");
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += list[i] > 5 ? list[i] : 1;
    return sum;
}

} // namespace

class Animal {
public:
    Animal(int legs) : legs_(legs) {}
    virtual ~Animal() {}
    virtual int noise(int x) const;
    virtual int steps(int x) const;

protected:
    int legs_;
};

class Dog : public Animal {
public:
    Dog() : Animal(4) {}
    int noise(int x) const override;
};

class Bird : public Animal {
public:
    Bird() : Animal(2) {}
    int noise(int x) const override;
    int steps(int x) const override;
};

NOINLINE int Animal::noise(int x) const
{
    ENTER_AS("_ZNK6Animal5noiseEi");
    return x;
}

NOINLINE int Animal::steps(int x) const
{
    ENTER_AS("_ZNK6Animal5stepsEi");
    int n = 0;
    while (x > 0) {
        x -= legs_;
        n++;
    }
    return n;
}

NOINLINE int Dog::noise(int x) const
{
    ENTER_AS("_ZNK3Dog5noiseEi");
    return x % 2 ? x + 1 : x - 1;
}

NOINLINE int Bird::noise(int x) const
{
    ENTER_AS("_ZNK4Bird5noiseEi");
    switch (x % 4) {
    case 0:
        return 3;
    case 1:
        return x * 2;
    default:
        return legs_;
    }
}

NOINLINE int Bird::steps(int x) const
{
    ENTER_AS("_ZNK4Bird5stepsEi");
    return x > 100 ? 1 : 0;
}

class Triangle : public Shape {
public:
    NOINLINE int area(int scale) const override
    {
        ENTER_AS("_ZNK8Triangle4areaEi");
        return scale;
    }
};

template <typename T, int N> struct Ring {
    T slot[N];
    int at = 0;
    NOINLINE T push(T x)
    {
        ENTER_AS(N == 4 ? "_ZN4RingIiLi4EE4pushEi" : "_ZN4RingIiLi9EE4pushEi");
        T old = slot[at];
        slot[at] = x;
        if (++at == N)
            at = 0;
        return old;
    }
};

template <typename F> static int repeat(int n, F f)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f(i);
    return sum;
}

NOINLINE int zoo(const Animal *const *list, int n, int rounds)
{
    ENTER_AS("_Z3zooPKPK6Animalii");
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        const Animal *a = list[i * i % 11 % n];
        sum += a->noise(i);
        if (i % 3 == 0)
            sum += a->steps(i);
    }
    return sum;
}

NOINLINE int measure(const Shape &s, int rounds)
{
    ENTER_AS("_Z7measureRKN12_GLOBAL__N_15ShapeEi");
    int sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += s.area(i) % 13 + s.corners();
    return sum;
}

NOINLINE int risky(int x)
{
    ENTER_AS("_Z5riskyi");
    if (x % 9 == 4)
        throw Failure{x};
    return x;
}

NOINLINE int guarded(int rounds)
{
    ENTER_AS("_Z7guardedi");
    int caught = 0;
    for (int i = 0; i < rounds; i++) {
        try {
            caught += risky(i) & 1;
        } catch (const Failure &f) {
            caught += f.why > 20 ? 2 : 3;
        }
    }
    return caught;
}

int main(int argc, char **argv)
{
    ENTER_AS("main");
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    int seed = argc > 2 ? atoi(argv[2]) : 1;
    Dog dog;
    Bird bird;
    Animal plain(6);
    const Animal *list[] = {&dog, &bird, &plain, &dog, &dog};
    Ring<int, 4> small{};
    Ring<int, 9> large{};
    int result = zoo(list, 1 + seed % 5, rounds) + measure(Square(seed), rounds);
    if (seed > 1)
        result += measure(Triangle(), rounds / 2);
    result += guarded(rounds);
    result += repeat(rounds, [&](int i) { return small.push(i) + (i % 4 ? large.push(i * 2) : 0); });
    result += local_sum(small.slot, 4) + local_sum(large.slot, 9);
    char a[300], b[300];
    memset(a, rounds, sizeof a);
    for (int i = 0; i < rounds; i++) {
        memcpy(b, a, (size_t)((i * 5 + seed) % 250));
        result += b[i % 2];
    }
    std::printf("result %d\n", result);
    return 0;
}
