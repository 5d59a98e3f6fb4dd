/* Chains: as ladders with all of their frames, and as they are said in a line. */
#include "document/build.h"

#include "heap/place.h"
#include "report/text_parts.h"

#include <string.h>

/* What a file calls a field is quoted, as any word of it. */
static void add_field(struct build *b, struct doc_runs *to, const char *type,
                      const char *field)
{
    struct text t = {0};
    format_field(&t, type, field);
    if (t.len > 0)
        build_quoted(b, to, text_string(&t));
    text_free(&t);
}

/* "(A.b → B.a) ×2–9 .c": the names, each with the field by which it leads on, and how often
 * they come one after the other. */
static void add_types(struct build *b, struct doc_runs *to, const struct hd_frame *f)
{
    bool repeated = f->repeat_max > 1, grouped = repeated && f->type_count > 1;
    bool library = !f->is_program && !place_is_root(f->types[0]);
    enum doc_style style = library ? DOC_LIBRARY_NAME : DOC_NAME;
    build_words(b, to, grouped ? "(" : "");
    for (unsigned i = 0; i < f->type_count; i++) {
        build_words(b, to, i > 0 ? " → " : "");
        doc_run(b->doc, to, style, f->shown[i] != NULL ? f->shown[i] : f->types[i]);
        add_field(b, to, f->types[i], repeated ? f->fields[i] : f->field);
    }
    build_words(b, to, grouped ? ")" : "");
    if (!repeated)
        return;
    text_add_string(&b->words, " ×");
    format_count(&b->words, f->repeat_min);
    if (f->repeat_max > f->repeat_min) {
        text_add_string(&b->words, "–");
        format_count(&b->words, f->repeat_max);
    }
    bool leads_on = format_leads_on(f);
    text_add_string(&b->words, leads_on ? " " : "");
    build_end(b, to);
    if (leads_on)
        add_field(b, to, f->types[f->type_count - 1], f->field);
}

static void add_frame(struct build *b, struct doc_frame *to, const struct hd_chain_row *c,
                      size_t i)
{
    const struct hd_frame *f = &c->chain.frames[i];
    add_types(b, &to->name, f);
    to->is_root = place_is_root(f->types[0]);
    to->generation = f->generation <= HD_GEN1 ? generation_names[f->generation] : NULL;
    to->is_owner = i == c->chain.owner_frame;
    if (to->is_owner && f->type_count == 1)
        to->role = service_names[c->chain.service];
}

/* "[static …]": any variable of that kind would do. */
static void add_root_kind(struct build *b, struct doc_frame *to, enum hd_root_kind kind)
{
    text_add_char(&b->words, '[');
    for (const char *s = root_kind_names[kind]; *s != '\0'; s++) {
        if (*s == '_')
            text_add_char(&b->words, ' ');
        else
            text_add_char(&b->words, *s);
    }
    text_add_string(&b->words, " …]");
    build_end(b, &to->name);
    to->is_root = true;
}

/* The frames that are shown, each with how many were left out before it. */
static void add_frames(struct build *b, struct doc_chain *to, const struct hd_chain_row *c,
                       const struct report_brief *brief)
{
    size_t omitted = 0;
    for (size_t i = brief->first; i < c->chain.frame_count; i++) {
        if (c->frames_omitted > 0 && i == c->omitted_at)
            omitted += c->frames_omitted;
        if (brief->shown != NULL && !brief->shown[i]) {
            omitted++;
            continue;
        }
        struct doc_frame *frame = &to->frames[to->frame_count++];
        frame->omitted = omitted;
        omitted = 0;
        if (brief->root_by_kind && i == brief->first)
            add_root_kind(b, frame, c->chain.kind);
        else
            add_frame(b, frame, c, i);
    }
}

struct doc_chain *build_ladder(struct build *b, struct doc_chains *to,
                               const struct hd_chain_row *c)
{
    static const struct report_brief whole;
    struct doc_chain *chain = doc_chain(b->doc, to, c->chain.frame_count);
    const char *status = chain_status_names[c->status];
    struct hd_chain_row row = *c;
    if (b->page != NULL)
        row.status = HD_CHAIN_UNKNOWN;
    text_share(&b->words, &row);
    build_end(b, doc_piece(b->doc, &chain->head, ""));
    if (b->page != NULL && status != NULL)
        doc_run(b->doc, doc_piece(b->doc, &chain->head, "  "),
                c->status == HD_CHAIN_NEW || c->status == HD_CHAIN_GROWING ? DOC_BAD
                                                                           : DOC_STRONG,
                status);
    add_frames(b, chain, c, &whole);
    return chain;
}

struct doc_chain *build_chain(struct build *b, struct doc_chains *to,
                              const struct hd_chain_row *c, bool with_share)
{
    const bool all = b->r->options.depth != HD_USUAL_DEPTH || b->r->kind == HD_REPORT_ROOTS;
    struct report_brief brief = report_brief_of(&c->chain, all, &b->doc->arena);
    struct doc_chain *chain = doc_chain(b->doc, to, c->chain.frame_count);
    if (with_share) {
        text_share(&b->words, c);
        build_end(b, doc_piece(b->doc, &chain->head, ""));
    }
    add_frames(b, chain, c, &brief);
    return chain;
}

void build_path(struct build *b, struct doc_chains *to, const char *const *types,
                size_t len)
{
    struct doc_chain *chain = doc_chain(b->doc, to, len);
    for (size_t i = 0; i < len; i++) {
        struct doc_frame *frame = &chain->frames[chain->frame_count++];
        build_type(b, &frame->name, types[i]);
        frame->is_root = place_is_root(types[i]);
    }
}

void build_holder(struct build *b, struct doc_chains *to, const char *holder)
{
    struct doc_chain *chain = doc_chain(b->doc, to, 1);
    chain->frame_count = 1;
    build_quoted(b, &chain->frames[0].name, holder);
}
