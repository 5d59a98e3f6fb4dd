#include "fleet/agent/open_store.h"

#include "cli/guard/sandbox.h"
#include "cli/guard/trust.h"
#include "cli/terminal/messages.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* A server that is started anew, perhaps on another machine, is back by then. */
static const double restart_seconds = 60;

void store_trouble(const char *url, const struct hd_error *err)
{
    struct hd_memory name = {0};
    hd_store_put_url(hd_sink_memory(&name), url);
    print_error(name.bytes != NULL ? name.bytes : "", err);
    hd_memory_free(&name);
}

/* SQLite makes files beside its own, and needs their names. */
struct hd_store *open_trusted_store(const char *url, enum hd_store_use use,
                                    struct hd_error *err)
{
    enum trust_rule rule = use == HD_STORE_WRITE ? TRUST_KEPT : TRUST_LINKS;
    struct hd_memory path = {0};
    char why[TRUST_REASON];
    bool ok = !hd_store_put_path(hd_sink_memory(&path), url) || path.bytes == NULL ||
              trust_allows(path.bytes, rule, why);
    hd_memory_free(&path);
    if (!ok)
        set_error(err, HD_IO, "%s", why);
    return ok ? hd_store_open(url, use, err) : NULL;
}

struct hd_store *open_store(const struct settings *s, enum hd_store_use use)
{
    const char *url = store_url(s);
    struct hd_error err = {0};
    struct hd_store *store = open_trusted_store(url, use, &err);
    struct hd_memory shown = {0};
    hd_store_put_url(hd_sink_memory(&shown), url);
    /* A command line is there for everybody on the machine to see. */
    if (!s->quiet && s->store != NULL && shown.bytes != NULL &&
        strcmp(shown.bytes, url) != 0)
        put_message("note", shown.bytes,
                    "the password is visible to others on this machine (ps): put the URL "
                    "into HEAPDRIFT_STORE, or the password into the file named by "
                    "PGPASSFILE");
    hd_memory_free(&shown);
    if (store == NULL) {
        store_trouble(url, &err);
        return NULL;
    }
    hd_store_set_memory(store, s->read.max_memory);
    if (use == HD_STORE_WRITE)
        hd_store_set_patience(store, restart_seconds);
    const char *note = hd_store_note(store);
    if (note != NULL && !s->quiet)
        put_message("note", hd_store_name(store), "%s", note);
    return store;
}

struct hd_store *open_store_inside(struct settings *s)
{
    struct hd_memory file = {0};
    bool is_file = hd_store_put_path(hd_sink_memory(&file), store_url(s));
    struct hd_store *store = NULL;
    if (!is_file || sandbox_enter_to_read_store(&s->sandbox, file.bytes))
        store = open_store(s, HD_STORE_READ);
    /* With --save the store is opened again, to be written. */
    if (store != NULL &&
        !(is_file    ? s->saves || sandbox_narrow_to_store(&s->sandbox, file.bytes)
          : s->saves ? sandbox_enter_with_store(&s->sandbox, NULL)
                     : sandbox_enter_to_read_store(&s->sandbox, NULL))) {
        hd_store_close(store);
        store = NULL;
    }
    hd_memory_free(&file);
    return store;
}

struct hd_store *open_store_to_upgrade(struct settings *s)
{
    struct hd_memory file = {0};
    bool is_there = hd_store_put_path(hd_sink_memory(&file), store_url(s)) &&
                    access(file.bytes, F_OK) == 0;
    bool ok = !is_there || sandbox_enter_with_store(&s->sandbox, file.bytes);
    hd_memory_free(&file);
    return ok ? open_store(s, HD_STORE_UPGRADE) : NULL;
}

void store_report_left_out(const struct settings *s, const struct hd_series_list *l)
{
    enum { MOST = 20 };
    size_t count;
    const uint64_t *ids = hd_series_left_out(l, &count);
    for (size_t i = 0; !s->quiet && i < count && i < MOST; i++)
        fprintf(stderr,
                "heapdrift: warning: run %" PRIu64
                ": left out: a value of its row is longer than any that is recorded\n",
                ids[i]);
    if (!s->quiet && count > MOST)
        fprintf(stderr, "heapdrift: warning: %zu more runs left out\n", count - MOST);
}
