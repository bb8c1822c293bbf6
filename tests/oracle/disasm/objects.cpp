// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++: templates, virtual calls, lambdas, exceptions, constructors before main, functions that are nothing but calls.
#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
};

template <int N> struct polygon : shape {
    double sides[N];
    explicit polygon(double x) { std::fill(sides, sides + N, x); }
    double area() const override
    {
        double sum = 0;
        for (double side : sides)
            sum += side > 2 ? side * side : side;
        return sum;
    }
};

namespace {
struct counter {
    int n;
    counter() : n(3) {}
    ~counter() { n = 0; }
} before_main;

int checked(int x)
{
    if (x < 0)
        throw std::runtime_error("negative");
    return x * before_main.n;
}
}

template <typename T> T total(const std::vector<T> &v)
{
    T sum = {};
    for (const T &x : v)
        sum += x;
    return sum;
}

int work(int n)
{
    std::vector<std::unique_ptr<shape>> shapes;
    std::map<std::string, int> names;
    std::vector<int> numbers;
    for (int i = 0; i < n; i++) {
        if (i % 3)
            shapes.push_back(std::make_unique<polygon<3>>(i));
        else
            shapes.push_back(std::make_unique<polygon<5>>(i));
        names[std::to_string(i % 10)] += i;
        numbers.push_back(i ^ 5);
    }
    std::sort(numbers.begin(), numbers.end(), [n](int a, int b) { return (a ^ n) < (b ^ n); });
    double area = 0;
    for (const auto &s : shapes)
        area += s->area();
    try {
        numbers.push_back(checked(n - 5));
    } catch (const std::exception &) {
        numbers.push_back(1);
    }
    return total(numbers) + (int)area + (int)names.size();
}

int main(int argc, char **)
{
    return work(argc * 7) & 1;
}
