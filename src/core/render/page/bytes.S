/* The style, the script and the policy of the page, as scripts/page.sh has put them together. */
#include "base/embed.inc"

    embed page_style, PAGE_STYLE
    embed page_script, PAGE_SCRIPT
    embed page_policy, PAGE_POLICY
    embed_end
