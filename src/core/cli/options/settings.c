#include "cli/options/settings.h"

#include "heapdrift_store.h"

#include <stdlib.h>
#include <string.h>

bool settings_has_letter(const struct settings *s, char letter)
{
    return (s->letters >> (letter - 'a') & 1) != 0;
}

size_t settings_format(const struct settings *s)
{
    size_t i = 0;
    while (hd_format_name(i + 1) != NULL && strcmp(hd_format_name(i), s->format) != 0)
        i++;
    return i;
}

static const char *told_store(void)
{
    const char *told = getenv("HEAPDRIFT_STORE");
    return told != NULL && told[0] != '\0' ? told : NULL;
}

bool store_is_named(const struct settings *s)
{
    return s->store != NULL || told_store() != NULL;
}

const char *store_url(const struct settings *s)
{
    return s->store != NULL       ? s->store
           : told_store() != NULL ? told_store()
                                  : HD_STORE_DEFAULT;
}

bool settings_read_store(const struct settings *s)
{
    enum { NO_FILES = ON_COLLECT | ON_WATCH | ON_RECORD | ON_FLEET };
    return s->is_for_a_store && (s->command->bit & NO_FILES) == 0;
}
