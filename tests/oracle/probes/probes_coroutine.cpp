// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For probes_asm.py: a coroutine, whose parts are functions of their own with probes of the one they come from.
#include <coroutine>
#include <cstdio>

struct Numbers {
    struct promise_type {
        int value = 0;
        Numbers get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend()
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
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

__attribute__((noinline)) Numbers numbers(int n)
{
    for (int i = 0; i < n; i++)
        co_yield i % 3 ? i : i * i;
}

int main(int argc, char **)
{
    Numbers all = numbers(argc * 20);
    int sum = 0;
    while (all.handle.resume(), !all.handle.done())
        sum += all.handle.promise().value;
    all.handle.destroy();
    std::printf("%d\n", sum);
    return 0;
}
