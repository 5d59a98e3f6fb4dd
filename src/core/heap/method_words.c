#include "heap/method_words.h"

#include <stdlib.h>

/* nesting of local functions and lambdas, which C# makes members of a single class */
enum { MAX_LOCAL = 8, MAX_ROUNDS = 16 };

struct method_words {
    struct text type;        /* with dots */
    struct name_part method; /* rest of its name */
    struct name_part local[MAX_LOCAL];
    size_t local_count; /* the innermost first */
    bool is_lambda;
};

/* --- parts of names ----------------------------------------------------------------- */

static struct name_part cut(struct name_part s, size_t begin)
{
    return (struct name_part){s.at + begin, s.len - begin};
}

static struct name_part first(struct name_part s, size_t len)
{
    return (struct name_part){s.at, len};
}

static bool part_begins(struct name_part s, const char *word)
{
    size_t len = strlen(word);
    return s.len >= len && memcmp(s.at, word, len) == 0;
}

static bool method_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the place of the last c outside brackets; s.len without one. */
static size_t last_outside(struct name_part s, char c)
{
    size_t depth = 0, found = s.len;
    for (size_t i = 0; i < s.len; i++) {
        found = s.at[i] == c && depth == 0 ? i : found;
        depth += s.at[i] == '<';
        depth -= s.at[i] == '>' && depth > 0;
    }
    return found;
}

/* Returns the length of "<...>" at the beginning; 0 without it. */
static size_t end_of_brackets(struct name_part s)
{
    size_t depth = 0;
    for (size_t i = 0; i < s.len && (i == 0 || depth > 0); i++) {
        depth += s.at[i] == '<';
        depth -= s.at[i] == '>' && depth > 0;
        if (depth == 0)
            return s.at[i] == '>' ? i + 1 : 0;
    }
    return 0;
}

/* Returns the place of generic arguments at the end; s.len without them. */
static size_t arguments_at(struct name_part s)
{
    size_t depth = 0;
    for (size_t i = s.len; i > 0 && s.at[s.len - 1] == '>'; i--) {
        depth += s.at[i - 1] == '>';
        depth -= s.at[i - 1] == '<' && depth > 0;
        if (depth == 0)
            return i > 1 ? i - 1 : s.len;
    }
    return s.len;
}

static bool part_has(struct name_part s, const char *word)
{
    for (size_t i = 0; i < s.len; i++)
        if (part_begins(cut(s, i), word))
            return true;
    return false;
}

/* F#: "process@12-1"; returns the position of '@', s.len if it has another form. */
static size_t line_at(struct name_part s)
{
    size_t at = last_outside(s, '@');
    return at > 0 && at < s.len && (at + 1 == s.len || method_is_digit(s.at[at + 1]))
               ? at
               : s.len;
}

/* --- methods ---------------------------------------------------------------------- */

/* "<Run>b__3_0", "<Run>g__Wait|3_0", "<Main>$": the outer method is in brackets. False for
 * other names. */
static bool open_brackets(struct method_words *w)
{
    struct name_part m = w->method;
    size_t end = end_of_brackets(m);
    if (end <= 2)
        return false;
    struct name_part rest = cut(m, end);
    if (part_begins(rest, "g__") && w->local_count < MAX_LOCAL) {
        const char *bar = memchr(rest.at, '|', rest.len);
        struct name_part local = cut(rest, 3);
        local.len = bar != NULL ? (size_t)(bar - local.at) : local.len;
        w->local[w->local_count++] = local;
    } else if (part_begins(rest, "b__")) {
        w->is_lambda = true;
    } else if (rest.len > 0 && !name_part_is(rest, "$")) {
        return false;
    }
    w->method = (struct name_part){m.at + 1, end - 2};
    return true;
}

/* "Shop.IStore.Add" is how an interface is implemented explicitly; in the name of a state
 * machine "Shop-IStore-Add". */
static struct name_part without_interface(struct name_part m, char separator)
{
    size_t at = last_outside(m, separator);
    return at > 0 && at + 1 < m.len ? cut(m, at + 1) : m;
}

static void add_operator(struct text *out, struct name_part name)
{
    static const struct {
        const char *name, *sign;
    } operators[] = {{"Addition", "+"},
                     {"Subtraction", "-"},
                     {"Multiply", "*"},
                     {"Division", "/"},
                     {"Modulus", "%"},
                     {"Equality", "=="},
                     {"Inequality", "!="},
                     {"LessThan", "<"},
                     {"GreaterThan", ">"},
                     {"LessThanOrEqual", "<="},
                     {"GreaterThanOrEqual", ">="},
                     {"UnaryNegation", "-"},
                     {"UnaryPlus", "+"},
                     {"LogicalNot", "!"},
                     {"OnesComplement", "~"},
                     {"Increment", "++"},
                     {"Decrement", "--"},
                     {"BitwiseAnd", "&"},
                     {"BitwiseOr", "|"},
                     {"ExclusiveOr", "^"},
                     {"LeftShift", "<<"},
                     {"RightShift", ">>"},
                     {"True", "true"},
                     {"False", "false"},
                     {"Implicit", "implicit"},
                     {"Explicit", "explicit"}};
    text_add_string(out, "operator ");
    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
        if (name_part_is(name, operators[i].name)) {
            text_add_string(out, operators[i].sign);
            return;
        }
    text_add(out, name.at, name.len);
}

/* Appends a property or event, for its accessor method; a name in lower case is user
 * code. */
static bool add_accessor(struct text *out, struct name_part m)
{
    static const char *const kinds[] = {"get_", "set_", "add_", "remove_"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        size_t len = strlen(kinds[i]);
        if (!part_begins(m, kinds[i]) || m.len == len ||
            (m.at[len] >= 'a' && m.at[len] <= 'z'))
            continue;
        if (name_part_is(cut(m, len), "Item"))
            text_add_string(out, "this[]");
        else
            text_add(out, m.at + len, m.len - len);
        return true;
    }
    return false;
}

static void add_method(struct text *out, const struct method_words *w)
{
    struct name_part m = w->method;
    if (part_begins(m, "."))
        m = cut(m, 1); /* ".ctor" */
    else
        m = without_interface(m, '.');
    m.len = line_at(m);
    if (part_begins(m, "op_"))
        add_operator(out, cut(m, 3));
    else if (!add_accessor(out, m))
        text_add(out, m.at, m.len);
    for (size_t i = w->local_count; i > 0; i--) {
        text_add_char(out, '.');
        text_add(out, w->local[i - 1].at, w->local[i - 1].len);
    }
}

/* --- types ------------------------------------------------------------------------ */

/* "<Run>d__5", "VB$StateMachine_5_Run", "run@20": a class for the body of a method. */
static bool take_machine(struct method_words *w, struct name_part part)
{
    struct name_part bare = first(part, arguments_at(part));
    size_t end = end_of_brackets(bare), at = line_at(bare);
    if (end > 2 && part_begins(cut(bare, end), "d")) {
        w->method = without_interface((struct name_part){bare.at + 1, end - 2}, '-');
        return true;
    }
    if (part_begins(bare, "VB$StateMachine_")) {
        struct name_part number = cut(bare, strlen("VB$StateMachine_"));
        const char *name = memchr(number.at, '_', number.len);
        if (name != NULL)
            w->method = cut(number, (size_t)(name + 1 - number.at));
        return name != NULL;
    }
    if (at == bare.len)
        return false;
    w->is_lambda = part_begins(w->method, "Invoke");
    w->method = first(bare, at);
    return true;
}

/* "<>c__DisplayClass3_0", "_Closure$__3-0": a class for variables of lambdas. */
static bool is_closure(struct name_part part)
{
    struct name_part bare = first(part, arguments_at(part));
    return name_part_is(bare, "<>c") || part_begins(bare, "<>c__") ||
           name_part_is(bare, "<>O") || part_begins(bare, "_Closure$__");
}

/* A type that only its file sees: "<File>F0123..__Cart" is Cart. */
static struct name_part without_file(struct name_part part)
{
    size_t end = end_of_brackets(part), at = end + 1;
    if (end <= 2 || end >= part.len || part.at[end] != 'F')
        return part;
    while (at < part.len && strchr("0123456789ABCDEF", part.at[at]) != NULL)
        at++;
    return at > end + 1 && part_begins(cut(part, at), "__") ? cut(part, at + 2) : part;
}

static void add_type(struct method_words *w, struct name_part part)
{
    size_t name = w->type.len == 0 ? last_outside(part, '.') : part.len;
    name = name < part.len ? name + 1 : 0;
    struct name_part space = first(part, name);
    part = without_file(cut(part, name));
    /* F# has a module's own code in "<StartupCode$Shop>.$Program". */
    if (part_begins(space, "<StartupCode$")) {
        space.len = 0;
        part = part_begins(part, "$") ? cut(part, 1) : part;
    }
    size_t end = arguments_at(part);
    if (part_has(cut(part, end), "System.__Canon"))
        part.len = end;
    if (w->type.len > 0)
        text_add_char(&w->type, '.');
    text_add(&w->type, space.at, space.len);
    text_add(&w->type, part.at, part.len);
}

/* The type is canonical. */
static void read_type(struct method_words *w, struct name_part type)
{
    size_t depth = 0, begin = 0;
    for (size_t i = 0; i <= type.len; i++) {
        depth += i < type.len && type.at[i] == '<';
        depth -= i < type.len && type.at[i] == '>' && depth > 0;
        if (i < type.len && (type.at[i] != '+' || depth > 0))
            continue;
        struct name_part part = {type.at + begin, i - begin};
        /* The outermost may be of no namespace and be called as it likes. */
        if (begin == 0 || (!is_closure(part) && !take_machine(w, part)))
            add_type(w, part);
        begin = i + 1;
    }
}

void method_written(struct text *out, struct name_part type, struct name_part method)
{
    struct method_words w = {.method = method};
    struct text rewritten = {0}, canonical = {0};
    names_rewritten(&rewritten, type.at, type.len);
    if (rewritten.len > 0)
        names_canonical(&canonical, rewritten.data, rewritten.len);
    if (name_part_is(type, "dynamicClass")) {
        text_add_string(out, "dynamic ");
    } else {
        read_type(&w, (struct name_part){text_string(&canonical), canonical.len});
        text_add(out, w.type.data, w.type.len);
    }
    for (int round = 0; round < MAX_ROUNDS && open_brackets(&w); round++)
        continue;
    if (part_begins(w.method, "_Lambda$__")) {
        w.is_lambda = true;
        w.method.len = 0;
    }
    if (w.type.len > 0 && w.method.len > 0)
        text_add_char(out, '.');
    add_method(out, &w);
    if (w.is_lambda)
        text_add_string(out, " (lambda)");
    text_free(&w.type);
    text_free(&rewritten);
    text_free(&canonical);
}
