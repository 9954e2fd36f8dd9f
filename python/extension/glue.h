/* SPDX-License-Identifier: BSD-2-Clause */
/* What the Python package needs beside the library: callbacks that do not wait for Python each time. */
#ifndef WVL_PYTHON_GLUE_H
#define WVL_PYTHON_GLUE_H

#include <stddef.h>
#include <stdint.h>
#include <wavelane_simple.h>

/* Functions of the package, in Python; each takes the interpreter's lock by itself. wvl_python_progress: nonzero
 * cancels. */
extern int wvl_python_progress(void *user, uint64_t done, uint64_t total, int stage);
extern void wvl_python_log(void *user, int level, const char *text);
extern void wvl_python_trace(void *user, const char *track, const char *name, uint64_t picture, double begin,
                             double end);

/* One for each encode, zeroed before. */
typedef struct wvl_python_watch {
    void *user;
    double last; /* seconds of CLOCK_MONOTONIC, of the last call into Python; 0: none yet */
} wvl_python_watch;

/* user is a wvl_python_watch. Calls wvl_python_progress ten times a second, where signals such as Ctrl-C are seen. */
int wvl_python_watch_progress(void *watch, uint64_t done, uint64_t total, wvl_stage stage);
void wvl_python_pass_log(void *user, wvl_log_level level, const char *text);
void wvl_python_pass_trace(void *user, const wvl_trace_span *span);
/* Of the package: a bytes object for an output of `bytes` bytes; it fills *output. Nonzero ends the encode. */
extern int wvl_python_reserve(void *output, uint64_t bytes);

/* Memory that a sink fills; zeroed before. */
typedef struct wvl_python_output {
    uint8_t *data;
    uint64_t bytes, written;
} wvl_python_output;

/* write of a wvl_sink whose user is a wvl_python_output. */
int wvl_python_write(void *output, const void *data, size_t bytes);
/* From here on log and trace do not call Python: the interpreter is about to end. */
void wvl_python_close(void);

#endif
