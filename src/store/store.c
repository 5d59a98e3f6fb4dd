/* What is stored, of the database that a URL names. */
#include "heapdrift_store.h"

#include "base/error.h"

static bool missing(struct hd_error *err)
{
    return fail(err, HD_UNSUPPORTED, "this build has no store yet");
}

struct hd_store *hd_store_open(const char *url, enum hd_store_use use, struct hd_error *err)
{
    (void)url;
    (void)use;
    missing(err);
    return NULL;
}

void hd_store_close(struct hd_store *s)
{
    (void)s;
}

const char *hd_store_name(const struct hd_store *s)
{
    (void)s;
    return "";
}

const char *hd_store_note(const struct hd_store *s)
{
    (void)s;
    return NULL;
}

void hd_store_put_url(struct hd_sink to, const char *url)
{
    (void)to;
    (void)url;
}

struct hd_run hd_run_of(const struct hd_snapshot *snap)
{
    (void)snap;
    return hd_unknown_run();
}

double hd_time_taken(const struct hd_snapshot *snap)
{
    (void)snap;
    return NAN;
}

bool hd_store_record(struct hd_store *s, struct hd_snapshot *snap,
                     const struct hd_recording *how, enum hd_recorded *what,
                     struct hd_error *err)
{
    (void)s;
    (void)snap;
    (void)how;
    (void)what;
    return missing(err);
}

bool hd_store_thin(struct hd_store *s, double keep_seconds, double now,
                   struct hd_thinned *done, struct hd_error *err)
{
    (void)s;
    (void)keep_seconds;
    (void)now;
    (void)done;
    return missing(err);
}

struct hd_series_list *hd_store_series(struct hd_store *s,
                                       const struct hd_store_filter *filter,
                                       struct hd_error *err)
{
    (void)s;
    (void)filter;
    missing(err);
    return NULL;
}

bool hd_series_next(struct hd_series_list *l, const struct hd_stored_series **series,
                    struct hd_error *err)
{
    (void)l;
    (void)series;
    return missing(err);
}

void hd_series_list_free(struct hd_series_list *l)
{
    (void)l;
}

bool hd_store_digest(struct hd_store *s, uint64_t snapshot, struct hd_memory *bytes,
                     struct hd_error *err)
{
    (void)s;
    (void)snapshot;
    (void)bytes;
    return missing(err);
}

bool hd_store_save_findings(struct hd_store *s, uint64_t series, double first, double last,
                            const struct hd_stored_finding *all, size_t count,
                            struct hd_error *err)
{
    (void)s;
    (void)series;
    (void)first;
    (void)last;
    (void)all;
    (void)count;
    return missing(err);
}
