#pragma once
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum crash_kind {
    CRASH_OPEN, CRASH_READ, CRASH_WRITE, CRASH_SYNC, CRASH_TRUNCATE, CRASH_RENAME, CRASH_LINK, CRASH_UNLINK, CRASH_MKDIR, CRASH_LOCK, CRASH_CLONE,
    CRASH_COPY_RANGE, CRASH_ATTRIBUTE, CRASH_LOOK,
};

struct crash_watched {
    int number;
    const char *name;
    enum crash_kind kind;
    /* Which argument is a descriptor of the file, or the folder that a path is in; -1: none. */
    int descriptor;
    /* Which argument is a path; -1: none. */
    int path;
    /* The same of a second path. */
    int descriptor2, path2;
};

extern const struct crash_watched crash_watched[];
extern const size_t crash_watched_count;

/* One call of a child on a path beneath the root. */
struct crash_call {
    enum crash_kind kind;
    const char *name;
    unsigned traits; /* of crash_calls */
    char path[1024];
    char path2[1024];
    int descriptor;
    int flags;       /* of open, rename */
    int creates;     /* a file or folder that is not there yet */
    int is_folder;   /* of unlink */
    uint64_t bytes;  /* where a write's bytes are in the child's memory */
    size_t length;
    int64_t offset;  /* of a write or truncation; -1: where the descriptor stands */
};

/* Describes a call; answers 0 where it is none on a path beneath the root. */
int crash_describe(const struct seccomp_notif *notice, const char *root, struct crash_call *call);

/* Copies bytes out of a child's memory; answers 0, or -1 where they are not there. */
int crash_copy_bytes(pid_t child, uint64_t from, char *to, size_t count);
