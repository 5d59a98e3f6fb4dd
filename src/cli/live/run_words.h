/* run_words.h - words that platforms tell services about themselves by, taken apart:
 * OTEL_RESOURCE_ATTRIBUTES and the labels of a pod. It does not know what they mean. */
#ifndef RUN_WORDS_H
#define RUN_WORDS_H

#include <stdbool.h>

/* A pair; both live until the function returns. */
typedef void take_pair(void *context, const char *name, const char *value);

/* "name=value,name=value", where %2C stands for a comma. False, and nothing is taken, if
 * any of it is not so: opentelemetry.io/docs/specs/otel/resource/sdk. */
bool run_words_attributes(const char *text, take_pair *take, void *context);

/* Lines of name="value", with the escapes of Go (\" \\ \n \x41 é). Lines that are not
 * so are passed over. */
void run_words_labels(const char *text, take_pair *take, void *context);

#endif
