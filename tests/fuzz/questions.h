/* questions.h - one question to a series of snapshots, and its answer in one format: which
 * ones four bytes of the input say. All of them for every input would take so long that few
 * inputs were tried. */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "fuzz/frame.h"
#include "heapdrift.h"

/* How the question wants its snapshots read; size is that of the input. */
struct hd_read_options question_reading(const unsigned char head[FRAME_HEAD], size_t size);

/* What is asked of rows, objects and the ranking. */
struct hd_options question_options(const unsigned char head[FRAME_HEAD]);

/* Ask it of snapshots that are open. */
void question_ask(const unsigned char head[FRAME_HEAD], struct hd_snapshot **snaps,
                  size_t count);

/* The same of the parts of an input, each opened; what cannot be read is left out. size is
 * that of the input. */
void question_ask_parts(const struct frame *f, size_t size,
                        struct hd_snapshot *(*open)(size_t number, struct bytes part,
                                                    const struct hd_read_options *how,
                                                    struct hd_error *err));

/* Write what came, or look at the error instead; the report is freed. */
void question_answer(const unsigned char head[FRAME_HEAD], struct hd_report *report,
                     const struct hd_error *err);

/* An error says what is wrong, in one line. */
void question_check_error(const struct hd_error *err);

#endif
