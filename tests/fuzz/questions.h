/* questions.h - one question to a series of snapshots, answered in one format; four bytes
 * of the input choose both. All questions for every input would take too long. */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "fuzz/frame.h"
#include "heapdrift.h"

/* Options for reading the snapshots of a question; size is that of the input. */
struct hd_read_options question_reading(const unsigned char head[FRAME_HEAD], size_t size);

/* Options for rows, objects and the ranking. */
struct hd_options question_options(const unsigned char head[FRAME_HEAD]);

/* Asks about open snapshots. */
void question_ask(const unsigned char head[FRAME_HEAD], struct hd_snapshot **snaps,
                  size_t count);

/* The same for the parts of an input, each opened; unreadable ones are left out. size is
 * that of the input. */
void question_ask_parts(const struct frame *f, size_t size,
                        struct hd_snapshot *(*open)(size_t number, struct bytes part,
                                                    const struct hd_read_options *how,
                                                    struct hd_error *err));

/* Writes the report, or checks the error instead; frees the report. */
void question_answer(const unsigned char head[FRAME_HEAD], struct hd_report *report,
                     const struct hd_error *err);

/* Checks that an error has a message of one line. */
void question_check_error(const struct hd_error *err);

#endif
