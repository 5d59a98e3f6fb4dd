/* Memory limits of a process, from files as kernels write them. */
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
                                          "sys/fs/cgroup/memory/a",
                                          "sys/fs/cgroup/memory/a/b",
                                          "proc/7",
                                          "proc/7/root",
                                          "proc/7/root/sys",
                                          "proc/7/root/sys/fs",
                                          "proc/7/root/sys/fs/cgroup"};
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

/* A group of version 2, in sys/fs/cgroup. */
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
    /* Numbers from different moments. */
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

/* A container that knows its path in the host's tree, but sees only its own. */
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

Test(memory, without_spare_memory_the_limit_is_small)
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

/* --- of another process ------------------------------------------------------------ */

static void put_process(const char *cgroup)
{
    put("proc/meminfo", "MemAvailable:    1000 kB\n");
    put("proc/7/cgroup", cgroup);
}

static void expect_spare(uint64_t bytes)
{
    uint64_t got = memory_spare(scratch.folder, 7);
    cr_expect_eq(got, bytes, "%llu, not %llu", (unsigned long long)got,
                 (unsigned long long)bytes);
}

Test(memory, spare_is_what_the_tightest_group_leaves)
{
    put_process("0::/a/b\n");
    expect_spare(1024000);
    put_group("/a/b", "700000\n", "200000\n", "");
    expect_spare(500000);
    put_group("/a", "600000\n", "400000\n", "inactive_file 100000\n");
    expect_spare(300000);
    put_group("", "10000000\n", "9900000\n", "");
    expect_spare(100000);
    put_group("/a", "600000\n", "700000\n", "");
    expect_spare(0);
}

Test(memory, spare_ends_where_the_kernel_makes_a_group_wait)
{
    put_process("0::/a\n");
    put_group("/a", "max\n", "200000\n", "");
    expect_spare(1024000);
    put("sys/fs/cgroup/a/memory.high", "500000\n");
    expect_spare(300000);
    put_group("/a", "400000\n", "200000\n", "");
    expect_spare(200000);
    put("sys/fs/cgroup/a/memory.high", "max\n");
    expect_spare(200000);
    cr_expect_eq(memory_limit(scratch.folder, 7, NULL), 400000);
    put("sys/fs/cgroup/a/memory.high", "300000\n");
    cr_expect_eq(memory_limit(scratch.folder, 7, NULL), 400000, "it is no limit");
    cr_expect_eq(memory_left(scratch.folder, 7), 200000);
}

Test(memory, limit_and_use_are_from_the_same_group)
{
    uint64_t used;
    put_process("0::/a/b\n");
    cr_expect_eq(memory_limit(scratch.folder, 7, &used), HD_UNKNOWN);
    cr_expect_eq(used, HD_UNKNOWN);
    put_group("/a/b", "700000\n", "200000\n", "");
    put_group("/a", "600000\n", "400000\n", "inactive_file 100000\n");
    put_group("", "10000000\n", "9900000\n", "");
    cr_expect_eq(memory_limit(scratch.folder, 7, &used), 600000);
    cr_expect_eq(used, 300000, "the group with the least room is another one");
}

Test(memory, spare_of_version_1)
{
    put_process("4:cpu,memory:/a/b\n0::/\n");
    put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "300000\n");
    expect_spare(1024000);
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "500000\n");
    put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "300000\n");
    expect_spare(200000);
    put("sys/fs/cgroup/memory/a/memory.stat", "total_inactive_file 50000\n");
    expect_spare(250000);
}

Test(memory, spare_memory_is_that_of_the_group_mounted_in_a_container)
{
    put_process("0::/../other\n");
    put("proc/7/root/sys/fs/cgroup/memory.max", "500000\n");
    put("proc/7/root/sys/fs/cgroup/memory.current", "300000\n");
    expect_spare(200000);
}

Test(memory, is_shared_with_processes_of_a_group_with_a_limit)
{
    put_system("0::/a/b\n");
    put_process("0::/a/b\n");
    cr_expect_not(memory_is_shared(scratch.folder, 7));
    put_group("/a/b", "max\n", "200000\n", "");
    cr_expect_not(memory_is_shared(scratch.folder, 7));
    put_group("/a", "700000\n", "200000\n", "");
    cr_expect(memory_is_shared(scratch.folder, 7));
    put_process("0::/a\n");
    cr_expect_not(memory_is_shared(scratch.folder, 7));
    put_system("4:memory:/a\n");
    put_process("4:memory:/a\n");
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "500000\n");
    put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "300000\n");
    cr_expect(memory_is_shared(scratch.folder, 7));
}

Test(memory, garbage_in_group_files_is_not_a_limit)
{
    static const char *const garbage[] = {"",
                                          "\n",
                                          "max\n",
                                          "none",
                                          "18446744073709551616\n",
                                          "99999999999999999999999\n",
                                          "-1\n",
                                          "0x\n\1"};
    put_process("0::/a\n");
    for (size_t i = 0; i < sizeof(garbage) / sizeof(*garbage); i++) {
        put_group("/a", garbage[i], "200000\n", "");
        put("sys/fs/cgroup/a/memory.high", garbage[i]);
        uint64_t got = memory_spare(scratch.folder, 7);
        cr_expect(got == 1024000 || garbage[i][0] == '0', "%s: %llu", garbage[i],
                  (unsigned long long)got);
    }
    put_group("/a", "700000\n", "garbage\n", "");
    expect_spare(1024000);
    put_process("garbage\n::\n1:memory\n0:\n");
    expect_spare(1024000);
}

static void put_kills(const char *path, const char *count)
{
    put(path, arena_printf(&scratch.arena, "low 0\noom 9\noom_kill %s\n", count));
}

/* Counts before and after, in the group and in the system. */
static bool was_killed(const char *path, const char *const counts[4])
{
    struct memory_kills kills;
    put_kills(path, counts[0]);
    put_kills("proc/vmstat", counts[1]);
    memory_kills_see(scratch.folder, 7, &kills);
    put_kills(path, counts[2]);
    put_kills("proc/vmstat", counts[3]);
    return memory_kills_rose(scratch.folder, &kills);
}

Test(memory, counts_of_a_group_show_that_a_process_was_killed)
{
    static const char events[] = "sys/fs/cgroup/a/b/memory.events";
    static const char control[] = "sys/fs/cgroup/memory/a/memory.oom_control";
    put_process("0::/a/b\n");
    cr_expect(was_killed(events, (const char *const[]){"2", "7", "3", "8"}));
    cr_expect_not(was_killed(events, (const char *const[]){"2", "7", "2", "8"}),
                  "another group's");
    put_process("4:memory:/a\n0::/\n");
    cr_expect(was_killed(control, (const char *const[]){"0", "7", "1", "8"}));
    cr_expect_not(was_killed(control, (const char *const[]){"1", "7", "1", "8"}));
}

Test(memory, counts_of_the_system_are_used_if_a_group_is_gone)
{
    static const char events[] = "sys/fs/cgroup/a/b/memory.events";
    put_process("0::/a/b\n");
    cr_expect(was_killed(events, (const char *const[]){"2", "7", "garbage", "8"}));
    cr_expect_not(was_killed(events, (const char *const[]){"2", "7", "garbage", "7"}));
    cr_expect_not(
        was_killed(events, (const char *const[]){"2", "garbage", "garbage", "8"}));
    put_process("garbage\n");
    cr_expect(was_killed(events, (const char *const[]){"2", "7", "2", "8"}));
}

/* Limits far above the needs of the test itself, except under ASan, which maps terabytes.
 */
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
