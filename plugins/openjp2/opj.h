/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface of libopenjp2 as far as this plugin takes part in it: the structures that callers fill (OpenJPEG 2.1 to
 * 2.5 have the same ones), and the functions. Written from the interface's documentation. real.c checks at run time
 * that the loaded library has these structures; the suite compares every offset with an installed openjpeg.h.
 */
#ifndef WVL_OPENJP2_OPJ_H
#define WVL_OPENJP2_OPJ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef int opj_bool;
typedef struct opj_codec opj_codec;   /* opaque */
typedef struct opj_stream opj_stream; /* opaque */

enum { OPJ_FORMAT_J2K = 0, OPJ_FORMAT_JP2 = 2 };
enum { OPJ_MOST_POCS = 32, OPJ_MOST_LAYERS = 100, OPJ_MOST_RESOLUTIONS = 33, OPJ_PATH_BYTES = 4096 };
enum { OPJ_CSTY_PRECINCTS = 1, OPJ_CSTY_SOP = 2, OPJ_CSTY_EPH = 4 };
enum { OPJ_MODES = 63, OPJ_MODE_HT = 64 };
enum { OPJ_RSIZ_PROFILE_0 = 1, OPJ_RSIZ_PROFILE_1, OPJ_RSIZ_CINEMA_2K, OPJ_RSIZ_CINEMA_4K, OPJ_RSIZ_CINEMA_S4K = 6 };
enum { OPJ_RSIZ_IMF = 0x400 };
enum { OPJ_COLOR_SRGB = 1, OPJ_COLOR_GREY = 2, OPJ_COLOR_SYCC = 3, OPJ_COLOR_EYCC = 4, OPJ_COLOR_CMYK = 5 };

/* One change of the progression order (A.6.6). The members before progorder that this plugin reads are named. */
typedef struct opj_change {
    uint32_t resolution_begin, component_begin;
    uint32_t layer_end, resolution_end, component_end;
    uint32_t unused_begin[3];
    int32_t order_given, order;
    char order_name[5];
    uint32_t tile; /* from 1 */
    int32_t unused_extent[4];
    uint32_t unused_walk[20];
} opj_change;

typedef struct opj_cparameters {
    opj_bool tile_size_on;
    int cp_tx0, cp_ty0, cp_tdx, cp_tdy;
    int cp_disto_alloc, cp_fixed_alloc, cp_fixed_quality;
    int *cp_matrice;
    char *cp_comment;
    int csty;
    int prog_order;
    opj_change POC[OPJ_MOST_POCS];
    uint32_t numpocs;
    int tcp_numlayers;
    float tcp_rates[OPJ_MOST_LAYERS];
    float tcp_distoratio[OPJ_MOST_LAYERS];
    int numresolution;
    int cblockw_init, cblockh_init;
    int mode;
    int irreversible;
    int roi_compno, roi_shift;
    int res_spec;
    int prcw_init[OPJ_MOST_RESOLUTIONS], prch_init[OPJ_MOST_RESOLUTIONS];
    char infile[OPJ_PATH_BYTES], outfile[OPJ_PATH_BYTES];
    int index_on;
    char index[OPJ_PATH_BYTES];
    int image_offset_x0, image_offset_y0;
    int subsampling_dx, subsampling_dy;
    int decod_format, cod_format;
    int jpwl[118]; /* jpwl_epc_on, then its settings */
    int cp_cinema;
    int max_comp_size;
    int cp_rsiz;
    char tp_on, tp_flag, tcp_mct;
    opj_bool jpip_on;
    void *mct_data;
    int max_cs_size;
    uint16_t rsiz;
} opj_cparameters;

typedef struct opj_component {
    uint32_t dx, dy, w, h, x0, y0, prec, bpp, sgnd, resno_decoded, factor;
    int32_t *data;
    uint16_t alpha;
} opj_component;

typedef struct opj_image {
    uint32_t x0, y0, x1, y1, numcomps;
    int32_t color_space;
    opj_component *comps;
    unsigned char *icc_profile_buf;
    uint32_t icc_profile_len;
} opj_image;

typedef struct opj_component_request {
    uint32_t dx, dy, w, h, x0, y0, prec, bpp, sgnd;
} opj_component_request;

typedef size_t (*opj_transfer_fn)(void *data, size_t bytes, void *user);
typedef int64_t (*opj_skip_fn)(int64_t bytes, void *user);
typedef opj_bool (*opj_seek_fn)(int64_t offset, void *user);
typedef void (*opj_free_fn)(void *user);
typedef void (*opj_message_fn)(const char *text, void *user);

/* Functions of the interface that this plugin defines: result, name, parameters, arguments. */
#define OPJ_TAKEN(X)                                                                                                   \
    X(opj_codec *, opj_create_compress, (int format), (format))                                                        \
    X(opj_bool, opj_setup_encoder, (opj_codec * codec, opj_cparameters * parameters, opj_image * image),               \
      (codec, parameters, image))                                                                                      \
    X(opj_bool, opj_encoder_set_extra_options, (opj_codec * codec, const char *const *options), (codec, options))      \
    X(opj_bool, opj_start_compress, (opj_codec * codec, opj_image * image, opj_stream * stream),                       \
      (codec, image, stream))                                                                                          \
    X(opj_bool, opj_encode, (opj_codec * codec, opj_stream * stream), (codec, stream))                                 \
    X(opj_bool, opj_write_tile,                                                                                        \
      (opj_codec * codec, uint32_t index, unsigned char *data, uint32_t bytes, opj_stream *stream),                    \
      (codec, index, data, bytes, stream))                                                                             \
    X(opj_bool, opj_end_compress, (opj_codec * codec, opj_stream * stream), (codec, stream))                           \
    X(void, opj_destroy_codec, (opj_codec * codec), (codec))                                                           \
    X(opj_bool, opj_codec_set_threads, (opj_codec * codec, int threads), (codec, threads))                             \
    X(opj_bool, opj_set_info_handler, (opj_codec * codec, opj_message_fn handler, void *user), (codec, handler, user)) \
    X(opj_bool, opj_set_warning_handler, (opj_codec * codec, opj_message_fn handler, void *user),                      \
      (codec, handler, user))                                                                                          \
    X(opj_bool, opj_set_error_handler, (opj_codec * codec, opj_message_fn handler, void *user),                        \
      (codec, handler, user))                                                                                          \
    X(opj_stream *, opj_stream_create, (size_t bytes, opj_bool is_input), (bytes, is_input))                           \
    X(opj_stream *, opj_stream_default_create, (opj_bool is_input), (is_input))                                        \
    X(opj_stream *, opj_stream_create_file_stream, (const char *path, size_t bytes, opj_bool is_input),                \
      (path, bytes, is_input))                                                                                         \
    X(opj_stream *, opj_stream_create_default_file_stream, (const char *path, opj_bool is_input), (path, is_input))    \
    X(void, opj_stream_destroy, (opj_stream * stream), (stream))                                                       \
    X(void, opj_stream_set_write_function, (opj_stream * stream, opj_transfer_fn function), (stream, function))        \
    X(void, opj_stream_set_skip_function, (opj_stream * stream, opj_skip_fn function), (stream, function))             \
    X(void, opj_stream_set_seek_function, (opj_stream * stream, opj_seek_fn function), (stream, function))             \
    X(void, opj_stream_set_user_data, (opj_stream * stream, void *user, opj_free_fn release), (stream, user, release))

/* Functions of the interface that only libopenjp2 has. The library that stands in its place by a library path
 * forwards them (forward.c); V: those without a result. Structures of the decoder are not looked into: void *. */
#define OPJ_FORWARDED(X, V)                                                                                            \
    X(const char *, opj_version, (void), ())                                                                           \
    X(opj_image *, opj_image_create, (uint32_t count, opj_component_request * components, int color_space),            \
      (count, components, color_space))                                                                                \
    X(opj_image *, opj_image_tile_create, (uint32_t count, opj_component_request * components, int color_space),       \
      (count, components, color_space))                                                                                \
    V(opj_image_destroy, (opj_image * image), (image))                                                                 \
    X(void *, opj_image_data_alloc, (size_t bytes), (bytes))                                                           \
    V(opj_image_data_free, (void *data), (data))                                                                       \
    V(opj_stream_set_read_function, (opj_stream * stream, opj_transfer_fn function), (stream, function))               \
    V(opj_stream_set_user_data_length, (opj_stream * stream, uint64_t bytes), (stream, bytes))                         \
    X(opj_codec *, opj_create_decompress, (int format), (format))                                                      \
    X(opj_bool, opj_end_decompress, (opj_codec * codec, opj_stream * stream), (codec, stream))                         \
    V(opj_set_default_decoder_parameters, (void *parameters), (parameters))                                            \
    X(opj_bool, opj_setup_decoder, (opj_codec * codec, void *parameters), (codec, parameters))                         \
    X(opj_bool, opj_decoder_set_strict_mode, (opj_codec * codec, opj_bool is_strict), (codec, is_strict))              \
    X(opj_bool, opj_read_header, (opj_stream * stream, opj_codec * codec, opj_image * *image), (stream, codec, image)) \
    X(opj_bool, opj_set_decoded_components,                                                                            \
      (opj_codec * codec, uint32_t count, const uint32_t *components, opj_bool has_color_transform),                   \
      (codec, count, components, has_color_transform))                                                                 \
    X(opj_bool, opj_set_decode_area,                                                                                   \
      (opj_codec * codec, opj_image * image, int32_t x0, int32_t y0, int32_t x1, int32_t y1),                          \
      (codec, image, x0, y0, x1, y1))                                                                                  \
    X(opj_bool, opj_decode, (opj_codec * codec, opj_stream * stream, opj_image * image), (codec, stream, image))       \
    X(opj_bool, opj_get_decoded_tile, (opj_codec * codec, opj_stream * stream, opj_image * image, uint32_t tile),      \
      (codec, stream, image, tile))                                                                                    \
    X(opj_bool, opj_set_decoded_resolution_factor, (opj_codec * codec, uint32_t factor), (codec, factor))              \
    X(opj_bool, opj_read_tile_header,                                                                                  \
      (opj_codec * codec, opj_stream * stream, uint32_t * tile, uint32_t * bytes, int32_t * x0, int32_t * y0,          \
       int32_t * x1, int32_t * y1, uint32_t * count, opj_bool * goes_on),                                              \
      (codec, stream, tile, bytes, x0, y0, x1, y1, count, goes_on))                                                    \
    X(opj_bool, opj_decode_tile_data,                                                                                  \
      (opj_codec * codec, uint32_t tile, unsigned char *data, uint32_t bytes, opj_stream *stream),                     \
      (codec, tile, data, bytes, stream))                                                                              \
    V(opj_set_default_encoder_parameters, (opj_cparameters * parameters), (parameters))                                \
    V(opj_dump_codec, (opj_codec * codec, int32_t what, FILE * file), (codec, what, file))                             \
    X(void *, opj_get_cstr_info, (opj_codec * codec), (codec))                                                         \
    V(opj_destroy_cstr_info, (void **info), (info))                                                                    \
    X(void *, opj_get_cstr_index, (opj_codec * codec), (codec))                                                        \
    V(opj_destroy_cstr_index, (void **index), (index))                                                                 \
    X(opj_bool, opj_set_MCT, (opj_cparameters * parameters, float *matrix, int32_t *shift, uint32_t count),            \
      (parameters, matrix, shift, count))                                                                              \
    X(opj_bool, opj_has_thread_support, (void), ())                                                                    \
    X(int, opj_get_num_cpus, (void), ())

#endif
