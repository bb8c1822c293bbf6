// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A coroutine: its parts are functions of their own, which say so with sentinels.
#include <coroutine>

struct generator {
    struct promise_type {
        int value = 0;
        generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v)
        {
            value = v;
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

generator count(int n)
{
    for (int i = 0; i < n; i++)
        if (i % 3)
            co_yield i;
}

int main(int argc, char **)
{
    generator g = count(argc * 5);
    int sum = 0;
    while (!g.handle.done()) {
        sum += g.handle.promise().value;
        g.handle.resume();
    }
    g.handle.destroy();
    return sum & 1;
}
