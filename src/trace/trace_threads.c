#include "trace/trace_threads.h"

#include "base/alloc.h"

#include <stdlib.h>

struct trace_thread {
    uint64_t pid;  /* of version 6 */
    uint64_t time; /* of its last event */
    uint32_t sequence;
    bool seen;
};

static struct trace_thread *use(struct trace_threads *t, uint64_t id)
{
    if (t->ids.len > 0 && t->ids.ids[t->last] == id)
        return &t->all[t->last];
    size_t before = t->ids.len;
    uint32_t n = id_numbers_add(&t->ids, id);
    if (n == before) {
        t->all = account_grow(t->ids.account, t->all, before, &t->cap, sizeof(*t->all));
        t->all[n] = (struct trace_thread){.pid = HD_UNKNOWN};
    }
    t->last = n;
    return &t->all[n];
}

static void note_loss(struct trace_threads *t, const struct trace_thread *thread,
                      uint64_t time, uint32_t events)
{
    struct trace_loss *last = t->loss_count > 0 ? &t->losses[t->loss_count - 1] : NULL;
    if (last != NULL && last->from == thread->time && last->to == time) {
        last->events += events;
        return;
    }
    t->losses = account_grow(t->ids.account, t->losses, t->loss_count, &t->loss_cap,
                             sizeof(*t->losses));
    t->losses[t->loss_count++] = (struct trace_loss){thread->time, time, events};
}

/* Numbers wrap at 2^32. A thread id that the system has given to another thread begins
 * again, so a step back is no loss. */
uint64_t trace_threads_event(struct trace_threads *t, uint64_t id, uint32_t sequence,
                             uint64_t time)
{
    enum { STEP_BACK = 31 };
    struct trace_thread *thread = use(t, id);
    if (thread->seen) {
        uint32_t step = sequence - thread->sequence;
        bool restarted = step == 0 || step >> STEP_BACK != 0 || thread->sequence == 0;
        if (!restarted && step > 1)
            note_loss(t, thread, time, step - 1);
    }
    thread->seen = true;
    thread->sequence = sequence;
    thread->time = time;
    return thread->pid;
}

/* A lower bound of the last number that a thread has used. */
static void check_point(struct trace_threads *t, uint64_t id, uint32_t sequence,
                        uint64_t time)
{
    enum { STEP_BACK = 31 };
    struct trace_thread *thread = use(t, id);
    uint32_t step = sequence - thread->sequence;
    if (thread->seen && (step == 0 || step >> STEP_BACK != 0))
        return;
    if (thread->seen && thread->sequence != 0)
        note_loss(t, thread, time, step);
    thread->seen = true;
    thread->sequence = sequence;
    thread->time = time;
}

void trace_threads_point(struct trace_threads *t, struct trace_fields *f, uint64_t time,
                         bool is_new)
{
    uint32_t count = trace_field_u32(f);
    for (uint32_t i = 0; i < count && !f->failed && !account_is_over(t->ids.account); i++) {
        uint64_t id = is_new ? trace_varuint(f, 64) : trace_field_u64(f);
        uint32_t sequence = is_new ? (uint32_t)trace_varuint(f, 32) : trace_field_u32(f);
        if (!f->failed)
            check_point(t, id, sequence, time);
    }
}

/* Index of a thread, then elements; 2 is the process that it belongs to. */
bool trace_threads_define(struct trace_threads *t, struct trace_fields *all)
{
    enum { NAME = 1, PROCESS, THREAD, PAIR };
    while (all->at < all->end && !account_is_over(t->ids.account)) {
        struct bytes one = trace_field_bytes(all, trace_field_u16(all));
        struct trace_fields f = {one.data, one.data + one.size, all->failed};
        uint64_t index = trace_varuint(&f, 64);
        if (f.failed)
            return false;
        struct trace_thread *thread = use(t, index);
        while (f.at < f.end && !f.failed) {
            unsigned kind = trace_field_u8(&f);
            if (kind == PROCESS)
                thread->pid = trace_varuint(&f, 64);
            else if (kind == THREAD)
                trace_varuint(&f, 64);
            else if (kind == NAME || kind == PAIR)
                trace_string(&f);
            else
                break;
            if (kind == PAIR)
                trace_string(&f);
        }
    }
    return true;
}

void trace_threads_free(struct trace_threads *t)
{
    struct account *account = t->ids.account;
    id_numbers_free(&t->ids);
    account_free(account, t->all, t->cap, sizeof(*t->all));
    account_free(account, t->losses, t->loss_cap, sizeof(*t->losses));
    *t = (struct trace_threads){0};
}
