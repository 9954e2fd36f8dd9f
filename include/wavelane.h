/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wavelane: a JPEG 2000 encoder (ISO/IEC 15444-1, and the high-throughput block coder of 15444-15). This header is
 * the manual.
 *
 *   context -> params -> plan -> encode -> result
 *
 *   wvl_context *context;  wvl_params *params;  wvl_plan *plan;  wvl_result *result;  char error[1024];
 *   wvl_context_create(NULL, &context);
 *   wvl_params_create(context, &params);
 *   wvl_params_set(params, "reversible", "no");
 *   wvl_params_set(params, "bpp", "1.0");
 *   wvl_plan_request request = {.struct_size = sizeof request, .context = context, .params = params, .format = &format,
 *                               .error = error, .error_bytes = sizeof error};
 *   wvl_plan_build(&request, &plan);                     // checks everything, allocates no picture memory
 *   wvl_encode(plan, &image, &sink, NULL, &result, error, sizeof error);
 *
 * Results. A function that can fail returns a wvl_status: 0 is success, a negative value is an error, and a positive
 * value is neither. wvl_status_text() gives the name of a status. wvl_params_error() and wvl_context_error() give the
 * text of the last failure on these objects. wvl_plan_build() and wvl_encode() write theirs to a buffer of the caller.
 * NULL is safe: unless a text gives it a meaning, functions return WVL_ERROR_ARGUMENT, or without a status do nothing
 * and give 0, NULL or "". Texts are English, in UTF-8, of one or more lines; they may change between versions.
 *
 * Ownership. A _create, _build or _clone function stores an object in its last argument. The caller owns that object
 * and gives it to the _release function of the same name. Objects may be released in any order, because each one keeps
 * the context alive; but a plan must outlive its encoders. The library owns the texts and tables that it returns.
 *
 * Threads. One thread at a time uses an object, with these exceptions: any number of threads may use one wvl_context
 * or one wvl_plan at once; wvl_cancel_raise() may be called from any thread and from a signal handler; "Pictures in
 * flight" says which functions of a wvl_encoder may run at the same time. Different threads may use different objects
 * at once, also objects that share a context.
 *
 * The process. The library never prints, never exits, installs no signal handler, and reads no environment variable.
 * It needs libc, libm and pthreads, and nothing else. A build with device code loads the CUDA driver (libcuda.so.1)
 * when a device is first asked for. The library keeps no state outside its objects, with one exception: after a device
 * has failed for good, no context of the process tries it again.
 *
 * Same bytes. For one picture and one set of parameters the output does not depend on the number of threads, the
 * processor, the device, the floating-point environment of the caller, or earlier encodes.
 *
 * Structures. To fill a structure that begins with struct_size, set it to zero, then set struct_size = sizeof(the
 * structure), then set the members that you need. Zero always means the default. Later versions only append members.
 * Therefore a program that was built with the header of 0.2.0 or later runs with every later library. A newer program
 * may pass a longer structure: the library takes it if all bytes that it does not know are zero, and refuses it with
 * WVL_ERROR_ARGUMENT if not. If it fills the structure, it leaves them. Structures without struct_size never change.
 *
 * Units. A position or size of a picture is in points of the reference grid, or in samples where it says so. Memory
 * and output are in bytes (8 bits). Times are in seconds; where the name ends in _ms, in milliseconds. Clauses are
 * those of ISO/IEC 15444-1 (ITU-T T.800). In comments, _MEMORY stands for WVL_ERROR_MEMORY, and so on.
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
#define WVL_VERSION_MINOR 3
#define WVL_VERSION_PATCH 0

/* ---- Status ---------------------------------------------------------------------------------- */

/* Values are never renumbered. */
typedef enum wvl_status {
    WVL_OK = 0,
    WVL_AGAIN = 1,            /* no result yet, or no free place: ask later (pictures in flight) */
    WVL_END = 2,              /* nothing more will come */
    WVL_CANCELLED = 3,        /* the cancel token was raised, or the progress callback returned nonzero */
    WVL_ERROR_ARGUMENT = -1,  /* an argument of the call is NULL or does not fit the others */
    WVL_ERROR_PARAMETER = -2, /* an unknown key, a malformed value, or settings that the standard or a limit forbids */
    WVL_ERROR_UNSUPPORTED = -3, /* legal, but this build or version does not do it; the text says what */
    /* A byte cap is below the bytes of headers and empty packets; the text gives them. Never for PSNR targets. */
    WVL_ERROR_UNREACHABLE = -4,
    WVL_ERROR_MEMORY = -5,    /* an allocation failed */
    WVL_ERROR_SINK = -6,      /* the sink refused bytes (disk full, closed pipe, ...) */
    WVL_ERROR_DEVICE = -7,    /* a device failed or is missing */
    WVL_ERROR_INPUT = -8,     /* a sample lies outside the declared depth, or rows cannot be read */
    WVL_ERROR_THREAD = -9,    /* reserved: if threads do not start, the library works without them */
    WVL_ERROR_INTERNAL = -10, /* a proved bound was broken: a defect of the library, please report it */
    WVL_ERROR_PROFILE = -11   /* the finished bytes break the profile; the text says how. Nothing was written */
} wvl_status;

/* The texts are static and never NULL. Any thread may call. */
WVL_API const char *wvl_status_text(wvl_status status);
WVL_API const char *wvl_build_text(void); /* version, compiler, SIMD level in use, whether device code was built */
/* Version of the library in use; each argument may be NULL. */
WVL_API void wvl_version(int *major, int *minor, int *patch);

/* ---- Context: allocators, log, threads ------------------------------------------------------- */

typedef struct wvl_context wvl_context;
typedef struct wvl_params wvl_params;
typedef struct wvl_plan wvl_plan;
typedef struct wvl_result wvl_result;
typedef struct wvl_cancel wvl_cancel;

/* allocate returns at least `bytes` bytes aligned to `alignment` (a power of two), or NULL. release gets an earlier
 * result of allocate and its `bytes`. Any threads may call both, also at the same time. stream is reserved: it is
 * always NULL today, and every stream must be able to use the memory. If both are NULL, the library uses its own. */
typedef struct wvl_allocator {
    void *(*allocate)(void *user, size_t bytes, size_t alignment, void *stream);
    void (*release)(void *user, void *memory, size_t bytes, void *stream);
    void *user;
} wvl_allocator;

typedef enum wvl_log_level { WVL_LOG_ERROR, WVL_LOG_WARNING, WVL_LOG_INFO, WVL_LOG_DEBUG } wvl_log_level;
typedef void (*wvl_log_fn)(void *user, wvl_log_level level, const char *text); /* any thread; must be reentrant */

/* run calls task(arg, index, worker) once for every index in [0, count), from any number of threads. It returns when
 * all calls have returned. worker is in [0, concurrency); two calls that run at the same time have different
 * workers. */
typedef void (*wvl_task_fn)(void *arg, uint32_t index, uint32_t worker);
typedef struct wvl_runner {
    void (*run)(void *user, uint32_t count, wvl_task_fn task, void *arg);
    void *user;
    uint32_t concurrency; /* greatest number of simultaneous tasks, 1..1024 */
} wvl_runner;

/* One stretch of work, reported when it is over. Texts are valid during the call only. Times are seconds of
 * CLOCK_MONOTONIC; a device measures its own times, and the library converts them to that clock. */
typedef struct wvl_trace_span {
    size_t struct_size;
    const char *track; /* who did the work: "encode 1", "cuda:0 upload", ... */
    const char *name;  /* "transform", "code", "rate", "write", "check", "stage", "upload", "kernels", "download" */
    uint64_t picture;  /* number of the picture in the context, from 1; 0: none */
    double begin, end; /* seconds */
} wvl_trace_span;
typedef void (*wvl_trace_fn)(void *user, const wvl_trace_span *span); /* any thread; must be reentrant */

typedef struct wvl_context_options {
    size_t struct_size;
    wvl_allocator host;   /* for all memory on the host, except pinned memory */
    wvl_allocator pinned; /* must give memory that is page-locked for the device in use; unused without a device */
    wvl_allocator device; /* the same for memory of the device */
    wvl_log_fn log;
    void *log_user;
    wvl_log_level log_level; /* messages above it are not formatted */
    uint32_t threads;        /* 0: one per processor that this process may use; 1: no thread is started; at most 1024 */
    wvl_runner runner;       /* run != NULL: does the work instead of own threads, and `threads` is ignored */
    wvl_trace_fn trace;
    void *trace_user;
    /* A picture with more samples in all components is refused (_PARAMETER); 0: only the limits of the standard. */
    uint64_t max_samples;
} wvl_context_options;

/* options may be NULL. Errors: _ARGUMENT, _MEMORY. If threads cannot be started, the library works with fewer (logged)
 * and gives the same bytes. The context lives until it and all objects made with it are released. */
WVL_API wvl_status wvl_context_create(const wvl_context_options *options, wvl_context **context);
WVL_API void wvl_context_release(wvl_context *context);
/* Greatest number of tasks at the same time, including the calling thread; 0 for NULL. */
WVL_API uint32_t wvl_context_threads(const wvl_context *context);
/* Text of the last failure, or "". Never NULL. Of a context: the last wvl_plan_create, wvl_encoder_create or
 * wvl_sink_open_ call that the calling thread made with it. If this thread made none: the last one that failed in any
 * thread. The text stays until the same thread makes such a call again, or until the context is released. Of params:
 * the text stays until the next call on them. */
WVL_API const char *wvl_context_error(const wvl_context *context);
WVL_API const char *wvl_params_error(const wvl_params *params);

/* ---- Devices ------------------------------------------------------------------------------------------------------
 *
 * The option "device" says whether a device works on pictures. A device does as many stages as it can: transform and
 * quantisation ("coefs"), also coding of blocks ("blocks"), or the whole output ("packets"). The CPU does the rest.
 * docs/reach.md says how far a device goes with each option. The bytes do not depend on it. The option "reach" names
 * the least that a device must do; a picture with which it cannot do that much goes to the CPU.
 * - auto (default): uses a device where it pays: for pixels that lie on one, and for pictures in flight of 1 Mi samples
 * and more. cpu: uses the CPU only.
 * - cuda, cuda:N: device 0 or N; cuda:N,N or cuda:all: several, which share pictures in flight and the tiles of a large
 * picture. The CPU takes over (with a warning) where there is no device, too little memory or too much depth.
 * - cuda-only, cuda-only:N and so on: the same without the CPU: WVL_ERROR_DEVICE, _MEMORY or _UNSUPPORTED instead.
 * wvl_result_backend() says what was used. A context opens a device at its first use. After a lasting failure (a fault
 * in a kernel, a lost device) the process no longer uses the device. Its pictures go to other devices of the option; if
 * none is left, they end with WVL_ERROR_DEVICE, and later ones go to the CPU where allowed. No device is ever reset.
 * A device keeps memory of pictures for later ones of their plan, until the context is released or memory is short: up
 * to four blocks of each kind, and 64 finished pictures. Up to four pictures of wvl_encode() also leave their tables to
 * the next ones of their plans, until these are released. An allocator of the caller gets its memory back at once. */

typedef struct wvl_device_info {
    size_t struct_size;
    char name[128];
    uint32_t ordinal; /* the N of cuda:N */
    uint32_t capability_major, capability_minor;
    uint32_t multiprocessors;
    uint64_t memory_bytes;
    uint8_t usable; /* 0: lost, or too old for this build (compute capability below 7.5) */
} wvl_device_info;

/* Describes device `ordinal`, from 0, and opens nothing. WVL_END: there is no such device. WVL_ERROR_UNSUPPORTED: the
 * build has no device code. WVL_ERROR_DEVICE: no driver. WVL_ERROR_ARGUMENT: info is NULL. Any thread. */
WVL_API wvl_status wvl_device_describe(uint32_t ordinal, wvl_device_info *info);

/* ---- Params: one table of options ------------------------------------------------------------ */

typedef enum wvl_option_type {
    WVL_OPTION_BOOL, /* yes/no, on/off, true/false, 1/0 */
    WVL_OPTION_INTEGER,
    WVL_OPTION_REAL,
    WVL_OPTION_TEXT,
    WVL_OPTION_CHOICE, /* one of the words in `range` */
    WVL_OPTION_PAIR,   /* width,height or x,y */
    WVL_OPTION_PAIRS,  /* [w,h],[w,h],... */
    WVL_OPTION_REALS   /* a,b,c,... */
} wvl_option_type;

typedef struct wvl_option {
    const char *key;
    wvl_option_type type;
    const char *range;   /* human readable */
    const char *initial; /* default, as wvl_params_set would take it */
    const char *doc;     /* one sentence, clause included where there is one */
    const char *section; /* heading in --help and the manual page */
} wvl_option;

/* The table of all options: *count entries, static. Numbers are parsed independently of the locale. */
WVL_API const wvl_option *wvl_options(size_t *count);

/* New params hold the default of every option. Plans copy what they need. Errors: _ARGUMENT, _MEMORY. */
WVL_API wvl_status wvl_params_create(wvl_context *context, wvl_params **params);
WVL_API wvl_status wvl_params_clone(const wvl_params *params, wvl_params **copy);
WVL_API void wvl_params_release(wvl_params *params);
/* Replaces the value of an option. `comment` is a list instead: each call adds one, and NULL or "" empties it. key and
 * value are copied. WVL_ERROR_PARAMETER: an unknown key (the text names the nearest one) or a malformed value; then
 * the old value stays. Errors: also _ARGUMENT, _MEMORY. */
WVL_API wvl_status wvl_params_set(wvl_params *params, const char *key, const char *value);
/* Current value as text, valid until the next call on params; NULL for an unknown key, or if memory is short. */
WVL_API const char *wvl_params_get(const wvl_params *params, const char *key);
/* The reason why an option has no effect with the other options as they are: static words that follow "KEY needs ".
 * NULL if it has an effect, needs nothing, or is unknown. wvl_plan_build() logs a warning for an option without
 * effect. */
WVL_API const char *wvl_params_needs(const wvl_params *params, const char *key);
/* Sets the options that the preset fixes and leaves the others. WVL_ERROR_PARAMETER: an unknown name; the text lists
 * the names. Presets of cinema, IMF and broadcast take words after their names, as in dci-2k-48-3d and
 * imf-2k-24-m3-s1: a frame rate, 3d, hfr, m and a main level, s and a sublevel. If a preset has a profile,
 * wvl_plan_build() lists what does not fit, byte limits are kept, and wvl_encode() checks the finished bytes before
 * the sink gets any of them (WVL_ERROR_PROFILE). Errors: also _ARGUMENT, _MEMORY. */
WVL_API wvl_status wvl_params_preset(wvl_params *params, const char *name);
typedef struct wvl_preset {
    const char *name;
    const char *doc;
    const char *settings; /* "key=value key=value" */
} wvl_preset;
WVL_API const wvl_preset *wvl_presets(size_t *count); /* *count entries, static */

/* How R, G and B, the first three samples of a pixel, stand for light, if no word of "input-color" says it: three
 * curves, then a matrix to CIE X, Y, Z, in which the Y of peak white is 1 (for example a matrix profile of ICC without
 * its adaptation to D50). wvl_params_set_color() copies them and sets "input-color" to custom. With NULL it forgets
 * them and sets "input-color" to none. The encoder codes X'Y'Z' of digital cinema in 12 bits: round(4095 * (48/52.37 *
 * V)^(1/2.6)) for V = X, Y, Z, clamped to [0, 1] before the power. WVL_ERROR_PARAMETER: a value outside its range
 * below; matrix elements lie between -16 and 16. Errors: also _ARGUMENT, _MEMORY. */
typedef struct wvl_color_tables {
    size_t struct_size;
    /* Entries of each curve, 2..65536, at equal distances from black to white; straight lines between them. */
    uint32_t entries;
    const double *curve[3]; /* R, G, B: light, 0..1 */
    double matrix[9];       /* rows X, Y, Z; columns R, G, B */
} wvl_color_tables;
WVL_API wvl_status wvl_params_set_color(wvl_params *params, const wvl_color_tables *tables);

/* ---- Picture --------------------------------------------------------------------------------- */

/* FLOAT: IEEE 754 numbers as they lie in memory, NaN and -0 included: half (16 bits) or float (32). Their bits are
 * coded as signed integers of that depth, which ascend with the numbers because a marker segment says so (NLT, type 3,
 * ISO/IEC 15444-2 A.3.10). They need HT blocks, and a decoder that knows NLT, as OpenJPH 0.19 and OpenEXR 3.4 do. */
typedef enum wvl_sample_kind { WVL_SAMPLE_UNSIGNED = 0, WVL_SAMPLE_SIGNED = 1, WVL_SAMPLE_FLOAT = 2 } wvl_sample_kind;

/* The format of the samples of a component. The codestream declares the same (A.5.1), unless "input-color" converts
 * the first three components to 12-bit X'Y'Z'. These must then be unsigned, of one depth, 8 to 16, without
 * subsampling. All other components are coded as they are. */
typedef struct wvl_component_format {
    /* Significant bits, 1..32. More than 28 need HT blocks and are coded without loss (5/3, no target or limit), on the
     * CPU. The standard knows depths to 38; 33 to 38 are refused (WVL_ERROR_PARAMETER). */
    uint8_t depth;
    uint8_t is_signed; /* wvl_sample_kind */
    uint8_t dx, dy;    /* XRsiz, YRsiz: 1..255; 0 means 1 */
} wvl_component_format;

/* Format of a picture. Component c has ceil(x1/dx) - ceil(x0/dx) columns; the same rule gives the rows (B.2). */
typedef struct wvl_image_format {
    size_t struct_size;
    uint32_t x0, y0;                        /* image offset on the reference grid (XOsiz, YOsiz) */
    uint32_t x1, y1;                        /* extent (Xsiz, Ysiz); the picture is (x1 - x0) by (y1 - y0) */
    uint32_t component_count;               /* 1..16384 */
    const wvl_component_format *components; /* [component_count], read during the call only */
} wvl_image_format;

typedef enum wvl_container_type {
    WVL_SAMPLE_8 = 1, /* int8_t or uint8_t by the component's sign */
    WVL_SAMPLE_16 = 2,
    WVL_SAMPLE_32 = 3,
    WVL_SAMPLE_64 = 4, /* reserved: refused with WVL_ERROR_UNSUPPORTED */
    /* Unsigned samples of 10 and 12 bits, consecutive, most significant bit first; rows start on a byte. */
    WVL_SAMPLE_PACKED10 = 5,
    WVL_SAMPLE_PACKED12 = 6,
    /* The same in words, as DPX has them (SMPTE 268M), big-endian or little-endian; rows start on a word. FILLED10:
       three in 32 bits, the first one highest, two low bits unused. FILLED12: one in 16 bits, four low bits unused.
       WORDS: 32-bit words, filled from the low end; a sample may lie in two. 16_BE: unsigned, of any depth. */
    WVL_SAMPLE_FILLED10_BE = 7,
    WVL_SAMPLE_FILLED10_LE = 8,
    WVL_SAMPLE_FILLED12_BE = 9,
    WVL_SAMPLE_FILLED12_LE = 10,
    WVL_SAMPLE_WORDS12_BE = 11,
    WVL_SAMPLE_WORDS12_LE = 12,
    WVL_SAMPLE_WORDS10_BE = 13,
    WVL_SAMPLE_WORDS10_LE = 14,
    WVL_SAMPLE_16_BE = 15
} wvl_container_type;

typedef enum wvl_memory_kind {
    WVL_MEMORY_HOST = 0,
    WVL_MEMORY_PINNED = 1,
    WVL_MEMORY_DEVICE = 2,
    WVL_MEMORY_MANAGED = 3
} wvl_memory_kind;

/* Samples of one component. Sample (column i, row j) is container number first_sample + i * sample_stride of the row
 * that starts at data + j * pitch_bytes. Interleaved RGB: the same data in three planes, first_sample 0, 1, 2 and
 * sample_stride 3. Values are right-justified, in native byte order; no alignment is required; the pitch may be
 * negative or exceed the row. */
typedef struct wvl_plane {
    const void *data;
    ptrdiff_t pitch_bytes;
    uint32_t sample_stride; /* containers; 0 means 1 */
    uint32_t first_sample;  /* containers */
    uint8_t container;      /* wvl_container_type */
} wvl_plane;

/* Pixels. The library borrows them until it calls release (once, from any thread, also on failure), or until
 * wvl_encode() returns if release is NULL. A sample outside the declared depth is refused (WVL_ERROR_INPUT), never
 * wrapped. memory_kind DEVICE and MANAGED, and ready_event (a cudaEvent_t), need an encode on a device; the CPU
 * refuses them. Memory of kind DEVICE lies on `device`, which overrules "auto" and must agree with cuda:N; neither the
 * CPU nor another device can take over then. Work on the pixels begins after ready_event. */
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

/* ---- JP2 boxes (Annex I) --------------------------------------------------------------------- */

typedef enum wvl_color { WVL_COLOR_AUTO = 0, WVL_COLOR_SRGB = 16, WVL_COLOR_GREY = 17, WVL_COLOR_SYCC = 18 } wvl_color;
typedef enum wvl_channel_type {
    WVL_CHANNEL_COLOR = 0,
    WVL_CHANNEL_OPACITY = 1,
    WVL_CHANNEL_PREMULTIPLIED = 2,
    WVL_CHANNEL_UNSPECIFIED = 65535
} wvl_channel_type;

typedef struct wvl_box {
    uint32_t type;    /* 0x786D6C20 'xml ', 0x75756964 'uuid' or 0x61736F63 'asoc', whose content is whole boxes */
    uint8_t uuid[16]; /* for uuid */
    const void *data; /* content after the type (and uuid) */
    size_t bytes;
} wvl_box;

/* Content of a JP2 or JPH file beside its codestream; raw codestreams ignore it. The plan keeps copies of all data. */
typedef struct wvl_jp2_info {
    size_t struct_size;
    wvl_color color; /* AUTO: grey for 1 or 2 channels, sRGB for 3 or 4 (I.5.3.3) */
    const void *icc; /* restricted ICC profile (METH 2), in a JPH file any (METH 3); NULL: enumerated colour */
    size_t icc_bytes;
    uint32_t palette_entries; /* pclr + cmap (I.5.3.4): 0 none, else 1..1024 on component 0 */
    uint32_t palette_columns; /* 1..255 */
    uint8_t palette_depth;    /* bits of every column, 1..16 */
    const uint16_t *palette;  /* [entries][columns] */
    /* wvl_channel_type of each channel; NULL: colours first, any further channel unspecified. */
    const uint16_t *channel_types;
    uint32_t channel_count;
    double capture_x_per_metre, capture_y_per_metre; /* resc (I.5.3.7.1); 0: none */
    double display_x_per_metre, display_y_per_metre; /* resd; 0: none */
    const wvl_box *boxes;                            /* in file order, before the codestream */
    uint32_t box_count;
    uint8_t color_unknown; /* UnkC of ihdr */
    const uint8_t *cicp;   /* JPH, METH 5: primaries, transfer, matrix, full range (ITU-T H.273); NULL: none */
} wvl_jp2_info;

/* ---- Plan ---------------------------------------------------------------------------------------------------------
 *
 * A plan holds everything that is known before the pixels. It copies what it needs and never changes. Any number of
 * threads and pictures may use it. It allocates no picture memory. */

typedef struct wvl_plan_request {
    size_t struct_size;
    wvl_context *context;
    const wvl_params *params;
    const wvl_image_format *format;
    const wvl_jp2_info *jp2; /* may be NULL */
    wvl_cancel *cancel;      /* may be NULL; if it is raised: WVL_CANCELLED */
    char *error;             /* gets the reason of a failure, always terminated, "" on success; may be NULL */
    size_t error_bytes;      /* size of error; a longer text is cut */
} wvl_plan_request;

/* Checks params and format against the standard and against each other. The error text lists every violation, one a
 * line. It takes less than a second for most pictures, whatever their size. The time grows with the number of tiles
 * times the kinds of components (subsampling and settings), and with tile-parts also with the number of packets. A
 * plan beyond the supported limits is refused, and the text names the limit (2^20 tile-components that differ, 2^26
 * packets with tile-parts). Errors: _ARGUMENT, _PARAMETER, _UNREACHABLE, _MEMORY; WVL_CANCELLED. On anything but
 * WVL_OK *plan is NULL. Any number of threads may build plans with one context; params must not change meanwhile. */
WVL_API wvl_status wvl_plan_build(const wvl_plan_request *request, wvl_plan **plan);
/* The same without a cancel token, with the same errors; wvl_context_error() gives the text. jp2 may be NULL. */
WVL_API wvl_status wvl_plan_create(wvl_context *context, const wvl_params *params, const wvl_image_format *format,
                                   const wvl_jp2_info *jp2, wvl_plan **plan);
WVL_API void wvl_plan_release(wvl_plan *plan);

/* Peak memory that one wvl_encode() takes from the host allocator of the context: certain, likely and worst. The
 * picture, and what the sink holds (output_bytes_bound at most), come on top. */
typedef struct wvl_plan_memory {
    size_t struct_size;
    uint64_t base_bytes;         /* most that is held apart from coded data */
    uint64_t coded_bytes_bound;  /* proved bound of what coded data may add, whatever the pixels: every pass of every
                                    block, up to 3 times; no byte target lowers it (D-plan-10), wvl_rows_options does */
    uint64_t output_bytes_bound; /* proved bound of the bytes that the sink gets */
    uint64_t pinned_bytes;       /* most page-locked memory that a device takes; 0: none is used, or "auto" */
    uint64_t device_bytes;       /* most memory of its own that a device takes */
    uint64_t certain_bytes;      /* every picture of this plan takes at least as much */
    uint64_t likely_bytes; /* an estimate for photographs and the like; with a byte target it follows from the target */
    uint64_t worst_bytes;  /* no picture takes more: base_bytes and coded_bytes_bound */
    uint64_t picture_bytes; /* of all samples, if each is in the smallest of 8, 16 and 32 bits that holds it */
} wvl_plan_memory;
/* With a device base_bytes is an upper bound: the CPU or the device holds its share. Errors: _ARGUMENT, _MEMORY. */
WVL_API wvl_status wvl_plan_measure(const wvl_plan *plan, wvl_plan_memory *memory);

/* write gets `bytes` bytes of text, not terminated, from the thread that called wvl_plan_explain(). */
typedef void (*wvl_text_fn)(void *user, const char *text, size_t bytes);
/* Resolved geometry, quantization, markers and memory, and the names of the kernels that a device would run: text for
 * people (json = 0) or one JSON object (json = 1). Errors: _ARGUMENT. */
WVL_API wvl_status wvl_plan_explain(const wvl_plan *plan, int json, wvl_text_fn write, void *user);

/* ---- Sink ------------------------------------------------------------------------------------ */

/* Where bytes go. The thread that encodes calls the functions, one at a time; all but write may be NULL. A nonzero
 * result ends the encode with WVL_ERROR_SINK. write gets consecutive bytes. patch replaces bytes that were written:
 * lengths, after the last write. With patch, bytes may leave before the whole picture is coded (`wavelane encode
 * --explain` says when). Without it the same bytes come later. finalized: bytes before `offset` are final. close is
 * called exactly once: complete = 1 after the last byte; complete = 0 if the encode failed, and then everything
 * written is to be discarded. reserve: the output has `bytes` bytes. It is called once, before the first write;
 * wvl_encode_rows() does not call it where bytes leave early, which never happens with whole pictures. */
typedef struct wvl_sink {
    size_t struct_size;
    int (*write)(void *user, const void *data, size_t bytes);
    int (*patch)(void *user, uint64_t offset, const void *data, size_t bytes);
    void (*finalized)(void *user, uint64_t offset);
    int (*close)(void *user, int complete);
    void *user;
    int (*reserve)(void *user, uint64_t bytes); /* since 0.3.0 */
} wvl_sink;

/* Sinks of the library. The wvl_sink_open_ functions fill *sink, which need not be set before. On failure it is empty,
 * and wvl_context_error() says why. A sink serves one encode; a second refuses it. Errors: _ARGUMENT, _MEMORY, _SINK.
 * Growing memory: after the encode wvl_sink_take_memory() hands the bytes over; wvl_memory_release() frees them. */
WVL_API wvl_status wvl_sink_open_memory(wvl_context *context, wvl_sink *sink);
WVL_API wvl_status wvl_sink_take_memory(wvl_sink *sink, void **data, size_t *bytes);
WVL_API void wvl_memory_release(wvl_context *context, void *data, size_t bytes);
/* A stream that is open for writing. The sink flushes it, but does not close it. */
WVL_API wvl_status wvl_sink_open_stream(wvl_context *context, void *file /* FILE * */, wvl_sink *sink);
/* A file that appears complete or not at all. It is written under a temporary name beside `path`, flushed, then given
 * its name. overwrite = 0: only if no file has that name. A failure removes it. Devices and pipes: written directly. */
WVL_API wvl_status wvl_sink_open_file(wvl_context *context, const char *path, int overwrite, wvl_sink *sink);
/* Discards a sink of the library that was not given to an encode, or whose memory was not taken. */
WVL_API void wvl_sink_discard(wvl_sink *sink);

/* ---- Encode ---------------------------------------------------------------------------------- */

typedef enum wvl_stage {
    WVL_STAGE_TRANSFORM = 0,
    WVL_STAGE_CODE = 1,
    WVL_STAGE_RATE = 2,
    WVL_STAGE_WRITE = 3,
    WVL_STAGE_CHECK = 4 /* checks finished bytes by their profile, on the host; not in WRITE, never in progress */
} wvl_stage;

typedef struct wvl_control {
    size_t struct_size;
    /* The thread of wvl_encode() calls it, never under a lock. done, total: samples of work. Nonzero cancels, soon. */
    int (*progress)(void *user, uint64_t done, uint64_t total, wvl_stage stage);
    void *progress_user;
    wvl_cancel *cancel; /* may be NULL */
} wvl_control;

/* A token that ends encodes and plans. Every stage looks at it after at most 64 block codings of a thread, or 4 Mi
 * samples of a transform (one row, if that is longer), and then ends with WVL_CANCELLED. A raised token stays
 * raised. One token may serve several calls; it must outlive them. Errors: _ARGUMENT, _MEMORY. */
WVL_API wvl_status wvl_cancel_create(wvl_context *context, wvl_cancel **cancel);
WVL_API void wvl_cancel_raise(wvl_cancel *cancel); /* async-signal-safe */
WVL_API void wvl_cancel_release(wvl_cancel *cancel);

/* Encodes one picture and returns when the sink is closed. On anything but WVL_OK, *result is NULL, and the sink was
 * closed with complete = 0 (unless close fails). control and result may be NULL. error gets the reason of a failure
 * (error_bytes bytes, terminated; may be NULL). Several threads may use one plan at once. Errors: any but _THREAD. */
WVL_API wvl_status wvl_encode(const wvl_plan *plan, const wvl_image *image, wvl_sink *sink, const wvl_control *control,
                              wvl_result **result, char *error, size_t error_bytes);

/* ---- Pictures in flight -------------------------------------------------------------------------------------------
 *
 *   wvl_encoder_create(plan, 0, &encoder);
 *   while (there are pictures)                                              // one thread; WVL_AGAIN: receive first
 *       wvl_encoder_submit(encoder, &image, NULL, user);
 *   wvl_encoder_end(encoder);
 *   while (wvl_encoder_receive(encoder, UINT32_MAX, &picture) == WVL_OK)    // this thread, or another
 *       wvl_encoded_picture_release(picture);
 * An encoder works on several pictures of one plan at a time. While one picture waits for a device, has its layers
 * chosen or is written, others are coded. Results come in the order of submission, with the same bytes as from
 * wvl_encode(). wvl_encoder_create() takes all memory of the transform: on the host, pinned and on the device. Every
 * picture in flight takes at most twice what wvl_plan_measure() says. submit, receive, end, cancel and
 * wvl_encoded_picture_release may each come from a different thread, each of them from one thread at a time. If the
 * context starts no threads (one thread, or a runner), receive with a timeout other than 0 does the work itself. */

typedef struct wvl_encoder wvl_encoder;
typedef struct wvl_encoded_picture wvl_encoded_picture; /* one finished picture */

/* frames: pictures in flight, 1..1024; 0: 16 for each device that finishes them, else half the threads, 3 to 6. There
 * are fewer if memory is short (logged). Errors, with wvl_context_error(): _ARGUMENT, _MEMORY, _DEVICE,
 * _UNSUPPORTED. */
WVL_API wvl_status wvl_encoder_create(const wvl_plan *plan, uint32_t frames, wvl_encoder **encoder);
/* Cancels the pictures in flight, waits for them, and drops results that were not received. */
WVL_API void wvl_encoder_release(wvl_encoder *encoder);
WVL_API uint32_t wvl_encoder_frames(const wvl_encoder *encoder); /* number of pictures in flight that fit in memory */
/* Never waits. WVL_AGAIN: every place is taken until a result is received. image, its planes and sink are copied; the
 * pixels are borrowed as by wvl_encode(). If sink is NULL, the bytes come with the finished picture. On anything but
 * WVL_OK pixels and sink stay with the caller. Errors: _ARGUMENT, also after wvl_encoder_end(); _MEMORY. */
WVL_API wvl_status wvl_encoder_submit(wvl_encoder *encoder, const wvl_image *image, const wvl_sink *sink, void *user);
/* Gives the oldest picture. WVL_OK: it is finished, and its own status says how it ended. WVL_AGAIN: it was not
 * finished in that time (timeout_ms: 0 never waits, UINT32_MAX waits without limit). WVL_END: wvl_encoder_end() was
 * called and all pictures were received. Errors: _ARGUMENT. */
WVL_API wvl_status wvl_encoder_receive(wvl_encoder *encoder, uint32_t timeout_ms, wvl_encoded_picture **picture);
/* Says that no more pictures will be submitted. */
WVL_API void wvl_encoder_end(wvl_encoder *encoder);
/* Pictures in flight, and any later ones, end with WVL_CANCELLED. */
WVL_API void wvl_encoder_cancel(wvl_encoder *encoder);

/* The caller owns a finished picture, and all that these functions give out, until wvl_encoded_picture_release(). */
WVL_API wvl_status wvl_encoded_picture_status(const wvl_encoded_picture *picture);
WVL_API const char *wvl_encoded_picture_error(const wvl_encoded_picture *picture);
/* data: NULL if a sink was given. memory says where data lies: HOST; PINNED if a device finished the picture ("cuda:0
 * packets"); DEVICE with the option output-memory. All bytes are there when the picture is received: later work in any
 * stream may read them. wavelane_frames.h helps readers that go on after the release. result: NULL unless WVL_OK. */
WVL_API const void *wvl_encoded_picture_data(const wvl_encoded_picture *picture, size_t *bytes);
WVL_API wvl_memory_kind wvl_encoded_picture_memory(const wvl_encoded_picture *picture);
WVL_API const wvl_result *wvl_encoded_picture_result(const wvl_encoded_picture *picture);
WVL_API void *wvl_encoded_picture_user(const wvl_encoded_picture *picture);
WVL_API void wvl_encoded_picture_release(wvl_encoded_picture *picture);

/* ---- Result ---------------------------------------------------------------------------------- */

typedef struct wvl_span {
    uint64_t offset, bytes; /* offset: from the first byte given to the sink */
} wvl_span;
/* How full a limit is. The first entry is the limit of the codestream, then come those of max-component-bytes. The
 * bytes of a component are its tile-parts (Psot) if each tile-part holds one component, else its packets. In cinema4k,
 * the entries of the lower resolutions of all components come first, then those of the highest ones. */
typedef struct wvl_fill {
    uint32_t component;          /* UINT32_MAX: the codestream */
    uint32_t part;               /* 1: the highest resolution of a component in cinema4k, else 0 */
    uint64_t bytes, target, cap; /* target, cap: 0 for none */
} wvl_fill;
typedef struct wvl_tile_part_info {
    uint64_t offset, bytes;
    uint32_t tile, part, part_count;
} wvl_tile_part_info;

/* A result may be read by any number of threads. An index that is too large gives WVL_ERROR_ARGUMENT, or 0. */
WVL_API void wvl_result_release(wvl_result *result);
WVL_API uint64_t wvl_result_bytes(const wvl_result *result);      /* whole output */
WVL_API wvl_span wvl_result_codestream(const wvl_result *result); /* SOC..EOC */
WVL_API wvl_span wvl_result_main_header(const wvl_result *result);
WVL_API uint32_t wvl_result_tile_part_count(const wvl_result *result);
WVL_API wvl_status wvl_result_tile_part(const wvl_result *result, uint32_t index, wvl_tile_part_info *info);
WVL_API uint32_t wvl_result_fill_count(const wvl_result *result); /* 1 or more */
WVL_API wvl_status wvl_result_fill(const wvl_result *result, uint32_t index, wvl_fill *fill);
WVL_API uint32_t wvl_result_layer_count(const wvl_result *result);
/* Packet bytes (SOP, headers, EPH, bodies) of component, resolution and layer; UINT32_MAX sums over that index. */
WVL_API uint64_t wvl_result_packet_bytes(const wvl_result *result, uint32_t component, uint32_t resolution,
                                         uint32_t layer);
/* Bytes of the codestream if it is cut after `layer`, and the slope threshold that was reached: 256 * log2 of
 * distortion per byte in squared sample units, plus 32768, and 16384 more in a region of interest; 0: everything is
 * included. With "visual", errors are weighted first. */
WVL_API uint64_t wvl_result_layer_bytes(const wvl_result *result, uint32_t layer);
WVL_API uint32_t wvl_result_layer_slope(const wvl_result *result, uint32_t layer);
/* PSNR in dB after `layer`, from the mean square error of all samples, all with the same weight; peak 2^depth - 1;
 * infinity if exact. It is an estimate, or measured (_is_measured: 1, also if exact) on the samples that a decoder
 * gets: for PSNR targets, with the option measure-psnr, and for small pictures that the CPU finishes. */
WVL_API double wvl_result_layer_psnr(const wvl_result *result, uint32_t layer);
WVL_API int wvl_result_layer_is_measured(const wvl_result *result, uint32_t layer);
WVL_API double wvl_result_seconds(const wvl_result *result, wvl_stage stage); /* of a stage, by the wall clock */
/* Says what turned pixels into coefficients: "cpu", "cuda:0", "cuda:0,1", or "cuda:0 cpu" if the CPU took over. "cuda:0
 * blocks": the device coded the blocks too. "cuda:0 packets": the device made all bytes. */
WVL_API const char *wvl_result_backend(const wvl_result *result);

#ifdef __cplusplus
}
#endif
#endif
