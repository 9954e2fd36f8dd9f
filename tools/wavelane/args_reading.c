/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that say how pictures are read: pages, channels, colours, floating point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"

#define MOST_MEMORY (UINT64_C(1) << 56)

static int take_layout(wvl_cli_args *args, const char *spelling, const char *value)
{
    static const char *const layouts[] = {"planar", "interleaved"};
    int code = wvl_cli_take_word(spelling, value, layouts, 2, &args->io.raw_interleaved);
    args->raw_layout_given = !code;
    return code;
}

/* Numbers with commas between them; each below WVL_IO_MAX_COMPONENTS, none twice. */
static int take_channels(wvl_cli_args *args, const char *spelling, const char *value)
{
    size_t count = 1;
    const char *p = value;
    for (const char *c = value; *c; c++) {
        count += *c == ',';
    }
    free(args->channels);
    args->channel_count = 0;
    args->channels = malloc(count * sizeof *args->channels);
    if (!args->channels) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        char *end = NULL;
        unsigned long number = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : WVL_IO_MAX_COMPONENTS;
        if (number >= WVL_IO_MAX_COMPONENTS || (*end && *end != ',')) {
            return wvl_cli_refuse_value(spelling, value, "numbers of channels from 0, with commas between them");
        }
        args->channels[i] = (uint32_t)number;
        p = end + (*end == ',');
    }
    args->channel_count = (uint32_t)count;
    return WVL_EXIT_OK;
}

static int take_range(wvl_cli_args *args, const char *spelling, const char *value)
{
    char *end;
    wvl_io_options *io = &args->io;
    io->float_range_given = strcmp(value, "auto") != 0;
    args->float_range_spelled = 1;
    if (!io->float_range_given) {
        return WVL_EXIT_OK;
    }
    io->float_low = strtod(value, &end);
    int good = end != value && *end == ',';
    const char *second = end + good;
    io->float_high = good ? strtod(second, &end) : 0;
    if (!good || end == second || *end || !isfinite(io->float_low) || !isfinite(io->float_high) ||
        !(io->float_low < io->float_high)) {
        return wvl_cli_refuse_value(spelling, value, "LO,HI with LO below HI, or auto");
    }
    return WVL_EXIT_OK;
}

static int take_transfer(wvl_cli_args *args, const char *spelling, const char *value)
{
    static const char *const transfers[] = {"linear", "log", "pq"};
    int index = 0, code = wvl_cli_take_word(spelling, value, transfers, 3, &index);
    args->io.float_transfer = code ? WVL_IO_FLOAT_REFUSED : (wvl_io_float_transfer)(WVL_IO_FLOAT_LINEAR + index);
    return code;
}

static int take_pages(wvl_cli_args *args, const char *spelling, const char *value)
{
    if (!wvl_cli_are_pages(value)) {
        return wvl_cli_refuse_value(spelling, value,
                                    "all, or rising numbers and ranges from 0, such as 0-2,5 (0.1: a SubIFD)");
    }
    args->pages = value;
    return WVL_EXIT_OK;
}

/* Bytes, or with K, M, G, T 2^10 and so on of them. */
static int take_memory(wvl_cli_args *args, const char *spelling, const char *value)
{
    static const char units[] = "KkMmGgTt";
    char digits[24];
    size_t length = strspn(value, "0123456789");
    const char *unit = value[length] ? strchr(units, value[length]) : NULL;
    unsigned shift = unit ? (unsigned)(unit - units) / 2 * 10 + 10 : 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(length < 20 ? length : 20), value);
    int good = wvl_cli_parse_number(digits, 1, MOST_MEMORY >> shift, &args->memory_bytes);
    if (!good || length >= 20 || (value[length] && (!unit || value[length + 1]))) {
        return wvl_cli_refuse_value(spelling, value,
                                    "bytes, or a number with K, M, G or T, such as 256M; at most 2^56");
    }
    args->memory_bytes <<= shift;
    return WVL_EXIT_OK;
}

static int take_page(wvl_cli_args *args, const char *spelling, const char *value)
{
    if (!wvl_cli_parse_page(value, &args->io)) {
        return wvl_cli_refuse_value(spelling, value, "a whole number, or 0.1 for the second SubIFD of page 0");
    }
    return WVL_EXIT_OK;
}

int wvl_cli_take_reading(wvl_cli_args *args, const wvl_cli_option *option, const char *spelling, const char *value)
{
    static const char *const palettes[] = {"expand", "indices"};
    static const char *const jpeg_yccs[] = {"rgb", "keep"};
    switch (option->action) {
    case WVL_ACTION_RAW_LAYOUT: return take_layout(args, spelling, value);
    case WVL_ACTION_PALETTE: return wvl_cli_take_word(spelling, value, palettes, 2, &args->io.keep_palette);
    case WVL_ACTION_JPEG_YCC: return wvl_cli_take_word(spelling, value, jpeg_yccs, 2, &args->io.keep_ycc);
    case WVL_ACTION_PAGE: return take_page(args, spelling, value);
    case WVL_ACTION_PAGES: return take_pages(args, spelling, value);
    case WVL_ACTION_MEMORY: return take_memory(args, spelling, value);
    case WVL_ACTION_SPILL_DIR: args->spill_dir = value; return WVL_EXIT_OK;
    case WVL_ACTION_CHANNELS: return take_channels(args, spelling, value);
    case WVL_ACTION_FLOAT_TRANSFER: return take_transfer(args, spelling, value);
    case WVL_ACTION_FLOAT_RANGE: return take_range(args, spelling, value);
    default: return wvl_cli_take_metadata_option(args, option->action, spelling, value);
    }
}

static int refuse(const char *message)
{
    wvl_cli_error("%s", message);
    return 0;
}

static int check_pages(const wvl_cli_args *args)
{
    if (args->io.page_given) {
        return refuse("--page and --pages cannot be used together; give one of them");
    }
    struct stat st;
    int is_one = !args->image_dir && !args->demo && args->input_count == 1 && strcmp(args->inputs[0], "-") != 0;
    if (!is_one || (!stat(args->inputs[0], &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
        return refuse("--pages needs one -i that is a file; each page is read by itself");
    }
    if (args->output && !strcmp(args->output, "-")) {
        return refuse("--pages needs a name after -o; standard output takes one picture");
    }
    return 1;
}

static int check_memory(const wvl_cli_args *args)
{
    if (args->spill_dir && !args->memory_bytes) {
        return refuse("--spill-dir needs --memory; without a limit nothing goes to a file");
    }
    if (args->memory_bytes && (args->image_dir || args->input_count != 1)) {
        return refuse("--memory needs one -i; --demo, -ImgDir and several -i hold whole pictures");
    }
    if (args->memory_bytes && args->verify) {
        return refuse("--memory and --verify cannot be used together; --verify compares with the whole picture");
    }
    return 1;
}

int wvl_cli_check_reading(const wvl_cli_args *args)
{
    if (args->drop_alpha && args->channel_count) {
        return refuse("--channels and --drop-alpha cannot be used together; leave the alpha channel out of --channels");
    }
    if (args->float_range_spelled && !args->io.float_transfer) {
        return refuse("--float-range needs --float-transfer");
    }
    if (args->io.float_transfer == WVL_IO_FLOAT_LOG && args->io.float_range_given && !(args->io.float_low > 0)) {
        return refuse("--float-range: LO must be above 0 with --float-transfer log");
    }
    return check_memory(args) && (!args->pages || check_pages(args));
}
