/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of encode: their table, and what those do that are more than a flag or a text. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "args.h"

#define FILES "Input and output"
#define COMPATIBLE "Options of opj_compress"
#define PICTURE "Picture and JP2 contents"
#define CONTROL "Checks, messages, resources"
#define REFUSED "Known and refused"

#define MOST_LIMIT (UINT64_C(1) << 56) /* of bytes or samples: sums and products stay within 64 bits */

/* ---- Values ---------------------------------------------------------------------------------- */

static int take_pair(const char *spelling, const char *value, uint64_t minimum, uint64_t maximum, const char *expected,
                     uint32_t to[2])
{
    uint64_t v[2];
    const char *p = wvl_cli_scan_number(value, minimum, maximum, &v[0]);
    p = p && *p == ',' ? wvl_cli_scan_number(p + 1, minimum, maximum, &v[1]) : NULL;
    if (!p || *p) {
        return wvl_cli_refuse_value(spelling, value, expected);
    }
    to[0] = (uint32_t)v[0];
    to[1] = (uint32_t)v[1];
    return WVL_EXIT_OK;
}

static int take_steps(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    size_t count = 1;
    for (const char *p = value; *p; p++) {
        count += *p == ':';
    }
    free(args->component_steps);
    args->component_steps = malloc(count * 2);
    if (!args->component_steps) {
        return wvl_cli_fail(WVL_EXIT_DEVICE, "out of memory");
    }
    const char *p = value;
    for (size_t i = 0; i < count; i++) {
        uint64_t dx, dy;
        p = wvl_cli_scan_number(p, 1, 255, &dx);
        p = p && *p == 'x' ? wvl_cli_scan_number(p + 1, 1, 255, &dy) : NULL;
        if (!p || (*p && *p != ':')) {
            return wvl_cli_refuse_value(spelling, value, "DXxDY:DXxDY:..., each from 1 to 255");
        }
        args->component_steps[2 * i] = (uint8_t)dx;
        args->component_steps[2 * i + 1] = (uint8_t)dy;
        p += *p == ':';
    }
    args->component_step_count = count;
    return WVL_EXIT_OK;
}

static int take_uuid(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    wvl_cli_box *box = &args->boxes[args->box_count++];
    static const char hex[] = "0123456789abcdef";
    const char *p = value;
    unsigned digits = 0;
    for (; *p && *p != ':'; p++) {
        const char *at = strchr(hex, tolower((unsigned char)*p));
        if (*p == '-') {
            continue;
        }
        if (!at || digits >= 32) {
            break;
        }
        box->uuid[digits / 2] = (uint8_t)(box->uuid[digits / 2] << 4 | (at - hex));
        digits++;
    }
    if (digits != 32 || *p != ':' || !p[1]) {
        return wvl_cli_refuse_value(spelling, value, "32 hexadecimal digits, a colon, and a file");
    }
    box->is_uuid = 1;
    box->path = p + 1;
    return WVL_EXIT_OK;
}

/* -n counts resolutions, the library counts levels. */
static int take_resolutions(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    uint64_t n;
    if (!wvl_cli_parse_number(value, 1, 33, &n)) {
        return wvl_cli_refuse_value(spelling, value, "a whole number from 1 to 33 (A.6.1)");
    }
    char *text = args->storage + args->storage_used;
    args->storage_used += (size_t)snprintf(text, 4, "%u", (unsigned)n - 1) + 1;
    return wvl_cli_add_setting(args, spelling, "levels", text, 0);
}

static int take_mct(void *to, const char *spelling, const char *value)
{
    static const char *const words[] = {"off", "on"};
    int is_number = (value[0] == '0' || value[0] == '1') && !value[1];
    if (!strcmp(value, "2")) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "%s 2: a user colour matrix belongs to Part 2 of the standard; use off, on or auto",
                            spelling);
    }
    return wvl_cli_add_setting(to, spelling, "mct", is_number ? words[value[0] - '0'] : value, 0);
}

/* The last one counts, as with every setting. */
static int take_input_color(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    args->auto_color = !strcmp(value, "auto");
    return args->auto_color ? WVL_EXIT_OK : wvl_cli_add_setting(args, spelling, "input-color", value, 0);
}

static int take_threads(void *to, const char *spelling, const char *value)
{
    uint64_t threads;
    if (!wvl_cli_parse_number(strcmp(value, "ALL_CPUS") ? value : "0", 0, 1024, &threads)) {
        return wvl_cli_refuse_value(spelling, value, "a number from 0 to 1024, or ALL_CPUS");
    }
    ((wvl_cli_args *)to)->threads = (uint32_t)threads;
    return WVL_EXIT_OK;
}

static int take_subsampling(void *to, const char *spelling, const char *value)
{
    return take_pair(spelling, value, 1, 255, "DX,DY, each from 1 to 255 (A.5.1)", ((wvl_cli_args *)to)->subsampling);
}

static int take_offset(void *to, const char *spelling, const char *value)
{
    return take_pair(spelling, value, 0, UINT32_MAX - 1, "X,Y, each from 0 to 4294967294 (A.5.1)",
                     ((wvl_cli_args *)to)->offset);
}

static int take_halved_precincts(void *to, const char *spelling, const char *value)
{
    return wvl_cli_add_setting(to, spelling, "precincts", value, 1);
}

static int take_input(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    (void)spelling;
    args->inputs[args->input_count++] = value;
    return WVL_EXIT_OK;
}

static int take_xml(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    (void)spelling;
    args->boxes[args->box_count++].path = value;
    return WVL_EXIT_OK;
}

static int take_color(void *to, const char *spelling, const char *value)
{
    static const wvl_color colors[] = {WVL_COLOR_SRGB, WVL_COLOR_GREY, WVL_COLOR_SYCC};
    int index = 0, code = wvl_cli_take_word(spelling, value, "srgb|grey|sycc", &index);
    ((wvl_cli_args *)to)->color = colors[index];
    return code;
}

static int take_layout(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    args->raw_layout_given = 1;
    return wvl_cli_take_word(spelling, value, "planar|interleaved", &args->io.raw_interleaved);
}

/* Numbers with commas between them; each below WVL_IO_MAX_COMPONENTS, none twice. */
static int take_channels(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
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
            return wvl_cli_refuse_value(spelling, value, "channel numbers from 0, separated by commas");
        }
        args->channels[i] = (uint32_t)number;
        p = end + (*end == ',');
    }
    args->channel_count = (uint32_t)count;
    return WVL_EXIT_OK;
}

static int take_range(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
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

static int take_pages(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    if (!wvl_cli_are_pages(value)) {
        return wvl_cli_refuse_value(spelling, value,
                                    "all, or ascending numbers and ranges from 0, such as 0-2,5 (0.1: a SubIFD)");
    }
    args->pages = value;
    return WVL_EXIT_OK;
}

/* Bytes, or with K, M, G, T 2^10 and so on of them. */
static int take_memory(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    static const char units[] = "KkMmGgTt";
    char digits[24];
    size_t length = strspn(value, "0123456789");
    const char *unit = value[length] ? strchr(units, value[length]) : NULL;
    unsigned shift = unit ? (unsigned)(unit - units) / 2 * 10 + 10 : 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(length < 20 ? length : 20), value);
    int good = wvl_cli_parse_number(digits, 1, MOST_LIMIT >> shift, &args->memory_bytes);
    if (!good || length >= 20 || (value[length] && (!unit || value[length + 1]))) {
        return wvl_cli_refuse_value(spelling, value,
                                    "bytes, or a number with K, M, G or T, such as 256M; at most 2^56");
    }
    args->memory_bytes <<= shift;
    return WVL_EXIT_OK;
}

static int take_page(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    if (!wvl_cli_parse_page(value, &args->io)) {
        return wvl_cli_refuse_value(spelling, value, "a whole number, or 0.1 for the second SubIFD of page 0");
    }
    return WVL_EXIT_OK;
}

static int take_keep(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    unsigned keep;
    if (!wvl_metadata_parse_keep(value, &keep)) {
        return wvl_cli_fail(WVL_EXIT_USAGE,
                            "%s \"%s\": expected words from exif, iptc, xmp, geo, text, icc, resolution, boxes, "
                            "separated by commas; or all, or none",
                            spelling, value);
    }
    args->dropped = WVL_KEEP_ALL & ~keep;
    return WVL_EXIT_OK;
}

static int take_orient(void *to, const char *spelling, const char *value)
{
    wvl_cli_args *args = to;
    args->orient = !strcmp(value, "auto");
    if (!args->orient && strcmp(value, "keep") != 0) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "%s \"%s\": expected auto or keep", spelling, value);
    }
    return WVL_EXIT_OK;
}

/* Without a value. */
static int be_verbose(void *to, const char *spelling, const char *value)
{
    (void)spelling, (void)value;
    ((wvl_cli_args *)to)->verbose++;
    return WVL_EXIT_OK;
}

/* ---- Table ----------------------------------------------------------------------------------- */

#define SET(name, value) WVL_CLI_HOW(SETTING, .key = name, .fixed = value)
#define PRESET(name) WVL_CLI_HOW(PRESET, .fixed = name)
#define NEVER WVL_CLI_HOW(NEVER, .key = NULL)
#define FLAG(member) WVL_CLI_MEMBER(FLAG, wvl_cli_args, member)
#define TEXT(member) WVL_CLI_MEMBER(TEXT, wvl_cli_args, member)
#define ONCE(member) WVL_CLI_MEMBER(ONCE, wvl_cli_args, member)
#define AS(kind, member, value) WVL_CLI_HOW(kind, .at = offsetof(wvl_cli_args, member), .least = value)
#define WORD(member) WVL_CLI_MEMBER(WORD, wvl_cli_args, member)
#define BETWEEN(member, low, high) WVL_CLI_BETWEEN(wvl_cli_args, member, low, high)
#define CALL(function) WVL_CLI_TAKE(function)

/* Those of the library follow. */
static const wvl_cli_option of_command[] = {
    {"input", 'i', "FILE", CALL(take_input),
     "Picture to encode, - for standard input. Given several times, the files are the components of one picture.",
     FILES},
    {"output", 'o', "FILE", ONCE(output),
     "File to write: .jp2 is a JP2 file; .j2k, .j2c, .jpc is a codestream; .jph is a JPH file and .jhc a codestream, "
     "both with HT blocks; .exr is OpenEXR with HTJ2K, from an OpenEXR file; - is a codestream on standard output.",
     FILES},
    {"ImgDir", 0, "DIR", ONCE(image_dir),
     "Encode every picture of a folder, into the same folder or that of -o; needs -OutFor.", FILES},
    {"image-dir", 0, "DIR", ONCE(image_dir), "Same as -ImgDir.", FILES},
    {"OutFor", 0, "J2K|J2C|JPC|JP2|JPH|JHC", ONCE(out_format),
     "Extension of the files that -ImgDir writes, in upper or lower case as given.", FILES},
    {"out-format", 0, "EXTENSION", ONCE(out_format), "Same as -OutFor.", FILES},
    {"pictures", 0, "N", BETWEEN(pictures, 1, 64),
     "Number of pictures of -ImgDir that are read, encoded or written at the same time, from 1 to 64. Default: one for "
     "each thread, and 12 more with a device; fewer where there are fewer pictures than threads, or where memory is "
     "short. Files, messages and their order do not depend on it.",
     FILES},
    {"recursive", 0, NULL, FLAG(recursive),
     "Include the subfolders of -ImgDir, but not links to folders. With -o the same subfolders are made there.", FILES},
    {"skip-existing", 0, NULL, FLAG(skip_existing),
     "Skip pictures of -ImgDir whose output exists and ends with an EOC marker. They do not count as failed.", FILES},
    {"force", 0, NULL, FLAG(force), "Replace outputs that exist.", FILES},
    {"raw-format", 'F', "W,H,N,BITS,{s|u|f}[@DXxDY:...]", ONCE(io.raw_format),
     "Geometry of raw input: width, height, components, bits, signed, unsigned or floating point (f, of 16 or 32 "
     "bits), "
     "subsampling of each component.",
     FILES},
    {"raw-layout", 0, "planar|interleaved", CALL(take_layout),
     "Order of raw samples: plane after plane (planar, the default), or all components of a pixel together "
     "(interleaved, as rgb48 of FFmpeg).",
     FILES},
    {"input-format", 0, "EXTENSION", ONCE(io.format),
     "Read the input as a file with this extension (raw, rawl, yuv, tga, ...), regardless of its name and first bytes.",
     FILES},
    {"page", 0, "N[.M]", CALL(take_page),
     "Page of a TIFF file to encode, from 0; 0.1 is the second SubIFD of page 0. Default: page 0, or the only full "
     "picture if page 0 is a reduced one (a thumbnail) or a mask.",
     FILES},
    {"pages", 0, "all|LIST", CALL(take_pages),
     "Pages of a TIFF file, from 0, each written to its own file: all but reduced pictures and masks, or ascending "
     "numbers and ranges such as 0-2,5. The number replaces %d or %03d in the name of -o, or comes before its "
     "extension (scan.jp2 becomes scan-0.jp2).",
     FILES},
    {"max-pixels", 0, "N", BETWEEN(io.max_samples, 1, MOST_LIMIT),
     "Largest picture that is read, in samples of all components together; by default 8589934592 (2^33).", FILES},
    {"max-input-bytes", 0, "N", BETWEEN(io.max_input_bytes, 1, MOST_LIMIT),
     "Largest number of bytes that are read from a pipe or a device; by default 2147483648 (2 GiB), and 67108864 (64 "
     "MiB) for --xml and --uuid.",
     FILES},
    {"demo", 0, NULL, FLAG(demo), "Encode a test picture that the command generates.", FILES},

    {NULL, 'r', "RATIO,...", SET("rates", NULL), "Same as --rates.", COMPATIBLE},
    {NULL, 'q', "DB,...", SET("psnr", NULL), "Same as --psnr.", COMPATIBLE},
    {"resolutions", 'n', "N", CALL(take_resolutions), "Number of resolutions, one more than --levels.", COMPATIBLE},
    {NULL, 'b', "W,H", SET("block", NULL), "Same as --block.", COMPATIBLE},
    {NULL, 'c', "[W,H],...", CALL(take_halved_precincts),
     "Like --precincts, but the last size halves for each lower resolution instead of repeating.", COMPATIBLE},
    {NULL, 't', "W,H", SET("tile", NULL), "Same as --tile.", COMPATIBLE},
    {NULL, 'T', "X,Y", SET("tile-offset", NULL), "Same as --tile-offset.", COMPATIBLE},
    {"image-offset", 'd', "X,Y", CALL(take_offset), "Offset of the picture on the reference grid (XOsiz, YOsiz).",
     COMPATIBLE},
    {"subsampling", 's', "DX,DY", CALL(take_subsampling),
     "Distance of the samples on the reference grid (XRsiz, YRsiz), times that of the input; no sample is left out.",
     COMPATIBLE},
    {NULL, 'p', "ORDER", SET("progression", NULL), "Same as --progression.", COMPATIBLE},
    {"SOP", 'S', NULL, SET("sop", "yes"), "Same as --sop yes.", COMPATIBLE},
    {"EPH", 'E', NULL, SET("eph", "yes"), "Same as --eph yes.", COMPATIBLE},
    {"PLT", 0, NULL, SET("plt", "yes"), "Same as --plt yes.", COMPATIBLE},
    {"TLM", 0, NULL, SET("tlm", "yes"), "Same as --tlm yes.", COMPATIBLE},
    {"POC", 'P', "T1=RS,CS,LYE,RE,CE,ORDER/...", SET("progression-changes", NULL), "Same as --progression-changes.",
     COMPATIBLE},
    {"ROI", 'R', "c=N,U=N", SET("roi", NULL), "Same as --roi.", COMPATIBLE},
    {NULL, 'M', "STYLE", SET("style", NULL), "Same as --style.", COMPATIBLE},
    {"HT", 0, NULL, SET("style", "HT"), "High-throughput block coder (15444-15); same as --style HT and -M 64.",
     COMPATIBLE},
    {"ht", 0, NULL, SET("style", "HT"), "Same as -HT.", COMPATIBLE},
    {"TP", 'u', "R|L|C", SET("tile-parts", NULL), "Same as --tile-parts.", COMPATIBLE},
    {"irreversible", 'I', NULL, SET("reversible", "no"), "Same as --reversible no.", COMPATIBLE},
    {"mct", 'Y', "0|1|off|on|auto", CALL(take_mct),
     "Colour transform of the first three components; 0 is off, 1 is on. 2 (user matrix) is Part 2 and refused.",
     COMPATIBLE},
    {"cinema2K", 0, "FPS", PRESET("dci-2k"), "Same as --preset dci-2k --frame-rate FPS.", COMPATIBLE},
    {"cinema4K", 0, NULL, PRESET("dci-4k"), "Same as --preset dci-4k.", COMPATIBLE},
    {"IMF", 0, "PROFILE[,mainlevel=N][,sublevel=N][,framerate=FPS]", PRESET("imf"),
     "Preset of the IMF profile 2K, 4K, 8K, 2K_R, 4K_R or 8K_R, with --main-level, --sub-level and --frame-rate.",
     COMPATIBLE},
    {NULL, 'C', "TEXT", SET("comment", NULL), "Same as --comment.", COMPATIBLE},
    {"GuardBits", 'G', "N", SET("guard-bits", NULL), "Same as --guard-bits.", COMPATIBLE},
    {"TargetBitDepth", 'X', "BITS", BETWEEN(target_depth, 1, 32),
     "Scale the samples to this depth: down by dropping bits, up by the ratio of the maxima.", COMPATIBLE},
    {"target-bit-depth", 0, "BITS", BETWEEN(target_depth, 1, 32), "Same as -TargetBitDepth.", COMPATIBLE},
    {"threads", 0, "N|ALL_CPUS", CALL(take_threads),
     "Number of threads; 0 or ALL_CPUS (the default): one for each processor. The bytes do not depend on it.",
     COMPATIBLE},
    {"help", 'h', NULL, FLAG(help), "Print this help and exit.", COMPATIBLE},

    {"preset", 0, "NAME", PRESET(NULL), "Start from a preset; other options, before or after it, override it.",
     PICTURE},
    {"component-steps", 0, "DXxDY:...", CALL(take_steps),
     "Subsampling of each component when several -i make one picture; by default it follows from their sizes.",
     PICTURE},
    {"palette", 0, "expand|indices", WORD(io.keep_palette),
     "Palette pictures: encode the colours (default), or the indices with the palette in the JP2 file.", PICTURE},
    {"jpeg-ycc", 0, "rgb|keep", WORD(io.keep_ycc),
     "YCbCr of JPEG files, and of JPEG and JPEG 2000 data in TIFF: encode RGB (default), or the planes as they are "
     "stored, "
     "subsampled ones too.",
     PICTURE},
    {"exr-compression", 0, "htj2k256|htj2k32", AS(WORD, exr_compression, 1),
     "Chunks of an .exr file: of 256 lines (the default), or of 32. All channels and attributes are kept.", FILES},
    {"channels", 0, "N,...", CALL(take_channels), "Channels to encode, from 0, in this order; the others are left out.",
     PICTURE},
    {"drop-alpha", 0, NULL, FLAG(drop_alpha), "Leave the alpha channel out.", PICTURE},
    {"ycc-to-rgb", 0, NULL, FLAG(ycc_to_rgb),
     "Convert YCbCr, subsampled or not, to RGB: by the matrix and range of the file, else BT.601 with full range.",
     PICTURE},
    {"float-transfer", 0, "linear|log|pq|keep", AS(WORD, io.float_transfer, WVL_IO_FLOAT_LINEAR),
     "Make 16-bit integers of floating-point samples (OpenEXR, TIFF, PFM): in proportion, by their logarithm, or by "
     "the curve of SMPTE ST 2084. keep encodes half and float bit for bit, and UINT of OpenEXR; this needs HT blocks "
     "and a decoder that knows NLT, as OpenJPH does. Floating point is refused without it.",
     PICTURE},
    {"float-range", 0, "LO,HI|auto", CALL(take_range),
     "Values that become the lowest and the highest code of --float-transfer; auto (the default): those of the "
     "picture. With pq, HI is the value of 10000 cd/m2.",
     PICTURE},
    {"color", 0, "srgb|grey|sycc", CALL(take_color),
     "Colour space to declare in a JP2 file, instead of that of the picture.", PICTURE},
    {"input-color", 0, "auto|none|xyz|SPACE", CALL(take_input_color),
     "Convert RGB to 12-bit X'Y'Z' of digital cinema (SMPTE ST 428-1): from rec709, srgb, rec601-525, rec601-625, "
     "rec2020, p3-dci, p3-d60, p3-d65 or display-p3; auto: as specified by the ICC profile or the PNG or DPX header, "
     "refused if neither does; xyz: the samples are already X'Y'Z', and the uppermost 12 bits are taken; none "
     "(default): the samples are not converted.",
     PICTURE},
    {"icc", 0, "keep|fit|drop", WORD(icc),
     "The picture's ICC profile. keep (the default): write it to the JP2 file, and refuse one that the file cannot "
     "carry. fit: leave such a profile out, with a warning. drop: leave it out.",
     PICTURE},
    {"no-icc", 0, NULL, AS(FLAG, icc, WVL_CLI_ICC_DROP), "Same as --icc drop.", PICTURE},
    {"no-xmp", 0, NULL, FLAG(no_xmp), "Leave the picture's XMP packet out, and texts that would become XMP.", PICTURE},
    {"keep", 0, "LIST", CALL(take_keep),
     "Metadata of the picture that goes into the JP2 file, as words separated by commas: exif, iptc, xmp, geo (GeoTIFF "
     "tags, world file and .aux.xml), text (texts of TIFF, PNG and DPX, which become XMP), icc, resolution, boxes (of "
     "a JP2 file); all (default) or none.",
     PICTURE},
    {"strip", 0, NULL, AS(FLAG, dropped, WVL_CLI_STRIPPED),
     "Leave the metadata out; the ICC profile and the resolution stay: same as --keep icc,resolution.", PICTURE},
    {"orient", 0, "auto|keep", CALL(take_orient),
     "Orientation of the picture. auto: turn and mirror the samples, without loss, so that the first row is at the top "
     "and the first column at the left. keep (the default): encode the samples as they are stored.",
     PICTURE},
    {"gml", 0, NULL, FLAG(gml),
     "Add GMLJP2 (boxes asoc, lbl, xml) beside GeoJP2, for a picture with an EPSG coordinate system.", PICTURE},
    {"xml", 0, "FILE", CALL(take_xml),
     "Add an xml box with the content of FILE, well-formed XML, to the JP2 file; may be repeated.", PICTURE},
    {"uuid", 0, "HEX:FILE", CALL(take_uuid),
     "Add a uuid box with this identifier (32 hexadecimal digits) and the content of FILE; may be repeated.", PICTURE},

    {"verify", 0, NULL, FLAG(verify),
     "Decode with OpenJPEG before writing and compare: equal when lossless, PSNR when lossy. No file is written on a "
     "mismatch.",
     CONTROL},
    {"psnr-report", 0, NULL, FLAG(psnr_report), "Print bytes, slope and PSNR, measured or estimated, of every layer.",
     CONTROL},
    {"dry-run", 0, NULL, FLAG(dry_run), "Check everything, print size and memory, write nothing.", CONTROL},
    {"explain", 0, NULL, FLAG(explain),
     "Like --dry-run, with the geometry, quantization and markers in full, and with the kernels that a device would "
     "run.",
     CONTROL},
    {"json", 0, NULL, FLAG(json), "Report as one JSON object on standard output (standard error with -o -).", CONTROL},
    {"quiet", 0, NULL, FLAG(quiet), "Print errors only.", CONTROL},
    {"memory", 0, "BYTES", CALL(take_memory),
     "Largest amount of memory for encoding one picture, such as 256M or 2G: the picture is read and encoded row by "
     "row, and what does not fit is kept in a file. The bytes do not depend on it. --max-pixels and --max-input-bytes "
     "then have no default limit.",
     CONTROL},
    {"spill-dir", 0, "DIR", TEXT(spill_dir),
     "Folder for the file of --memory, which is unnamed; by default that of TMPDIR, else that of the output.", CONTROL},
    {"trace", 0, "FILE", ONCE(trace),
     "Write the times of all stages, as a Chrome trace (for chrome://tracing and Perfetto).", CONTROL},
    {"verbose", 0, NULL, CALL(be_verbose), "Print the decisions of the encoder; given twice, in more detail.", CONTROL},
    {"version", 0, NULL, FLAG(version),
     "Print the version, the compiler and the formats that this build cannot read, and exit.", CONTROL},

    {NULL, 'm', "FILE", NEVER,
     "a user colour matrix is an extension of Part 2 of the standard; use --mct on, off or auto", REFUSED},
    {"jpip", 'J', NULL, NEVER, "the index box of JPIP is not written; use --plt yes --tlm yes", REFUSED},
    {NULL, 'x', "FILE", NEVER, "index files are not written; use \"wavelane info\"", REFUSED},
    {NULL, 'f', "MATRIX", NEVER, "fixed layer matrices are not supported; use --layers, --layer-bytes or --slopes",
     REFUSED},
    {NULL, 'W', "OPTIONS", NEVER, "JPWL (Part 11) is not supported; leave -W out", REFUSED},
};

#define COUNT (sizeof of_command / sizeof of_command[0])
#define MOST_OPTIONS 256u

static int is_of_command(const char *key)
{
    size_t i = 0;
    while (i < COUNT && (!of_command[i].name || strcmp(of_command[i].name, key) != 0)) {
        i++;
    }
    return i < COUNT;
}

/* First called before other threads are there. */
const wvl_cli_option *wvl_cli_options(size_t *count)
{
    static wvl_cli_option all[MOST_OPTIONS];
    static size_t known;
    if (!known) {
        memcpy(all, of_command, sizeof of_command);
        known = COUNT;
        const wvl_option *keys = wvl_options(count);
        for (size_t i = 0; i < *count && known < MOST_OPTIONS; i++) {
            if (!is_of_command(keys[i].key)) {
                all[known++] = (wvl_cli_option){.name = keys[i].key,
                                                .argument = keys[i].range,
                                                .how = WVL_CLI_HOW(SETTING, .key = keys[i].key, .library = &keys[i]),
                                                .doc = keys[i].doc,
                                                .section = keys[i].section};
            }
        }
    }
    *count = known;
    return all;
}

int wvl_cli_is_switch(const wvl_cli_option *option)
{
    const wvl_option *key = option->how.library;
    return key && (key->type == WVL_OPTION_BOOL || strncmp(key->range, "no|yes", 6) == 0);
}

/* opj_compress writes its names with capitals in them with one dash; both work everywhere. */
const char *wvl_cli_dashes(const char *name) { return name[strcspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] ? "-" : "--"; }

void wvl_cli_format_option(char *text, size_t bytes, const wvl_cli_option *option)
{
    char letter[4] = "", name[48] = "";
    if (option->letter) {
        snprintf(letter, sizeof letter, "-%c", option->letter);
    }
    if (option->name) {
        snprintf(name, sizeof name, "%s%s", wvl_cli_dashes(option->name), option->name);
    }
    const char *argument = option->argument ? option->argument : "";
    const char *form = wvl_cli_is_switch(option) ? "%s%s%s [%s]" : "%s%s%s %s";
    snprintf(text, bytes, argument[0] ? form : "%s%s%s", letter, letter[0] && name[0] ? ", " : "", name, argument);
}
