/* docs/hints.md: the text of the hints. */
#include "base/embed.inc"

    embed hints_markdown, HINTS
    embed_end
