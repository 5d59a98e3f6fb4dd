/* Places of objects and values of fields as people read them, for every report that has
 * some. */
#include "document/build.h"

#include "report/object_words.h"

#include <inttypes.h>
#include <string.h>

void build_add_address(struct build *b, uint64_t address)
{
    char words[24] = "-";
    if (address != 0)
        snprintf(words, sizeof(words), "0x%" PRIx64, address);
    text_add_string(&b->words, words);
}

/* As code: else a page takes it for a ticket. */
void build_number(struct build *b, struct doc_runs *to, uint32_t number)
{
    char words[16];
    snprintf(words, sizeof(words), "#%" PRIu32, number);
    build_end(b, to);
    doc_run(b->doc, to, DOC_CODE, words);
}

void build_place(struct build *b, struct doc_runs *to, uint64_t address, uint32_t number)
{
    if (address == 0) {
        build_number(b, to, number);
        return;
    }
    build_add_address(b, address);
    build_end(b, to);
}

void build_text(struct build *b, struct doc_runs *to, const char *s, bool is_cut)
{
    struct text quoted = {0};
    object_add_quoted(&quoted, s, is_cut);
    build_end(b, to);
    build_quoted(b, to, text_string(&quoted));
    text_free(&quoted);
}

/* Characters and members are words of others. */
static void add_plain(struct build *b, struct doc_runs *to, const struct hd_field *f)
{
    struct text value = {0};
    if (f->is_hidden) {
        build_words(b, to, "not shown");
    } else if (f->kind == HD_FIELD_CHAR || f->kind == HD_FIELD_ENUM) {
        object_add_value(&value, f);
        build_quoted(b, to, text_string(&value));
        text_free(&value);
    } else {
        object_add_plain(&b->words, f);
        build_end(b, to);
    }
}

static void add_reference(struct build *b, struct doc_runs *to, const struct hd_field *f)
{
    if (f->number == 0 && f->to == HD_NO_OBJECT) {
        build_words(b, to, "null");
        return;
    }
    if (f->to != HD_NO_OBJECT) {
        build_place(b, to, f->number, f->to);
    } else {
        build_add_address(b, f->number);
        build_words(b, to, ", no object");
    }
    if (f->text == NULL && f->boxed == NULL && !f->has_length)
        return;
    text_add_string(&b->words, "  ");
    if (f->text != NULL) {
        build_text(b, to, f->text, f->is_cut);
    } else if (f->boxed != NULL) {
        build_end(b, to);
        add_plain(b, to, f->boxed);
    } else {
        bool is_text = f->to_type != NULL && strcmp(f->to_type, "System.String") == 0;
        format_plural(&b->words, f->length, is_text ? "character" : "element");
        build_end(b, to);
    }
}

void build_value(struct build *b, struct doc_runs *to, const struct hd_field *f)
{
    if (f->kind == HD_FIELD_REFERENCE)
        add_reference(b, to, f);
    else
        add_plain(b, to, f);
}
