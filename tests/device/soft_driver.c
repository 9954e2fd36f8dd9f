/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "soft_ops.h"

/* Contexts that a thread pushed, and facts of devices, for the software driver. They are no thread-local variable: leak
 * checkers stumble over those of libraries that are loaded late. */
/* 4 bits a context, the last one lowest: its device plus 1. */
static pthread_key_t pushed_key;
static pthread_once_t pushed_once = PTHREAD_ONCE_INIT;
static void make_pushed_key(void) { (void)pthread_key_create(&pushed_key, NULL); }

static uintptr_t pushed_contexts(void)
{
    (void)pthread_once(&pushed_once, make_pushed_key);
    return (uintptr_t)pthread_getspecific(pushed_key);
}
static void push_context(int device)
{
    uintptr_t before = pushed_contexts(); /* makes the key */
    (void)pthread_setspecific(pushed_key, (void *)(before << 4 | (uintptr_t)(device + 1)));
}
static void pop_context(void)
{
    uintptr_t before = pushed_contexts();
    (void)pthread_setspecific(pushed_key, (void *)(before >> 4));
}

/* -1: none, for calls that need no context; things made then are of device 0. */
static int context_device(void) { return (int)(pushed_contexts() & 15) - 1; }
static int current_device(void) { return context_device() < 0 ? 0 : context_device(); }

static int attribute_of(const soft_control *control, int attribute)
{
    switch (attribute) {
    case WVL_CUDA_ATTRIBUTE_MAJOR: return control->capability / 10;
    case WVL_CUDA_ATTRIBUTE_MINOR: return control->capability % 10;
    default: return 4;
    }
}

static void tell_watch(const soft_control *control, const char *call)
{
    if (control->watch) {
        control->watch(call, current_device());
    }
}

#define KERNELS 160 /* more than there are */

typedef struct event {
    soft_queue *on; /* the stream that it was last recorded in */
    int reached;
    double seconds;
} event;

typedef struct block {
    struct block *next;
    void *memory;
    size_t bytes;
    int pinned, device;
    int is_foreign; /* memory of the caller that was page-locked */
} block;

static soft_control control = {.devices = 1, .capability = 90};
static block *blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

SHOWN soft_control *soft_driver_control(void) { return &control; }

static void read_environment(void)
{
    const char *fail = getenv("SOFT_FAIL"), *memory = getenv("SOFT_MEMORY"), *devices = getenv("SOFT_DEVICES"),
               *open_ms = getenv("SOFT_OPEN_MS"), *kill = getenv("SOFT_KILL"), *wait_ms = getenv("SOFT_WAIT_MS");
    if (fail) {
        char *end;
        control.fail_at = (uint32_t)strtoul(fail, &end, 10);
        control.fail_status = *end == ':' ? atoi(end + 1) : 2;
    }
    control.memory_limit = memory ? strtoull(memory, NULL, 10) : control.memory_limit;
    control.devices = devices ? atoi(devices) : control.devices;
    control.open_ms = open_ms ? (uint32_t)strtoul(open_ms, NULL, 10) : 0;
    if (kill) {
        char *end;
        control.kill = (uint32_t)strtoul(kill, &end, 10);
        control.kill_at = *end == ':' ? (uint32_t)strtoul(end + 1, NULL, 10) : 1;
    }
    for (unsigned i = 0; wait_ms && i < sizeof control.wait_ms / sizeof *control.wait_ms; i++) {
        char *end;
        control.wait_ms[i] = (uint32_t)strtoul(wait_ms, &end, 10);
        wait_ms = *end == ',' ? end + 1 : NULL;
    }
}

/* ---- Current device -------------------------------------------------------------------------- */

static const int primary[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                8, 9, 10, 11, 12, 13, 14, 15}; /* contexts: each knows its device */
static uint32_t retained[16];
static int status_of(int device)
{
    int is_lost = device >= 0 && control.broken_devices >> device & 1;
    return !control.broken && is_lost ? 700 : control.broken;
}

static void lose(int device, int status)
{
    if (control.devices > 1) {
        control.broken_devices |= device < 0 ? 0 : UINT32_C(1) << device;
    } else {
        control.broken = status;
    }
}

static void require_device(int device, const char *what)
{
    if (device != current_device()) {
        fprintf(stderr, "soft driver: %s of device %d, and device %d is current\n", what, device, current_device());
        abort();
    }
}

/* ---- Failures -------------------------------------------------------------------------------- */

int soft_begin(const char *name)
{
    (void)pthread_once(&once, read_environment);
    (void)pthread_mutex_lock(&lock);
    if (status_of(context_device())) {
        return status_of(context_device());
    }
    if (++control.calls == control.fail_at) {
        control.last = name;
        if (control.fail_status >= 700) {
            lose(context_device(), control.fail_status);
        }
        return control.fail_status;
    }
    return 0;
}

/* For calls that give something back: they work while anything does. */
void soft_begin_quietly(void) { (void)pthread_mutex_lock(&lock); }

int soft_end(int status)
{
    (void)pthread_mutex_unlock(&lock);
    return status;
}

static void count_bytes(uint64_t *sum, size_t bytes)
{
    soft_begin_quietly();
    *sum += bytes;
    (void)soft_end(0);
}

int soft_make(const char *name, size_t bytes, void **out)
{
    int status = soft_begin(name);
    *out = status ? NULL : calloc(1, bytes);
    control.live += *out != NULL;
    return soft_end(status);
}

int soft_drop(void *what)
{
    soft_begin_quietly();
    free(what);
    control.live--;
    return soft_end(0);
}

/* ---- Streams --------------------------------------------------------------------------------- */

static int run_kernel(const soft_op *o)
{
    switch (o->room) {
    case SOFT_ROOM_BLOCKS: return soft_run_blocks(o->from, &o->job.blocks, &o->shape, &control);
    case SOFT_ROOM_T1: return soft_run_t1(o->from, &o->job.t1, &o->shape, &control);
    case SOFT_ROOM_RATE: return soft_run_rate(o->from, &o->job.rate, &o->shape, &control);
    case SOFT_ROOM_RDOQ: return soft_run_rdoq(o->from, &o->job.rdoq, &o->shape);
    case SOFT_ROOM_FOREIGN: return soft_other_kernels.run(o->from, o->job.foreign, &o->shape);
    case SOFT_ROOM_PACKETS: return soft_run_packets(o->from, &o->job.packets, &o->shape);
    default: return soft_run_kernel(o->from, o->grid_x, o->arguments, &control);
    }
}

static int run_op(soft_op *o)
{
    switch (o->kind) {
    case SOFT_UPLOAD:
    case SOFT_DOWNLOAD: memcpy(o->to, o->from, o->bytes); return 0;
    case SOFT_FILL: memset(o->to, o->value, o->bytes); return 0;
    case SOFT_ROWS:
        for (size_t y = 0; y < o->copy.rows; y++) {
            memcpy((uint8_t *)(uintptr_t)o->copy.to_device + y * o->copy.to_pitch_bytes,
                   (const uint8_t *)o->copy.from_host + y * o->copy.from_pitch_bytes, o->copy.width_bytes);
        }
        return 0;
    case SOFT_LAUNCH: return run_kernel(o);
    case SOFT_RECORD: {
        struct timespec t;
        event *e = o->to;
        (void)clock_gettime(CLOCK_MONOTONIC, &t);
        e->seconds = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
        e->reached = 1;
        return 0;
    }
    }
    return 1;
}

static int run_queue(soft_queue *q)
{
    int status = q ? status_of(q->device) : control.broken, was = status;
    while (q && q->first) {
        soft_op *o = q->first;
        status = status ? status : run_op(o);
        q->first = o->next;
        free(o);
    }
    if (q) {
        q->last = &q->first;
    }
    if (status && !was) {
        lose(q->device, status);
    }
    return status;
}

/* NULL for the default stream and its names CU_STREAM_LEGACY (1) and CU_STREAM_PER_THREAD (2): it runs at once. */
static soft_queue *queue_of(const void *stream) { return (uintptr_t)stream > 2 ? (soft_queue *)stream : NULL; }

static int put(soft_queue *q, const soft_op *what)
{
    soft_op *o = malloc(sizeof *o);
    *o = *what;
    o->next = NULL;
    if (q && o->kind == SOFT_RECORD) { /* under the lock: another thread may run the queue at once */
        event *e = o->to;
        e->reached = 0;
        e->on = q;
    }
    if (q) {
        *q->last = o;
        q->last = &o->next;
        return 0;
    }
    int status = run_op(o); /* the default stream */
    free(o);
    return status;
}

void soft_tell_watch(const char *call) { tell_watch(&control, call); }

static void count_launches(const soft_op *list)
{
    soft_begin_quietly();
    for (const soft_op *o = list; o; o = o->next) {
        control.launches += o->kind == SOFT_LAUNCH;
        if (o->kind == SOFT_LAUNCH && ++control.launches_of[current_device()] == control.kill_at &&
            control.kill == (uint32_t)current_device()) {
            lose(current_device(), 700);
        }
    }
    (void)soft_end(0);
}

int soft_enqueue(const char *name, wvl_cuda_stream stream, const soft_op *list)
{
    soft_queue *q = queue_of(stream);
    count_launches(list);
    int status = soft_begin(name);
    if (q) {
        require_device(q->device, "a stream");
    }
    for (const soft_op *o = list; o && !status; o = o->next) {
        status = put(q, o);
    }
    return soft_end(status);
}

SHOWN int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    int status = soft_make("cuStreamCreate", sizeof(soft_queue), stream);
    if (!status) {
        soft_queue *q = *stream;
        q->device = current_device();
        q->last = &q->first;
    }
    return status;
}

static void sleep_ms(uint32_t ms)
{
    struct timespec rest = {ms / 1000, 1000000L * (long)(ms % 1000)};
    while (ms && nanosleep(&rest, &rest)) {
    }
}

/* Without the lock: other threads and devices work meanwhile. */
static void wait_for_device(void)
{
    (void)pthread_once(&once, read_environment);
    sleep_ms(control.wait_ms[current_device()]);
}

SHOWN int cuStreamSynchronize(soft_queue *stream)
{
    wait_for_device();
    soft_begin_quietly();
    control.waits++;
    return soft_end(run_queue(stream));
}
SHOWN int cuStreamDestroy_v2(soft_queue *stream)
{
    soft_begin_quietly();
    (void)run_queue(stream);
    (void)soft_end(0);
    return soft_drop(stream);
}

SHOWN int cuEventCreate(void **e, unsigned flags)
{
    (void)flags;
    return soft_make("cuEventCreate", sizeof(event), e);
}
SHOWN int cuEventDestroy_v2(event *e) { return soft_drop(e); }
SHOWN int cuEventRecord(event *e, soft_queue *stream)
{
    soft_op o = {.kind = SOFT_RECORD, .to = e};
    return soft_enqueue("cuEventRecord", (wvl_cuda_stream)stream, &o);
}

SHOWN int cuEventQuery(event *e)
{
    int status = soft_begin("cuEventQuery");
    if (!status && !e->reached) {
        status = run_queue(e->on);
        return soft_end(status ? status : WVL_CUDA_NOT_READY); /* the next one finds it done */
    }
    return soft_end(status);
}
SHOWN int cuEventSynchronize(event *e)
{
    wait_for_device();
    int status = soft_begin("cuEventSynchronize");
    control.waits++;
    return soft_end(status ? status : e->reached ? 0 : run_queue(e->on));
}

SHOWN int cuEventElapsedTime(float *ms, const event *from, const event *to)
{
    int status = soft_begin("cuEventElapsedTime");
    *ms = (float)(1e3 * (to->seconds - from->seconds));
    return soft_end(status);
}

SHOWN int cuStreamWaitEvent(soft_queue *stream, event *e, unsigned flags)
{
    (void)stream, (void)flags;
    int status = soft_begin("cuStreamWaitEvent");
    control.stream_waits++;
    return soft_end(status ? status : e->reached ? 0 : run_queue(e->on));
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* At once: the command ends without a look at libraries. */
static void tell_peaks(void)
{
    const char *name = getenv("SOFT_PEAKS");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file) {
        fprintf(file, "%llu %llu\n", (unsigned long long)control.pinned_peak, (unsigned long long)control.memory_peak);
        (void)fclose(file);
    }
}

static void count_memory(uint64_t *used, uint64_t *peak, size_t bytes)
{
    *used += bytes;
    if (*used > *peak) {
        *peak = *used;
        tell_peaks();
    }
}

static int allocate(const char *name, size_t bytes, int pinned, void **memory)
{
    int status = soft_begin(name);
    *memory = NULL;
    if (!status && !pinned && control.memory_limit && control.memory_used + bytes > control.memory_limit) {
        status = WVL_CUDA_OUT_OF_MEMORY;
    }
    block *b = status ? NULL : malloc(sizeof *b);
    if (b) {
        *b = (block){blocks, aligned_alloc(256, (bytes + 255) / 256 * 256), bytes, pinned, current_device(), 0};
        memset(b->memory, 0xA7, bytes);
        blocks = b;
        *memory = b->memory;
        control.live++, control.allocations++;
        count_memory(pinned ? &control.pinned_used : &control.memory_used,
                     pinned ? &control.pinned_peak : &control.memory_peak, bytes);
    }
    return soft_end(status);
}

static int release(void *memory)
{
    soft_begin_quietly();
    for (block **at = &blocks; *at; at = &(*at)->next) {
        block *b = *at;
        if (b->memory == memory) {
            if (!b->pinned && !status_of(b->device)) {
                require_device(b->device, "memory");
            }
            *at = b->next;
            control.live--;
            *(b->pinned ? &control.pinned_used : &control.memory_used) -= b->bytes;
            free(b->is_foreign ? NULL : b->memory);
            free(b);
            return soft_end(0);
        }
    }
    fputs("soft driver: release of unknown memory\n", stderr);
    abort();
}

SHOWN int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    void *memory;
    int status = allocate("cuMemAlloc", bytes, 0, &memory);
    *address = (uint64_t)(uintptr_t)memory;
    return status;
}
SHOWN int cuMemFree_v2(uint64_t address) { return release((void *)(uintptr_t)address); }
SHOWN int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return allocate("cuMemHostAlloc", bytes, 1, memory);
}
SHOWN int cuMemFreeHost(void *memory) { return release(memory); }
SHOWN int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags)
{
    (void)flags;
    int status = soft_begin("cuMemHostRegister");
    status = !status && control.refuses_to_register ? WVL_CUDA_NOT_SUPPORTED : status;
    block *b = status ? NULL : malloc(sizeof *b);
    if (b) {
        *b = (block){blocks, memory, bytes, 1, current_device(), 1};
        blocks = b;
        control.live++, control.registered++;
        count_memory(&control.pinned_used, &control.pinned_peak, bytes);
    }
    return soft_end(status);
}
SHOWN int cuMemHostUnregister(void *memory) { return release(memory); }
SHOWN int cuMemGetInfo_v2(size_t *available, size_t *total)
{
    int status = soft_begin("cuMemGetInfo");
    *total = control.memory_limit ? (size_t)control.memory_limit : (size_t)1 << 34;
    *available = *total - (size_t)control.memory_used;
    return soft_end(status);
}
SHOWN int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags)
{
    (void)flags;
    soft_begin_quietly();
    *address = (uint64_t)(uintptr_t)memory;
    return soft_end(status_of(current_device()));
}

SHOWN int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, soft_queue *stream)
{
    soft_op o = {.kind = SOFT_UPLOAD, .to = (void *)(uintptr_t)to, .from = from, .bytes = bytes};
    count_bytes(&control.uploaded_bytes, bytes);
    return soft_enqueue("cuMemcpyHtoDAsync", (wvl_cuda_stream)stream, &o);
}
SHOWN int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, soft_queue *stream)
{
    soft_op o = {.kind = SOFT_DOWNLOAD, .to = to, .from = (const void *)(uintptr_t)from, .bytes = bytes};
    count_bytes(&control.downloaded_bytes, bytes);
    return soft_enqueue("cuMemcpyDtoHAsync", (wvl_cuda_stream)stream, &o);
}

SHOWN int cuMemcpy2DAsync_v2(const wvl_cuda_copy *copy, soft_queue *stream)
{
    soft_op o = {.kind = SOFT_ROWS, .copy = *copy};
    count_bytes(&control.uploaded_bytes, copy->width_bytes * copy->rows);
    return copy->from_pitch_bytes < copy->width_bytes || copy->to_pitch_bytes < copy->width_bytes
               ? 1
               : soft_enqueue("cuMemcpy2DAsync", (wvl_cuda_stream)stream, &o);
}

SHOWN int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, soft_queue *stream)
{
    soft_op o = {.kind = SOFT_FILL, .to = (void *)(uintptr_t)to, .value = value, .bytes = bytes};
    return soft_enqueue("cuMemsetD8Async", (wvl_cuda_stream)stream, &o);
}

/* ---- Devices, contexts, kernels -------------------------------------------------------------- */

SHOWN int cuInit(unsigned flags)
{
    (void)flags;
    int status = soft_begin("cuInit");
    return soft_end(status ? status : control.devices ? 0 : 100);
}
SHOWN int cuDeviceGetCount(int *count)
{
    int status = soft_begin("cuDeviceGetCount");
    *count = control.devices;
    return soft_end(status);
}
SHOWN int cuDeviceGet(int *device, int ordinal)
{
    int status = soft_begin("cuDeviceGet");
    *device = ordinal;
    return soft_end(status ? status : ordinal < control.devices ? 0 : 101);
}
SHOWN int cuDeviceGetName(char *name, int bytes, int device)
{
    int status = soft_begin("cuDeviceGetName");
    snprintf(name, (size_t)bytes, "software device %d", device);
    return soft_end(status);
}
SHOWN int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    size_t available;
    return cuMemGetInfo_v2(&available, bytes);
}
SHOWN int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    int status = soft_begin("cuDeviceGetAttribute");
    *value = attribute_of(&control, attribute);
    return soft_end(status);
}
/* All kernels are those for 9.0. */
SHOWN int cuFuncGetAttribute(int *value, int attribute, const void *function)
{
    (void)function;
    *value = 90;
    return attribute == WVL_CUDA_FUNCTION_PTX_VERSION ? soft_end(soft_begin("cuFuncGetAttribute")) : 1;
}
SHOWN int cuGetErrorName(int status, const char **name)
{
    (void)status;
    *name = "CUDA_ERROR_OF_THE_SOFT_DRIVER";
    return 0;
}
SHOWN int cuDevicePrimaryCtxRetain(void **context, int device)
{
    int status = soft_begin("cuDevicePrimaryCtxRetain");
    status = status ? status : status_of(device);
    sleep_ms(control.open_ms);
    control.live += !status && !retained[device]++;
    *context = (void *)(uintptr_t)&primary[device];
    return soft_end(status);
}
SHOWN int cuDevicePrimaryCtxRelease_v2(int device)
{
    soft_begin_quietly();
    control.live -= !--retained[device];
    return soft_end(status_of(device));
}
/* Ordinal of the calling thread's device; -1: it has none. */
SHOWN int soft_current_device(void) { return context_device(); }
SHOWN int cuCtxPushCurrent_v2(void *context)
{
    int device = *(const int *)context;
    soft_begin_quietly();
    if (!status_of(device)) {
        push_context(device);
    }
    return soft_end(status_of(device));
}
SHOWN int cuCtxPopCurrent_v2(void **context)
{
    soft_begin_quietly();
    int device = current_device();
    *context = (void *)(uintptr_t)&primary[device];
    pop_context();
    return soft_end(status_of(device));
}
SHOWN int cuModuleLoadData(void **module, const void *image)
{
    return !image ? 200 : soft_make("cuModuleLoadData", 1, module);
}
SHOWN int cuModuleUnload(void *module) { return soft_drop(module); }
/* A function is its name, which lives as long as the process. */
SHOWN int cuModuleGetFunction(const void **function, void *module, const char *name)
{
    static char names[KERNELS][64];
    (void)module;
    int status = soft_begin("cuModuleGetFunction");
    *function = NULL;
    for (unsigned i = 0; i < KERNELS && !status; i++) {
        if (!names[i][0]) { /* written once: launches of other threads read their names */
            snprintf(names[i], sizeof names[i], "%s", name);
        }
        if (!strcmp(names[i], name)) {
            *function = names[i];
            break;
        }
    }
    return soft_end(status || *function ? status : 500);
}
