/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wavelane: a JPEG 2000 encoder (ISO/IEC 15444-1). This header is the manual.
 *
 *   context -> params -> plan -> encode -> result
 *
 *   wvl_context *ctx;  wvl_params *params;  wvl_plan *plan;  wvl_result *result;
 *   wvl_context_create(NULL, &ctx);
 *   wvl_params_create(ctx, &params);
 *   wvl_params_set(params, "reversible", "no");
 *   wvl_params_set(params, "bpp", "1.0");
 *   wvl_plan_create(ctx, params, &format, NULL, &plan);       // validates everything, allocates no picture memory
 *   wvl_encode(plan, &image, &sink, NULL, &result, error, sizeof error);
 *
 * Conventions
 * - Every function that can fail returns a wvl_status. 0 is success, positive values are not errors, negative values are.
 *   wvl_status_text() names the code, wvl_error_text() on the context, params or plan gives the detail of the last failure on it.
 * - The library never prints, never exits, installs no signal handler, keeps no global state and links nothing beyond libc,
 *   libm and pthreads. A build with device code loads the CUDA driver (libcuda.so.1) when a device is first asked for.
 * - Threads: one object is used by one thread at a time, with three exceptions: a wvl_plan is immutable and may be used by any
 *   number of threads at once, wvl_cancel_raise() may be called from anywhere (also from a signal handler), and objects that only
 *   share a context may be used from different threads.
 * - Same bytes: for the same image and parameters the output does not depend on the number of threads, the processor, the
 *   device, the floating-point environment of the caller, or on what was encoded before.
 * - Structures that cross the interface begin with struct_size = sizeof(the structure); zero-initialise the rest, zero always means
 *   the default. Later versions append members only.
 * - Clause numbers refer to ISO/IEC 15444-1 (ITU-T T.800).
 */
#ifndef WAVELANE_H
#define WAVELANE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(WVL_BUILDING_SHARED) && defined(__GNUC__)
#define WVL_API __attribute__((visibility("default")))
#else
#define WVL_API
#endif

#define WVL_VERSION_MAJOR 0
#define WVL_VERSION_MINOR 2
#define WVL_VERSION_PATCH 0

/* ---- Status ------------------------------------------------------------------------------------------------------------ */

/* Frozen: values are never renumbered. */
typedef enum wvl_status {
    WVL_OK = 0,
    WVL_AGAIN = 1,               /* no result yet, or no free slot: ask later (frames in flight) */
    WVL_END = 2,                 /* nothing more will come */
    WVL_CANCELLED = 3,           /* the cancel token was raised or the progress callback asked for it */
    WVL_ERROR_ARGUMENT = -1,     /* a NULL or inconsistent argument of the call itself */
    WVL_ERROR_PARAMETER = -2,    /* unknown key, malformed value, or parameters that the standard forbids */
    WVL_ERROR_UNSUPPORTED = -3,  /* legal, but this build or version does not do it; the text says what */
    WVL_ERROR_UNREACHABLE = -4,  /* a byte cap below headers and empty packets (wvl_plan_create says so and how many bytes these need); a PSNR
                                    beyond what the quantizer reaches is not an error, it gives everything */
    WVL_ERROR_MEMORY = -5,       /* an allocation failed */
    WVL_ERROR_SINK = -6,         /* the sink refused bytes (disk full, closed pipe, ...) */
    WVL_ERROR_DEVICE = -7,       /* a GPU failed or is missing */
    WVL_ERROR_INPUT = -8,        /* samples that do not fit the declared depth, or unreadable picture memory */
    WVL_ERROR_THREAD = -9,       /* no worker thread could be started and none was allowed to be missing */
    WVL_ERROR_INTERNAL = -10,    /* a proved bound was broken: a defect of the library, please report it */
    WVL_ERROR_PROFILE = -11      /* the finished bytes break the profile that was asked for; the text lists how. Nothing was written */
} wvl_status;

WVL_API const char *wvl_status_text(wvl_status status); /* static, never NULL */
WVL_API void wvl_version(int *major, int *minor, int *patch);
WVL_API const char *wvl_build_text(void); /* static: version, compiler, SIMD level in use, whether CUDA code was built */

/* ---- Context: allocators, log, threads -------------------------------------------------------------------------------------- */

typedef struct wvl_context wvl_context;
typedef struct wvl_params wvl_params;
typedef struct wvl_plan wvl_plan;
typedef struct wvl_result wvl_result;
typedef struct wvl_cancel wvl_cancel;

/* allocate: at least `bytes` bytes aligned to `alignment` (a power of two), or NULL. stream: for device memory a cudaStream_t,
 * else NULL. release gets the size and pointer of an earlier allocate. Both may be called from any thread. NULL functions select
 * the library's own. */
typedef struct wvl_allocator {
    void *(*allocate)(void *user, size_t bytes, size_t alignment, void *stream);
    void (*release)(void *user, void *memory, size_t bytes, void *stream);
    void *user;
} wvl_allocator;

typedef enum wvl_log_level { WVL_LOG_ERROR = 0, WVL_LOG_WARNING = 1, WVL_LOG_INFO = 2, WVL_LOG_DEBUG = 3 } wvl_log_level;
typedef void (*wvl_log_fn)(void *user, wvl_log_level level, const char *text); /* any thread; must be reentrant */

/* Runner: calls task(arg, index, worker) once for every index in [0, count), from as many threads as it likes, and returns when
 * all have returned. worker is in [0, concurrency) and no two calls that run at the same time share it. */
typedef void (*wvl_task_fn)(void *arg, uint32_t index, uint32_t worker);
typedef struct wvl_runner {
    void (*run)(void *user, uint32_t count, wvl_task_fn task, void *arg);
    void *user;
    uint32_t concurrency; /* greatest number of simultaneous tasks, 1..1024 */
} wvl_runner;

/* A stretch of work, told when it is over. Texts are valid during the call only. Times are seconds of CLOCK_MONOTONIC; those of a device are
 * measured by it and placed on that clock. */
typedef struct wvl_trace_span {
    size_t struct_size;
    const char *track;   /* who was at work: "encode 1", "cuda:0 upload", ... */
    const char *name;    /* "transform", "code", "rate", "write", "stage", "upload", "kernels", "download" */
    uint64_t picture;    /* counts the pictures of the context from 1; 0: none */
    double begin, end;
} wvl_trace_span;
typedef void (*wvl_trace_fn)(void *user, const wvl_trace_span *span); /* any thread; must be reentrant */

typedef struct wvl_context_options {
    size_t struct_size;
    /* Pinned memory must be page-locked for the device in use. Both are unused without a device. */
    wvl_allocator host, pinned, device;
    wvl_log_fn log;
    void *log_user;
    wvl_log_level log_level; /* messages above it are not formatted */
    uint32_t threads;        /* 0: one per processor this process may use; 1: no extra thread is started */
    wvl_runner runner;       /* run != NULL: used instead of own threads; `threads` is then ignored */
    wvl_trace_fn trace;
    void *trace_user;
} wvl_context_options;

/* options may be NULL. Threads that cannot be started are done without (logged); the bytes stay the same. The context is
 * reference-counted: plans and params hold it, the order of release is free. */
WVL_API wvl_status wvl_context_create(const wvl_context_options *options, wvl_context **context);
WVL_API void wvl_context_release(wvl_context *context); /* NULL is allowed, here and in every release */
WVL_API uint32_t wvl_context_threads(const wvl_context *context);
/* Detail of the last failure on an object, or "". Valid until the next call on that object. Where several threads share a context (plans and
 * sinks are made with it), its text is that of the last failure of any of them; wvl_encode gives its own. */
WVL_API const char *wvl_context_error(const wvl_context *context);
WVL_API const char *wvl_params_error(const wvl_params *params);

/* ---- Devices -------------------------------------------------------------------------------------------------------------------
 *
 * The option "device" of the params says where pixels become coefficients; block coding and everything after it run on the CPU. The bytes do
 * not depend on it.
 *   auto        a device where it pays (pixels that lie on one; pictures in flight of an encoder object), else the CPU. The default.
 *   cpu         the CPU.
 *   cuda        device 0; cuda:N: device N. The CPU takes over where there is none, where its memory is too small, or where the picture is
 *               not for it (components of more than 16 bits), and the log says so (WVL_LOG_WARNING).
 *   cuda-only   the same without the CPU: WVL_ERROR_DEVICE, _MEMORY or _UNSUPPORTED instead. cuda-only:N: device N.
 * wvl_result_backend tells which it was. A device is opened once a context, at its first use. After a failure that lasts (a fault in a kernel, a
 * lost device) the pictures at work on it end with WVL_ERROR_DEVICE, and the device counts as lost for the process, whatever context is used;
 * later pictures go to the CPU where the option allows it, and nothing is tried on it any more. The library never resets a device.
 *
 * What a picture took of device and page-locked memory is kept for the next picture of its plan (up to four blocks of either kind a device)
 * until the context is released or memory runs short; memory from allocators of the caller's is given back at once. */

typedef struct wvl_device_info {
    size_t struct_size;
    char name[128];
    uint32_t ordinal;            /* the N of cuda:N */
    uint32_t capability_major, capability_minor;
    uint32_t multiprocessors;
    uint64_t memory_bytes;
    uint8_t usable;              /* 0: too old for this build (compute capability below 7.5), or lost */
} wvl_device_info;

/* Device `ordinal`, from 0; WVL_END beyond the last one. WVL_ERROR_UNSUPPORTED: a build without device code; WVL_ERROR_DEVICE: no driver. Opens
 * nothing. */
WVL_API wvl_status wvl_device_describe(uint32_t ordinal, wvl_device_info *info);

/* ---- Params: one table of options --------------------------------------------------------------------------------------------- */

typedef enum wvl_option_type {
    WVL_OPTION_BOOL,    /* yes/no, on/off, true/false, 1/0 */
    WVL_OPTION_INTEGER,
    WVL_OPTION_REAL,
    WVL_OPTION_TEXT,
    WVL_OPTION_CHOICE,  /* one of the words in `range` */
    WVL_OPTION_PAIR,    /* width,height or x,y */
    WVL_OPTION_PAIRS,   /* [w,h],[w,h],... */
    WVL_OPTION_REALS    /* a,b,c,... */
} wvl_option_type;

typedef struct wvl_option {
    const char *key;
    wvl_option_type type;
    const char *range;       /* human readable */
    const char *initial;     /* default, as wvl_params_set would take it */
    const char *doc;         /* one sentence, clause included where there is one */
    const char *section;     /* heading in --help and the manual page */
} wvl_option;

/* The table: count entries, static. Numbers are parsed independently of the locale. */
WVL_API const wvl_option *wvl_options(size_t *count);

WVL_API wvl_status wvl_params_create(wvl_context *context, wvl_params **params);
WVL_API wvl_status wvl_params_clone(const wvl_params *params, wvl_params **copy);
WVL_API void wvl_params_release(wvl_params *params);
/* Unknown keys are errors that name the nearest key. `comment` may be set several times (each adds one); setting it to NULL or ""
 * empties the list. Every other key replaces its value. */
WVL_API wvl_status wvl_params_set(wvl_params *params, const char *key, const char *value);
/* Current value as text, valid until the next call on params; NULL for an unknown key, or when memory is short. */
WVL_API const char *wvl_params_get(const wvl_params *params, const char *key);
/* Why the value of an option has no effect as the other options stand, in words that follow "KEY needs "; static. NULL: it has an effect, asks
 * for nothing, or is not known. wvl_plan_create does not refuse such a value; it logs a warning. */
WVL_API const char *wvl_params_needs(const wvl_params *params, const char *key);
/* Overwrites what the preset fixes and leaves the rest. Unknown name: error listing the names. Presets of cinema, IMF and broadcast take
 * words behind their names: a frame rate, 3d, hfr, m and a main level, s and a sublevel, as in dci-2k-48-3d and imf-2k-24-m3-s1.
 * A preset with a profile has it checked: wvl_plan_create lists what does not fit, byte limits are kept, and wvl_encode judges the finished
 * bytes before the sink gets any of them (WVL_ERROR_PROFILE). */
WVL_API wvl_status wvl_params_preset(wvl_params *params, const char *name);
typedef struct wvl_preset { const char *name; const char *doc; const char *settings; /* "key=value key=value" */ } wvl_preset;
WVL_API const wvl_preset *wvl_presets(size_t *count);

/* How the first three samples of a pixel, R, G, B, stand for light, when no word of "input-color" says it: three curves, then a matrix to
 * CIE X, Y, Z, in which the Y of peak white is 1 (a matrix profile of ICC without its adaptation to D50, for example). Setting them sets
 * "input-color" to custom; NULL sets it to none and forgets the tables. They are copied. What is coded is X'Y'Z' of digital cinema in 12 bits:
 * round(4095 * (48/52.37 * V)^(1/2.6)) for V = X, Y, Z, clamped to [0, 1] before the power. */
typedef struct wvl_color_tables {
    size_t struct_size;
    uint32_t entries;       /* of each curve, 2..65536 at equal distances from black to white of the samples; straight lines between them */
    const double *curve[3]; /* R, G, B: light, 0..1 */
    double matrix[9];       /* rows X, Y, Z; columns R, G, B */
} wvl_color_tables;
WVL_API wvl_status wvl_params_set_color(wvl_params *params, const wvl_color_tables *tables);

/* ---- Picture ---------------------------------------------------------------------------------------------------------------- */

/* Component as its samples are given and, unless "input-color" converts the first three to 12-bit X'Y'Z', as the codestream declares it
 * (A.5.1). A conversion takes three unsigned components of one depth, 8..16, without subsampling; any others are coded as they are. */
typedef struct wvl_component_format {
    uint8_t depth;     /* significant bits, 1..38 (lossless up to 28) */
    uint8_t is_signed; /* 0 or 1 */
    uint8_t dx, dy;    /* XRsiz, YRsiz: 1..255; 0 means 1 */
} wvl_component_format;

/* What is known of a picture before its pixels: enough for a plan. Component c covers
 * ceil(x1/dx) - ceil(x0/dx) columns and the like for rows (B.2). */
typedef struct wvl_image_format {
    size_t struct_size;
    uint32_t x0, y0; /* image offset on the reference grid (XOsiz, YOsiz) */
    uint32_t x1, y1; /* extent (Xsiz, Ysiz); the picture is (x1 - x0) by (y1 - y0) */
    uint32_t component_count; /* 1..16384 */
    const wvl_component_format *components;
} wvl_image_format;

typedef enum wvl_container_type {
    WVL_SAMPLE_8 = 1,        /* int8_t or uint8_t by the component's sign */
    WVL_SAMPLE_16 = 2,
    WVL_SAMPLE_32 = 3,
    WVL_SAMPLE_64 = 4,       /* reserved: refused with WVL_ERROR_UNSUPPORTED */
    WVL_SAMPLE_PACKED10 = 5, /* unsigned 10-bit samples, consecutive, most significant bit first; rows start on a byte */
    WVL_SAMPLE_PACKED12 = 6  /* the same with 12 bits */
} wvl_container_type;

typedef enum wvl_memory_kind { WVL_MEMORY_HOST = 0, WVL_MEMORY_PINNED = 1, WVL_MEMORY_DEVICE = 2, WVL_MEMORY_MANAGED = 3 } wvl_memory_kind;

/* Samples of one component. Sample (column i, row j) is container number first_sample + i * sample_stride of the row that starts at
 * data + j * pitch_bytes. Interleaved RGB: the same data in three planes, first_sample 0, 1, 2 and sample_stride 3.
 * Values are right-justified in native byte order, no alignment is required, pitch may be negative or exceed the row. */
typedef struct wvl_plane {
    const void *data;
    ptrdiff_t pitch_bytes;
    uint32_t sample_stride; /* containers; 0 means 1 */
    uint32_t first_sample;  /* containers */
    uint8_t container;      /* wvl_container_type */
} wvl_plane;

/* Pixels, borrowed until release is called (once, from any thread, also on failure), or until wvl_encode returns if it is NULL.
 * Samples outside the declared depth are refused (WVL_ERROR_INPUT), never wrapped.
 * memory_kind DEVICE and MANAGED, and ready_event (a cudaEvent_t), are for encodes on a device and refused on the CPU. Memory of kind DEVICE
 * lies on `device`, which overrules "auto" and must agree with cuda:N; the CPU can not take over for it. Work on the pixels begins after
 * ready_event. */
typedef struct wvl_image {
    size_t struct_size;
    const wvl_plane *planes; /* one per component of the plan's format */
    uint32_t plane_count;
    wvl_memory_kind memory_kind;
    int32_t device;
    void *ready_event;
    void (*release)(void *user);
    void *release_user;
} wvl_image;

/* ---- JP2 boxes (Annex I) ------------------------------------------------------------------------------------------------------ */

typedef enum wvl_color { WVL_COLOR_AUTO = 0, WVL_COLOR_SRGB = 16, WVL_COLOR_GREY = 17, WVL_COLOR_SYCC = 18 } wvl_color;
typedef enum wvl_channel_type { WVL_CHANNEL_COLOR = 0, WVL_CHANNEL_OPACITY = 1, WVL_CHANNEL_PREMULTIPLIED = 2, WVL_CHANNEL_UNSPECIFIED = 65535 } wvl_channel_type;

typedef struct wvl_box {
    uint32_t type;           /* 0x786D6C20 'xml ' or 0x75756964 'uuid' */
    uint8_t uuid[16];        /* for uuid */
    const void *data;        /* content after the type (and uuid) */
    size_t bytes;
} wvl_box;

/* What a JP2 file says beyond its codestream; ignored for raw codestreams. All data is copied by wvl_plan_create. */
typedef struct wvl_jp2_info {
    size_t struct_size;
    wvl_color color;              /* AUTO: grey for 1 or 2 channels, sRGB for 3 or 4 (I.5.3.3) */
    const void *icc;              /* restricted ICC profile (METH 2), in a JPH file any (METH 3); NULL: enumerated colour */
    size_t icc_bytes;
    uint32_t palette_entries;     /* pclr + cmap (I.5.3.4): 0 none, else 1..1024 on component 0 */
    uint32_t palette_columns;     /* 1..255 */
    uint8_t palette_depth;        /* bits of every column, 1..16 */
    const uint16_t *palette;      /* [entries][columns] */
    const uint16_t *channel_types;/* wvl_channel_type per channel; NULL: colours first, any further channel unspecified */
    uint32_t channel_count;
    double capture_x_per_metre, capture_y_per_metre; /* resc (I.5.3.7.1); 0: none */
    double display_x_per_metre, display_y_per_metre; /* resd; 0: none */
    const wvl_box *boxes;         /* xml and uuid boxes, in file order, before the codestream */
    uint32_t box_count;
    uint8_t color_unknown;        /* UnkC of ihdr */
} wvl_jp2_info;

/* ---- Plan ---------------------------------------------------------------------------------------------------------------------- */

/* Validates params and format against the standard and against each other and reports every violation, one per line, through
 * wvl_context_error. jp2 may be NULL. The plan copies what it needs and is immutable. Allocates no picture memory. */
WVL_API wvl_status wvl_plan_create(wvl_context *context, const wvl_params *params, const wvl_image_format *format, const wvl_jp2_info *jp2,
                                   wvl_plan **plan);
WVL_API void wvl_plan_release(wvl_plan *plan);

typedef struct wvl_plan_memory {
    size_t struct_size;
    uint64_t base_bytes;       /* the most that wvl_encode holds at a time, coded data aside, for any picture of this plan */
    uint64_t coded_bytes_bound;/* proved upper bound of what coded data may add, whatever the pixels */
    uint64_t output_bytes_bound; /* proved upper bound of the bytes written to the sink */
    uint64_t pinned_bytes, device_bytes; /* the most that a device takes beside it; 0 where none will */
} wvl_plan_memory;
/* With a device base_bytes is an upper bound: one backend or the other holds its share. */
WVL_API wvl_status wvl_plan_measure(const wvl_plan *plan, wvl_plan_memory *memory);

typedef void (*wvl_text_fn)(void *user, const char *text, size_t bytes);
/* Resolved geometry, quantisation, markers, memory; text for people (json = 0) or one JSON object. */
WVL_API wvl_status wvl_plan_explain(const wvl_plan *plan, int json, wvl_text_fn write, void *user);

/* ---- Sink ---------------------------------------------------------------------------------------------------------------------- */

/* Where bytes go. write gets consecutive bytes and returns 0, or nonzero to stop the encode with WVL_ERROR_SINK. patch (optional)
 * overwrites earlier bytes. finalized (optional): bytes before `offset` will not be patched any more. close is called exactly once:
 * complete = 1 after the last byte, 0 when the encode failed and everything written is to be discarded; it may fail too.
 * The bytes are the same with and without patch. */
typedef struct wvl_sink {
    size_t struct_size;
    int (*write)(void *user, const void *data, size_t bytes);
    int (*patch)(void *user, uint64_t offset, const void *data, size_t bytes);
    void (*finalized)(void *user, uint64_t offset);
    int (*close)(void *user, int complete);
    void *user;
} wvl_sink;

/* Growing memory. After the encode: *data and *bytes; free with wvl_memory_release. */
WVL_API wvl_status wvl_sink_open_memory(wvl_context *context, wvl_sink *sink);
WVL_API wvl_status wvl_sink_take_memory(wvl_sink *sink, void **data, size_t *bytes);
WVL_API void wvl_memory_release(wvl_context *context, void *data, size_t bytes);
/* A stream of the caller's, not closed by the sink. */
WVL_API wvl_status wvl_sink_open_stream(wvl_context *context, void *file /* FILE * */, wvl_sink *sink);
/* A file that appears complete or not at all: written beside `path` under a temporary name, flushed, then renamed (overwrite = 1)
 * or linked if no file of that name exists (overwrite = 0). Removed on failure. */
WVL_API wvl_status wvl_sink_open_file(wvl_context *context, const char *path, int overwrite, wvl_sink *sink);
/* For a sink that was opened but never given to wvl_encode: discards it. */
WVL_API void wvl_sink_discard(wvl_sink *sink);

/* ---- Encode -------------------------------------------------------------------------------------------------------------------- */

typedef enum wvl_stage { WVL_STAGE_TRANSFORM = 0, WVL_STAGE_CODE = 1, WVL_STAGE_RATE = 2, WVL_STAGE_WRITE = 3 } wvl_stage;

typedef struct wvl_control {
    size_t struct_size;
    /* Called from the thread that called wvl_encode, never under a lock; done of total is in samples of work. Nonzero cancels. */
    int (*progress)(void *user, uint64_t done, uint64_t total, wvl_stage stage);
    void *progress_user;
    wvl_cancel *cancel; /* may be NULL */
} wvl_control;

WVL_API wvl_status wvl_cancel_create(wvl_context *context, wvl_cancel **cancel);
WVL_API void wvl_cancel_raise(wvl_cancel *cancel); /* async-signal-safe */
WVL_API void wvl_cancel_release(wvl_cancel *cancel);

/* Encodes one picture. Blocks until the sink is closed. On anything but WVL_OK the sink was closed with complete = 0.
 * control and result may be NULL. The error text is given to error (if not NULL, always terminated). */
WVL_API wvl_status wvl_encode(const wvl_plan *plan, const wvl_image *image, wvl_sink *sink, const wvl_control *control, wvl_result **result,
                              char *error, size_t error_bytes);

/* ---- Pictures in flight --------------------------------------------------------------------------------------------------------
 *
 *   wvl_encoder_create(plan, 0, &encoder);
 *   one thread:       while (there are pictures) wvl_encoder_submit(encoder, &image, NULL, user);   // WVL_AGAIN: receive first, then again
 *                     wvl_encoder_end(encoder);
 *   the same, or another: while (wvl_encoder_receive(encoder, UINT32_MAX, &picture) == WVL_OK) { ...; wvl_encoded_picture_release(picture); }
 *
 * Pictures of one plan, several at a time: while one waits for a device, is having its layers chosen or is being written, others are coded.
 * Results come in the order of submission, with the same bytes as from wvl_encode. All memory of the transform, on the host, pinned and on
 * the device, is taken by wvl_encoder_create; every picture in flight takes at most twice what wvl_plan_measure says.
 * submit, receive, cancel and wvl_encoded_picture_release may each come from a different thread. Where the context starts no threads (one thread, or a
 * runner), receive with a timeout other than 0 does the work itself. */

typedef struct wvl_encoder wvl_encoder;
typedef struct wvl_encoded_picture wvl_encoded_picture; /* one finished picture */

/* frames: pictures in flight, 1..64; 0: one for two threads, at least 3, at most 6. Fewer where memory is short (logged). The plan must outlive the encoder. */
WVL_API wvl_status wvl_encoder_create(const wvl_plan *plan, uint32_t frames, wvl_encoder **encoder);
/* Cancels what is in flight, waits for it, and drops results that were not received. */
WVL_API void wvl_encoder_release(wvl_encoder *encoder);
WVL_API uint32_t wvl_encoder_frames(const wvl_encoder *encoder);
/* Never waits. WVL_AGAIN: every place is taken until a result is received. image, its planes and sink are copied; pixels are borrowed as by
 * wvl_encode. sink NULL: the bytes come with the finished picture. On anything but WVL_OK pixels and sink stay with the caller. */
WVL_API wvl_status wvl_encoder_submit(wvl_encoder *encoder, const wvl_image *image, const wvl_sink *sink, void *user);
/* The oldest picture: WVL_OK and a finished picture, whose own status tells how it went. WVL_AGAIN: none in that time (0 polls, UINT32_MAX waits for
 * ever). WVL_END: wvl_encoder_end was called and all have been received. */
WVL_API wvl_status wvl_encoder_receive(wvl_encoder *encoder, uint32_t timeout_ms, wvl_encoded_picture **picture);
/* No more pictures will be submitted. */
WVL_API void wvl_encoder_end(wvl_encoder *encoder);
/* For good: pictures in flight, and any later ones, end with WVL_CANCELLED. */
WVL_API void wvl_encoder_cancel(wvl_encoder *encoder);

WVL_API wvl_status wvl_encoded_picture_status(const wvl_encoded_picture *picture);
WVL_API const char *wvl_encoded_picture_error(const wvl_encoded_picture *picture);
WVL_API const void *wvl_encoded_picture_data(const wvl_encoded_picture *picture, size_t *bytes); /* NULL where a sink was given */
WVL_API const wvl_result *wvl_encoded_picture_result(const wvl_encoded_picture *picture);        /* NULL unless the status is WVL_OK */
WVL_API void *wvl_encoded_picture_user(const wvl_encoded_picture *picture);                      /* what submit was given */
WVL_API void wvl_encoded_picture_release(wvl_encoded_picture *picture);

/* ---- Result -------------------------------------------------------------------------------------------------------------------- */

typedef struct wvl_span { uint64_t offset, bytes; } wvl_span; /* offsets count from the first byte given to the sink */
/* How full a limit is: of the codestream, then of what max-component-bytes caps. A component's bytes are its tile-parts (Psot) where they are
 * divided by component, else its packets. In cinema4k the lower resolutions of all components come first, then the highest ones. */
typedef struct wvl_fill {
    uint32_t component; /* UINT32_MAX: the codestream */
    uint32_t part;      /* 1: the highest resolution of a component in cinema4k, else 0 */
    uint64_t bytes, target, cap; /* target, cap: 0 for none */
} wvl_fill;
typedef struct wvl_tile_part_info { uint64_t offset, bytes; uint32_t tile; uint32_t part; uint32_t part_count; } wvl_tile_part_info;

WVL_API void wvl_result_release(wvl_result *result);
WVL_API uint64_t wvl_result_bytes(const wvl_result *result);            /* whole output */
WVL_API wvl_span wvl_result_codestream(const wvl_result *result);       /* SOC..EOC */
WVL_API wvl_span wvl_result_main_header(const wvl_result *result);
WVL_API uint32_t wvl_result_tile_part_count(const wvl_result *result);
WVL_API wvl_status wvl_result_tile_part(const wvl_result *result, uint32_t index, wvl_tile_part_info *info);
WVL_API uint32_t wvl_result_fill_count(const wvl_result *result); /* 1 or more */
WVL_API wvl_status wvl_result_fill(const wvl_result *result, uint32_t index, wvl_fill *fill);
WVL_API uint32_t wvl_result_layer_count(const wvl_result *result);
/* Packet bytes (headers and bodies) of component, resolution and layer; UINT32_MAX sums over that index. */
WVL_API uint64_t wvl_result_packet_bytes(const wvl_result *result, uint32_t component, uint32_t resolution, uint32_t layer);
/* Cumulative codestream bytes when cut after `layer`, and the slope threshold reached (256 * log2 of distortion per byte in squared
 * sample units, plus 32768, and 16384 more in a region of interest; 0: everything is included). With "visual" errors are weighted first. */
WVL_API uint64_t wvl_result_layer_bytes(const wvl_result *result, uint32_t layer);
WVL_API uint32_t wvl_result_layer_slope(const wvl_result *result, uint32_t layer);
/* PSNR in dB after `layer`, over the mean square error of all samples, all counted alike, peak 2^depth - 1; infinity when exact. Estimated, or measured on
 * the samples that it decodes to: PSNR targets, small pictures, and where the parameter measure-psnr says so. */
WVL_API double wvl_result_layer_psnr(const wvl_result *result, uint32_t layer);
/* 1: measured (exact ones are). 0: estimated, or there is no such layer. */
WVL_API int wvl_result_layer_is_measured(const wvl_result *result, uint32_t layer);
WVL_API double wvl_result_seconds(const wvl_result *result, wvl_stage stage);
/* Where pixels became coefficients: "cpu", "cuda:0", or both where the CPU took over. */
WVL_API const char *wvl_result_backend(const wvl_result *result);

#ifdef __cplusplus
}
#endif
#endif
