#define _GNU_SOURCE
#include "CFolioTool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char **words;
static int word_count;

#ifdef __GLIBC__
/* The C library gives initializers what it gives main. */
__attribute__((constructor)) static void keep_words(int count, char **all) {
    words = all;
    word_count = count;
}
#endif

char **folio_process_words(void) { return words; }
int folio_process_word_count(void) { return word_count; }

/* Dispatch looks into /proc/ID/stat for the threads that run, and ends the process where it can't open that. Here it gets an empty file where
   /proc is not mounted, by which it takes the thread for waiting. */
int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (descriptor >= 0 || errno != ENOENT) return descriptor;
    size_t length = strlen(path);
    if (strncmp(path, "/proc/", 6) != 0 || length < 11 || strcmp(path + length - 5, "/stat") != 0) return descriptor;
    struct stat status;
    if (stat("/proc/self", &status) == 0) {
        errno = ENOENT;
        return descriptor;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
}
