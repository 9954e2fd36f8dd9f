/* SPDX-License-Identifier: BSD-2-Clause */
#include "timer_launches.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include "device_timer.h"

#define MOST_LAUNCHES 1024u

typedef struct launch_time {
    const char *name;
    unsigned grid, threads;
    double microseconds; /* of all pictures */
} launch_time;

static wvl_cuda_runtime plain;
static wvl_cuda_event marks[MOST_LAUNCHES + 1];
static launch_time launches[MOST_LAUNCHES];
static unsigned count, most, pictures;
static int (*fetch_name)(const char **name, wvl_cuda_function function); /* NULL: a function is its name */

static const char *name_of(wvl_cuda_function function)
{
    const char *name = (const char *)(const void *)function;
    if (fetch_name) {
        timer_require(fetch_name(&name, function));
    }
    return name;
}

/* ---- Experiments ----------------------------------------------------------------------------- */

static unsigned most_rounds, choices, mq_lanes, mq_thin;

/* Says whether a launch belongs to a round of rate control that is left out. */
static int is_left_out(const char *name)
{
    if (!strcmp(name, "wvl_t1_open") || !strcmp(name, "wvl_rate_ends") || !strncmp(name, "wvl_packets", 11)) {
        choices = 0;
    }
    int is_out = choices >= most_rounds;
    choices += !strncmp(name, "wvl_rate_choose", 15);
    return is_out;
}

/* The argument and the grid of a launch of the MQ coder with other lanes. Returns whether they are others. */
static int shape_lanes(wvl_cuda_function f, unsigned threads, const void *argument, wvl_cuda_t1_job *job,
                       unsigned *grid)
{
    const char *name = name_of(f);
    if (!mq_lanes || (strcmp(name, "wvl_t1_mq") != 0 && strcmp(name, "wvl_t1_mq_floats") != 0)) {
        return 0;
    }
    *job = *(const wvl_cuda_t1_job *)argument;
    job->lanes = mq_lanes;
    job->thin = mq_thin;
    *grid = (wvl_cuda_t1_count_mq_threads(job) + threads - 1) / threads;
    return 1;
}

/* Pictures in flight are graphs. No round can be left out of one. */
static wvl_cuda_status limited_node(wvl_cuda_node *node, wvl_cuda_graph graph, const wvl_cuda_node *after, size_t edges,
                                    const wvl_cuda_kernel_node *kernel)
{
    wvl_cuda_kernel_node own = *kernel;
    wvl_cuda_t1_job job;
    void *arguments[] = {&job};
    if (shape_lanes(own.function, own.block_x, own.arguments[0], &job, &own.grid_x)) {
        own.arguments = arguments;
    }
    return plain.graph_kernel(node, graph, after, edges, &own);
}

static wvl_cuda_status limited_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                      unsigned by, unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments,
                                      void **extra)
{
    const char *name = name_of(f);
    if (is_left_out(name)) {
        return 0;
    }
    wvl_cuda_t1_job job;
    void *own[] = {&job};
    int is_shaped = shape_lanes(f, bx, arguments[0], &job, &gx);
    return plain.launch(f, gx, gy, gz, bx, by, bz, shared, s, is_shaped ? own : arguments, extra);
}

static wvl_cuda_status limited_fill(wvl_cuda_address to, unsigned char value, size_t bytes, wvl_cuda_stream s)
{
    return is_left_out("fill") ? 0 : plain.fill(to, value, bytes, s);
}

/* *call: a function of the driver that its table does not have; NULL: this driver has none. */
static void find_call(const char *name, void *call)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *symbol = library ? dlsym(library, name) : NULL;
    memcpy(call, &symbol, sizeof symbol);
}

void timer_launches_shape(unsigned lanes, unsigned thin)
{
    mq_lanes = lanes;
    mq_thin = thin;
}

void timer_launches_limit(wvl_device *device, unsigned rounds)
{
    wvl_cuda_runtime *runtime = &device->own_runtime;
    find_call("cuFuncGetName", &fetch_name);
    plain = *runtime;
    most_rounds = rounds ? rounds : UINT_MAX;
    choices = 0;
    runtime->launch = limited_launch;
    runtime->fill = limited_fill;
    runtime->graph_kernel = limited_node;
}

void timer_launches_unlimit(wvl_device *device) { device->own_runtime = plain; }

void timer_launches_carve(const wvl_device *device, int percent)
{
    static wvl_cuda_function functions[512];
    int (*count_functions)(unsigned *number, wvl_cuda_module module) = NULL;
    int (*list_functions)(wvl_cuda_function *list, unsigned number, wvl_cuda_module module) = NULL;
    unsigned number = 0, set = 0;
    find_call("cuModuleGetFunctionCount", &count_functions);
    find_call("cuModuleEnumerateFunctions", &list_functions);
    if (!count_functions || !list_functions) {
        printf("this driver lists no functions\n");
        return;
    }
    timer_require(count_functions(&number, device->kernels.module));
    number = number > 512 ? 512 : number;
    timer_require(list_functions(functions, number, device->kernels.module));
    for (unsigned i = 0; i < number; i++) {
        set += !device->runtime->function_set(functions[i], 9, percent);
    }
    printf("%u of %u kernels: carve-out %d\n", set, number, percent);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static void open_launch(const char *name, unsigned grid, unsigned threads, wvl_cuda_stream stream)
{
    if (count == MOST_LAUNCHES) {
        timer_fail("more than %u launches", MOST_LAUNCHES);
    }
    if (!count) {
        timer_require(plain.event_record(marks[0], stream));
    }
    launches[count].name = name;
    launches[count].grid = grid;
    launches[count].threads = threads;
}

static wvl_cuda_status end_launch(wvl_cuda_status status, wvl_cuda_stream stream)
{
    return status ? status : plain.event_record(marks[++count], stream);
}

static wvl_cuda_status marked_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                     unsigned by, unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments,
                                     void **extra)
{
    wvl_cuda_t1_job job;
    void *own[] = {&job};
    int is_shaped = shape_lanes(f, bx, arguments[0], &job, &gx);
    open_launch(name_of(f), gx * gy * gz, bx * by * bz, s);
    return end_launch(plain.launch(f, gx, gy, gz, bx, by, bz, shared, s, is_shaped ? own : arguments, extra), s);
}

static wvl_cuda_status marked_config(const wvl_cuda_launch_config *c, wvl_cuda_function f, void **arguments,
                                     void **extra)
{
    open_launch(name_of(f), c->grid_x * c->grid_y * c->grid_z, c->block_x * c->block_y * c->block_z, c->stream);
    return end_launch(plain.launch_config(c, f, arguments, extra), c->stream);
}

static wvl_cuda_status marked_fill(wvl_cuda_address to, unsigned char value, size_t bytes, wvl_cuda_stream s)
{
    open_launch("fill", (unsigned)(bytes >> 10), 0, s);
    return end_launch(plain.fill(to, value, bytes, s), s);
}

void timer_launches_open(wvl_device *device)
{
    wvl_cuda_runtime *runtime = &device->own_runtime;
    find_call("cuFuncGetName", &fetch_name);
    plain = *runtime;
    for (unsigned i = 0; i <= MOST_LAUNCHES; i++) {
        timer_require(plain.event_create(&marks[i], 0));
    }
    memset(launches, 0, sizeof launches);
    count = most = pictures = 0;
    runtime->launch = marked_launch;
    runtime->launch_config = plain.launch_config ? marked_config : NULL;
    runtime->fill = marked_fill;
}

void timer_launches_take(void)
{
    for (unsigned i = 0; i < count; i++) {
        float milliseconds = 0;
        timer_require(plain.event_elapsed(&milliseconds, marks[i], marks[i + 1]));
        launches[i].microseconds += 1e3 * (double)milliseconds;
    }
    most = count > most ? count : most;
    pictures++;
    count = 0;
}

/* All launches of the kernel; nothing if one stands before. */
static void print_kernel(unsigned first)
{
    unsigned calls = 0;
    double sum = 0;
    for (unsigned i = 0; i < most; i++) {
        if (!strcmp(launches[i].name, launches[first].name)) {
            if (i < first) {
                return;
            }
            calls++;
            sum += launches[i].microseconds;
        }
    }
    printf("%-28s %4u launches %10.1f us\n", launches[first].name, calls, sum / pictures);
}

void timer_launches_print(void)
{
    double sum = 0;
    for (unsigned i = 0; i < most; i++) {
        printf("%4u %-28s %7u x %4u %9.1f us\n", i, launches[i].name, launches[i].grid, launches[i].threads,
               launches[i].microseconds / pictures);
        sum += launches[i].microseconds;
    }
    for (unsigned i = 0; i < most; i++) {
        print_kernel(i);
    }
    printf("%-28s %4u launches %10.1f us, %u pictures\n", "all", most, most ? sum / pictures : 0.0, pictures);
}

void timer_launches_close(wvl_device *device)
{
    device->own_runtime = plain;
    for (unsigned i = 0; i <= MOST_LAUNCHES; i++) {
        timer_require(plain.event_destroy(marks[i]));
    }
}
