/* The style, the script and the policy of the page, as scripts/page.sh has put them together: read by the
 * assembler, so that no tool has to turn them into C. Symbols are local to the library. */
/* Says to the linker that no code here lacks the marks of -fcf-protection: there is none. */
#ifdef __CET__
#include <cet.h>
#endif

    .section .rodata
    .balign 8

    .globl page_style
    .hidden page_style
    .type page_style, %object
page_style:
    .incbin PAGE_STYLE
    .size page_style, . - page_style
    .globl page_style_end
    .hidden page_style_end
page_style_end:
    .byte 0

    .globl page_script
    .hidden page_script
    .type page_script, %object
page_script:
    .incbin PAGE_SCRIPT
    .size page_script, . - page_script
    .globl page_script_end
    .hidden page_script_end
page_script_end:
    .byte 0

    .globl page_policy
    .hidden page_policy
    .type page_policy, %object
page_policy:
    .incbin PAGE_POLICY
    .size page_policy, . - page_policy
    .globl page_policy_end
    .hidden page_policy_end
page_policy_end:
    .byte 0

    .section .note.GNU-stack, "", %progbits
