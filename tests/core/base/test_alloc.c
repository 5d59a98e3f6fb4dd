#include "base/alloc.h"
#include "base/hash.h"
#include "base/json.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>

static jmp_buf back;
static size_t was_wanted;

static void jump(size_t wanted)
{
    was_wanted = wanted;
    longjmp(back, 1);
}

/* ASan rejects the size, and ends the program or reports it, before malloc() can. */
#ifndef __SANITIZE_ADDRESS__

Test(alloc, the_caller_handles_it_when_memory_runs_out)
{
    hd_set_out_of_memory(jump);
    if (setjmp(back) == 0) {
        alloc_resize(NULL, SIZE_MAX / 4);
        cr_assert_fail("that much memory?");
    }
    cr_expect_eq(was_wanted, SIZE_MAX / 4);
    if (setjmp(back) == 0) {
        array_bytes(SIZE_MAX / 2, 4);
        cr_assert_fail("no overflow?");
    }
    cr_expect_eq(was_wanted, SIZE_MAX);
}

Test(alloc, without_a_handler_it_aborts, .signal = SIGABRT)
{
    alloc_zeroed(SIZE_MAX / 4);
}

static void come_back(size_t wanted)
{
    (void)wanted;
}

Test(alloc, a_handler_that_returns_aborts, .signal = SIGABRT)
{
    hd_set_out_of_memory(come_back);
    alloc_check(SIZE_MAX / 4);
}

#endif

Test(alloc, a_failure_of_a_library_is_asked_for_its_reason)
{
    hd_set_out_of_memory(jump);
    errno = EINVAL;
    alloc_blame();
    if (setjmp(back) == 0) {
        errno = ENOMEM;
        alloc_blame();
        cr_assert_fail("no memory is no memory");
    }
    cr_expect_eq(was_wanted, 0);
}

Test(json_out, a_value_that_could_not_be_made_is_out_of_memory)
{
    hd_set_out_of_memory(jump);
    json_t *object = json_object(), *array = json_array();
    volatile int handled = 0;
    if (setjmp(back) == 0)
        json_put(object, "key", NULL);
    else
        handled++;
    if (setjmp(back) == 0)
        json_append(array, NULL);
    else
        handled++;
    if (setjmp(back) == 0)
        json_put(NULL, "key", json_null());
    else
        handled++;
    cr_expect_eq(handled, 3);
    json_decref(object);
    json_decref(array);
}
