/* For builds with --coverage: what was counted is written also where a process ends without
 * exit(), which would write it. Linked with --wrap=_exit,--wrap=raise; nothing else may be. */

/* Names of libgcov and of the linker. NOLINTBEGIN(bugprone-reserved-identifier) */
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int __real_raise(int number);
int __wrap_raise(int number);

void __wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}

int __wrap_raise(int number)
{
    __gcov_dump();
    return __real_raise(number);
}
/* NOLINTEND(bugprone-reserved-identifier) */
