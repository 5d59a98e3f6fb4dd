/* config_guard.h - what of a file of budgets must not reach the libraries that read it. */
#ifndef CONFIG_GUARD_H
#define CONFIG_GUARD_H

#include "base/input.h"

/* False and err, with the line, where lists and keys are nested too deeply, or there are
 * too many anchors or directives (what libyaml does for each takes as long as brackets are
 * open, anchors and directives were before), and where a string has a zero byte (it would
 * be applied up to there). What is no YAML is left to others, who have the messages.
 * Linear. */
bool config_is_harmless(struct bytes all, struct hd_error *err);

#endif
