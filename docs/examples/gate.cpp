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

using snapshot = std::unique_ptr<hd_snapshot, closer<hd_snapshot_close>>;
using budgets = std::unique_ptr<hd_budgets, closer<hd_budgets_free>>;
using report = std::unique_ptr<hd_report, closer<hd_report_free>>;

[[noreturn]] void fail(const std::string &what, const hd_error &err)
{
    throw std::runtime_error(what + ": " + err.message);
}

snapshot open(const char *path)
{
    hd_error err{};
    snapshot snap{hd_snapshot_open(path, nullptr, &err)};
    if (!snap)
        fail(path, err);
    return snap;
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

int gate(const char *budget, const std::vector<snapshot> &snaps)
{
    hd_error err{};
    budgets rules{hd_budgets_new()};
    if (!hd_budgets_add_option(rules.get(), "budget", budget, &err))
        fail(budget, err);
    std::vector<hd_snapshot *> in;
    for (const snapshot &s : snaps)
        in.push_back(s.get());
    report result{hd_report_check(in.data(), in.size(), nullptr, rules.get(), &err)};
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
    std::vector<snapshot> snaps;
    for (int i = 2; i < argc; i++)
        snaps.push_back(open(argv[i]));
    return gate(argv[1], snaps);
} catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return 2;
}
