#include "support/outcome.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct bytes outcome_recording(const char *path)
{
    struct hd_error err = {0};
    struct bytes all;
    struct input *in = input_open(path, NULL, &err);
    cr_assert(in != NULL && input_all(in, &all, &err), "%s: %s", path, err.message);
    unsigned char *copy = malloc(all.size);
    memcpy(copy, all.data, all.size);
    input_close(in);
    return (struct bytes){copy, all.size};
}

double outcome_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double outcome_busy(void)
{
    double load = 0;
    getloadavg(&load, 1);
    return 1 + load / (double)sysconf(_SC_NPROCESSORS_ONLN);
}

struct outcome outcome_of(struct scratch *scratch, const struct peer_script *script,
                          struct hd_collect_options how)
{
    struct outcome o = {0};
    const char *path = scratch_path(scratch, "dotnet-diagnostic-77-1-socket");
    struct peer *peer = peer_start(path, script);
    FILE *to = tmpfile();
    double start = outcome_now();
    how.socket = path;
    how.silence_ms = how.silence_ms > 0 ? how.silence_ms : SILENCE_MS;
    o.ok = hd_collect(to, &how, &o.got, &o.err);
    o.seconds = outcome_now() - start;
    o.log = peer_stop(peer);
    if (o.ok) {
        o.written.size = (size_t)ftell(to);
        unsigned char *data = malloc(o.written.size);
        rewind(to);
        cr_assert_eq(fread(data, 1, o.written.size, to), o.written.size);
        o.written.data = data;
    }
    fclose(to);
    cr_assert(o.ok == (o.err.status == HD_OK), "%s", o.err.message);
    return o;
}

void outcome_fails_with(struct outcome o, enum hd_status status, const char *words)
{
    cr_assert_not(o.ok);
    cr_expect_eq(o.err.status, status, "%d: %s", o.err.status, o.err.message);
    cr_expect_not_null(strstr(o.err.message, words), "%s", o.err.message);
}
