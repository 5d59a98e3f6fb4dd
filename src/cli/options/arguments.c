#include "cli/options/arguments.h"

#include "cli/guard/allocate.h"
#include "cli/terminal/messages.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 1 << 20, ROOM_FOR_POPT = 64 << 10 };

static void add(struct arguments *a, const char *word)
{
    a->ended |= strcmp(word, "--") == 0;
    a->all = more(a->all, ((size_t)a->count + 2) * sizeof(*a->all));
    a->all[a->count++] = word;
    a->all[a->count] = NULL;
}

static char *read_words(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        trouble(path, strerror(errno));
        return NULL;
    }
    char *text = more(NULL, LARGEST_FILE + 1);
    size_t len = fread(text, 1, LARGEST_FILE + 1, f);
    bool failed = ferror(f) != 0, too_long = len > LARGEST_FILE;
    int why = errno;
    fclose(f);
    if (failed || too_long) {
        trouble(path, too_long ? "longer than 1 MiB" : strerror(why));
        free(text);
        return NULL;
    }
    text[len] = '\0';
    /* The parser knows blanks only. */
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return text;
}

static bool add_file(struct arguments *a, const char *path)
{
    char *text = read_words(path);
    if (text == NULL)
        return false;
    int argc = 0;
    see_room(2 * strlen(text) + ROOM_FOR_POPT);
    const char **argv = NULL;
    int status =
        text[strspn(text, " \t")] != '\0' ? poptParseArgvString(text, &argc, &argv) : 0;
    free(text);
    if (status != 0)
        return trouble(path, poptStrerror(status));
    a->owned = more(a->owned, ((size_t)a->owned_count + 1) * sizeof(*a->owned));
    a->owned[a->owned_count++] = (void *)argv;
    a->files = more((void *)a->files, ((size_t)a->file_count + 1) * sizeof(*a->files));
    a->files[a->file_count++] = path;
    for (int i = 0; i < argc; i++)
        add(a, argv[i]);
    return true;
}

bool arguments_expand(struct arguments *a, int argc, char **argv)
{
    *a = (struct arguments){0};
    for (int i = 0; i < argc; i++) {
        bool is_file = i > 0 && !a->ended && argv[i][0] == '@' && argv[i][1] != '\0';
        if (!is_file)
            add(a, argv[i]);
        else if (!add_file(a, argv[i] + 1))
            return false;
    }
    return true;
}

void arguments_free(struct arguments *a)
{
    for (int i = 0; i < a->owned_count; i++)
        free(a->owned[i]);
    free(a->owned);
    free((void *)a->files);
    free((void *)a->all);
    *a = (struct arguments){0};
}
