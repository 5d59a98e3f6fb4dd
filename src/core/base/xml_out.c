#include "base/xml_out.h"

#include <string.h>

struct xml_out xml_begin(struct out *to)
{
    out_string(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    return (struct xml_out){.to = to};
}

static bool is_character(uint32_t code)
{
    return (code >= 0x20 || code == '\n') && code != 0xFFFE && code != 0xFFFF;
}

static void escaped(struct out *o, const char *s)
{
    struct text t = {0};
    for (size_t len = strlen(s), i = 0, n; i < len; i += n) {
        const unsigned char *at = (const unsigned char *)s + i;
        n = utf8_length(at, len - i);
        uint32_t code = n > 0 ? utf8_decode(at, n) : 0xFFFD;
        n = n > 0 ? n : 1;
        if (code == '&')
            text_add_string(&t, "&amp;");
        else if (code == '<')
            text_add_string(&t, "&lt;");
        else if (code == '>')
            text_add_string(&t, "&gt;");
        else if (code == '"')
            text_add_string(&t, "&quot;");
        else
            text_add_code_point(&t, is_character(code) ? code : 0xFFFD);
    }
    out_text(o, &t);
    text_free(&t);
}

static void end_tag(struct xml_out *x, const char *with)
{
    if (x->in_tag)
        out_string(x->to, with);
    x->in_tag = false;
}

void xml_open(struct xml_out *x, const char *name)
{
    end_tag(x, ">\n");
    out_printf(x->to, "<%s", name);
    x->in_tag = true;
}

void xml_attribute(struct xml_out *x, const char *name, const char *value)
{
    out_printf(x->to, " %s=\"", name);
    escaped(x->to, value);
    out_string(x->to, "\"");
}

void xml_close(struct xml_out *x, const char *name)
{
    if (x->in_tag)
        end_tag(x, " />\n");
    else
        out_printf(x->to, "</%s>\n", name);
}

void xml_close_with(struct xml_out *x, const char *name, const char *content)
{
    end_tag(x, ">");
    escaped(x->to, content);
    out_printf(x->to, "</%s>\n", name);
}
