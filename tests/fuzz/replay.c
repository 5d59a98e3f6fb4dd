/* fuzz-replay HARNESS FILE... runs files through a harness once, without an engine;
 * fuzz-replay FOLDER runs each harness on FOLDER/HARNESS and FOLDER/HARNESS.tar.xz. `make
 * check` does so under ASan and UBSan, to keep old findings fixed. */
#include "fuzz/harness.h"

#include "base/text.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef METER_HAS_HOOKS
#include <sanitizer/common_interface_defs.h>
#endif

enum {
    LONGEST_PATH = 1024,
    MAX_SECONDS = 10,      /* processor time; a busy machine fails no input */
    HANG_SECONDS = 20 * 60 /* wall time */
};

/* The current file, for the message when the process dies. */
static char current[2 * LONGEST_PATH + 512];

static void tell(void)
{
    static const char words[] = "replay: it was ";
    ssize_t n = write(STDERR_FILENO, words, sizeof(words) - 1);
    n += write(STDERR_FILENO, current, strlen(current));
    n += write(STDERR_FILENO, "\n", 1);
    (void)n;
}

static void end(int signal_number)
{
    tell();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* In memory of its exact size, so that a sanitizer reports reads beyond it. */
static void run(const struct harness *h, const struct text *input)
{
    unsigned char *bytes = malloc(input->len > 0 ? input->len : 1);
    if (bytes == NULL)
        abort();
    if (input->len > 0)
        memcpy(bytes, input->data, input->len);
    static const struct itimerval most = {.it_value.tv_sec = MAX_SECONDS};
    setitimer(ITIMER_PROF, &most, NULL);
    alarm(HANG_SECONDS);
    harness_run(h, (struct bytes){bytes, input->len});
    alarm(0);
    free(bytes);
}

/* --- files ------------------------------------------------------------------------ */

static bool replay(const struct harness *h, const char *path)
{
    struct text input = {0};
    char block[4096];
    size_t n;
    snprintf(current, sizeof(current), "%s", path);
    FILE *from = fopen(path, "rb");
    while (from != NULL && (n = fread(block, 1, sizeof(block), from)) > 0)
        text_add(&input, block, n);
    bool ok = from != NULL && ferror(from) == 0;
    if (from != NULL)
        fclose(from);
    if (ok)
        run(h, &input);
    else
        perror(path);
    text_free(&input);
    return ok;
}

/* In order of names. Returns the number of files, or -1. A missing folder means no
 * findings. */
static long replay_folder(const struct harness *h, const char *folder)
{
    char path[LONGEST_PATH + 260];
    struct dirent **all = NULL;
    int count = scandir(folder, &all, NULL, alphasort);
    long done = 0;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, all[i]->d_name);
        if (all[i]->d_name[0] != '.' && done >= 0)
            done = replay(h, path) ? done + 1 : -1;
        free(all[i]);
    }
    free((void *)all);
    return done;
}

/* --- archives --------------------------------------------------------------------- */

static void read_entry(struct archive *a, struct text *to)
{
    char block[4096];
    la_ssize_t n;
    text_clear(to);
    while ((n = archive_read_data(a, block, sizeof(block))) > 0)
        text_add(to, block, (size_t)n);
}

/* Returns the number of files; 0 if it cannot be read. */
static long replay_archive(const struct harness *h, const char *path)
{
    struct archive *a = archive_read_new();
    struct archive_entry *e;
    struct text input = {0};
    long done = 0;
    archive_read_support_filter_xz(a);
    archive_read_support_format_tar(a);
    bool ok = archive_read_open_filename(a, path, 1 << 16) == ARCHIVE_OK;
    while (ok && archive_read_next_header(a, &e) == ARCHIVE_OK) {
        snprintf(current, sizeof(current), "%s of %s", archive_entry_pathname(e), path);
        read_entry(a, &input);
        run(h, &input);
        done++;
    }
    archive_read_free(a);
    text_free(&input);
    return done;
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool replay_all(const char *corpus)
{
    bool ok = true;
    for (size_t i = 0; harnesses[i] != NULL; i++) {
        char folder[LONGEST_PATH], archive[LONGEST_PATH + 8];
        snprintf(folder, sizeof(folder), "%s/%s", corpus, harnesses[i]->name);
        snprintf(archive, sizeof(archive), "%s.tar.xz", folder);
        double began = seconds();
        long found = replay_folder(harnesses[i], folder),
             grown = replay_archive(harnesses[i], archive);
        ok = ok && found >= 0 && grown > 0;
        printf("%s: %ld inputs, %ld that found something, %.1f s\n", harnesses[i]->name,
               grown, found, seconds() - began);
    }
    return ok;
}

int main(int argc, char **argv)
{
    signal(SIGABRT, end);
    signal(SIGALRM, end);
    signal(SIGPROF, end);
#ifdef METER_HAS_HOOKS
    __sanitizer_set_death_callback(tell);
#endif
    if (argc == 2)
        return replay_all(argv[1]) ? 0 : 1;
    const struct harness *h = argc > 2 ? harness_named(argv[1]) : NULL;
    if (h == NULL) {
        fprintf(stderr, "usage: %s CORPUS | HARNESS FILE...\n", argv[0]);
        return 2;
    }
    bool ok = true;
    for (int i = 2; i < argc; i++)
        ok = replay(h, argv[i]) && ok;
    return ok ? 0 : 1;
}
