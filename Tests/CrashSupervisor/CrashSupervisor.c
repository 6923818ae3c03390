#define _GNU_SOURCE
#include "CrashSupervisor.h"
#include "Calls.h"
#include "Trace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A machine that is busy with other things may be slow; a child that neither calls nor speaks for so long hangs. */
static const int patience = 120 * 1000;

struct supervisor {
    const struct crash_plan *plan;
    struct crash_report *report;
    pid_t child;
    int listener;
    int output;
    FILE *trace;
};

/* MARK: The child's side */

static int install_filter(void) {
    struct sock_filter program[2 * 64 + 2];
    unsigned short length = 0;
    program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t index = 0; index < crash_watched_count; index++) {
        program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)crash_watched[index].number, 0, 1);
        program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {length, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    return listener < 0 ? -errno : (int)listener;
}

/* Sends a number, and the descriptor that it is where it is one. sendmsg is not watched. */
static void send_listener(int channel, int listener) {
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
    memset(&control, 0, sizeof control);
    struct iovec bytes = {&listener, sizeof listener};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (listener >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &listener, sizeof(int));
    }
    sendmsg(channel, &message, 0);
}

static int receive_listener(int channel) {
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
    int number = -EPROTO;
    struct iovec bytes = {&number, sizeof number};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != sizeof number) return -EPROTO;
    if (number < 0) return number;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS) return -EPROTO;
    memcpy(&number, CMSG_DATA(header), sizeof number);
    return number;
}

/* MARK: The parent's side */

/* Takes what the child has said so far. It spoke before the call that is looked at now, so the trace has both in their order. Answers 0 at the end. */
static int drain(struct supervisor *self) {
    char bytes[4096];
    while (1) {
        ssize_t count = read(self->output, bytes, sizeof bytes);
        if (count < 0) return errno == EAGAIN || errno == EINTR;
        if (count == 0) return 0;
        struct crash_report *report = self->report;
        char *grown = realloc(report->output, report->output_length + (size_t)count + 1);
        if (!grown) return 0;
        memcpy(grown + report->output_length, bytes, (size_t)count);
        report->output = grown;
        report->output_length += (size_t)count;
        grown[report->output_length] = 0;
        if (self->trace) crash_trace_said(self->trace, bytes, (size_t)count);
    }
}

/* Makes the first half of the write on the child's descriptor, and answers what is to be told. */
static long write_half(struct supervisor *self, const struct crash_call *call) {
    size_t half = call->length / 2;
    char *bytes = malloc(half + 1);
    int process = (int)syscall(SYS_pidfd_open, self->child, 0);
    int file = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, call->descriptor, 0);
    long answer = -EIO;
    if (bytes && file >= 0 && crash_copy_bytes(self->child, call->bytes, bytes, half) == 0) {
        answer = call->offset >= 0 ? pwrite(file, bytes, half, call->offset) : write(file, bytes, half);
        if (answer < 0) answer = -errno;
    }
    if (file >= 0) close(file);
    if (process >= 0) close(process);
    free(bytes);
    return answer;
}

static int concerns(const struct crash_plan *plan, const struct crash_call *call) {
    if (!(plan->calls & call->traits)) return 0;
    if (!plan->suffix) return 1;
    size_t length = strlen(call->path), end = strlen(plan->suffix);
    return length >= end && strcmp(call->path + length - end, plan->suffix) == 0;
}

static void answer(struct supervisor *self, const struct seccomp_notif *notice) {
    struct crash_call call;
    struct seccomp_notif_resp response = {.id = notice->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    const struct crash_plan *plan = self->plan;
    if (crash_describe(notice, plan->root, &call)) {
        if (self->trace) {
            /* Copies must show as writes, or the trace would lack their bytes. */
            if (call.kind == CRASH_CLONE || call.kind == CRASH_COPY_RANGE) {
                response.flags = 0;
                response.error = -EOPNOTSUPP;
            } else {
                crash_trace_call(self->trace, notice->pid, &call);
            }
        }
        if (plan->fault != CRASH_NOTHING && concerns(plan, &call)) {
            long number = ++self->report->calls;
            if (number >= plan->point && (plan->length < 1 || number < plan->point + plan->length)) {
                if (!self->report->fired) {
                    snprintf(self->report->call, sizeof self->report->call, "%s", call.name);
                    snprintf(self->report->path, sizeof self->report->path, "%s", call.path);
                }
                self->report->fired = 1;
                switch (plan->fault) {
                case CRASH_ERROR:
                    response.flags = 0;
                    response.error = -plan->error;
                    break;
                case CRASH_OMIT:
                    response.flags = 0;
                    break;
                case CRASH_SHORT: {
                    long moved = write_half(self, &call);
                    response.flags = 0;
                    if (moved < 0) response.error = (int)moved; else response.val = moved;
                    break;
                }
                case CRASH_TEAR:
                    write_half(self, &call);
                    kill(self->child, SIGKILL);
                    return;
                case CRASH_KILL:
                    kill(self->child, SIGKILL);
                    return;
                case CRASH_NOTHING:
                    break;
                }
            }
        }
    }
    /* Fails where the child is gone, which the end of its output tells too. */
    ioctl(self->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void supervise(struct supervisor *self) {
    struct pollfd watched[2] = {{.fd = self->output, .events = POLLIN}, {.fd = self->listener, .events = POLLIN}};
    while (1) {
        int ready = poll(watched, self->listener < 0 ? 1 : 2, patience);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            self->report->hung = 1;
            kill(self->child, SIGKILL);
            return;
        }
        if (!drain(self)) return;
        if (self->listener >= 0 && watched[1].revents & POLLIN) {
            struct seccomp_notif notice;
            memset(&notice, 0, sizeof notice);
            if (ioctl(self->listener, SECCOMP_IOCTL_NOTIF_RECV, &notice) == 0) {
                drain(self);
                answer(self, &notice);
            }
        } else if (self->listener >= 0 && watched[1].revents & (POLLHUP | POLLERR)) {
            watched[1].fd = -1;
        }
    }
}

int crash_run(const struct crash_plan *plan, void (*child)(int, void *), void *context, struct crash_report *report) {
    memset(report, 0, sizeof *report);
    int channel[2], output[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) return -errno;
    if (pipe2(output, O_CLOEXEC) != 0) return -errno;
    pid_t process = fork();
    if (process < 0) return -errno;
    if (process == 0) {
        close(channel[0]);
        close(output[0]);
        /* Not without its parent: nobody would answer its calls. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (plan->watched) {
            int listener = install_filter();
            send_listener(channel[1], listener);
            if (listener < 0) _exit(71);
            close(listener);
        }
        close(channel[1]);
        child(output[1], context);
        _exit(0);
    }
    close(channel[1]);
    close(output[1]);
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    struct supervisor self = {.plan = plan, .report = report, .child = process, .listener = -1, .output = output[0]};
    int result = 0;
    if (plan->watched) {
        self.listener = receive_listener(channel[0]);
        if (self.listener < 0) result = self.listener;
    }
    if (result == 0 && plan->trace && !(self.trace = fopen(plan->trace, "w"))) result = -errno;
    close(channel[0]);
    if (result == 0) supervise(&self); else kill(process, SIGKILL);
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    drain(&self);
    report->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    report->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (self.trace) fclose(self.trace);
    if (self.listener >= 0) close(self.listener);
    close(output[0]);
    return result;
}
