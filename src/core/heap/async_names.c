#include "heap/async_names.h"

#include <string.h>

/* The last argument, which is the state machine; NULL without a box. Pools of them and
 * debug builds have boxes of other names, which end alike. */
static const char *machine_in(const char *type, size_t *len)
{
    static const char box[] = "StateMachineBox<";
    const char *begin = strstr(type, box);
    size_t whole = strlen(type);
    if (begin == NULL || strcspn(type, "<") != (size_t)(begin - type) + sizeof(box) - 2 ||
        type[whole - 1] != '>')
        return NULL;
    begin += sizeof(box) - 1;
    const char *end = &type[whole - 1], *last = begin;
    size_t depth = 0;
    for (const char *c = begin; c < end; c++) {
        depth += *c == '<';
        depth -= *c == '>' && depth > 0;
        if (*c == ',' && depth == 0)
            last = c + 1;
    }
    *len = (size_t)(end - last);
    return last;
}

/* App.Worker+<RunAsync>d__5; of a lambda App.Worker+<>c+<<RunAsync>b__0_0>d. */
bool async_method_of(struct async_method *m, const char *type)
{
    size_t len = 0;
    const char *machine = machine_in(type, &len);
    const char *method = NULL, *of_end = NULL;
    for (size_t i = 0; machine != NULL && i + 1 < len; i++)
        if (machine[i] == '+' && machine[i + 1] == '<') {
            of_end = of_end == NULL ? &machine[i] : of_end;
            method = &machine[i + 1];
        }
    if (method == NULL || of_end == machine)
        return false;
    method += strspn(method, "<");
    size_t method_len = strcspn(method, ">$|");
    if (method_len == 0 || &method[method_len] >= &machine[len])
        return false;
    *m = (struct async_method){machine, (size_t)(of_end - machine), method, method_len};
    return true;
}
