#define _GNU_SOURCE
#include "Trace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void event(FILE *trace, const char *name, const struct crash_call *call, int64_t offset, const char *bytes, size_t count) {
    fprintf(trace, "%s\t%lld\t%zu\t%s\t%s\n", name, (long long)offset, count, call ? call->path : "", call ? call->path2 : "");
    if (count > 0) {
        fwrite(bytes, 1, count, trace);
        fputc('\n', trace);
    }
}

static int exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

/* Where the child's descriptor stands. */
static int64_t position(pid_t child, int descriptor) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", child, descriptor);
    FILE *file = fopen(name, "r");
    long long offset = 0;
    if (file) {
        if (fscanf(file, "pos: %lld", &offset) != 1) offset = 0;
        fclose(file);
    }
    return offset;
}

static void write_event(FILE *trace, pid_t child, const struct crash_call *call) {
    char *bytes = malloc(call->length + 1);
    if (bytes && crash_copy_bytes(child, call->bytes, bytes, call->length) == 0)
        event(trace, "write", call, call->offset >= 0 ? call->offset : position(child, call->descriptor), bytes, call->length);
    free(bytes);
}

void crash_trace_call(FILE *trace, pid_t child, const struct crash_call *call) {
    switch (call->kind) {
    case CRASH_OPEN:
        if (call->creates) event(trace, "create", call, 0, NULL, 0);
        else if (call->flags & O_TRUNC && exists(call->path)) event(trace, "truncate", call, 0, NULL, 0);
        break;
    case CRASH_WRITE: write_event(trace, child, call); break;
    case CRASH_SYNC: event(trace, "sync", call, 0, NULL, 0); break;
    case CRASH_TRUNCATE: event(trace, "truncate", call, call->offset, NULL, 0); break;
    case CRASH_RENAME:
        if (!exists(call->path) || (call->flags & 1 && exists(call->path2)) || (call->flags & 2 && !exists(call->path2))) break;
        event(trace, call->flags & 2 ? "exchange" : "rename", call, 0, NULL, 0);
        break;
    case CRASH_LINK: if (!exists(call->path2)) event(trace, "link", call, 0, NULL, 0); break;
    case CRASH_UNLINK: if (exists(call->path)) event(trace, call->is_folder ? "rmdir" : "unlink", call, 0, NULL, 0); break;
    case CRASH_MKDIR: if (!exists(call->path)) event(trace, "mkdir", call, 0, NULL, 0); break;
    default: break;
    }
}

void crash_trace_said(FILE *trace, const char *bytes, size_t count) { event(trace, "said", NULL, 0, bytes, count); }
