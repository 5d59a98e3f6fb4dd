/* Folders for the snapshots of one run: names and locations. */
#include "collect/live/run_folder.h"

#include "support/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = 160, MADE = 1024 };

/* 2026-11-23 14:12 UTC. */
static const time_t a_time = 1795443120;

static const char *named(const char *program, uint64_t pid)
{
    static char name[NAME];
    setenv("TZ", "UTC", 1);
    run_folder_name(program, pid, a_time, name, sizeof(name));
    return name;
}

Test(run_folder, is_named_by_program_process_and_minute)
{
    cr_expect_str_eq(named("MyApp", 4711), "heapdrift-MyApp-4711-20261123-1412");
    cr_expect_str_eq(named("Shop.Web_2", 1), "heapdrift-Shop.Web_2-1-20261123-1412");
    cr_expect_str_eq(named(NULL, 4711), "heapdrift-4711-20261123-1412");
    cr_expect_str_eq(named("", 0), "heapdrift-20261123-1412");
}

Test(run_folder, drops_characters_with_a_meaning_in_shells_or_paths)
{
    cr_expect_str_eq(named("../../etc/x", 1), "heapdrift-..-..-etc-x-1-20261123-1412");
    cr_expect_str_eq(named("$(rm -rf ~)\033[2J;'\"", 1),
                     "heapdrift-rm--rf-2J-1-20261123-1412");
    cr_expect_str_eq(named("*", 1), "heapdrift-1-20261123-1412");
    cr_expect_str_eq(named("名前", 1), "heapdrift-1-20261123-1412");
    char huge[1000];
    memset(huge, 'x', sizeof(huge) - 1);
    huge[sizeof(huge) - 1] = '\0';
    cr_expect_lt(strlen(named(huge, UINT64_MAX)), 90);
}

Test(run_folder, is_new_and_elsewhere_if_the_first_folder_is_unusable)
{
    struct scratch scratch = {0};
    char path[MADE], tight[8];
    struct stat st;
    int why = -1;
    scratch_open(&scratch);
    cr_assert_eq(chdir(scratch.folder), 0);
    cr_expect(run_folder_make("a", path, sizeof(path), &why));
    cr_expect_str_eq(path, "a");
    cr_expect_eq(why, 0);
    cr_expect(run_folder_make("a", path, sizeof(path), &why));
    cr_expect_str_eq(path, "a-2");
    cr_expect_eq(symlink("/nowhere", "b"), 0);
    cr_expect(run_folder_make("b", path, sizeof(path), &why));
    cr_expect_str_eq(path, "b-2", "a link is never followed");
    cr_expect_not(run_folder_make("too-long", tight, sizeof(tight), &why));
    cr_expect_eq(errno, ENAMETOOLONG);

    setenv("TMPDIR", scratch.folder, 1);
    cr_expect_not(run_folder_make("none/a", path, sizeof(path), &why));
    cr_expect_eq(why, ENOENT);
    cr_assert_eq(mkdir("gone", 0777), 0);
    cr_assert_eq(chdir("gone"), 0);
    cr_assert_eq(rmdir("../gone"), 0);
    cr_expect(run_folder_make("c", path, sizeof(path), &why));
    cr_expect_eq(why, ENOENT);
    cr_expect_eq(strncmp(path, scratch.folder, strlen(scratch.folder)), 0, "%s", path);
    cr_expect_eq(stat(path, &st), 0);
    cr_expect_eq(st.st_mode & 0777, 0700, "among files of others only the owner looks");
    cr_expect(run_folder_make_temporary(path, sizeof(path)));
    cr_expect_eq(strncmp(path, scratch.folder, strlen(scratch.folder)), 0, "%s", path);

    /* A folder that is set but missing is ignored. */
    setenv("TMPDIR", "/nowhere", 1);
    cr_expect(run_folder_make("heapdrift-test", path, sizeof(path), &why));
    cr_expect_eq(strncmp(path, "/tmp/heapdrift-test", 19), 0, "%s", path);
    cr_expect_eq(rmdir(path), 0);
    cr_assert_eq(chdir("/"), 0);
    scratch_remove(&scratch);
}
