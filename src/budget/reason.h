/* reason.h - why a finding is what it is, as data.
 *
 * The sentences are made where findings are printed (report/phrases.h), so that a program
 * can tell one reason from another without reading English. */
#ifndef REASON_H
#define REASON_H

enum hd_reason_code {
    HD_REASON_NONE,

    /* nothing can be said: the snapshots */
    HD_REASON_TOO_FEW,        /* fewer than two can be compared */
    HD_REASON_NOT_ENOUGH,     /* fewer than four: the ranking needs so many */
    HD_REASON_ONLY_GARBAGE,   /* a table lists garbage only */
    HD_REASON_END_LEFT_OUT,   /* the first or the last one was left out */
    HD_REASON_END_INCOMPLETE, /* ... because it is incomplete */
    HD_REASON_STEP_LEFT_OUT,  /* one between was left out, so a step is missing */
    HD_REASON_OUT_OF_ORDER,
    HD_REASON_GIVEN_TWICE,
    HD_REASON_RESTARTED, /* they are not of one process */
    HD_REASON_DIFFERENT_PROGRAMS,

    /* nothing can be said: the numbers */
    HD_REASON_NUMBER_UNKNOWN,  /* not every snapshot tells it */
    HD_REASON_BYTES_UNKNOWN,   /* so that a score has no size */
    HD_REASON_NO_HOLDERS,      /* a snapshot does not tell what holds what */
    HD_REASON_HOLDERS_UNTOLD,  /* the same, for a suppression by holder */
    HD_REASON_HOLDER_UNTOLD,   /* ... of this row of the ranking */
    HD_REASON_SAMPLE_IS_OFF,   /* by more than the distance to the limit, perhaps */
    HD_REASON_SAMPLE_MAY_HIDE, /* growth of the size of the limit */
    HD_REASON_UNEXPLAINED,     /* share of the heap grew, and no suspect explains it */

    /* passed with a reservation */
    HD_REASON_NO_MATCH, /* no row matches the pattern; meant may be what is meant */
    HD_REASON_STOPPED,  /* share of the heap grew, and stayed as large */

    /* what was decided, and how */
    HD_REASON_STEADY,     /* the limit is that of steady growth */
    HD_REASON_SUPPRESSED, /* words say why */
    HD_REASON_EXPIRED,    /* was suppressed until then, because of words */
    HD_REASON_ACCEPTED,   /* the baseline accepts some of it */
    HD_REASON_COUNT
};

/* Fields that the code does not speak of are 0 and NULL. */
struct hd_reason {
    enum hd_reason_code code;
    double share;
    const char *meant; /* or NULL: nothing is near */
    const char *words; /* of the suppression, as its file has them */
    const char *until; /* its last day, likewise */
};

static inline struct hd_reason because(enum hd_reason_code code)
{
    return (struct hd_reason){.code = code};
}

#endif
