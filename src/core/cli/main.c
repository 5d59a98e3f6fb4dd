/* heapdrift, the program: find the command, parse its options, run it. */
#include "cli/commands/answer.h"
#include "cli/commands/commands.h"
#include "cli/guard/allocate.h"
#include "cli/guard/memory.h"
#include "cli/options/command_line.h"
#include "cli/options/houses.h"
#include "cli/terminal/messages.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* `heapdrift a b` is `heapdrift diff a b`; a single word that is not a file is more likely
 * a mistyped command. */
static const struct command *main_choose(const struct arguments *a, int *skip)
{
    const char *first = a->all[1];
    const struct command *named = command_named(first);
    *skip = named != NULL ? 1 : 0;
    if (named != NULL)
        return named;
    if (first[0] == '-' || access(first, F_OK) == 0 || strpbrk(first, "./") != NULL)
        return command_named("diff");
    return find_command(first);
}

/* `heapdrift --gen2 top FILE`: the command is taken for a file. */
static bool command_after_options(const struct settings *s, int skip)
{
    const char *first = s->operand_count > 0 ? s->operands[0] : "";
    if (skip > 0 || command_named(first) == NULL || access(first, F_OK) == 0)
        return false;
    return !put_message(NULL, NULL, "give the command first: heapdrift %s ...", first);
}

static int show_version(void)
{
    printf("heapdrift %s\n", hd_version());
    return EXIT_DONE;
}

/* A run of a store is fetched before the sandbox is entered: readers of snapshots have no
 * right to the store. Commands that do not read snapshots enter it themselves; record opens
 * its symbols then. */
static bool main_begin(struct settings *s)
{
    bool explores = s->command->bit == ON_EXPLORE;
    /* explore exports to files that are chosen later; report has a default name. */
    bool writes_here = explores || (s->command->bit == ON_REPORT && s->output == NULL &&
                                    isatty(STDOUT_FILENO));
    s->sandbox = (struct sandbox){.is_off = s->no_sandbox,
                                  .is_verbose = s->verbose,
                                  .has_terminal = explores,
                                  .writes_here = writes_here};
    return named_files_begin(s) && stored_run_fetch(s) &&
           (s->command->most == 0 || sandbox_enter(&s->sandbox)) &&
           (s->command->bit == ON_RECORD || load_symbols(s));
}

static int run_command(const struct arguments *a)
{
    int skip;
    const struct command *command = main_choose(a, &skip);
    if (command == NULL)
        return EXIT_TROUBLE;
    struct settings s;
    int status = EXIT_TROUBLE;
    bool parsed = settings_parse(&s, command, a->count - skip, a->all + skip);
    s.command_is_implied = skip == 0;
    if (parsed && !command_after_options(&s, skip)) {
        if (s.version) {
            status = show_version();
        } else if (s.help) {
            print_help(command, stdout);
            status = EXIT_DONE;
        } else {
            s.argument_files = a->files;
            s.argument_file_count = a->file_count;
            a->all[0] = "heapdrift";
            settings_take_words(&s, a->all, (size_t)a->count);
            status = main_begin(&s) ? command->run(&s) : EXIT_TROUBLE;
        }
    }
    stored_run_free(s.stored);
    settings_free(&s);
    return status;
}

static int main_run(const struct arguments *a)
{
    const char *first = a->count > 1 ? a->all[1] : NULL;
    if (first != NULL && strcmp(first, "--version") == 0)
        return show_version();
    if (first != NULL && strcmp(first, "--help") != 0 && strcmp(first, "-h") != 0)
        return run_command(a);
    print_help(NULL, first != NULL ? stdout : stderr);
    return first != NULL ? EXIT_DONE : EXIT_TROUBLE;
}

/* True if stdout was written, for help and other output without checks: the stream has an
 * error flag, but no reason. A pipe without a reader is not a failure. */
static bool all_is_written(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    errno = EIO;
    bool ok = fflush(stdout) == 0 && !ferror(stdout);
    int why = errno;
    return ok || why == EPIPE || (poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0) ||
           trouble("standard output", strerror(why));
}

int main(int argc, char **argv)
{
    struct arguments a;
    metrics_server_take_over(argc, argv);
    memory_give_back_large();
    hd_set_out_of_memory(no_memory);
    messages_in_ascii(style_locale_is_ascii());
    /* A closed pipe is a failed write: the exit status of the result is kept. */
    signal(SIGPIPE, SIG_IGN);
    lost_pages_explain();
    /* So is one into a file that may not get larger (ulimit -f). */
    signal(SIGXFSZ, SIG_IGN);
    if (argc > 1 && strcmp(argv[1], "__complete") == 0)
        return complete_words((const char *const *)argv + 2, (size_t)argc - 2);
    int status = arguments_expand(&a, argc, argv) ? main_run(&a) : EXIT_TROUBLE;
    arguments_free(&a);
    return status == EXIT_DONE && !all_is_written() ? EXIT_TROUBLE : status;
}
