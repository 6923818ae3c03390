#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Called by number: the wrappers are missing in older C libraries. */
static long result(long value) { return value < 0 ? -errno : value; }

int folio_open(int directory, const char *path, int flags, mode_t mode) {
    return (int)result(openat(directory, path, flags, mode));
}

int folio_open_beneath(int directory, const char *path, int flags, mode_t mode) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (unsigned)flags;
    how.mode = (flags & O_CREAT) ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return (int)result(syscall(SYS_openat2, directory, path, &how, sizeof how));
}

ssize_t folio_read_directory(int directory, void *buffer, size_t size) {
    return (ssize_t)result(syscall(SYS_getdents64, directory, buffer, size));
}

int folio_open_path(const char *path) {
    return (int)result(open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

static int rename_with(int oldDirectory, const char *oldPath, int newDirectory, const char *newPath, unsigned flags) {
    return (int)result(syscall(SYS_renameat2, oldDirectory, oldPath, newDirectory, newPath, flags));
}

int folio_rename_exchange(int oldDirectory, const char *oldPath, int newDirectory, const char *newPath) {
    return rename_with(oldDirectory, oldPath, newDirectory, newPath, 1u << 1 /* RENAME_EXCHANGE */);
}

int folio_rename_noreplace(int oldDirectory, const char *oldPath, int newDirectory, const char *newPath) {
    return rename_with(oldDirectory, oldPath, newDirectory, newPath, 1u << 0 /* RENAME_NOREPLACE */);
}

static struct flock whole_file(int type) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = (short)type;
    lock.l_whence = SEEK_SET;
    return lock;
}

int folio_ofd_lock(int descriptor) {
    struct flock lock = whole_file(F_WRLCK);
    return (int)result(fcntl(descriptor, F_OFD_SETLK, &lock));
}

int folio_ofd_unlock(int descriptor) {
    struct flock lock = whole_file(F_UNLCK);
    return (int)result(fcntl(descriptor, F_OFD_SETLK, &lock));
}

int folio_ofd_test(int descriptor) {
    struct flock lock = whole_file(F_WRLCK);
    int answer = (int)result(fcntl(descriptor, F_OFD_GETLK, &lock));
    return answer < 0 ? answer : lock.l_type != F_UNLCK;
}

int folio_clone(int source, int target) {
    return (int)result(ioctl(target, FICLONE, source));
}

ssize_t folio_copy_range(int source, int64_t sourceOffset, int target, int64_t targetOffset, size_t count) {
    loff_t from = sourceOffset, to = targetOffset;
    return (ssize_t)result(copy_file_range(source, &from, target, &to, count, 0));
}

int folio_start_writing(int descriptor) {
    return (int)result(sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE));
}

void folio_trim_memory(void) { malloc_trim(0); }

int64_t folio_file_system_type(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -errno;
    return (uint32_t)status.f_type;
}
