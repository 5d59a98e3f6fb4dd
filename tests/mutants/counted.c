/* For builds with --coverage: writes the counts even if a process ends without exit(),
 * which would write them. Linked with --wrap=_exit,--wrap=raise; must not be linked with
 * other wraps. */

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
