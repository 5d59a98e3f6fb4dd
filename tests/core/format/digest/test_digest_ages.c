/* Ages in the file of a digest: kept, damaged, of a later version. */
#include "ages/followed.h"
#include "format/digest/digest_json.h"

#include <criterion/criterion.h>
#include <string.h>

struct written {
    struct hd_snapshot *digests[SNAPSHOTS];
    struct hd_memory json; /* of the last digest, read and written again */
};

static struct written write_series(void)
{
    struct written w = {0};
    struct random rnd = random_from(3);
    struct history h;
    live(&h, &rnd);
    followed_digests(&h, &rnd, w.digests);
    w.json = digest_json_of(w.digests[SNAPSHOTS - 1]);
    return w;
}

static void written_free(struct written *w)
{
    for (size_t k = 0; k < SNAPSHOTS; k++)
        hd_snapshot_close(w->digests[k]);
    hd_memory_free(&w->json);
}

static enum hd_identity_source identity_of(struct hd_snapshot *const *snaps)
{
    struct hd_comparison *c = hd_comparison_of(snaps, SNAPSHOTS, NULL);
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    struct hd_report *report = hd_report_diff(c, &opt, &err);
    cr_assert_not_null(report, "%s", err.message);
    enum hd_identity_source source = hd_report_model(report)->diff->identity;
    hd_report_free(report);
    hd_comparison_free(c);
    return source;
}

/* Reads the last of the series from other bytes; *source is that of the whole series. */
static enum hd_status read_instead(const struct written *w, const char *json, size_t size,
                                   enum hd_identity_source *source)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_error err = {0};
    memcpy(snaps, w->digests, sizeof(snaps));
    snaps[SNAPSHOTS - 1] = hd_snapshot_from_memory(json, size, NULL, &err);
    if (snaps[SNAPSHOTS - 1] == NULL)
        return err.status;
    *source = identity_of(snaps);
    hd_snapshot_close(snaps[SNAPSHOTS - 1]);
    return HD_OK;
}

static enum hd_status read_with(const struct written *w, const char *from, const char *to,
                                enum hd_identity_source *source)
{
    char *group = strstr(w->json.bytes, "\"ages\":");
    char *at = group != NULL ? strstr(group, from) : NULL;
    cr_assert_not_null(at, "%s", from);
    size_t head = (size_t)(at - w->json.bytes), capacity = w->json.size + strlen(to) + 1;
    char *changed = malloc(capacity);
    int len = snprintf(changed, capacity, "%.*s%s%s", (int)head, w->json.bytes, to,
                       at + strlen(from));
    enum hd_status status = read_instead(w, changed, (size_t)len, source);
    free(changed);
    return status;
}

Test(digest_ages, are_kept_when_a_digest_is_written_again)
{
    struct written w = write_series();
    enum hd_identity_source source = HD_SAME_UNKNOWN;
    cr_expect_eq(read_instead(&w, w.json.bytes, w.json.size, &source), HD_OK);
    cr_expect_eq(source, HD_SAME_BY_EVENTS);
    struct hd_snapshot *again = hd_snapshot_from_memory(
        w.json.bytes, w.json.size, &(struct hd_read_options){.to_write = true}, NULL);
    struct hd_memory json = digest_json_of(again);
    cr_expect_eq(json.size, w.json.size);
    cr_expect_str_eq(strstr(json.bytes, "\"ages\""), strstr(w.json.bytes, "\"ages\""));
    hd_memory_free(&json);
    hd_snapshot_close(again);
    written_free(&w);
}

static enum hd_survivors_unknown survivors_unknown_in(const char *json, size_t size)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_from_memory(json, size, NULL, &err);
    cr_assert_not_null(snap, "%s", err.message);
    enum hd_survivors_unknown why = snap->survivors_unknown;
    hd_snapshot_close(snap);
    return why;
}

Test(digest_ages, have_the_reason_why_older_ones_are_missing)
{
    struct written w = write_series();
    cr_expect_eq(survivors_unknown_in(w.json.bytes, w.json.size),
                 HD_SURVIVORS_UNKNOWN_NONE);
    struct hd_snapshot *again = hd_snapshot_from_memory(
        w.json.bytes, w.json.size, &(struct hd_read_options){.to_write = true}, NULL);
    again->survivors_unknown = HD_SURVIVORS_UNKNOWN_TOO_MUCH;
    struct hd_memory json = digest_json_of(again);
    cr_expect_eq(survivors_unknown_in(json.bytes, json.size),
                 HD_SURVIVORS_UNKNOWN_TOO_MUCH);
    char *word = strstr(json.bytes, "too-much");
    cr_assert_not_null(word);
    word[0] = 'T'; /* of a later version */
    cr_expect_eq(survivors_unknown_in(json.bytes, json.size), HD_SURVIVORS_UNKNOWN_NONE);
    hd_memory_free(&json);
    hd_snapshot_close(again);
    written_free(&w);
}

Test(digest_ages, that_are_not_there_or_from_elsewhere_are_unknown)
{
    static const char *const changes[][2] = {{"\"ages\"", "\"later\""},
                                             {"\"moment\"", "\"later\""},
                                             {"\"events\"", "\"oracle\""},
                                             {"\"source\"", "\"later\""},
                                             {"\"moment\":[", "\"moment\":[\"1\","}};
    struct written w = write_series();
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        enum hd_identity_source source = HD_SAME_BY_EVENTS;
        cr_expect_eq(read_with(&w, changes[i][0], changes[i][1], &source), HD_OK, "%s",
                     changes[i][1]);
        cr_expect_eq(source, HD_SAME_UNKNOWN, "%s", changes[i][1]);
    }
    written_free(&w);
}

Test(digest_ages, that_cannot_be_are_refused)
{
    static const char *const forged[][2] = {
        {"\"moment\":[", "\"moment\":[null,"},
        {"\"moment\":[\"", "\"moment\":[\"x"},
        {"\"survivors\":", "\"survivors\":9"},
        {"\"of\":", "\"of\":null,\"x\":"},
        {"\"place\":[", "\"place\":[9999,"},
        {"\"place\":[", "\"place\":[0,"},
        {"\"born\":[", "\"born\":[5,"},
        {"\"came\":[", "\"came\":[5,"},
        {"\"objects\":[", "\"objects\":[0,"},
        {"\"objects\":[", "\"objects\":[99999"},
        {"\"bytes\":[", "\"bytes\":[99999999"},
        {"\"lost_type\":[", "\"lost_type\":[99"},
        {"\"lost_born\":[", "\"lost_born\":[4,"},
        {"\"lost_objects\":[", "\"lost_objects\":[99"},
    };
    struct written w = write_series();
    for (size_t i = 0; i < sizeof(forged) / sizeof(*forged); i++) {
        enum hd_identity_source source;
        cr_expect_eq(read_with(&w, forged[i][0], forged[i][1], &source), HD_BAD_FORMAT,
                     "%s", forged[i][1]);
    }
    written_free(&w);
}

/* Each digit of these numbers is changed: the file is rejected, or compared without harm.
 */
Test(digest_ages, with_any_digit_changed_are_refused_or_harmless)
{
    struct written w = write_series();
    size_t refused = 0, compared = 0;
    char *begin = strstr(w.json.bytes, "\"ages\":");
    for (char *at = begin; *at != '\0'; at++) {
        char before = *at;
        if (before < '0' || before > '9')
            continue;
        enum hd_identity_source source;
        *at = before == '9' ? '0' : (char)(before + 1);
        enum hd_status status = read_instead(&w, w.json.bytes, w.json.size, &source);
        refused += status == HD_BAD_FORMAT;
        compared += status == HD_OK;
        *at = before;
    }
    cr_expect_gt(refused, 20);
    cr_expect_gt(compared, 20);
    written_free(&w);
}

/* More moments than a byte can count. */
Test(digest_ages, with_too_many_moments_are_refused)
{
    struct written w = write_series();
    struct text many = {0};
    text_add_string(&many, "\"moment\":[");
    for (int i = 0; i < AGES_MAX; i++)
        text_add_string(&many, "\"1\",");
    enum hd_identity_source source;
    cr_expect_eq(read_with(&w, "\"moment\":[", text_string(&many), &source), HD_BAD_FORMAT);
    text_free(&many);
    written_free(&w);
}
