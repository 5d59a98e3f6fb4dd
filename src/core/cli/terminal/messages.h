/* messages.h - lines on stderr that are about a file: "heapdrift: NAME: what".
 *
 * Names are shown as reports show them, so that a message stays one line whatever they
 * hold. It knows no command. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "heapdrift.h"

/* Restricts messages to ASCII; the default is UTF-8. */
void messages_in_ascii(bool only);

/* From now on each line begins with the time, UTC: "heapdrift: 2026-11-24T18:02:11Z ...".
 */
void messages_with_time(void);

/* Names and sentences on stderr, escaped as reports escape them. */
void put_name(const char *name);

/* Returns an input's name for people: "-" is standard input. */
const char *input_name(const char *path);

/* Prints "heapdrift: KIND: NAME", the start of a line; kind is "note", "warning", or
 * NULL. */
void begin_message(const char *kind, const char *name);

/* Prints the rest, which may quote a file, and the line end. */
void end_message(const char *what);

/* Prints "heapdrift: KIND: NAME: what", or without name "heapdrift: KIND: what", of any
 * length, escaped as by end_message(); returns false. */
bool put_message(const char *kind, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills in an error that owns no memory; returns false. */
bool set_error(struct hd_error *err, enum hd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints "heapdrift: what"; returns false. */
bool refuse(const char *what);

/* Prints "heapdrift: NAME: why"; returns false. */
bool trouble(const char *name, const char *why);

/* Adds the options and commands that remedy an error. print_error() calls it; only needed
 * for other outputs. */
void advise(struct hd_error *err);

/* Prints "heapdrift: FILE:LINE: kind: what" or similar. path may be NULL. */
void print_error(const char *path, const struct hd_error *err);

#endif
