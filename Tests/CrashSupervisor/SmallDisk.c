#define _GNU_SOURCE
#include "CrashSupervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static int write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -errno;
    int result = write(file, text, strlen(text)) < 0 ? -errno : 0;
    close(file);
    return result;
}

int crash_small_disk(const char *path, const char *options) {
    unsigned user = (unsigned)geteuid(), group = (unsigned)getegid();
    if (unshare(CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER)) != 0) return -errno;
    if (user != 0) {
        /* Whoever may mount in a namespace of their own is root there, and the same user on every disk. */
        char map[64];
        snprintf(map, sizeof map, "0 %u 1", user);
        int result = write_text("/proc/self/uid_map", map);
        if (result == 0) result = write_text("/proc/self/setgroups", "deny");
        snprintf(map, sizeof map, "0 %u 1", group);
        if (result == 0) result = write_text("/proc/self/gid_map", map);
        if (result != 0) return result;
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -errno;
    return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0 ? 0 : -errno;
}
