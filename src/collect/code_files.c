#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "collect/code_files.h"

#include "collect/own_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEADLINE_MS = 10000, MAX_DEPS = 4 << 20, MAX_ANSWER = APART_MAX_BYTES - 65536 };

/* The first byte of an answer: whether it is known what is own. */
enum { UNKNOWN = 'u', KNOWN = 'k' };

/* A line in the answer of the child; the bytes of the file's name follow. */
struct code_answer {
    uint32_t place, line;
    uint16_t file_size;
};

struct code_reader {
    const struct code_files *asked;
    const struct inside *at;
    const char *entry;    /* path of the module that the program begins in */
    struct text projects; /* own_modules_of_deps(); empty: unknown */
};

/* --- in the child ------------------------------------------------------------------ */

/* -1 unless it is a regular file. */
static int open_file(const struct code_reader *r, const char *path)
{
    int held = inside_open(&(struct inside){r->at->root, path}, O_PATH);
    return held >= 0 ? others_open_held(held) : -1;
}

/* The path of a file next to a module, of another ending: NAME.dll and ".pdb". */
static void path_next_to(struct text *to, const char *module, const char *ending)
{
    const char *dot = strrchr(module + own_modules_folder(module), '.');
    text_clear(to);
    text_add(to, module, dot != NULL ? (size_t)(dot - module) : strlen(module));
    text_add_string(to, ending);
}

static void read_deps(struct code_reader *r)
{
    struct text path = {0}, json = {0};
    char block[1 << 14];
    ssize_t n = 0;
    path_next_to(&path, r->entry, ".deps.json");
    int fd = open_file(r, text_string(&path));
    while (fd >= 0 && json.len <= MAX_DEPS && (n = read(fd, block, sizeof(block))) > 0)
        text_add(&json, block, (size_t)n);
    if (fd >= 0 && n == 0)
        own_modules_of_deps((struct bytes){(unsigned char *)json.data, json.len},
                            &r->projects);
    close_quietly(fd);
    text_free(&path);
    text_free(&json);
}

/* The file next to a test runner lists no project: then names of modules decide. */
static bool is_own(const struct code_reader *r, const char *module)
{
    size_t folder = own_modules_folder(r->entry);
    return own_modules_folder(module) == folder && strncmp(module, r->entry, folder) == 0 &&
           (r->projects.len > 0 ? own_modules_have(&r->projects, module)
                                : own_modules_may_be(module));
}

static void answer_place(const struct code_reader *r, const struct clr_source *source,
                         size_t i, struct text *answer)
{
    enum { LONGEST_NAME = 255 };
    const struct code_place *place = &r->asked->places[i];
    struct clr_line found = {.line = 0};
    if (answer->len > MAX_ANSWER ||
        !clr_source_has(source, place->at.token, place->type, place->method))
        return;
    if (!clr_source_line(source, &place->at, &found) || found.file.size > LONGEST_NAME)
        found = (struct clr_line){.line = 0};
    const struct code_answer head = {(uint32_t)i, found.line, (uint16_t)found.file.size};
    text_add(answer, &head, sizeof(head));
    text_add(answer, found.file.data, found.file.size);
}

/* Computes the answers for the places of a module. */
static void answer_module(const struct code_reader *r, size_t begin, size_t end,
                          struct text *answer)
{
    const char *path = r->asked->modules[r->asked->places[begin].module];
    struct text symbols = {0};
    if (!is_own(r, path))
        return;
    path_next_to(&symbols, path, ".pdb");
    int module = open_file(r, path), pdb = open_file(r, text_string(&symbols));
    struct clr_source *source = module >= 0 ? clr_source_open(module, pdb) : NULL;
    for (size_t i = begin; source != NULL && i < end; i++)
        answer_place(r, source, i, answer);
    clr_source_free(source);
    close_quietly(module);
    close_quietly(pdb);
    text_free(&symbols);
}

static int answer_all(const struct inside *at, void *context, struct text *answer)
{
    const struct code_files *asked = context;
    struct code_reader r = {.asked = asked, .at = at};
    for (uint32_t i = 0; i < asked->module_count && r.entry == NULL; i++)
        if (own_modules_is_named(asked->modules[i], asked->entry))
            r.entry = asked->modules[i];
    int program = r.entry != NULL ? open_file(&r, r.entry) : -1;
    text_add_char(answer, program >= 0 ? KNOWN : UNKNOWN);
    errno = 0;
    if (program < 0)
        return -1;
    close_quietly(program);
    read_deps(&r);
    for (size_t begin = 0, end; begin < asked->place_count; begin = end) {
        end = begin + 1;
        while (end < asked->place_count &&
               asked->places[end].module == asked->places[begin].module)
            end++;
        answer_module(&r, begin, end, answer);
    }
    text_free(&r.projects);
    errno = 0;
    return -1;
}

/* --- result
 * ---------------------------------------------------------------------------- */

static void take_answer(const struct text *answer, size_t count,
                        struct code_file_line *lines, struct arena *a)
{
    struct code_answer head;
    const char *file = NULL;
    for (size_t at = 1; answer->len - at >= sizeof(head);) {
        memcpy(&head, answer->data + at, sizeof(head));
        at += sizeof(head);
        if (head.place >= count || head.file_size > answer->len - at)
            return;
        struct code_file_line *line = &lines[head.place];
        line->is_own = true;
        line->line = head.line;
        /* Most lines are of the file of the one before. */
        if (file == NULL || strlen(file) != head.file_size ||
            memcmp(file, answer->data + at, head.file_size) != 0)
            file = arena_strdup(a, answer->data + at, head.file_size);
        line->file = head.file_size > 0 ? file : NULL;
        at += head.file_size;
    }
}

struct code_file_line *code_files_read(const struct code_files *asked,
                                       const struct target *t, const struct patience *p,
                                       struct arena *a)
{
    struct patience patience = *p;
    const struct other_work work = {.work = answer_all, .context = (void *)asked};
    struct code_file_line *lines = NULL;
    struct text answer = {0};
    if (asked->entry == NULL || !t->visible)
        return NULL;
    patience.silence_ms = DEADLINE_MS;
    if (others_run_inside(t->pid, &work, &patience, &answer) && answer.len > 0 &&
        answer.data[0] == KNOWN) {
        lines = arena_array(a, struct code_file_line, asked->place_count);
        take_answer(&answer, asked->place_count, lines, a);
    }
    text_free(&answer);
    return lines;
}
