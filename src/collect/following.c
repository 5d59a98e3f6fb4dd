/* A series of snapshots whose objects are followed from one to the next (hd_following).
 *
 * Each interval has a session of its own, which is open from before the first of its two
 * snapshots until behind the second: its end tells what was lost, and nothing goes on for
 * days. To open one makes the runtime name types again, which it would not for a second
 * snapshot while another session is open. docs/collect.md. */
#include "base/error.h"
#include "collect/listening.h"

#include <stdlib.h>

struct hd_following {
    struct listening *now;  /* since before the last snapshot */
    struct listening *next; /* since before the one that is being taken */
    struct why {
        enum hd_untold untold;
        struct hd_error error;
    } why_no_now, why_no_next;
    struct told_side older; /* the last snapshot */
    uint64_t instance;      /* that it is of */
    bool has_older;
    bool is_off; /* the process has too much to tell */
};

struct hd_following *hd_following_begin(void)
{
    return alloc_zeroed(sizeof(struct hd_following));
}

void hd_following_before(struct hd_following *f, const struct hd_collect_options *opt)
{
    /* Of a snapshot that failed. */
    listening_end(f->next);
    f->next = NULL;
    if (f->now != NULL)
        listening_hold(f->now);
    if (f->is_off)
        return;
    f->why_no_next = (struct why){.untold = HD_UNTOLD_REFUSED};
    f->next = listening_begin(opt, &f->why_no_next.error);
}

static bool say_why(struct hd_snapshot *snap, enum hd_untold why, struct hd_error *err)
{
    snap->untold = why;
    return fail(err, HD_BAD_FORMAT, "%s", hd_untold_words(why));
}

/* What the collector said of the snapshot before, told to this one. */
static bool tell(struct hd_following *f, struct hd_snapshot *snap,
                 const struct places *places, const struct told_side *side,
                 struct hd_error *err)
{
    uint32_t survivors;
    if (f->now == NULL) {
        snap->untold = f->why_no_now.untold;
        return fail(err, f->why_no_now.error.status, "%s", f->why_no_now.error.message);
    }
    if (snap->identity.instance != f->instance)
        return say_why(snap, HD_UNTOLD_RESTARTED, err);
    const struct movement *m =
        listening_stop(f->now, snap->identity.collection, &snap->untold, err);
    if (snap->untold == HD_UNTOLD_TOO_MUCH) {
        f->is_off = true;
        f->why_no_next = (struct why){snap->untold, *err};
    }
    if (m == NULL)
        return false;
    uint32_t *older_of = movement_end(m, places, &survivors);
    if (older_of == NULL)
        return say_why(snap, HD_UNTOLD_MISPLACED, err);
    struct told_same *told = arena_alloc(&snap->arena, sizeof(*told));
    *told = told_same_write(&f->older, side, older_of, &snap->arena);
    free(older_of);
    snap->told = told;
    return true;
}

static void follow(struct hd_following *f, const struct hd_snapshot *snap,
                   struct places *places, const struct told_side *side)
{
    listening_end(f->now);
    if (f->is_off) {
        listening_end(f->next);
        f->next = NULL;
    }
    f->now = f->next;
    f->next = NULL;
    f->why_no_now = f->why_no_next;
    f->has_older = true;
    f->older = *side;
    f->instance = snap->identity.instance;
    if (f->now != NULL)
        listening_follow(f->now, places, snap->identity.collection);
}

bool hd_following_snapshot(struct hd_following *f, struct hd_snapshot *snap,
                           struct hd_error *err)
{
    bool ok = snap->graph != NULL && snap->info.complete && snap->identity.collection != 0;
    if (!ok) {
        listening_end(f->now);
        listening_end(f->next);
        f->now = f->next = NULL;
        f->has_older = true;
        f->why_no_now.untold = HD_UNTOLD_INCOMPLETE;
        say_why(snap, HD_UNTOLD_INCOMPLETE, &f->why_no_now.error);
        return say_why(snap, HD_UNTOLD_INCOMPLETE, err);
    }
    struct places places = places_of(snap);
    const struct told_side side = {places_token(&places), (uint32_t)places.len};
    if (f->has_older)
        ok = tell(f, snap, &places, &side, err);
    follow(f, snap, &places, &side);
    places_free(&places);
    return ok;
}

void hd_following_end(struct hd_following *f)
{
    if (f == NULL)
        return;
    listening_end(f->now);
    listening_end(f->next);
    free(f);
}
