/* The style, the script and the policy of the page, as scripts/page.sh has put them together: read by the
 * assembler, so that no tool has to turn them into C. Symbols are local to the library. */
/* Says to the linker that no code here lacks the marks of -fcf-protection: there is none. */
#ifdef __CET__
#include <cet.h>
#endif

    .macro take name, file
    .globl \name, \name\()_end
#ifdef __ELF__
    .hidden \name, \name\()_end
    .type \name, %object
    .size \name, \name\()_end - \name
#endif
\name:
    .incbin "\file"
\name\()_end:
    .byte 0
    .endm

#ifdef __ELF__
    .section .rodata
#else
    .section .rdata, "dr"
#endif
    .balign 8

    take page_style, PAGE_STYLE
    take page_script, PAGE_SCRIPT
    take page_policy, PAGE_POLICY

#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
