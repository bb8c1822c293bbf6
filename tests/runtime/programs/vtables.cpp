// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual calls on objects of three classes.
struct Shape {
    virtual int area(int x) { return x; }
    virtual ~Shape() = default;
};
struct Square : Shape {
    int area(int x) override { return x * x; }
};
namespace {
struct Circle : Shape {
    int area(int x) override { return 3 * x * x; }
};
}

extern "C" __attribute__((noinline)) int step(Shape &shape, int x)
{
    return shape.area(x);
}

int main()
{
    Shape shape;
    Square square;
    Circle circle;
    int sum = 0;
    for (int i = 0; i < 50; i++)
        sum += step(i % 5 == 0 ? shape : i % 2 ? static_cast<Shape &>(square) : circle, i);
    return sum == 12345678;
}
