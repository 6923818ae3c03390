#define _GNU_SOURCE
#include "Calls.h"
#include "CrashSupervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The old calls that have no folder argument are missing on newer architectures. */
const struct crash_watched crash_watched[] = {
    {SYS_openat, "openat", CRASH_OPEN, 0, 1, -1, -1},
    {SYS_openat2, "openat2", CRASH_OPEN, 0, 1, -1, -1},
    {SYS_pread64, "pread", CRASH_READ, 0, -1, -1, -1},
    {SYS_read, "read", CRASH_READ, 0, -1, -1, -1},
    {SYS_readv, "readv", CRASH_READ, 0, -1, -1, -1},
    {SYS_preadv, "preadv", CRASH_READ, 0, -1, -1, -1},
    {SYS_pwrite64, "pwrite", CRASH_WRITE, 0, -1, -1, -1},
    {SYS_write, "write", CRASH_WRITE, 0, -1, -1, -1},
    {SYS_writev, "writev", CRASH_WRITE, 0, -1, -1, -1},
    {SYS_fsync, "fsync", CRASH_SYNC, 0, -1, -1, -1},
    {SYS_fdatasync, "fdatasync", CRASH_SYNC, 0, -1, -1, -1},
    {SYS_ftruncate, "ftruncate", CRASH_TRUNCATE, 0, -1, -1, -1},
    {SYS_fallocate, "fallocate", CRASH_TRUNCATE, 0, -1, -1, -1},
    {SYS_renameat, "renameat", CRASH_RENAME, 0, 1, 2, 3},
    {SYS_renameat2, "renameat2", CRASH_RENAME, 0, 1, 2, 3},
    {SYS_linkat, "linkat", CRASH_LINK, 0, 1, 2, 3},
    {SYS_unlinkat, "unlinkat", CRASH_UNLINK, 0, 1, -1, -1},
    {SYS_mkdirat, "mkdirat", CRASH_MKDIR, 0, 1, -1, -1},
    {SYS_copy_file_range, "copy_file_range", CRASH_COPY_RANGE, 2, -1, -1, -1},
    {SYS_ioctl, "ioctl", CRASH_CLONE, 0, -1, -1, -1},
    {SYS_flock, "flock", CRASH_LOCK, 0, -1, -1, -1},
    {SYS_fcntl, "fcntl", CRASH_LOCK, 0, -1, -1, -1},
    {SYS_fchmod, "fchmod", CRASH_ATTRIBUTE, 0, -1, -1, -1},
    {SYS_fchmodat, "fchmodat", CRASH_ATTRIBUTE, 0, 1, -1, -1},
    {SYS_fsetxattr, "fsetxattr", CRASH_ATTRIBUTE, 0, -1, -1, -1},
    {SYS_utimensat, "utimensat", CRASH_ATTRIBUTE, 0, 1, -1, -1},
    {SYS_newfstatat, "fstatat", CRASH_LOOK, 0, 1, -1, -1},
    {SYS_fstat, "fstat", CRASH_LOOK, 0, -1, -1, -1},
    {SYS_statx, "statx", CRASH_LOOK, 0, 1, -1, -1},
    {SYS_faccessat, "faccessat", CRASH_LOOK, 0, 1, -1, -1},
    {SYS_getdents64, "getdents", CRASH_LOOK, 0, -1, -1, -1},
#ifdef SYS_open
    {SYS_open, "open", CRASH_OPEN, -1, 0, -1, -1},
    {SYS_rename, "rename", CRASH_RENAME, -1, 0, -1, 1},
    {SYS_link, "link", CRASH_LINK, -1, 0, -1, 1},
    {SYS_unlink, "unlink", CRASH_UNLINK, -1, 0, -1, -1},
    {SYS_rmdir, "rmdir", CRASH_UNLINK, -1, 0, -1, -1},
    {SYS_mkdir, "mkdir", CRASH_MKDIR, -1, 0, -1, -1},
    {SYS_chmod, "chmod", CRASH_ATTRIBUTE, -1, 0, -1, -1},
    {SYS_stat, "stat", CRASH_LOOK, -1, 0, -1, -1},
    {SYS_lstat, "lstat", CRASH_LOOK, -1, 0, -1, -1},
    {SYS_access, "access", CRASH_LOOK, -1, 0, -1, -1},
#endif
};
const size_t crash_watched_count = sizeof crash_watched / sizeof *crash_watched;

int crash_copy_bytes(pid_t child, uint64_t from, char *to, size_t count) {
    size_t done = 0;
    while (done < count) {
        struct iovec local = {to + done, count - done}, remote = {(void *)(uintptr_t)(from + done), count - done};
        ssize_t moved = process_vm_readv(child, &local, 1, &remote, 1, 0);
        if (moved <= 0) return -1;
        done += (size_t)moved;
    }
    return 0;
}

static int copy_text(pid_t child, uint64_t from, char *to, size_t room) {
    /* Page by page, since the one after the text may not be there. */
    size_t done = 0;
    while (done < room - 1) {
        size_t count = 4096 - (from + done) % 4096;
        if (count > room - 1 - done) count = room - 1 - done;
        struct iovec local = {to + done, count}, remote = {(void *)(uintptr_t)(from + done), count};
        ssize_t moved = process_vm_readv(child, &local, 1, &remote, 1, 0);
        if (moved <= 0) return -1;
        if (memchr(to + done, 0, (size_t)moved)) return 0;
        done += (size_t)moved;
    }
    return -1;
}

/* The path that a descriptor of the child was opened by, or has now after renamings. */
static int descriptor_path(pid_t child, int descriptor, char *path, size_t room) {
    char link[64];
    snprintf(link, sizeof link, descriptor == AT_FDCWD ? "/proc/%d/cwd" : "/proc/%d/fd/%d", child, descriptor);
    ssize_t length = readlink(link, path, room - 1);
    if (length < 0) return -1;
    path[length] = 0;
    return 0;
}

static int resolve(const struct seccomp_notif *notice, int descriptor, int path, char *to, size_t room) {
    pid_t child = (pid_t)notice->pid;
    if (path < 0) return descriptor_path(child, (int)notice->data.args[descriptor], to, room);
    char text[1024];
    if (notice->data.args[path] == 0 || copy_text(child, notice->data.args[path], text, sizeof text) != 0) return -1;
    if (text[0] == '/') {
        snprintf(to, room, "%s", text);
        return 0;
    }
    if (descriptor_path(child, descriptor < 0 ? AT_FDCWD : (int)notice->data.args[descriptor], to, room) != 0) return -1;
    if (text[0] == 0) return 0;
    size_t length = strlen(to);
    snprintf(to + length, room - length, "/%s", text);
    return 0;
}

static int is_beneath(const char *path, const char *root) {
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

static const struct crash_watched *find(int number) {
    for (size_t index = 0; index < crash_watched_count; index++)
        if (crash_watched[index].number == number) return &crash_watched[index];
    return NULL;
}

static int open_flags(const struct seccomp_notif *notice, const struct crash_watched *watched) {
    if (watched->number == SYS_openat2) {
        struct open_how how;
        return crash_copy_bytes((pid_t)notice->pid, notice->data.args[2], (char *)&how, sizeof how) == 0 ? (int)how.flags : 0;
    }
    return (int)notice->data.args[watched->path + 1];
}

static unsigned special_traits(const struct crash_call *call) {
    switch (call->kind) {
    case CRASH_OPEN: {
        int changes = call->creates || call->flags & O_TRUNC;
        return CRASH_OPENS | CRASH_SLOW | (changes ? CRASH_CHANGES | CRASH_SPACE : 0);
    }
    case CRASH_READ: return CRASH_SLOW;
    case CRASH_WRITE: return CRASH_CHANGES | CRASH_SPACE | CRASH_SLOW | (call->length > 1 && call->bytes ? CRASH_WRITES : 0);
    case CRASH_SYNC: return CRASH_SPACE | CRASH_SLOW | CRASH_SYNCS;
    case CRASH_TRUNCATE: return CRASH_CHANGES | CRASH_SPACE | CRASH_SLOW;
    case CRASH_LINK:
    case CRASH_MKDIR:
    case CRASH_COPY_RANGE:
    case CRASH_RENAME: return CRASH_CHANGES | CRASH_SPACE;
    case CRASH_CLONE:
    case CRASH_UNLINK: return CRASH_CHANGES;
    case CRASH_LOCK: return CRASH_LOCKS | CRASH_SLOW;
    case CRASH_ATTRIBUTE: return CRASH_CHANGES;
    case CRASH_LOOK: return 0;
    }
    return 0;
}

static unsigned traits(const struct crash_call *call) {
    return special_traits(call) | (call->kind == CRASH_LOCK ? 0 : CRASH_DEVICE);
}

static int is_lock(int command) {
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_GETLK || command == F_OFD_GETLK;
}

int crash_describe(const struct seccomp_notif *notice, const char *root, struct crash_call *call) {
    const struct crash_watched *watched = find(notice->data.nr);
    const unsigned long long *arguments = (const unsigned long long *)notice->data.args;
    if (!watched) return 0;
    memset(call, 0, sizeof *call);
    call->kind = watched->kind;
    call->name = watched->name;
    call->offset = -1;
    call->descriptor = watched->descriptor < 0 ? AT_FDCWD : (int)arguments[watched->descriptor];
    if (watched->number == SYS_fcntl && !is_lock((int)arguments[1])) return 0;
    if (watched->number == SYS_ioctl && (unsigned)arguments[1] != (unsigned)FICLONE) return 0;
    if (resolve(notice, watched->descriptor, watched->path, call->path, sizeof call->path) != 0) return 0;
    int concerned = is_beneath(call->path, root);
    if (watched->path2 >= 0) {
        if (resolve(notice, watched->descriptor2, watched->path2, call->path2, sizeof call->path2) != 0) return 0;
        concerned = concerned || is_beneath(call->path2, root);
    }
    if (!concerned) return 0;
    switch (call->kind) {
    case CRASH_OPEN:
        call->flags = open_flags(notice, watched);
        call->creates = call->flags & O_CREAT && !exists(call->path);
        break;
    case CRASH_WRITE:
        if (watched->number != SYS_writev) {
            call->bytes = arguments[1];
            call->length = (size_t)arguments[2];
        }
        if (watched->number == SYS_pwrite64) call->offset = (int64_t)arguments[3];
        break;
    case CRASH_TRUNCATE:
        call->offset = (int64_t)(watched->number == SYS_ftruncate ? arguments[1] : arguments[2] + arguments[3]);
        break;
    case CRASH_RENAME:
        call->flags = watched->number == SYS_renameat2 ? (int)arguments[4] : 0;
        break;
    case CRASH_UNLINK:
        call->is_folder = watched->number == SYS_unlinkat ? ((int)arguments[2] & AT_REMOVEDIR) != 0 : strcmp(watched->name, "rmdir") == 0;
        break;
    default:
        break;
    }
    call->traits = traits(call);
    return 1;
}
