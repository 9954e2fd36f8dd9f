/* SPDX-License-Identifier: BSD-2-Clause */
/* From picture files to what the library takes: format, planes, place on the reference grid. */
#include <stdlib.h>

#include "cli.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static int exit_code(int result) { return result == WVL_IO_ERROR_MEMORY ? WVL_EXIT_DEVICE : WVL_EXIT_INPUT; }

/* Words stay only where nobody but the library looks at the samples. On the CPU it has kernels for three components;
 * other words would become integers one by one, which the reader does better. */
wvl_io_keep_words wvl_cli_choose_words(const wvl_cli_args *args, int on_device)
{
    int needs_integers = args->orient || args->channel_count || args->drop_alpha || args->ycc_to_rgb ||
                         args->target_depth || args->coded_depth || args->verify;
    wvl_io_keep_words kept = on_device ? WVL_IO_KEEP_ALL_WORDS : WVL_IO_KEEP_WORDS_OF_THREE;
    return needs_integers ? WVL_IO_KEEP_NO_WORDS : kept;
}

int wvl_cli_finish_reading(const wvl_cli_args *args, const char *name, int result, const char *error,
                           wvl_io_picture *io)
{
    if (result) {
        const char *shown = strcmp(name, "-") ? name : "standard input";
        if (args->page_of_many && !strncmp(error, shown, strlen(shown))) {
            char sub[16] = "";
            if (args->io.sub_page) {
                snprintf(sub, sizeof sub, ".%u", args->io.sub_page - 1);
            }
            wvl_cli_error("%s: page %u%s%s", shown, args->io.page, sub, error + strlen(shown));
        } else if (!strncmp(error, shown, strlen(shown))) {
            wvl_cli_error("%s", error);
        } else {
            wvl_cli_error("%s: %s", shown, error);
        }
        return exit_code(result);
    }
    if (!io) {
        return WVL_EXIT_OK;
    }
    if (io->note[0]) {
        wvl_cli_warn_once(name, "%s", io->note);
    }
    if (io->words && io->icc && args->auto_color && wvl_io_expand_words(io)) { /* the profile converts integers */
        return wvl_cli_lack_memory(name);
    }
    return wvl_cli_settle_metadata(args, name, io);
}

static int read_file(const wvl_cli_args *args, const char *name, wvl_io_picture *io)
{
    char error[512] = "";
    int result = wvl_io_read_picture(name, &args->io, io, error, sizeof error);
    return wvl_cli_finish_reading(args, name, result, error, io);
}

/* ---- Options that a format has no use for ---------------------------------------------------- */

static unsigned find_unused(const wvl_cli_args *args, const wvl_io_picture *io)
{
    int is_raw = !strcmp(io->format, "RAW") || !strcmp(io->format, "YUV");
    int names_page = args->io.page || args->io.sub_page;
    unsigned unused = names_page && strcmp(io->format, "TIFF") != 0 ? WVL_UNUSED_PAGE : 0;
    unused |= args->io.raw_format && !is_raw ? WVL_UNUSED_RAW : 0;
    unused |= args->raw_layout_given && !is_raw ? WVL_UNUSED_LAYOUT : 0;
    int may_be_jpeg = !strcmp(io->format, "JPEG") || !strcmp(io->format, "TIFF");
    unused |= args->io.keep_ycc && (!may_be_jpeg || io->color != WVL_IO_YCC) ? WVL_UNUSED_JPEG_YCC : 0;
    unused |= args->drop_alpha && io->alpha_component < 0 && !(io->palette && io->palette_columns == 4)
                  ? WVL_UNUSED_DROP_ALPHA
                  : 0;
    unused |= args->ycc_to_rgb && io->color != WVL_IO_YCC && !io->was_ycc ? WVL_UNUSED_YCC_TO_RGB : 0;
    unused |= args->io.float_transfer && !io->float_transfer ? WVL_UNUSED_FLOAT : 0;
    return unused | (args->io.keep_palette && !io->palette ? WVL_UNUSED_PALETTE : 0);
}

static const struct {
    unsigned bit;
    const char *option, *needs;
} unused_options[] = {
    {WVL_UNUSED_PAGE, "--page", "a TIFF file"},
    {WVL_UNUSED_RAW, "-F", "raw or YUV samples"},
    {WVL_UNUSED_LAYOUT, "--raw-layout", "raw or YUV samples"},
    {WVL_UNUSED_PALETTE, "--palette indices", "a picture with a palette"},
    {WVL_UNUSED_JPEG_YCC, "--jpeg-ycc keep", "a JPEG file in YCbCr"},
    {WVL_UNUSED_DROP_ALPHA, "--drop-alpha", "a picture with an alpha channel"},
    {WVL_UNUSED_YCC_TO_RGB, "--ycc-to-rgb", "a picture in YCbCr"},
    {WVL_UNUSED_FLOAT, "--float-transfer", "a picture of floating point"},
};

int wvl_cli_refuse_unused(const char *name, const wvl_cli_picture *picture)
{
    for (size_t i = 0; i < sizeof unused_options / sizeof unused_options[0]; i++) {
        if (picture->unused & unused_options[i].bit) {
            return wvl_cli_fail(WVL_EXIT_USAGE, "%s: %s needs %s, and the input is %s", name, unused_options[i].option,
                                unused_options[i].needs, picture->io.format[0] ? picture->io.format : "made by --demo");
        }
    }
    return WVL_EXIT_OK;
}

void wvl_cli_note_unused(unsigned *unused, const wvl_cli_picture *picture)
{
    if (picture->io.components) {
        *unused &= picture->unused;
    }
}

void wvl_cli_warn_unused(const char *name, unsigned unused)
{
    for (size_t i = 0; unused != WVL_UNUSED_UNKNOWN && i < sizeof unused_options / sizeof unused_options[0]; i++) {
        if (unused & unused_options[i].bit) {
            wvl_cli_warn("%s: %s had no effect; it needs %s, and none of the inputs is one", name,
                         unused_options[i].option, unused_options[i].needs);
        }
    }
}

/* Files that are pictures of several colours by themselves are rarely meant as components of one picture. */
static void warn_of_colors(const char *name, const wvl_io_picture *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].component_count >= 3) {
            wvl_cli_warn(
                "%s: %zu files become one picture with the components of all; use -ImgDir to write a file for each",
                name, count);
            return;
        }
    }
}

static int merge_parts(const wvl_cli_args *args, const char *name, wvl_io_picture *parts, size_t count,
                       wvl_io_picture *io)
{
    char error[512] = "";
    size_t components = 0;
    for (size_t i = 0; i < count; i++) {
        components += parts[i].component_count;
    }
    if (args->component_steps && args->component_step_count != components) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "--component-steps: %zu steps for %zu components; give one for each component",
                            args->component_step_count, components);
    }
    int result = wvl_io_merge_components(parts, count, args->component_steps, io, error, sizeof error);
    if (result) {
        wvl_cli_error("%s and %zu more: %s", name, count - 1, error);
        return exit_code(result);
    }
    return WVL_EXIT_OK;
}

/* Several files make one picture: the limit is for all of them together. */
static int check_total(const wvl_cli_args *args, const char *name, const wvl_io_picture *part, uint64_t *samples)
{
    uint64_t most = args->io.max_samples ? args->io.max_samples : WVL_IO_MAX_SAMPLES;
    for (uint32_t i = 0; i < part->component_count; i++) {
        *samples += (uint64_t)part->components[i].width * part->components[i].height;
    }
    if (*samples > most) {
        return wvl_cli_fail(WVL_EXIT_INPUT,
                            "%s: exceeds, with the inputs before it, the limit of %llu samples (--max-pixels)", name,
                            (unsigned long long)most);
    }
    return WVL_EXIT_OK;
}

static int read_parts(const wvl_cli_args *args, const char *const *inputs, size_t count, wvl_io_picture *io,
                      unsigned *unused)
{
    wvl_io_picture *parts = calloc(count, sizeof *parts);
    if (!parts) {
        return wvl_cli_lack_memory(inputs[0]);
    }
    size_t done = 0;
    uint64_t samples = 0;
    int code = WVL_EXIT_OK;
    for (; !code && done < count; done++) {
        code = read_file(args, inputs[done], &parts[done]);
        *unused &= code ? 0 : find_unused(args, &parts[done]);
        TRY(code, check_total(args, inputs[done], &parts[done], &samples));
    }
    if (!code) {
        warn_of_colors(inputs[0], parts, count);
        code = merge_parts(args, inputs[0], parts, count, io);
    }
    for (size_t i = 0; i < done; i++) {
        wvl_io_release_picture(&parts[i]);
    }
    free(parts);
    return code;
}

/* ---- The reference grid ---------------------------------------------------------------------- */

/* Ends of the image area for which a component that starts at `offset` has exactly `samples` samples at distance
 * `step`: ceil(end / step) - ceil(offset / step) = samples (B.2). */
static void admissible_ends(uint64_t offset, uint64_t step, uint64_t samples, uint64_t *least, uint64_t *most)
{
    uint64_t first = (offset + step - 1) / step;
    *least = (first + samples - 1) * step + 1;
    *most = (first + samples) * step;
}

/* The end that suits every component along one axis; 0 when there is none. */
static uint64_t common_end(const wvl_io_picture *io, int vertical, uint64_t offset, uint64_t scale)
{
    uint64_t least = 0, most = UINT64_MAX, size = vertical ? io->height : io->width;
    for (uint32_t i = 0; i < io->component_count; i++) {
        const wvl_io_component *c = &io->components[i];
        uint64_t a, b;
        admissible_ends(offset, (vertical ? c->dy : c->dx) * scale, vertical ? c->height : c->width, &a, &b);
        least = a > least ? a : least;
        most = b < most ? b : most;
    }
    uint64_t natural = offset + (size - 1) * scale + 1;
    if (natural >= least && natural <= most) {
        return natural;
    }
    return least <= most ? least : 0;
}

static int refuse_offset(const wvl_cli_args *args, const char *name, const wvl_io_picture *io, int vertical)
{
    uint64_t offset = args->offset[vertical], scale = args->subsampling[vertical];
    uint64_t size = vertical ? io->height : io->width, end = offset + (size - 1) * scale + 1;
    for (uint32_t i = 0; i < io->component_count; i++) {
        const wvl_io_component *c = &io->components[i];
        uint64_t step = (vertical ? c->dy : c->dx) * scale, have = vertical ? c->height : c->width;
        uint64_t need = (end + step - 1) / step - (offset + step - 1) / step;
        if (need != have) {
            return wvl_cli_fail(
                WVL_EXIT_USAGE,
                "%s: component %u has %llu %s at a step of %llu, but with an image offset of %llu it must "
                "have %llu (B.2)",
                name, i, (unsigned long long)have, vertical ? "rows" : "columns", (unsigned long long)step,
                (unsigned long long)offset, (unsigned long long)need);
        }
    }
    return wvl_cli_fail(
        WVL_EXIT_USAGE,
        "%s: no image area suits the sizes of all components (B.2); give their subsampling with --component-steps",
        name);
}

static int place_on_grid(const wvl_cli_args *args, const char *name, wvl_cli_picture *p)
{
    uint64_t end[2];
    for (int axis = 0; axis < 2; axis++) {
        end[axis] = common_end(&p->io, axis, args->offset[axis], args->subsampling[axis]);
        if (!end[axis]) {
            return refuse_offset(args, name, &p->io, axis);
        }
        if (end[axis] > UINT32_MAX) {
            return wvl_cli_fail(
                WVL_EXIT_USAGE,
                "%s: the picture would end at %llu on the reference grid; 4294967295 is the limit (A.5.1)", name,
                (unsigned long long)end[axis]);
        }
    }
    p->format = (wvl_image_format){.struct_size = sizeof p->format,
                                   .x0 = args->offset[0],
                                   .y0 = args->offset[1],
                                   .x1 = (uint32_t)end[0],
                                   .y1 = (uint32_t)end[1],
                                   .component_count = p->io.component_count,
                                   .components = p->components};
    return WVL_EXIT_OK;
}

/* ---- Planes ---------------------------------------------------------------------------------- */

uint8_t wvl_cli_container_of_samples(const wvl_io_component *c)
{
    static const uint8_t containers[] = {[1] = WVL_SAMPLE_8, [2] = WVL_SAMPLE_16, [4] = WVL_SAMPLE_32};
    return containers[c->sample_bytes];
}

static int fill_component(const wvl_cli_args *args, const char *name, const wvl_io_component *c, uint32_t index,
                          wvl_component_format *format, wvl_plane *plane)
{
    unsigned dx = c->dx * args->subsampling[0], dy = c->dy * args->subsampling[1];
    if (dx > 255 || dy > 255) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s: component %u: subsampling %u,%u; 255 is the limit (A.5.1)", name,
                            index, dx, dy);
    }
    if (c->sample_stride_bytes % c->sample_bytes) {
        return wvl_cli_fail(
            WVL_EXIT_CHECK,
            "%s: component %u: the samples are %zu bytes apart, no multiple of their size: a defect, please report it",
            name, index, c->sample_stride_bytes);
    }
    *format = (wvl_component_format){.depth = c->depth,
                                     .is_signed = c->is_float ? WVL_SAMPLE_FLOAT : c->is_signed,
                                     .dx = (uint8_t)dx,
                                     .dy = (uint8_t)dy};
    *plane = (wvl_plane){.data = c->data,
                         .pitch_bytes = (ptrdiff_t)c->stride_bytes,
                         .sample_stride = (uint32_t)(c->sample_stride_bytes / c->sample_bytes),
                         .container = wvl_cli_container_of_samples(c)};
    return WVL_EXIT_OK;
}

/* Component `index` of words that the library unpacks. */
static void use_words(const wvl_io_picture *io, uint32_t index, wvl_plane *plane)
{
    static const uint8_t containers[] = {[WVL_IO_FILLED10_BE] = WVL_SAMPLE_FILLED10_BE,
                                         [WVL_IO_FILLED10_LE] = WVL_SAMPLE_FILLED10_LE,
                                         [WVL_IO_FILLED12_BE] = WVL_SAMPLE_FILLED12_BE,
                                         [WVL_IO_FILLED12_LE] = WVL_SAMPLE_FILLED12_LE,
                                         [WVL_IO_WORDS12_BE] = WVL_SAMPLE_WORDS12_BE,
                                         [WVL_IO_WORDS12_LE] = WVL_SAMPLE_WORDS12_LE,
                                         [WVL_IO_WORDS10_BE] = WVL_SAMPLE_WORDS10_BE,
                                         [WVL_IO_WORDS10_LE] = WVL_SAMPLE_WORDS10_LE,
                                         [WVL_IO_PACKED10] = WVL_SAMPLE_PACKED10,
                                         [WVL_IO_PACKED12] = WVL_SAMPLE_PACKED12,
                                         [WVL_IO_16_BE] = WVL_SAMPLE_16_BE};
    if (io->words) {
        plane->data = io->components[0].data;
        plane->sample_stride = io->component_count;
        plane->first_sample = index;
        plane->container = containers[io->words];
    }
}

static int wrap_planes(const wvl_cli_args *args, const char *name, wvl_cli_picture *p)
{
    uint32_t count = p->io.component_count;
    p->components = calloc(count, sizeof *p->components);
    p->planes = calloc(count, sizeof *p->planes);
    if (!p->components || !p->planes) {
        return wvl_cli_lack_memory(name);
    }
    for (uint32_t i = 0; i < count; i++) {
        int code = fill_component(args, name, &p->io.components[i], i, &p->components[i], &p->planes[i]);
        if (code) {
            return code;
        }
        use_words(&p->io, i, &p->planes[i]);
    }
    p->image = (wvl_image){
        .struct_size = sizeof p->image, .planes = p->planes, .plane_count = count, .memory_kind = WVL_MEMORY_HOST};
    return WVL_EXIT_OK;
}

/* Returns what the samples are scaled to; 0: nothing to do. */
static uint32_t wanted_depth(const wvl_cli_args *args, const char *name, const wvl_io_picture *io)
{
    uint32_t depth = args->coded_depth;
    if (args->target_depth || !depth || io->palette) {
        return args->target_depth;
    }
    for (uint32_t i = 0; i < io->component_count; i++) {
        if (io->components[i].depth != depth) {
            wvl_cli_warn("%s: component %u has %u bits, the file has %u: scaled as -TargetBitDepth does", name, i,
                         io->components[i].depth, depth);
            return depth;
        }
    }
    return 0;
}

/* What was read becomes what the library takes; code: of reading. */
static int prepare_picture(const wvl_cli_args *args, const char *name, int code, wvl_cli_picture *picture)
{
    TRY(code, wvl_cli_change_channels(args, name, &picture->io));
    uint32_t depth = code ? 0 : wanted_depth(args, name, &picture->io);
    if (depth) {
        code = wvl_cli_scale_depth(name, &picture->io, depth);
    }
    TRY(code, wrap_planes(args, name, picture));
    TRY(code, place_on_grid(args, name, picture));
    if (code) {
        wvl_cli_release_picture(picture);
    }
    return code;
}

int wvl_cli_read_picture(const wvl_cli_args *args, const char *const *inputs, size_t count, wvl_cli_picture *picture)
{
    memset(picture, 0, sizeof *picture);
    const char *name = count ? inputs[0] : "demo";
    unsigned unused = ~0u;
    int code = WVL_EXIT_OK;
    if (!count) {
        code = wvl_cli_make_demo(&picture->io);
    } else if (count == 1) {
        code = read_file(args, inputs[0], &picture->io);
    } else {
        code = read_parts(args, inputs, count, &picture->io, &unused);
    }
    picture->unused = count > 1 ? unused : find_unused(args, &picture->io);
    return prepare_picture(args, name, code, picture);
}

static int finish_picture(const wvl_cli_args *args, const char *name, int result, const char *error,
                          wvl_cli_picture *picture)
{
    int code = wvl_cli_finish_reading(args, name, result, error, &picture->io);
    picture->unused = find_unused(args, &picture->io);
    return prepare_picture(args, name, code, picture);
}

int wvl_cli_read_bytes(const wvl_cli_args *args, const char *name, const uint8_t *data, size_t bytes,
                       wvl_cli_picture *picture)
{
    char error[512] = "";
    memset(picture, 0, sizeof *picture);
    int result = wvl_io_read_memory(data, bytes, name, &args->io, &picture->io, error, sizeof error);
    return finish_picture(args, name, result, error, picture);
}

int wvl_cli_take_picture(const wvl_cli_args *args, const char *name, wvl_io_rows *rows, wvl_cli_picture *picture)
{
    char error[512] = "";
    memset(picture, 0, sizeof *picture);
    int result = wvl_io_rows_take_picture(rows, &picture->io, error, sizeof error);
    return finish_picture(args, name, result, error, picture);
}

int wvl_cli_describe_rows(const wvl_cli_args *args, const char *name, wvl_io_rows *rows, wvl_cli_picture *picture)
{
    memset(picture, 0, sizeof *picture);
    int result = wvl_io_rows_take_description(rows, &picture->io);
    return finish_picture(args, name, result, result ? "out of memory" : "", picture);
}

void wvl_cli_release_picture(wvl_cli_picture *picture)
{
    wvl_io_release_picture(&picture->io);
    for (size_t i = 0; picture->box_data && i < picture->box_count; i++) {
        free(picture->box_data[i]);
    }
    free(picture->box_data);
    free(picture->boxes);
    wvl_metadata_release_boxes(&picture->metadata);
    free(picture->channel_types);
    free(picture->converted);
    free(picture->components);
    free(picture->planes);
    memset(picture, 0, sizeof *picture);
}

double wvl_cli_sample_count(const wvl_cli_picture *picture)
{
    double samples = 0.0;
    for (uint32_t i = 0; i < picture->io.component_count; i++) {
        samples += (double)picture->io.components[i].width * picture->io.components[i].height;
    }
    return samples;
}
