#pragma once
#include <stddef.h>
#include <stdint.h>

/* Runs a piece of work in a child process whose file calls are watched one by one (seccomp user notification): the n-th call that a plan is about fails,
   is cut short, or is never made because the child is killed just before it. The work runs in a fork of the caller, which must not have started a thread, opened a
   database or taken a lock: then the child is as a fresh process would be, without the cost of starting one. */

enum crash_fault {
    CRASH_NOTHING,
    CRASH_ERROR,  /* the call is not made and fails with `error` */
    CRASH_SHORT,  /* a write moves half of its bytes */
    CRASH_KILL,   /* the child is killed before the call */
    CRASH_TEAR,   /* half of a write is made, then the child is killed */
    CRASH_OMIT,   /* the call is not made and says that it was */
};

/* What calls a plan is about. */
enum crash_calls {
    CRASH_CHANGES = 1, /* what changes files, folders or names */
    CRASH_SPACE = 2,   /* what may need room on the disk */
    CRASH_OPENS = 4,   /* what makes a descriptor */
    CRASH_SLOW = 8,    /* what a signal may interrupt */
    CRASH_WRITES = 16, /* writes of more than a byte */
    CRASH_SYNCS = 32,
    CRASH_LOCKS = 64,
    CRASH_DEVICE = 128, /* every call but locks, looking and reading too */
};

struct crash_plan {
    const char *root;   /* only calls on paths beneath count */
    enum crash_fault fault;
    unsigned calls;     /* of crash_calls, or'ed */
    int error;
    long point;         /* the first call that the fault meets, from 1 */
    long length;        /* how many calls in a row it meets; less than 1: all that follow */
    const char *suffix; /* only calls on paths that end so count; NULL: all */
    const char *trace;  /* a file to write the changes to, in the order in which they were made; NULL: none */
    int watched;        /* 0: the child runs unwatched, with no plan */
};

struct crash_report {
    long calls;         /* calls that the plan was about, until the end or the kill */
    int fired;
    int exit_status;    /* of the child; -1 where it was killed */
    int signal;         /* that ended the child; 0 where none did */
    int hung;           /* no sign of life for so long that it was killed */
    char call[32];      /* the first call that the fault met, and its path */
    char path[1024];
    char *output;       /* what the child wrote to its descriptor; free it */
    size_t output_length;
};

/* Runs `child` with a descriptor for what it has to say, and waits for its end. Answers 0, or the negated errno where the machine does not allow watching. */
int crash_run(const struct crash_plan *plan, void (*child)(int output, void *context), void *context, struct crash_report *report);

/* Puts an empty file system in memory at a folder, for this process and its children alone; `options` are those of tmpfs. Answers 0, or the negated errno where the
   machine does not allow it. The caller must not have started a thread. */
int crash_small_disk(const char *path, const char *options);
