#include "fleet/agent/agent.h"

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
    return memcpy(zeroed(len + 1, 1), s, len);
}

static int digit(char c)
{
    static const char all[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c != '\0' ? strchr(all, c) : NULL;
    return at != NULL ? (int)((at - all) % 16) : -1;
}

/* --- attributes ---------------------------------------------------------------------- */

/* Without the blanks around it, and with % and two digits as one byte; in place. NULL for a
 * % without two digits, and for %00. */
static char *decoded(char *s)
{
    static const char blanks[] = " \t";
    s += strspn(s, blanks);
    size_t len = strlen(s);
    while (len > 0 && strchr(blanks, s[len - 1]) != NULL)
        s[--len] = '\0';
    char *begin = s;
    for (char *to = s;;) {
        if (*s == '%') {
            int high = digit(s[1]), low = high >= 0 ? digit(s[2]) : -1;
            if (low < 0 || high + low == 0)
                return NULL;
            *to++ = (char)(high * 16 + low);
            s += 3;
        } else if ((*to++ = *s++) == '\0') {
            return begin;
        }
    }
}

/* Parses "name=value,name=value", where %2C is a comma. False, without calls of `each`, if
 * any pair is malformed: opentelemetry.io/docs/specs/otel/resource/sdk. A pair without a
 * name is malformed; an empty text has no pairs. */
static bool parse_attributes(const char *text, pair_reader *each, void *context)
{
    bool ok = true;
    for (int pass = 0; pass < 2 && ok; pass++) {
        char *copy = copy_of(text, strlen(text));
        for (char *rest = copy, *pair; ok && (pair = strsep(&rest, ",")) != NULL;) {
            char *equals = strchr(pair, '=');
            if (pair[strspn(pair, " \t")] == '\0')
                continue;
            if (equals != NULL)
                *equals = '\0';
            const char *name = equals != NULL ? decoded(pair) : NULL;
            const char *value = equals != NULL ? decoded(equals + 1) : NULL;
            ok = name != NULL && value != NULL && name[0] != '\0';
            if (ok && pass == 1)
                each(context, name, value);
        }
        free(copy);
    }
    return ok;
}

/* --- labels -------------------------------------------------------------------------- */

static char *put_utf8(char *to, uint32_t code)
{
    const unsigned tail = 0x80, bits = 6, mask = 0x3F;
    unsigned more_bytes = code < tail ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char heads[] = {0, 0xC0, 0xE0, 0xF0};
    *to++ = (char)(heads[more_bytes] | code >> more_bytes * bits);
    for (unsigned i = more_bytes; i-- > 0;)
        *to++ = (char)(tail | (code >> i * bits & mask));
    return to;
}

/* Decodes the escape sequence at *from (after the backslash) and advances it. */
static bool unescape(const char **from, char **to)
{
    static const char letters[] = "abfnrtv\\\"'", meanings[] = "\a\b\f\n\r\t\v\\\"'";
    char letter = *(*from)++;
    const char *simple = letter != '\0' ? strchr(letters, letter) : NULL;
    unsigned count = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    uint32_t code = 0;
    if (simple != NULL) {
        *(*to)++ = meanings[simple - letters];
        return true;
    }
    for (unsigned i = 0; i < count; i++) {
        int next = digit(*(*from)++);
        if (next < 0)
            return false;
        code = code * 16 + (uint32_t)next;
    }
    if (code == 0 || code >= 0x110000)
        return false;
    if (letter == 'x')
        *(*to)++ = (char)code;
    else
        *to = put_utf8(*to, code);
    return true;
}

/* Lines of name="value", with the escapes of Go (\" \\ \n \x41 \u00e9). Lines that are not
 * so are passed over. */
static void parse_labels(const char *text, pair_reader *each, void *context)
{
    char *copy = copy_of(text, strlen(text));
    for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *equals = strchr(line, '=');
        if (equals == NULL || equals == line || equals[1] != '"')
            continue;
        *equals = '\0';
        /* In place: from after the first quote to the last. */
        const char *from = equals + 2;
        char *to = equals + 2;
        bool ok = true;
        while (ok && *from != '"' && *from != '\0')
            if (*from != '\\') {
                *to++ = *from++;
            } else {
                from++;
                ok = unescape(&from, &to);
            }
        if (!ok || *from == '\0')
            continue;
        *to = '\0';
        each(context, line, equals + 2);
    }
    free(copy);
}

/* --- facts ----------------------------------------------------------------------- */

extern char **environ;

/* --- what is known --------------------------------------------------- */

void run_facts_begin(struct run_facts *f)
{
    *f = (struct run_facts){.run = hd_unknown_run()};
}

void run_facts_free(struct run_facts *f)
{
    for (size_t i = 0; i < f->string_count; i++)
        free(f->strings[i]);
    free(f->strings);
    free(f->labels);
    *f = (struct run_facts){0};
}

static const char *kept(struct run_facts *f, const char *s, size_t len)
{
    f->strings = more(f->strings, (f->string_count + 1) * sizeof(*f->strings));
    return f->strings[f->string_count++] = copy_of(s, len);
}

static bool is_set(const char *s)
{
    return s != NULL && s[0] != '\0';
}

/* An environment is another's word, and its snapshots may wait in memory by the hundred. A
 * store cuts strings at 1,000 bytes. */
enum { MAX_OF_A_FACT = 4096, MAX_LABELS = 128, MAX_OF_LABELS = 32 << 10 };

/* The first value of a fact has precedence. */
static void know(struct run_facts *f, const char **fact, const char *s)
{
    if (!is_set(*fact) && is_set(s))
        *fact = kept(f, s, strnlen(s, MAX_OF_A_FACT));
}

static void know_label(struct run_facts *f, const char *name, size_t len, const char *value)
{
    const size_t count = f->run.label_count;
    for (size_t i = 0; i < count; i++)
        if (strlen(f->labels[i].name) == len && strncmp(f->labels[i].name, name, len) == 0)
            return;
    f->label_bytes += len + strlen(value);
    if (count >= MAX_LABELS || f->label_bytes > MAX_OF_LABELS) {
        f->problem =
            "more than 128 labels, or more than 32 KiB; the remaining labels are left out";
        return;
    }
    f->labels = more(f->labels, (count + 1) * sizeof(*f->labels));
    f->labels[count] = (struct hd_label){kept(f, name, len), kept(f, value, strlen(value))};
    f->run.labels = f->labels;
    f->run.label_count = count + 1;
}

/* --- options --------------------------------------------------------- */

void run_facts_add_options(struct run_facts *f, const struct settings *s)
{
    const struct collect_options *o = s->own;
    if (!o->all)
        know(f, &f->run.service, s->service);
    know(f, &f->run.host, s->host);
    know(f, &f->run.build, s->build);
    if (o->limit > 0)
        f->run.limit = o->limit;
    /* The last of duplicate names counts. */
    for (size_t i = o->labels.count; i-- > 0;) {
        const char *equals = strchr(o->labels.all[i], '=');
        if (equals != NULL)
            know_label(f, o->labels.all[i], (size_t)(equals - o->labels.all[i]),
                       equals + 1);
    }
}

/* --- the environment ------------------------------------------------- */

static const char *value_of(const char *all, size_t size, const char *name)
{
    size_t len = strlen(name);
    for (size_t at = 0; at < size;) {
        const char *end = memchr(all + at, '\0', size - at);
        if (end == NULL)
            return NULL;
        if (strncmp(all + at, name, len) == 0 && all[at + len] == '=')
            return all + at + len + 1;
        at = (size_t)(end - all) + 1;
    }
    return NULL;
}

/* False for the name that SDKs give to unnamed services. */
static bool run_facts_is_named(const char *service)
{
    static const char nobody[] = "unknown_service";
    return strncmp(service, nobody, sizeof(nobody) - 1) != 0;
}

static void add_attribute(void *context, const char *name, const char *value)
{
    struct run_facts *f = context;
    if (strcmp(name, "service.name") == 0) {
        if (run_facts_is_named(value))
            know(f, &f->run.service, value);
    } else if (strcmp(name, "service.version") == 0) {
        know(f, &f->run.build, value);
    } else if (strcmp(name, "host.name") == 0) {
        know(f, &f->run.host, value);
    } else if (value[0] != '\0') {
        know_label(f, name, strlen(name), value);
    }
}

/* Uses the variable names common in manifests for the downward API; the limit is
 * hexadecimal, as in learn.microsoft.com/dotnet/core/runtime-config/garbage-collector. */
void run_facts_read_environment(struct run_facts *f, const char *variables, size_t size)
{
    static const struct {
        const char *variable, *label;
    } pod[] = {{"POD_NAME", "k8s.pod.name"},
               {"POD_NAMESPACE", "k8s.namespace.name"},
               {"NODE_NAME", "k8s.node.name"}};
    static const char *const limits[] = {"DOTNET_GCHeapHardLimit",
                                         "COMPlus_GCHeapHardLimit"};
    const char *service = value_of(variables, size, "OTEL_SERVICE_NAME");
    const char *attributes = value_of(variables, size, "OTEL_RESOURCE_ATTRIBUTES");
    if (is_set(service) && run_facts_is_named(service))
        know(f, &f->run.service, service);
    if (is_set(attributes) && !parse_attributes(attributes, add_attribute, f))
        f->problem = "OTEL_RESOURCE_ATTRIBUTES is not a list of name=value; ignored";
    for (size_t i = 0; i < sizeof(pod) / sizeof(*pod); i++) {
        const char *value = value_of(variables, size, pod[i].variable);
        if (is_set(value))
            know_label(f, pod[i].label, strlen(pod[i].label), value);
    }
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits) && f->run.limit == HD_UNKNOWN;
         i++) {
        const char *value = value_of(variables, size, limits[i]);
        char *end = NULL;
        uint64_t limit = is_set(value) ? strtoull(value, &end, 16) : 0;
        if (limit > 0 && *end == '\0')
            f->run.limit = limit;
    }
}

/* --- files ----------------------------------------------------------- */

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
    enum { MAX_BYTES = 1 << 20 };
    static const struct {
        const char *file, *label;
    } all[] = {{"labels", NULL},
               {"name", "k8s.pod.name"},
               {"namespace", "k8s.namespace.name"},
               {"node", "k8s.node.name"}};
    char *text = NULL;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        char path[1024];
        size_t size = 0;
        ssize_t n = -1;
        int len = snprintf(path, sizeof(path), "%s/%s", folder, all[i].file);
        int fd =
            len < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
        if (fd < 0)
            continue;
        text = more(text, MAX_BYTES + 1);
        while (size < MAX_BYTES && (n = read(fd, text + size, MAX_BYTES - size)) > 0)
            size += (size_t)n;
        close(fd);
        text[size] = '\0';
        if (n < 0)
            continue;
        if (all[i].label == NULL)
            parse_labels(text, add_pod_label, f);
        else if (text[strcspn(text, "\n")] == '\0' && text[0] != '\0')
            know_label(f, all[i].label, strlen(all[i].label), text);
    }
    free(text);
}

void run_facts_read_group(struct run_facts *f, const char *root, uint64_t pid)
{
    uint64_t limit = memory_limit(root, pid, NULL);
    if (limit > 0 && limit < f->run.limit)
        f->run.limit = limit;
}

/* --- complete facts -------------------------------------------------- */

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
    /* Problems of that environment concern the user of its process. */
    f->problem = NULL;
}

void run_facts_of_process(struct run_facts *f, uint64_t pid)
{
    run_facts_begin(f);
    read_environment_of(f, pid);
}

void run_facts_of(struct run_facts *f, const struct settings *s, uint64_t pid,
                  uint64_t owner)
{
    const struct collect_options *o = s->own;
    const char *node = getenv("NODE_NAME");
    char number[24];
    run_facts_begin(f);
    run_facts_add_options(f, s);
    snprintf(number, sizeof(number), "%" PRIu64, owner);
    if (owner != HD_UNKNOWN)
        know_label(f, "process.owner", strlen("process.owner"), number);
    bool limit_is_set = f->run.limit != HD_UNKNOWN;
    read_environment_of(f, pid);
    if (!limit_is_set)
        run_facts_read_group(f, "", pid);
    if (!o->all) {
        read_own_environment(f);
        run_facts_read_pod(f, RUN_FACTS_PODINFO);
    } else if (is_set(node)) {
        know_label(f, "k8s.node.name", strlen("k8s.node.name"), node);
    }
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
