#include "cli/live/run_facts.h"

#include "cli/guard/allocate.h"
#include "cli/guard/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- words of platforms ------------------------------------------------------
 *
 * Words that platforms tell services about themselves by, taken apart:
 * OTEL_RESOURCE_ATTRIBUTES and the labels of a pod. It does not know what they mean. */

/* A pair; both live until the function returns. */
typedef void pair_reader(void *context, const char *name, const char *value);

static char *copy_of(const char *s, size_t len)
{
    char *copy = more(NULL, len + 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* --- attributes ---------------------------------------------------------------------- */

/* In place; false for a % without two digits, and for %00. */
static bool decode(char *s)
{
    char *to = s;
    while (*s != '\0') {
        if (*s != '%') {
            *to++ = *s++;
            continue;
        }
        int high = digit(s[1]), low = high >= 0 ? digit(s[2]) : -1;
        if (low < 0 || high + low == 0)
            return false;
        *to++ = (char)(high * 16 + low);
        s += 3;
    }
    *to = '\0';
    return true;
}

static char *trimmed(char *s)
{
    static const char blanks[] = " \t";
    s += strspn(s, blanks);
    size_t len = strlen(s);
    while (len > 0 && strchr(blanks, s[len - 1]) != NULL)
        s[--len] = '\0';
    return s;
}

/* A pair without a name is none; nothing at all is no pair. */
static bool split_attributes(char *text, pair_reader *each, void *context)
{
    for (char *rest = text, *pair; (pair = strsep(&rest, ",")) != NULL;) {
        char *equals = strchr(pair, '=');
        if (trimmed(pair)[0] == '\0')
            continue;
        if (equals == NULL)
            return false;
        *equals = '\0';
        char *name = trimmed(pair), *value = trimmed(equals + 1);
        if (name[0] == '\0' || !decode(name) || !decode(value))
            return false;
        if (each != NULL)
            each(context, name, value);
    }
    return true;
}

/* "name=value,name=value", where %2C stands for a comma. False, and nothing is taken, if
 * any of it is not so: opentelemetry.io/docs/specs/otel/resource/sdk. */
static bool parse_attributes(const char *text, pair_reader *each, void *context)
{
    char *copy = copy_of(text, strlen(text));
    bool ok = split_attributes(copy, NULL, NULL);
    memcpy(copy, text, strlen(text) + 1);
    if (ok)
        split_attributes(copy, each, context);
    free(copy);
    return ok;
}

/* --- labels -------------------------------------------------------------------------- */

static char *put_utf8(char *to, uint32_t code)
{
    const unsigned tail = 0x80, bits = 6, mask = 0x3F;
    if (code < tail) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> bits);
        *to++ = (char)(tail | (code & mask));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 2 * bits);
        *to++ = (char)(tail | (code >> bits & mask));
        *to++ = (char)(tail | (code & mask));
    } else {
        *to++ = (char)(0xF0 | code >> 3 * bits);
        *to++ = (char)(tail | (code >> 2 * bits & mask));
        *to++ = (char)(tail | (code >> bits & mask));
        *to++ = (char)(tail | (code & mask));
    }
    return to;
}

/* So many digits behind an escape's letter; false if they are not there. */
static bool read_digits(const char *s, unsigned count, uint32_t *code)
{
    *code = 0;
    for (unsigned i = 0; i < count; i++) {
        if (digit(s[i]) < 0)
            return false;
        *code = *code * 16 + (uint32_t)digit(s[i]);
    }
    return *code > 0 && *code < 0x110000;
}

/* What stands behind a backslash at *from, which moves behind it. */
static bool unescape(const char **from, char **to)
{
    static const char letters[] = "abfnrtv\\\"'", meanings[] = "\a\b\f\n\r\t\v\\\"'";
    char letter = *(*from)++;
    const char *simple = letter != '\0' ? strchr(letters, letter) : NULL;
    unsigned count = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    uint32_t code;
    if (simple != NULL) {
        *(*to)++ = meanings[simple - letters];
        return true;
    }
    if (count == 0 || !read_digits(*from, count, &code))
        return false;
    *from += count;
    if (letter == 'x')
        *(*to)++ = (char)code;
    else
        *to = put_utf8(*to, code);
    return true;
}

/* In place: from behind the first quote up to the last. */
static bool unquote(char *s)
{
    const char *from = s;
    char *to = s;
    while (*from != '"') {
        if (*from == '\0')
            return false;
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        from++;
        if (!unescape(&from, &to))
            return false;
    }
    *to = '\0';
    return true;
}

/* Lines of name="value", with the escapes of Go (\" \\ \n \x41 é). Lines that are not
 * so are passed over. */
static void parse_labels(const char *text, pair_reader *each, void *context)
{
    char *copy = copy_of(text, strlen(text));
    for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *equals = strchr(line, '=');
        if (equals == NULL || equals == line || equals[1] != '"')
            continue;
        *equals = '\0';
        if (unquote(equals + 2))
            each(context, line, equals + 2);
    }
    free(copy);
}

/* --- facts ----------------------------------------------------------------------- */

extern char **environ;

struct run_facts_memory {
    char **strings;
    size_t string_count;
    struct hd_label *labels;
    size_t label_count, label_bytes;
};

/* --- what is known --------------------------------------------------- */

void run_facts_begin(struct run_facts *f)
{
    *f = (struct run_facts){.run = hd_unknown_run(),
                            .memory = zeroed(1, sizeof(*f->memory))};
}

void run_facts_free(struct run_facts *f)
{
    struct run_facts_memory *m = f->memory;
    for (size_t i = 0; m != NULL && i < m->string_count; i++)
        free(m->strings[i]);
    if (m != NULL) {
        free(m->strings);
        free(m->labels);
    }
    free(m);
    *f = (struct run_facts){0};
}

static const char *kept(struct run_facts *f, const char *s, size_t len)
{
    struct run_facts_memory *m = f->memory;
    m->strings = more(m->strings, (m->string_count + 1) * sizeof(*m->strings));
    char *copy = more(NULL, len + 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return m->strings[m->string_count++] = copy;
}

static bool is_told(const char *s)
{
    return s != NULL && s[0] != '\0';
}

/* An environment is another's word, and its snapshots may wait in memory by the hundred. A
 * store cuts strings at 1,000 bytes. */
enum { MOST_OF_A_FACT = 4096, MOST_LABELS = 128, MOST_OF_LABELS = 32 << 10 };

/* The first that is told stays. */
static void know(struct run_facts *f, const char **fact, const char *s)
{
    if (!is_told(*fact) && is_told(s))
        *fact = kept(f, s, strnlen(s, MOST_OF_A_FACT));
}

static void know_label(struct run_facts *f, const char *name, size_t len, const char *value)
{
    struct run_facts_memory *m = f->memory;
    for (size_t i = 0; i < m->label_count; i++)
        if (strlen(m->labels[i].name) == len && strncmp(m->labels[i].name, name, len) == 0)
            return;
    m->label_bytes += len + strlen(value);
    if (m->label_count >= MOST_LABELS || m->label_bytes > MOST_OF_LABELS) {
        f->problem = "more than 128 labels, or 32 KiB of them; the others are left out";
        return;
    }
    m->labels = more(m->labels, (m->label_count + 1) * sizeof(*m->labels));
    m->labels[m->label_count++] =
        (struct hd_label){kept(f, name, len), kept(f, value, strlen(value))};
    f->run.labels = m->labels;
    f->run.label_count = m->label_count;
}

static void know_limit(struct run_facts *f, uint64_t limit)
{
    if (limit > 0 && limit < f->run.limit)
        f->run.limit = limit;
}

/* --- options --------------------------------------------------------- */

void run_facts_add_options(struct run_facts *f, const struct settings *s)
{
    if (!s->all)
        know(f, &f->run.service, s->service);
    know(f, &f->run.host, s->host);
    know(f, &f->run.build, s->build);
    if (s->limit > 0)
        f->run.limit = s->limit;
    /* Of two with one name the last counts. */
    for (size_t i = s->labels.count; i-- > 0;) {
        const char *equals = strchr(s->labels.all[i], '=');
        if (equals != NULL)
            know_label(f, s->labels.all[i], (size_t)(equals - s->labels.all[i]),
                       equals + 1);
    }
}

/* --- the environment ------------------------------------------------- */

struct variables {
    const char *all;
    size_t size;
};

static const char *value_of(const struct variables *v, const char *name)
{
    size_t len = strlen(name);
    for (size_t at = 0; at < v->size;) {
        const char *end = memchr(v->all + at, '\0', v->size - at);
        if (end == NULL)
            return NULL;
        if (strncmp(v->all + at, name, len) == 0 && v->all[at + len] == '=')
            return v->all + at + len + 1;
        at = (size_t)(end - v->all) + 1;
    }
    return NULL;
}

/* What SDKs call a service without a name. */
static bool is_named(const char *service)
{
    static const char nobody[] = "unknown_service";
    return strncmp(service, nobody, sizeof(nobody) - 1) != 0;
}

static void add_attribute(void *context, const char *name, const char *value)
{
    struct run_facts *f = context;
    if (strcmp(name, "service.name") == 0) {
        if (is_named(value))
            know(f, &f->run.service, value);
    } else if (strcmp(name, "service.version") == 0) {
        know(f, &f->run.build, value);
    } else if (strcmp(name, "host.name") == 0) {
        know(f, &f->run.host, value);
    } else if (value[0] != '\0') {
        know_label(f, name, strlen(name), value);
    }
}

/* By the names that manifests give what the downward API tells. */
static void read_pod_variables(struct run_facts *f, const struct variables *v)
{
    static const struct {
        const char *variable, *label;
    } all[] = {{"POD_NAME", "k8s.pod.name"},
               {"POD_NAMESPACE", "k8s.namespace.name"},
               {"NODE_NAME", "k8s.node.name"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        const char *value = value_of(v, all[i].variable);
        if (is_told(value))
            know_label(f, all[i].label, strlen(all[i].label), value);
    }
}

/* learn.microsoft.com/dotnet/core/runtime-config/garbage-collector: hexadecimal. */
static void parse_hard_limit(struct run_facts *f, const struct variables *v)
{
    static const char *const names[] = {"DOTNET_GCHeapHardLimit",
                                        "COMPlus_GCHeapHardLimit"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *value = value_of(v, names[i]);
        char *end;
        uint64_t limit = is_told(value) ? strtoull(value, &end, 16) : 0;
        if (limit > 0 && *end == '\0') {
            know_limit(f, limit);
            return;
        }
    }
}

void run_facts_read_environment(struct run_facts *f, const char *variables, size_t size)
{
    const struct variables v = {variables, size};
    const char *service = value_of(&v, "OTEL_SERVICE_NAME");
    const char *attributes = value_of(&v, "OTEL_RESOURCE_ATTRIBUTES");
    if (is_told(service) && is_named(service))
        know(f, &f->run.service, service);
    if (is_told(attributes) && !parse_attributes(attributes, add_attribute, f))
        f->problem = "OTEL_RESOURCE_ATTRIBUTES is not a list of name=value; ignored";
    read_pod_variables(f, &v);
    if (f->run.limit == HD_UNKNOWN)
        parse_hard_limit(f, &v);
}

/* --- files ----------------------------------------------------------- */

/* A small file, with a NUL behind what is in it; malloc'd, NULL if it cannot be read. */
static char *read_small(const char *path, size_t *size)
{
    enum { BLOCK = 4096, MOST = 1 << 20 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    char *text = NULL;
    ssize_t n = 1;
    for (*size = 0; n > 0 && *size<MOST; *size += n> 0 ? (size_t)n : 0) {
        text = more(text, *size + BLOCK + 1);
        n = read(fd, text + *size, BLOCK);
    }
    close(fd);
    if (n < 0) {
        free(text);
        return NULL;
    }
    text[*size] = '\0';
    return text;
}

static void add_pod_label(void *context, const char *name, const char *value)
{
    struct run_facts *f = context;
    if (strcmp(name, "app.kubernetes.io/name") == 0)
        know(f, &f->run.service, value);
    else if (strcmp(name, "app.kubernetes.io/version") == 0)
        know(f, &f->run.build, value);
    else
        know_label(f, name, strlen(name), value);
}

/* The names that the documentation of Kubernetes uses in its examples. */
void run_facts_read_pod(struct run_facts *f, const char *folder)
{
    static const struct {
        const char *file, *label;
    } all[] = {{"labels", NULL},
               {"name", "k8s.pod.name"},
               {"namespace", "k8s.namespace.name"},
               {"node", "k8s.node.name"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        char path[1024];
        size_t size;
        int len = snprintf(path, sizeof(path), "%s/%s", folder, all[i].file);
        char *text = len < (int)sizeof(path) ? read_small(path, &size) : NULL;
        if (text != NULL && all[i].label == NULL)
            parse_labels(text, add_pod_label, f);
        else if (text != NULL && text[strcspn(text, "\n")] == '\0' && text[0] != '\0')
            know_label(f, all[i].label, strlen(all[i].label), text);
        free(text);
    }
}

void run_facts_read_group(struct run_facts *f, const char *root, uint64_t pid)
{
    know_limit(f, memory_limit(root, pid));
}

/* --- all of it ------------------------------------------------------- */

static void read_own_environment(struct run_facts *f)
{
    char *all = NULL;
    size_t size = 0;
    for (char **e = environ; *e != NULL; e++) {
        size_t len = strlen(*e) + 1;
        all = more(all, size + len);
        memcpy(all + size, *e, len);
        size += len;
    }
    run_facts_read_environment(f, all, size);
    free(all);
}

/* Also of another container, where the kernel lets us see it. */
static void read_environment_of(struct run_facts *f, uint64_t pid)
{
    size_t size = 0;
    char *all = hd_process_file(pid, "environ", &size);
    if (all != NULL)
        run_facts_read_environment(f, all, size);
    free(all);
    /* That it cannot be understood is for who looks after that process. */
    f->problem = NULL;
}

void run_facts_of_process(struct run_facts *f, uint64_t pid)
{
    run_facts_begin(f);
    read_environment_of(f, pid);
}

static void read_node(struct run_facts *f)
{
    const char *node = getenv("NODE_NAME");
    if (is_told(node))
        know_label(f, "k8s.node.name", strlen("k8s.node.name"), node);
}

static void know_owner(struct run_facts *f, uint64_t owner)
{
    static const char name[] = "process.owner";
    char number[24];
    snprintf(number, sizeof(number), "%" PRIu64, owner);
    if (owner != HD_UNKNOWN)
        know_label(f, name, strlen(name), number);
}

void run_facts_of(struct run_facts *f, const struct settings *s, uint64_t pid,
                  uint64_t owner)
{
    run_facts_begin(f);
    run_facts_add_options(f, s);
    know_owner(f, owner);
    bool is_told_limit = f->run.limit != HD_UNKNOWN;
    read_environment_of(f, pid);
    if (!is_told_limit)
        run_facts_read_group(f, "", pid);
    if (s->all) {
        read_node(f);
        return;
    }
    read_own_environment(f);
    run_facts_read_pod(f, RUN_FACTS_PODINFO);
}

void run_facts_of_snapshot(struct run_facts *f, const struct settings *s,
                           struct hd_snapshot *snap)
{
    const struct hd_run own = hd_run_of(snap);
    const char *named = getenv("HOSTNAME");
    char host[256] = "";
    run_facts_begin(f);
    run_facts_add_options(f, s);
    know(f, &f->run.host, own.host);
    read_own_environment(f);
    run_facts_read_pod(f, RUN_FACTS_PODINFO);
    know(f, &f->run.host, named);
    if (gethostname(host, sizeof(host) - 1) == 0)
        know(f, &f->run.host, host);
}
