#pragma once
#include "Calls.h"
#include <stdio.h>

/* The trace is a line for each event, "<event>\t<offset>\t<length>\t<path>\t<second path>\n", followed by `length` bytes and a newline where there are any. Events:
   create, write, truncate, sync, rename, exchange, link, unlink, rmdir, mkdir, and "said" for what the child said meanwhile. Calls that fail for what is there
   or not there are left out. */
void crash_trace_call(FILE *trace, pid_t child, const struct crash_call *call);
void crash_trace_said(FILE *trace, const char *bytes, size_t count);
