#include "process/processor.h"

#include <stddef.h>

enum { R_X86_64_RELATIVE = 8, R_AARCH64_RELATIVE = 1027, NT_ARM_TLS = 0x401 };

static const struct processor processors[] = {
    /* user_regs_struct: rsp, and fs_base. */
    {"x86-64", MACHINE_X86_64, 27, 19, 21, 0, R_X86_64_RELATIVE},
    /* user_pt_regs: x0 to x30, sp, pc, pstate. */
    {"aarch64", MACHINE_AARCH64, 34, 31, NO_REGISTER, NT_ARM_TLS, R_AARCH64_RELATIVE},
};

const struct processor *processor_of(unsigned machine)
{
    for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++)
        if (processors[i].machine == machine)
            return &processors[i];
    return NULL;
}

/* Rax, Rcx, Rdx, Rbx, Rsp, Rbp, Rsi, Rdi, R8 to R15, Rip. */
const struct processor *processor_windows(void)
{
    static const struct processor windows = {
        "x86-64", MACHINE_WINDOWS, 17, 4, NO_REGISTER, 0, 0};
    return &windows;
}

const struct processor *processor_here(void)
{
#if defined(__x86_64__)
    return processor_of(MACHINE_X86_64);
#elif defined(__aarch64__)
    return processor_of(MACHINE_AARCH64);
#else
    return NULL;
#endif
}
