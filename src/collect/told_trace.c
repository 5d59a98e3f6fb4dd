/* What is known of a snapshot's objects, kept in the trace that the snapshot is
 * (hd_following_write). */
#include "base/error.h"
#include "heap/snapshot.h"
#include "trace/told_event.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static ssize_t read_fd(void *fd, void *to, size_t room)
{
    ssize_t n;
    while ((n = read(*(int *)fd, to, room)) < 0 && errno == EINTR)
        continue;
    return n;
}

static bool fail_to_write(struct hd_error *err)
{
    return fail(err, HD_IO, "cannot write: %s", strerror(errno));
}

/* Go through it once more: where it ends, when, and which number is free. It may say
 * anything, and what it says was checked when the snapshot was made of it. */
static bool find_place(int fd, struct told_event_place *place, struct hd_error *err)
{
    enum { END = 1 };
    struct hd_error unused = {0};
    struct input *in = input_stream(read_fd, &fd);
    struct nettrace *t = nettrace_begin(in, &unused);
    struct trace_event e;
    bool has_it = false;
    *place = (struct told_event_place){0};
    while (nettrace_next(t, &e)) {
        place->time = e.time > place->time ? e.time : place->time;
        has_it = has_it || e.provider == TRACE_TOLD;
    }
    unsigned version = nettrace_header(t)->version;
    bool ends = nettrace_end(t) == TRACE_ENDS;
    place->definition = nettrace_last_definition(t) + 1;
    nettrace_free(t);
    input_close(in);
    off_t end = lseek(fd, 0, SEEK_END);
    unsigned char last = 0;
    if (has_it)
        return fail(err, HD_USAGE, "the trace has such events");
    if (version != 4 || place->definition > INT32_MAX)
        return fail(err, HD_UNSUPPORTED, "a trace of version %u has no place for it",
                    version);
    if (!ends || end < 1 || pread(fd, &last, 1, end - 1) != 1 || last != END)
        return fail(err, HD_BAD_FORMAT, "the trace does not end as it should");
    place->at = (uint64_t)end - 1;
    return true;
}

static bool write_at(int fd, const char *bytes, size_t size, uint64_t at)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(fd, bytes + done, size - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* What is behind the mark of the end is none of the trace's. So it is one all the time, as
 * it was before, until at last the first block stands in the place of the mark. */
static bool write_blocks(int fd, const struct told_event_place *place,
                         const struct text *blocks, struct hd_error *err)
{
    if (write_at(fd, blocks->data + 1, blocks->len - 1, place->at + 1) &&
        write_at(fd, blocks->data, 1, place->at))
        return true;
    fail_to_write(err);
    if (ftruncate(fd, (off_t)place->at + 1) != 0)
        fail_to_write(err); /* there is more behind the end then, which nobody reads */
    return false;
}

static bool keep(int fd, const struct hd_snapshot *snap, struct hd_error *err)
{
    struct told_event_place place;
    struct text told = {0}, blocks = {0};
    if (lseek(fd, 0, SEEK_SET) != 0)
        return fail_to_write(err);
    bool ok = find_place(fd, &place, err);
    if (ok) {
        if (snap->told != NULL)
            told_same_put(snap->told, &told);
        else
            text_add_string(&told, hd_untold_name(snap->untold));
        told_event_put(&blocks, &place, told.data, told.len);
        ok = write_blocks(fd, &place, &blocks, err);
    }
    text_free(&blocks);
    text_free(&told);
    return ok;
}

bool hd_following_write(FILE *trace, const struct hd_snapshot *snap, struct hd_error *err)
{
    bool ok = fflush(trace) == 0 || fail_to_write(err);
    bool says = snap->told != NULL || snap->untold != HD_UNTOLD_NOTHING;
    ok = ok && (!says || keep(fileno(trace), snap, err));
    return (fseeko(trace, 0, SEEK_END) == 0 || fail_to_write(err)) && ok;
}
