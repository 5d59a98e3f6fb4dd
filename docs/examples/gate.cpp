// A gate for a test run: take a snapshot before and after, and let the run fail when a
// type grew by more than its budget.
//
//     c++ -std=c++17 gate.cpp $(pkg-config --cflags --libs heapdrift) -o gate
//     ./gate 'App.Order=100' before.gcdump after.gcdump
//
// Ends with 0 when nothing is over budget, with 1 when something is, else with 2.
#include <heapdrift.h>

#include <cerrno>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

template <auto close> struct closer {
    template <typename T> void operator()(T *p) const
    {
        close(p);
    }
};

using comparison = std::unique_ptr<hd_comparison, closer<hd_comparison_free>>;
using budgets = std::unique_ptr<hd_budgets, closer<hd_budgets_free>>;
using report = std::unique_ptr<hd_report, closer<hd_report_free>>;

[[noreturn]] void fail(const std::string &what, const hd_error &err)
{
    throw std::runtime_error(what + ": " + err.message);
}

comparison open(const std::vector<hd_input> &inputs)
{
    size_t count = 0;
    comparison c{hd_comparison_open(inputs.data(), inputs.size(), nullptr)};
    const hd_info_entry *entries = hd_comparison_entries(c.get(), &count);
    for (size_t i = 0; i < count; i++)
        if (entries[i].snap == nullptr)
            fail(entries[i].path, entries[i].error);
    return c;
}

// What a report writes, in a string. Exceptions must not pass through the library.
int append(void *context, const void *bytes, size_t size)
{
    try {
        static_cast<std::string *>(context)->append(static_cast<const char *>(bytes), size);
        return 0;
    } catch (const std::exception &) {
        return ENOMEM;
    }
}

std::string written(const hd_report *what, const char *format)
{
    hd_error err{};
    std::string text;
    if (!hd_report_write(what, format, nullptr, {append, &text}, &err))
        fail(format, err);
    return text;
}

int gate(const char *budget, hd_comparison *snapshots)
{
    hd_error err{};
    budgets rules{hd_budgets_new()};
    if (!hd_budgets_add_option(rules.get(), "budget", budget, &err))
        fail(budget, err);
    report result{hd_report_check(snapshots, nullptr, rules.get(), &err)};
    if (!result)
        fail("check", err);
    std::cout << written(result.get(), "junit");
    return hd_report_verdict(result.get()) == HD_FAIL ? 1 : 0;
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc < 4)
        throw std::runtime_error("usage: gate TYPE=LIMIT SNAPSHOT SNAPSHOT...");
    std::vector<hd_input> inputs(static_cast<size_t>(argc) - 2);
    for (size_t i = 0; i < inputs.size(); i++)
        inputs[i].path = argv[i + 2];
    return gate(argv[1], open(inputs).get());
} catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return 2;
}
