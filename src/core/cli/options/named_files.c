#include "cli/options/named_files.h"

#include "cli/guard/allocate.h"
#include "cli/guard/used_files.h"
#include "cli/options/options.h"
#include "cli/terminal/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- where heapdrift.yml is ------------------------------------------------------ */

/* A link that leads nowhere is there, too: what it should have led to counts. */
static bool named_files_look_at(const char *folder, const char *name, struct stat *st)
{
    char path[CONFIG_PATH_SIZE];
    int len = snprintf(path, sizeof(path), "%s%s", folder, name);
    return len < (int)sizeof(path) && lstat(path, st) == 0;
}

/* The first is taken; of the others it is only told that they are there. Whoever runs this
 * may be asked to trust the folder above: if it is of the same owner, on the same file
 * system, and not this one again, as above the root. */
static void find_config(char found[CONFIG_PATH_SIZE], bool verbose)
{
    static const char *const names[] = {"heapdrift.yml", "heapdrift.yaml"};
    char folder[CONFIG_PATH_SIZE / 2] = "", met[CONFIG_PATH_SIZE];
    struct stat start, here, above;
    if (!named_files_look_at("", ".", &start))
        return;
    for (size_t len = 0; len + sizeof("../") <= sizeof(folder); len = strlen(folder)) {
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
            if (!named_files_look_at(folder, names[i], &here))
                continue;
            snprintf(met, sizeof(met), "%s%s", folder, names[i]);
            if (verbose)
                trouble(met, found[0] == '\0' ? "the budget file in use"
                                              : "not read; a closer file takes precedence");
            if (found[0] == '\0')
                strcpy(found, met);
        }
        if ((found[0] != '\0' && !verbose) || named_files_look_at(folder, ".git", &here) ||
            !named_files_look_at(folder, ".", &here) ||
            !named_files_look_at(folder, "..", &above) || above.st_uid != start.st_uid ||
            above.st_dev != start.st_dev || here.st_ino == above.st_ino)
            return;
        memcpy(folder + len, "../", sizeof("../"));
    }
}

/* --- the files of a command line --------------------------------------------------- */

static void named_files_add(const struct settings *s, const char *path, const char *what,
                            int use)
{
    used_files_add(s->used, (struct used_file){.path = path, .what = what, .use = use});
}

static void add_options(const struct settings *s)
{
    for (size_t i = 0; i < s->file_count; i++) {
        const struct option_file *f = &s->files[i];
        int use = f->kind == OPTION_FILE_READ ? FILE_READ : FILE_WRITTEN;
        if (f->kind != OPTION_STORE)
            used_files_add(s->used, (struct used_file){
                                        .path = f->path, .option = f->option, .use = use});
    }
}

/* "file:PATH?wait=5" or PATH; a server is no file that there is. */
static void add_store(struct settings *s)
{
    static const char scheme[] = "file:";
    bool reads = settings_read_store(s) || s->command->bit == ON_FLEET;
    if (s->store == NULL && s->command->bit != ON_RECORD && !reads)
        return;
    const char *path = store_url(s);
    if (strncmp(path, scheme, sizeof(scheme) - 1) == 0)
        path += sizeof(scheme) - 1;
    size_t len = strcspn(path, "?");
    s->store_path = zeroed(len + 1, 1);
    memcpy(s->store_path, path, len);
    named_files_add(s, s->store_path, "is the store",
                    FILE_READ | FILE_STORE | (!reads || s->saves ? FILE_WRITTEN : 0));
}

static void add_found(struct settings *s)
{
    const char *summary = getenv("GITHUB_STEP_SUMMARY");
    bool checks = s->command->bit == ON_CHECK;
    struct check_options *own = s->own;
    if (!checks && s->command->bit != ON_WATCH)
        return;
    if (own->config == NULL)
        find_config(own->found_config, s->verbose && (checks || own->budgets.count > 0));
    if (own->found_config[0] != '\0')
        named_files_add(s, own->found_config, "is the budget file of this check",
                        FILE_READ);
    if (summary != NULL && summary[0] != '\0')
        named_files_add(s, summary, "is GITHUB_STEP_SUMMARY", FILE_WRITTEN | FILE_APPENDED);
}

void named_files_add_input(const struct settings *s, const char *path)
{
    bool is_part = s->command->bit == ON_FLEET;
    named_files_add(s, path, is_part ? "is one of the parts" : "is one of the snapshots",
                    FILE_READ | FILE_INPUT);
}

bool named_files_begin(struct settings *s)
{
    s->used = zeroed(1, sizeof(*s->used));
    s->used->inputs_may_change = s->command->bit == ON_CONVERT;
    add_options(s);
    add_store(s);
    add_found(s);
    for (size_t i = 0; i < s->operand_count; i++)
        named_files_add_input(s, s->operands[i]);
    for (size_t i = 0; i < s->argument_file_count; i++)
        named_files_add(s, s->argument_files[i].path, "holds arguments of this command",
                        FILE_READ | FILE_DONE);
    s->sandbox.files = s->used;
    s->sandbox.inputs = s->operands;
    s->sandbox.input_count = s->operand_count;
    return used_files_are_apart(s->used);
}
