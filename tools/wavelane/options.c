/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "cli.h"

#define FILES "Input and output"
#define COMPATIBLE "Options of opj_compress"
#define PICTURE "Picture and JP2 contents"
#define CONTROL "Checks, messages, resources"
#define REFUSED "Known and refused"

#define SET WVL_ACTION_SETTING
#define NEVER WVL_ACTION_NEVER

/* Every key of the library's table is a long option too and is not repeated here. */
static const wvl_cli_option options[] = {
    {"input", 'i', "FILE", WVL_ACTION_INPUT, NULL, NULL,
     "Picture to encode, - for standard input. Given several times, the files are the components of one picture.",
     FILES},
    {"output", 'o', "FILE", WVL_ACTION_OUTPUT, NULL, NULL,
     "File to write: .jp2 is a JP2 file; .j2k, .j2c, .jpc is a codestream; .jph is a JPH file and .jhc a codestream, "
     "both with HT blocks; - is a codestream on standard output.",
     FILES},
    {"ImgDir", 0, "DIR", WVL_ACTION_IMAGE_DIR, NULL, NULL,
     "Encode every picture of a folder into the same folder, or into that of -o; needs -OutFor.", FILES},
    {"image-dir", 0, "DIR", WVL_ACTION_IMAGE_DIR, NULL, NULL, "Same as -ImgDir.", FILES},
    {"OutFor", 0, "J2K|J2C|JPC|JP2|JPH|JHC", WVL_ACTION_OUT_FORMAT, NULL, NULL,
     "Extension of the files that -ImgDir writes, in capital or small letters as given.", FILES},
    {"out-format", 0, "EXTENSION", WVL_ACTION_OUT_FORMAT, NULL, NULL, "Same as -OutFor.", FILES},
    {"pictures", 0, "N", WVL_ACTION_PICTURES, NULL, NULL,
     "Number of pictures of -ImgDir that are encoded at the same time, from 1 to 16. Unless given: one for each "
     "thread, at most 4; at most 16 with a device, or where no file has more than 16 MiB. Files, messages and their "
     "order do not depend on it.",
     FILES},
    {"recursive", 0, NULL, WVL_ACTION_RECURSIVE, NULL, NULL,
     "-ImgDir: look into the folders below it too, but not into links to folders. With -o the same folders are made "
     "there.",
     FILES},
    {"skip-existing", 0, NULL, WVL_ACTION_SKIP_EXISTING, NULL, NULL,
     "-ImgDir: skip pictures whose output exists and ends with an EOC marker. They do not count as failed.", FILES},
    {"force", 0, NULL, WVL_ACTION_FORCE, NULL, NULL, "Replace outputs that exist.", FILES},
    {"raw-format", 'F', "W,H,N,BITS,{s|u}[@DXxDY:...]", WVL_ACTION_RAW_FORMAT, NULL, NULL,
     "Geometry of raw input: width, height, components, bits, signed or unsigned, subsampling of each component.",
     FILES},
    {"raw-layout", 0, "planar|interleaved", WVL_ACTION_RAW_LAYOUT, NULL, NULL,
     "Order of raw samples: plane after plane (planar, the default), or all components of a pixel together "
     "(interleaved, as rgb48 of FFmpeg).",
     FILES},
    {"input-format", 0, "EXTENSION", WVL_ACTION_INPUT_FORMAT, NULL, NULL,
     "Read the input as a file with this extension (raw, rawl, yuv, tga, ...), whatever its name and first bytes are.",
     FILES},
    {"page", 0, "N[.M]", WVL_ACTION_PAGE, NULL, NULL,
     "Page of a TIFF file to encode, from 0; 0.1 is the second SubIFD of page 0. Unless given, page 0, or the only "
     "full "
     "picture where page 0 is a reduced one (a thumbnail) or a mask.",
     FILES},
    {"pages", 0, "all|LIST", WVL_ACTION_PAGES, NULL, NULL,
     "Pages of a TIFF file, from 0, each into a file of its own: all but reduced pictures and masks, or rising numbers "
     "and ranges such as 0-2,5. The number replaces %d or %03d in the name of -o, or comes before its extension "
     "(scan.jp2 becomes scan-0.jp2).",
     FILES},
    {"max-pixels", 0, "N", WVL_ACTION_MAX_PIXELS, NULL, NULL,
     "Largest picture that is read, in samples of all components together; 8589934592 (2^33) unless given.", FILES},
    {"max-input-bytes", 0, "N", WVL_ACTION_MAX_INPUT_BYTES, NULL, NULL,
     "Most bytes that are read from a pipe or a device; 2147483648 (2 GiB) unless given, and 67108864 (64 MiB) for "
     "--xml and --uuid.",
     FILES},
    {"demo", 0, NULL, WVL_ACTION_DEMO, NULL, NULL, "Encode a picture that the command makes itself.", FILES},

    {NULL, 'r', "RATIO,...", SET, "rates", NULL, "Same as --rates.", COMPATIBLE},
    {NULL, 'q', "DB,...", SET, "psnr", NULL, "Same as --psnr.", COMPATIBLE},
    {"resolutions", 'n', "N", WVL_ACTION_RESOLUTIONS, NULL, NULL, "Number of resolutions, one more than --levels.",
     COMPATIBLE},
    {NULL, 'b', "W,H", SET, "block", NULL, "Same as --block.", COMPATIBLE},
    {NULL, 'c', "[W,H],...", WVL_ACTION_HALVED_PRECINCTS, NULL, NULL,
     "As --precincts, but the last size halves for each lower resolution instead of repeating.", COMPATIBLE},
    {NULL, 't', "W,H", SET, "tile", NULL, "Same as --tile.", COMPATIBLE},
    {NULL, 'T', "X,Y", SET, "tile-offset", NULL, "Same as --tile-offset.", COMPATIBLE},
    {"image-offset", 'd', "X,Y", WVL_ACTION_IMAGE_OFFSET, NULL, NULL,
     "Place of the picture on the reference grid (XOsiz, YOsiz).", COMPATIBLE},
    {"subsampling", 's', "DX,DY", WVL_ACTION_SUBSAMPLING, NULL, NULL,
     "Distance of the samples on the reference grid (XRsiz, YRsiz), times that of the input; no sample is left out.",
     COMPATIBLE},
    {NULL, 'p', "ORDER", SET, "progression", NULL, "Same as --progression.", COMPATIBLE},
    {"SOP", 'S', NULL, SET, "sop", "yes", "Same as --sop yes.", COMPATIBLE},
    {"EPH", 'E', NULL, SET, "eph", "yes", "Same as --eph yes.", COMPATIBLE},
    {"PLT", 0, NULL, SET, "plt", "yes", "Same as --plt yes.", COMPATIBLE},
    {"TLM", 0, NULL, SET, "tlm", "yes", "Same as --tlm yes.", COMPATIBLE},
    {"POC", 'P', "T1=RS,CS,LYE,RE,CE,ORDER/...", SET, "progression-changes", NULL, "Same as --progression-changes.",
     COMPATIBLE},
    {"ROI", 'R', "c=N,U=N", SET, "roi", NULL, "Same as --roi.", COMPATIBLE},
    {NULL, 'M', "STYLE", SET, "style", NULL, "Same as --style.", COMPATIBLE},
    {"HT", 0, NULL, SET, "style", "HT", "High-throughput block coder (15444-15); same as --style HT and -M 64.",
     COMPATIBLE},
    {"ht", 0, NULL, SET, "style", "HT", "Same as -HT.", COMPATIBLE},
    {"TP", 'u', "R|L|C", SET, "tile-parts", NULL, "Same as --tile-parts.", COMPATIBLE},
    {"irreversible", 'I', NULL, SET, "reversible", "no", "Same as --reversible no.", COMPATIBLE},
    {"mct", 'Y', "0|1|off|on|auto", WVL_ACTION_MCT, NULL, NULL,
     "Colour transform of the first three components; 0 is off, 1 is on. 2 (user matrix) is Part 2 and refused.",
     COMPATIBLE},
    {"cinema2K", 0, "FPS", WVL_ACTION_PRESET, NULL, "dci-2k", "Same as --preset dci-2k --frame-rate FPS.", COMPATIBLE},
    {"cinema4K", 0, NULL, WVL_ACTION_PRESET, NULL, "dci-4k", "Same as --preset dci-4k.", COMPATIBLE},
    {"IMF", 0, "PROFILE[,mainlevel=N][,sublevel=N][,framerate=FPS]", WVL_ACTION_PRESET, NULL, "imf",
     "Preset of the IMF profile 2K, 4K, 8K, 2K_R, 4K_R or 8K_R, with --main-level, --sub-level and --frame-rate.",
     COMPATIBLE},
    {NULL, 'C', "TEXT", SET, "comment", NULL, "Same as --comment.", COMPATIBLE},
    {"GuardBits", 'G', "N", SET, "guard-bits", NULL, "Same as --guard-bits.", COMPATIBLE},
    {"TargetBitDepth", 'X', "BITS", WVL_ACTION_TARGET_DEPTH, NULL, NULL,
     "Scale the samples to this depth: down by dropping bits, up by the ratio of the maxima.", COMPATIBLE},
    {"target-bit-depth", 0, "BITS", WVL_ACTION_TARGET_DEPTH, NULL, NULL, "Same as -TargetBitDepth.", COMPATIBLE},
    {"threads", 0, "N|ALL_CPUS", WVL_ACTION_THREADS, NULL, NULL,
     "Number of threads; 0 or ALL_CPUS (the default): one for each processor. The bytes do not depend on it.",
     COMPATIBLE},
    {"help", 'h', NULL, WVL_ACTION_HELP, NULL, NULL, "Print this help and end.", COMPATIBLE},

    {"preset", 0, "NAME", WVL_ACTION_PRESET, NULL, NULL,
     "Start from a preset; other options change it, before or behind it.", PICTURE},
    {"component-steps", 0, "DXxDY:...", WVL_ACTION_COMPONENT_STEPS, NULL, NULL,
     "Subsampling of each component when several -i make one picture; unless given, it follows from their sizes.",
     PICTURE},
    {"palette", 0, "expand|indices", WVL_ACTION_PALETTE, NULL, NULL,
     "Palette pictures: encode the colours (default), or the indices with the palette in the JP2 file.", PICTURE},
    {"jpeg-ycc", 0, "rgb|keep", WVL_ACTION_JPEG_YCC, NULL, NULL,
     "YCbCr of JPEG files, and of JPEG data in TIFF: encode RGB (default), or the planes as they are stored, "
     "subsampled ones too.",
     PICTURE},
    {"channels", 0, "N,...", WVL_ACTION_CHANNELS, NULL, NULL,
     "Channels to encode, from 0, in this order; the others are left out.", PICTURE},
    {"drop-alpha", 0, NULL, WVL_ACTION_DROP_ALPHA, NULL, NULL, "Leave the alpha channel out.", PICTURE},
    {"ycc-to-rgb", 0, NULL, WVL_ACTION_YCC_TO_RGB, NULL, NULL,
     "Convert YCbCr, subsampled or not, to RGB: by the matrix and range of the file, else BT.601 with full range.",
     PICTURE},
    {"float-transfer", 0, "linear|log|pq", WVL_ACTION_FLOAT_TRANSFER, NULL, NULL,
     "Make 16-bit integers of floating-point samples (OpenEXR, TIFF, PFM): in proportion, by their logarithm, or by "
     "the curve of SMPTE ST 2084. Floating point is refused without it.",
     PICTURE},
    {"float-range", 0, "LO,HI|auto", WVL_ACTION_FLOAT_RANGE, NULL, NULL,
     "Values that become the lowest and the highest code of --float-transfer; auto (the default): those of the "
     "picture. With pq, HI is the value of 10000 cd/m2.",
     PICTURE},
    {"color", 0, "srgb|grey|sycc", WVL_ACTION_COLOR, NULL, NULL,
     "Colour space to declare in a JP2 file in place of what the picture says.", PICTURE},
    {"input-color", 0, "auto|none|xyz|SPACE", WVL_ACTION_INPUT_COLOR, NULL, NULL,
     "Convert RGB to 12-bit X'Y'Z' of digital cinema (SMPTE ST 428-1): from rec709, srgb, rec601-525, rec601-625, "
     "rec2020, p3-dci, p3-d60, p3-d65 or display-p3; auto: from what the ICC profile, PNG or DPX header says, refused "
     "where they say nothing; xyz: the samples are X'Y'Z' already, and of more than 12 bits the uppermost 12 are "
     "taken; none (default): the samples are not converted.",
     PICTURE},
    {"icc", 0, "keep|fit|drop", WVL_ACTION_ICC, NULL, NULL,
     "The picture's ICC profile. keep (the default): it goes into the JP2 file, and one that the file cannot carry is "
     "refused. fit: such a one is left out, with a warning. drop: it is left out.",
     PICTURE},
    {"no-icc", 0, NULL, WVL_ACTION_NO_ICC, NULL, NULL, "The same as --icc drop.", PICTURE},
    {"no-xmp", 0, NULL, WVL_ACTION_NO_XMP, NULL, NULL,
     "Leave the picture's XMP packet out, and texts that would become XMP.", PICTURE},
    {"keep", 0, "LIST", WVL_ACTION_KEEP, NULL, NULL,
     "Metadata of the picture that goes into the JP2 file, with commas between the words: exif, iptc, xmp, geo "
     "(GeoTIFF tags, world file and .aux.xml), text (texts of TIFF, PNG and DPX, which become XMP), icc, resolution, "
     "boxes (of a JP2 file); all (default) or none.",
     PICTURE},
    {"strip", 0, NULL, WVL_ACTION_STRIP, NULL, NULL,
     "Leave the metadata out; the ICC profile and the resolution stay: same as --keep icc,resolution.", PICTURE},
    {"orient", 0, "auto|keep", WVL_ACTION_ORIENT, NULL, NULL,
     "Orientation of the picture. auto: turn and mirror the samples, without loss, so that the first row is at the top "
     "and the first column at the left. keep (the default): encode the samples as they are stored.",
     PICTURE},
    {"gml", 0, NULL, WVL_ACTION_GML, NULL, NULL,
     "Add GMLJP2 (boxes asoc, lbl, xml) beside GeoJP2, for a picture that lies in a coordinate system of EPSG.",
     PICTURE},
    {"xml", 0, "FILE", WVL_ACTION_XML, NULL, NULL,
     "Add an xml box with the content of FILE, well-formed XML, to the JP2 file; may be repeated.", PICTURE},
    {"uuid", 0, "HEX:FILE", WVL_ACTION_UUID, NULL, NULL,
     "Add a uuid box with this identifier (32 hexadecimal digits) and the content of FILE; may be repeated.", PICTURE},

    {"verify", 0, NULL, WVL_ACTION_VERIFY, NULL, NULL,
     "Decode with OpenJPEG before writing and compare: equal when lossless, PSNR when lossy. No file is written on a "
     "mismatch.",
     CONTROL},
    {"psnr-report", 0, NULL, WVL_ACTION_PSNR_REPORT, NULL, NULL,
     "Print bytes, slope and PSNR, measured or estimated, of every layer.", CONTROL},
    {"dry-run", 0, NULL, WVL_ACTION_DRY_RUN, NULL, NULL, "Check everything, print size and memory, write nothing.",
     CONTROL},
    {"explain", 0, NULL, WVL_ACTION_EXPLAIN, NULL, NULL,
     "As --dry-run, with the geometry, quantization and markers in full.", CONTROL},
    {"json", 0, NULL, WVL_ACTION_JSON, NULL, NULL,
     "Report as one JSON object on standard output (standard error with -o -).", CONTROL},
    {"quiet", 0, NULL, WVL_ACTION_QUIET, NULL, NULL, "Print errors only.", CONTROL},
    {"memory", 0, "BYTES", WVL_ACTION_MEMORY, NULL, NULL,
     "Most memory that the encoding of one picture takes, such as 256M or 2G: the picture is read and encoded by rows, "
     "and what does not fit goes to a file. The bytes do not depend on it. --max-pixels and --max-input-bytes are then "
     "without limit unless given.",
     CONTROL},
    {"spill-dir", 0, "DIR", WVL_ACTION_SPILL_DIR, NULL, NULL,
     "Folder for the file of --memory, which has no name there; unless given, that of TMPDIR, else that of the output.",
     CONTROL},
    {"trace", 0, "FILE", WVL_ACTION_TRACE, NULL, NULL,
     "Write the times of all stages, as a Chrome trace (for chrome://tracing and Perfetto).", CONTROL},
    {"verbose", 0, NULL, WVL_ACTION_VERBOSE, NULL, NULL, "Print what was decided on the way; given twice, more of it.",
     CONTROL},
    {"version", 0, NULL, WVL_ACTION_VERSION, NULL, NULL,
     "Print the version, the compiler and the formats that this build cannot read, and end.", CONTROL},

    {NULL, 'm', "FILE", NEVER, NULL, NULL,
     "a user colour matrix is an extension of Part 2 of the standard; use --mct on, off or auto", REFUSED},
    {"jpip", 'J', NULL, NEVER, NULL, NULL, "the index box of JPIP is not written; use --plt yes --tlm yes", REFUSED},
    {NULL, 'x', "FILE", NEVER, NULL, NULL, "index files are not written; use \"wavelane info\"", REFUSED},
    {NULL, 'f', "MATRIX", NEVER, NULL, NULL,
     "fixed layer matrices are not offered; use --layers, --layer-bytes or --slopes", REFUSED},
    {NULL, 'W', "OPTIONS", NEVER, NULL, NULL, "JPWL (Part 11) is not offered; leave -W out", REFUSED},
};

const wvl_cli_option *wvl_cli_options(size_t *count)
{
    *count = sizeof options / sizeof options[0];
    return options;
}

int wvl_cli_is_option(const char *name)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].name && !strcmp(options[i].name, name)) {
            return 1;
        }
    }
    return 0;
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
    snprintf(text, bytes, "%s%s%s%s%s", letter, letter[0] && name[0] ? ", " : "", name, option->argument ? " " : "",
             option->argument ? option->argument : "");
}
