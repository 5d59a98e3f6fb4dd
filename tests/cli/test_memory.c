/* What a process may take, from files as kernels write them. */
#include "cli/guard/memory.h"

#include "heapdrift.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct scratch scratch;

static void open_scratch(void)
{
    static const char *const folders[] = {"proc",
                                          "proc/self",
                                          "sys",
                                          "sys/fs",
                                          "sys/fs/cgroup",
                                          "sys/fs/cgroup/a",
                                          "sys/fs/cgroup/a/b",
                                          "sys/fs/cgroup/memory",
                                          "sys/fs/cgroup/memory/a"};
    scratch_open(&scratch);
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        scratch_folder(&scratch, folders[i]);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(memory, .init = open_scratch, .fini = remove_scratch);

static void put(const char *path, const char *text)
{
    scratch_file(&scratch, path, text, strlen(text));
}

static void put_system(const char *cgroup)
{
    put("proc/meminfo", "MemTotal:       1000 kB\nMemFree:   10 kB\n"
                        "MemAvailable:    100 kB\n");
    put("proc/self/cgroup", cgroup);
}

/* A group of version 2, below sys/fs/cgroup. */
static void put_group(const char *group, const char *most, const char *used,
                      const char *stat)
{
    const struct {
        const char *name, *text;
    } files[] = {{"memory.max", most}, {"memory.current", used}, {"memory.stat", stat}};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        put(arena_printf(&scratch.arena, "sys/fs/cgroup%s/%s", group, files[i].name),
            files[i].text);
}

static void expect(uint64_t bytes)
{
    uint64_t got = memory_available(scratch.folder);
    cr_expect_eq(got, bytes, "%llu, not %llu", (unsigned long long)got,
                 (unsigned long long)bytes);
}

Test(memory, without_groups_it_is_what_the_system_has)
{
    put("proc/meminfo", "MemAvailable:    100 kB\n");
    expect(102400);
    put_system("");
    expect(102400);
    put_system("0::/\n");
    expect(102400);
    put_system("garbage\n1\n::\n:\n");
    expect(102400);
}

Test(memory, a_group_limits_it_unless_the_system_has_less)
{
    put_system("0::/\n");
    put_group("", "70000\n", "20000\n", "anon 20000\n");
    expect(50000);
    put_group("", "700000\n", "20000\n", "anon 20000\n");
    expect(102400);
    put_group("", "max\n", "20000\n", "anon 20000\n");
    expect(102400);
}

Test(memory, cached_files_do_not_count_as_used_unless_they_are_busy)
{
    put_system("0::/\n");
    put_group("", "70000\n", "69000\n",
              "anon 9000\nfile 60000\nactive_file 20000\ninactive_file 40000\n");
    expect(41000);
    /* Numbers of different moments. */
    put_group("", "70000\n", "30000\n", "inactive_file 40000\n");
    expect(70000);
}

Test(memory, a_group_around_it_limits_it_too)
{
    put_system("0::/a/b\n");
    put_group("/a/b", "70000\n", "20000\n", "");
    expect(50000);
    put_group("/a", "60000\n", "30000\n", "");
    expect(30000);
    put_group("", "10000\n", "9000\n", "");
    expect(1000);
    put_group("/a/b", "max\n", "0\n", "");
    expect(1000);
}

/* A container that knows its place in the tree of the host, and sees only its own. */
Test(memory, a_group_that_cannot_be_seen_is_the_one_that_can)
{
    put_system("0::/docker/0123\n");
    put_group("", "70000\n", "20000\n", "");
    expect(50000);
}

Test(memory, groups_of_version_1_limit_it_as_well)
{
    put_system("9:name=systemd:/\n4:cpu,memory:/a\n3:memoryx:/none\n0::/\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "100000000\n");
    expect(102400);
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "70000\n");
    put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "60000\n");
    put("sys/fs/cgroup/memory/a/memory.stat",
        "inactive_file 1\ntotal_inactive_file 5000\n");
    expect(15000);
}

Test(memory, nothing_left_is_no_licence_to_take_all)
{
    put_system("0::/\n");
    put_group("", "70000\n", "80000\n", "");
    expect(0);
    static const struct {
        uint64_t available, limit;
    } cases[] = {{0, 1}, {1, 1}, {3, 1}, {4, 3}, {4000, 3000}, {HD_UNKNOWN, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(memory_usual_limit(cases[i].available), cases[i].limit, "case %zu", i);
}

/* Limits far above what the test itself takes, but for ASan, which maps terabytes. */
#ifndef __SANITIZE_ADDRESS__
static void set_limit(int resource, uint64_t most)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(resource, &limit), 0);
    limit.rlim_cur = most;
    cr_assert_eq(setrlimit(resource, &limit), 0);
}

Test(memory, limits_of_the_process_count_less_what_it_takes)
{
    const uint64_t most = (uint64_t)1 << 40, more = most * 2;
    const char *what = NULL;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    put("proc/meminfo", "MemAvailable: 9999999999 kB\n");
    put("proc/self/statm", "1000 2 3 4 0 600 0\n");
    cr_expect_eq(memory_process_limit(&what), HD_UNKNOWN);
    set_limit(RLIMIT_AS, more);
    expect(more - 1000 * page);
    cr_expect_eq(memory_process_limit(&what), more);
    cr_expect_str_eq(what, "ulimit -v");
    set_limit(RLIMIT_DATA, most);
    expect(most - 600 * page);
    cr_expect_eq(memory_process_limit(&what), most);
    cr_expect_str_eq(what, "ulimit -d");
    set_limit(RLIMIT_AS, most);
    expect(most - 1000 * page);
    cr_expect_str_eq(what, "ulimit -d");
}
#endif
