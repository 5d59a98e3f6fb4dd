/* reason.h - why a finding is what it is, as data.
 *
 * The sentences are made where findings are printed (report/phrases.h), so that a program
 * can tell one reason from another without reading English. */
#ifndef REASON_H
#define REASON_H

enum rule_reason {
    REASON_NONE,

    /* nothing can be said: the snapshots */
    REASON_TOO_FEW,        /* fewer than two can be compared */
    REASON_NOT_ENOUGH,     /* fewer than four: the ranking needs so many */
    REASON_ONLY_GARBAGE,   /* a table lists garbage only */
    REASON_END_LEFT_OUT,   /* the first or the last one was left out */
    REASON_END_INCOMPLETE, /* ... because it is incomplete */
    REASON_STEP_LEFT_OUT,  /* one between was left out, so a step is missing */
    REASON_OUT_OF_ORDER,
    REASON_GIVEN_TWICE,
    REASON_RESTARTED, /* they are not of one process */
    REASON_DIFFERENT_PROGRAMS,

    /* nothing can be said: the numbers */
    REASON_NUMBER_UNKNOWN,  /* not every snapshot tells it */
    REASON_BYTES_UNKNOWN,   /* so that a score has no size */
    REASON_NO_HOLDERS,      /* a snapshot does not tell what holds what */
    REASON_HOLDERS_UNTOLD,  /* the same, for a suppression by holder */
    REASON_HOLDER_UNTOLD,   /* ... of this row of the ranking */
    REASON_SAMPLE_IS_OFF,   /* by more than the distance to the limit, perhaps */
    REASON_SAMPLE_MAY_HIDE, /* growth of the size of the limit */
    REASON_UNEXPLAINED,     /* share of the heap grew, and no suspect explains it */

    /* passed with a reservation */
    REASON_NO_MATCH, /* no row matches the pattern; meant may be what is meant */
    REASON_STOPPED,  /* share of the heap grew, and stayed as large */

    /* what was decided, and how */
    REASON_STEADY,     /* the limit is that of steady growth */
    REASON_SUPPRESSED, /* words say why */
    REASON_EXPIRED,    /* was suppressed until then, because of words */
    REASON_ACCEPTED,   /* the baseline accepts some of it */
    REASON_COUNT
};

/* Fields that the code does not speak of are 0 and NULL. */
struct reason {
    enum rule_reason code;
    double share;
    const char *meant; /* or NULL: nothing is near */
    const char *words; /* of the suppression, as its file has them */
    const char *until; /* its last day, likewise */
};

static inline struct reason because(enum rule_reason code)
{
    return (struct reason){.code = code};
}

#endif
