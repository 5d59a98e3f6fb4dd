#include "collect/own_modules.h"

#include "base/json.h"
#include "heap/names.h"

#include <stdlib.h>
#include <string.h>

/* --- names in a list ----------------------------------------------------------------- */

static bool list_has(const struct text *names, const char *name)
{
    size_t len = strlen(name) + 1;
    for (size_t i = 0; i < names->len; i += strlen(names->data + i) + 1)
        if (names->len - i >= len && memcmp(names->data + i, name, len) == 0)
            return true;
    return false;
}

static void list_add(struct text *names, const char *name)
{
    text_add(names, name, strlen(name) + 1);
}

static const char *file_name(const char *path)
{
    size_t folder = own_modules_folder(path);
    return path[folder] == '/' || path[folder] == '\\' ? path + folder + 1 : path;
}

/* --- deps.json ----------------------------------------------------------------------- */

/* Names of projects, and of their files, each. A solution has fewer; each is compared with
 * each library. */
enum { MAX_NAMES = 64 * 1024 };

/* "libraries": { "Shop/1.0.0": { "type": "project", ... }, ... } */
static void read_libraries(struct json_scan *j, struct text *projects)
{
    struct text library = {0};
    json_scan_enter(j, '{');
    for (bool first = true; json_scan_more(j, '}', first); first = false) {
        json_scan_name(j);
        text_clear(&library);
        text_add_string(&library, text_string(&j->string));
        json_scan_enter(j, '{');
        for (bool inner = true; json_scan_more(j, '}', inner); inner = false) {
            bool is_type =
                json_scan_name(j) && strcmp(text_string(&j->string), "type") == 0;
            if (!is_type)
                json_scan_skip(j);
            else if (json_scan_string(j) &&
                     strcmp(text_string(&j->string), "project") == 0 &&
                     projects->len + library.len < MAX_NAMES)
                list_add(projects, text_string(&library));
        }
    }
    text_free(&library);
}

/* "runtime": { "lib/Shop.dll": {}, ... } */
static void read_files(struct json_scan *j, struct text *names)
{
    json_scan_enter(j, '{');
    for (bool first = true; json_scan_more(j, '}', first); first = false) {
        json_scan_name(j);
        const char *name = file_name(text_string(&j->string));
        if (!list_has(names, name) && names->len + strlen(name) < MAX_NAMES)
            list_add(names, name);
        json_scan_skip(j);
    }
}

/* "targets": { ".NETCoreApp,Version=v10.0": { "Shop/1.0.0": { "runtime": ... }, ... } } */
static void read_targets(struct json_scan *j, const struct text *projects,
                         struct text *names)
{
    json_scan_enter(j, '{');
    for (bool first = true; json_scan_more(j, '}', first); first = false) {
        json_scan_name(j);
        json_scan_enter(j, '{');
        for (bool inner = true; json_scan_more(j, '}', inner); inner = false) {
            if (!json_scan_name(j) || !list_has(projects, text_string(&j->string))) {
                json_scan_skip(j);
                continue;
            }
            json_scan_enter(j, '{');
            for (bool last = true; json_scan_more(j, '}', last); last = false)
                if (json_scan_name(j) && strcmp(text_string(&j->string), "runtime") == 0)
                    read_files(j, names);
                else
                    json_scan_skip(j);
        }
    }
}

/* The kinds of libraries follow the targets, so the file is read twice. */
static bool read_deps(struct bytes json, struct text *projects, struct text *names)
{
    struct json_scan j = json_scan_over(json, NULL);
    json_scan_enter(&j, '{');
    for (bool first = true; json_scan_more(&j, '}', first); first = false) {
        bool is_named = json_scan_name(&j);
        if (is_named && names == NULL && strcmp(text_string(&j.string), "libraries") == 0)
            read_libraries(&j, projects);
        else if (is_named && names != NULL &&
                 strcmp(text_string(&j.string), "targets") == 0)
            read_targets(&j, projects, names);
        else
            json_scan_skip(&j);
    }
    bool ok = json_scan_ok(&j);
    json_scan_free(&j);
    return ok;
}

bool own_modules_of_deps(struct bytes json, struct text *names)
{
    struct text projects = {0};
    size_t before = names->len;
    bool ok = read_deps(json, &projects, NULL) && read_deps(json, &projects, names) &&
              names->len > before;
    if (!ok)
        names->len = before;
    text_free(&projects);
    return ok;
}

/* --- paths --------------------------------------------------------------------------- */

size_t own_modules_folder(const char *path)
{
    size_t folder = 0;
    for (size_t i = 0; path[i] != '\0'; i++)
        folder = path[i] == '/' || path[i] == '\\' ? i : folder;
    return folder;
}

bool own_modules_have(const struct text *names, const char *path)
{
    return list_has(names, file_name(path));
}

bool own_modules_may_be(const char *path)
{
    static const char *const others[] = {"mscorlib.dll", "netstandard.dll",
                                         "WindowsBase.dll"};
    const char *name = file_name(path);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return !names_is_framework(name_part(name), NAME_CLASS);
}

bool own_modules_is_named(const char *path, const char *name)
{
    const char *file = file_name(path);
    size_t len = strlen(name);
    return strncmp(file, name, len) == 0 &&
           (strcmp(file + len, ".dll") == 0 || strcmp(file + len, ".exe") == 0);
}
