/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Creation options as options of the library. The names and the meaning are those of JP2OpenJPEG and JP2Grok. A value
 * that cannot be kept is an error, where JP2OpenJPEG takes a default with a warning.
 */
#include "plugin.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace wavelane
{

/* ---- Values ---------------------------------------------------------------------------------- */

bool Options::is_set(const char *name, bool otherwise) const
{
    const char *value = find(name);
    return value ? CPLTestBool(value) : otherwise;
}

long long Options::number(const char *name, long long otherwise) const
{
    const char *value = find(name);
    if (!value) {
        return otherwise;
    }
    char *end;
    errno = 0;
    long long result = strtoll(value, &end, 10);
    if (end == value || *end || errno) {
        throw Failure(CPLE_IllegalArg, std::string(name) + " is \"" + value + "\", which is no integer");
    }
    return result;
}

static Failure refuse(const char *name, const char *value, const std::string &allowed)
{
    return Failure(CPLE_NotSupported, std::string(name) + " is \"" + value + "\"; allowed: " + allowed);
}

File find_file(const Options &options, const char *name)
{
    std::string extension = CPLGetExtension(name);
    const char *codec = options.find("CODEC");
    const char *text = codec ? codec : extension.c_str();
    File file = EQUAL(text, "JP2") ? File::jp2 : File::codestream;
    if (EQUAL(text, "JPH")) {
        file = File::jph;
    }
    if (codec && file == File::codestream && !EQUAL(codec, "J2K")) {
        throw refuse("CODEC", codec, "JP2, JPH, J2K");
    }
    if (options.is_inspire() && file != File::jp2) {
        throw Failure(CPLE_NotSupported, "INSPIRE_TG=YES needs CODEC=JP2 (requirement 21)");
    }
    if (options.is_set("USE_SRC_CODESTREAM")) {
        throw Failure(CPLE_NotSupported, "USE_SRC_CODESTREAM=YES copies a codestream; JP2OpenJPEG can do that");
    }
    return file;
}

uint32_t find_threads(const Options &options)
{
    const char *option = options.find("NUM_THREADS");
    const char *text = option ? option : CPLGetConfigOption("GDAL_NUM_THREADS", "ALL_CPUS");
    if (EQUAL(text, "ALL_CPUS")) {
        return 0;
    }
    int count = atoi(text);
    if (count < 1 || count > 1024) {
        throw refuse("NUM_THREADS", text, "1 to 1024, ALL_CPUS");
    }
    return static_cast<uint32_t>(count);
}

std::vector<const char *> find_profiles(const Options &options)
{
    const char *value = options.find("PROFILE");
    std::string name = options.has_host_defaults() || options.is_inspire() ? "AUTO" : "";
    if (value) {
        name = value;
    }
    if (EQUAL(name.c_str(), "UNRESTRICTED") && !options.is_inspire()) {
        return {"none"};
    }
    if (EQUAL(name.c_str(), "PROFILE_1") || (EQUAL(name.c_str(), "AUTO") && options.is_inspire())) {
        return {"1"};
    }
    if (EQUAL(name.c_str(), "AUTO")) {
        return {"1", "none"};
    }
    if (!name.empty()) {
        throw refuse("PROFILE", value, options.is_inspire() ? "AUTO, PROFILE_1" : "AUTO, UNRESTRICTED, PROFILE_1");
    }
    return {nullptr};
}

/* ---- Params ---------------------------------------------------------------------------------- */

static void check(wvl_params *params, wvl_status status)
{
    if (status != WVL_OK) {
        throw Failure(status == WVL_ERROR_MEMORY ? CPLE_OutOfMemory : CPLE_IllegalArg, wvl_params_error(params));
    }
}

static void set(wvl_params *params, const char *key, const std::string &value)
{
    check(params, wvl_params_set(params, key, value.c_str()));
}

/* An option of GDAL and the key of the library that takes its value as it is. */
struct Pair {
    const char *name, *key;
};

static void set_flags(const Options &options, wvl_params *params)
{
    static const Pair pairs[] = {{"SOP", "sop"}, {"EPH", "eph"}, {"PLT", "plt"}, {"TLM", "tlm"}};
    for (const Pair &pair : pairs) {
        if (options.find(pair.name)) {
            set(params, pair.key, options.is_set(pair.name) ? "yes" : "no");
        }
    }
    if (const char *order = options.find("PROGRESSION")) {
        set(params, "progression", CPLString(order).toupper());
    }
    if (const char *comment = options.find("COMMENT")) {
        char *text = CPLRecode(comment, CPL_ENC_UTF8, "ISO-8859-15");
        std::string owned(text ? text : "");
        CPLFree(text);
        set(params, "comment", owned);
    }
}

static void set_style(const Options &options, File file, wvl_params *params)
{
    const char *given = options.find("CODEBLOCK_STYLE");
    if (file == File::jph) {
        set(params, "style", "HT");
    }
    if (given) {
        CPLString style(given);
        style.toupper().replaceAll(',', '+').replaceAll("PREDICTABLE", "PTERM");
        set(params, "style", style.empty() ? "0" : style);
    }
}

/* Percent of the bytes of the samples; 100 as the last one: everything. */
static void set_quality(const Options &options, bool has_palette, wvl_params *params)
{
    const char *given = options.find("QUALITY");
    const char *usual = has_palette || !options.has_host_defaults() ? "100" : "25", *value = given ? given : usual;
    const CPLStringList words(CSLTokenizeString2(value, ",", CSLT_STRIPLEADSPACES | CSLT_STRIPENDSPACES));
    std::string rates;
    double last = 0;
    for (int i = 0; i < words.Count(); i++) {
        last = CPLAtof(words[i]);
        if (!(last > 0 && last <= 100)) {
            throw refuse("QUALITY", value, "numbers above 0, up to 100");
        }
        rates += std::string(i ? "," : "") + CPLSPrintf("%.15g", 100 / last);
    }
    if (rates.empty()) {
        throw refuse("QUALITY", value, "numbers above 0, up to 100");
    }
    if (has_palette && last < 100) {
        CPLError(CE_Warning, CPLE_AppDefined, "%s: QUALITY below 100 changes indices of the colour table", driver_name);
    }
    if (given || last < 100) {
        set(params, "rates", words.Count() == 1 && last == 100 ? "" : rates);
    }
}

/* Steps of one least significant bit, as those of JP2OpenJPEG. Wavelane by itself takes finer ones where bytes are
 * limited, and would fill limits that JP2OpenJPEG stays below. */
static void set_step(const Options &options, const Picture &picture, wvl_params *params)
{
    unsigned depth = picture.components[0].depth;
    for (const wvl_component_format &c : picture.components) {
        if (c.depth != depth) {
            return;
        }
    }
    if (options.has_host_defaults() && EQUAL(wvl_params_get(params, "reversible"), "no")) {
        set(params, "step", CPLSPrintf("%.12g", 1.0 / (1u << depth)));
    }
}

/* Sizes beyond those that are given halve. */
static void set_precincts(const Options &options, int resolutions, wvl_params *params)
{
    const char *given = options.find("PRECINCTS");
    const char *usual = "{512,512},{256,512},{128,512},{64,512},{32,512},{16,512},{8,512},{4,512},{2,512}";
    const char *value = given || !options.has_host_defaults() ? given : usual;
    const CPLStringList words(CSLTokenizeString2(value ? value : "", "{}, ", 0));
    if (words.Count() % 2) {
        throw refuse("PRECINCTS", value, "{width,height},{width,height},...");
    }
    std::string sizes;
    int width = 0, height = 0;
    for (int i = 0; words.Count() && i < resolutions; i++) {
        bool is_given = 2 * i < words.Count();
        width = is_given ? atoi(words[2 * i]) : std::max(1, width / 2);
        height = is_given ? atoi(words[2 * i + 1]) : std::max(1, height / 2);
        sizes += CPLSPrintf("%s[%d,%d]", i ? "," : "", width, height);
    }
    if (!sizes.empty()) {
        set(params, "precincts", sizes);
    }
}

static void set_sizes(const Options &options, const Picture &picture, wvl_params *params)
{
    bool has_defaults = options.has_host_defaults();
    const long long edge = has_defaults ? 1024 : 0;
    long long across = options.number("BLOCKXSIZE", edge), down = options.number("BLOCKYSIZE", edge);
    if (across < 0 || down < 0 || (across == 0) != (down == 0)) {
        throw Failure(CPLE_IllegalArg, "BLOCKXSIZE and BLOCKYSIZE must be positive, and both be given");
    }
    across = across ? std::min<long long>(across, picture.width) : 0;
    down = down ? std::min<long long>(down, picture.height) : 0;
    if (picture.is_420 && (across % 2 || down % 2)) {
        throw Failure(CPLE_NotSupported, "YCBCR420 needs an even BLOCKXSIZE and BLOCKYSIZE");
    }
    set(params, "tile", CPLSPrintf("%lld,%lld", across, down));
    /* The smallest resolution of a tile is at most 128 by 128. */
    int usual = 1;
    while (has_defaults && std::max(across, down) >> (usual - 1) > 128) {
        usual++;
    }
    int resolutions = static_cast<int>(options.number("RESOLUTIONS", has_defaults ? usual : 6));
    if (resolutions < 1 || resolutions > 33) {
        throw refuse("RESOLUTIONS", options.find("RESOLUTIONS"), "1 to 33");
    }
    set(params, "levels", std::to_string(resolutions - 1));
    if (options.find("CODEBLOCK_WIDTH") || options.find("CODEBLOCK_HEIGHT")) {
        set(params, "block",
            CPLSPrintf("%lld,%lld", options.number("CODEBLOCK_WIDTH", 64), options.number("CODEBLOCK_HEIGHT", 64)));
    }
    set_precincts(options, resolutions, params);
}

static void set_tile_parts(const Options &options, wvl_params *params)
{
    static const Pair pairs[] = {{"DISABLED", "none"}, {"RESOLUTIONS", "R"}, {"LAYERS", "L"}, {"COMPONENTS", "C"}};
    const char *value = options.find("TILEPARTS");
    for (const Pair &pair : pairs) {
        if (value && EQUAL(value, pair.name)) {
            set(params, "tile-parts", pair.key);
            return;
        }
    }
    if (value) {
        throw refuse("TILEPARTS", value, "DISABLED, RESOLUTIONS, LAYERS, COMPONENTS");
    }
}

void set_params(const Options &options, const Picture &picture, File file, wvl_params *params)
{
    bool has_palette = picture.palette != nullptr, has_defaults = options.has_host_defaults();
    static const char *const containers[] = {"j2k", "jp2", "jph"};
    set(params, "container", containers[static_cast<int>(file)]);
    if (has_defaults || options.find("REVERSIBLE")) {
        bool is_reversible = options.is_set("REVERSIBLE", has_palette || file == File::jph);
        set(params, "reversible", is_reversible ? "yes" : "no");
        if (has_palette && !is_reversible) {
            CPLError(CE_Warning, CPLE_AppDefined, "%s: REVERSIBLE=NO changes indices of the colour table", driver_name);
        }
    }
    bool is_usual = (picture.bands == 3 || picture.bands == 4) && picture.type == GDT_Byte;
    bool may_transform = (picture.is_rgb || is_usual) && (picture.alpha < 0 || picture.alpha > 2) && !picture.is_420;
    set(params, "mct", may_transform && options.is_set("YCC", true) ? "auto" : "off");
    set_flags(options, params);
    set_style(options, file, params);
    set_quality(options, has_palette, params);
    set_step(options, picture, params);
    set_sizes(options, picture, params);
    set_tile_parts(options, params);
    if (const char *given = options.find("WAVELANE")) {
        check(params, wvl_params_parse(params, given));
    }
}

/* ---- The list that GDAL shows and checks ----------------------------------------------------- */

struct Entry {
    const char *name, *type, *values, *text;
};

/* values: words of a string-select, else the default. */
static const Entry entries[] = {
    {"CODEC", "string-select", "JP2|JPH|J2K", "File or bare codestream. Default: by the extension, else J2K"},
    {"QUALITY", "string", "25", "Percent of the bytes of the samples, one value a layer; 100: everything"},
    {"REVERSIBLE", "boolean", "NO", "Reversible wavelet. Lossless: with QUALITY=100"},
    {"RESOLUTIONS", "int", "", "Number of resolutions. Default: the smallest one of a tile is at most 128 by 128"},
    {"BLOCKXSIZE", "int", "1024", "Tile width"},
    {"BLOCKYSIZE", "int", "1024", "Tile height"},
    {"CODEBLOCK_WIDTH", "int", "64", "Width of code-blocks"},
    {"CODEBLOCK_HEIGHT", "int", "64", "Height of code-blocks"},
    {"CODEBLOCK_STYLE", "string", "", "BYPASS,RESET,TERMALL,VSC,PREDICTABLE,SEGSYM or HT, or their sum"},
    {"PRECINCTS", "string", "", "{w,h},{w,h},... from the highest resolution down; further ones halve"},
    {"PROGRESSION", "string-select", nullptr, "Order of packets"},
    {"TILEPARTS", "string-select", "DISABLED|RESOLUTIONS|LAYERS|COMPONENTS", "Where tile-parts begin"},
    {"SOP", "boolean", "NO", "SOP marker segments"},
    {"EPH", "boolean", "NO", "EPH markers"},
    {"PLT", "boolean", "NO", "PLT marker segments"},
    {"TLM", "boolean", "NO", "TLM marker segments"},
    {"COMMENT", "string", "", "COM marker segment"},
    {"PROFILE", "string-select", "AUTO|UNRESTRICTED|PROFILE_1", "Profile of the codestream"},
    {"YCC", "boolean", "YES", "Colour transform of RGB"},
    {"YCBCR420", "boolean", "NO", "RGB becomes YCbCr with half the chroma samples in both directions"},
    {"NBITS", "int", "", "Bits of a sample, at most 28. A sample that does not fit is an error"},
    {"ALPHA", "boolean", "NO", "The last band is alpha"},
    {"1BIT_ALPHA", "boolean", "NO", "Alpha has one bit"},
    {"CT_COMPONENTS", "int", "", "Components of the colour table, 3 or 4"},
    {"GeoJP2", "boolean", "YES", "GeoJP2 box"},
    {"GMLJP2", "boolean", "YES", "GMLJP2 box, version 1"},
    {"GMLJP2V2_DEF", "string", "", "Definition of a GMLJP2 box of version 2, or YES"},
    {"JPX", "boolean", "YES", "Brand jpx and reader requirements where there is a GMLJP2 box"},
    {"GEOBOXES_AFTER_JP2C", "boolean", "NO", "Boxes of georeference and metadata follow the codestream"},
    {"INSPIRE_TG", "boolean", "NO", "Inspire's guidelines for orthoimagery"},
    {"WRITE_METADATA", "boolean", "NO", "Metadata in boxes, not in .aux.xml"},
    {"MAIN_MD_DOMAIN_ONLY", "boolean", "NO", "With WRITE_METADATA: only metadata of the main domain"},
    {"USE_SRC_CODESTREAM", "boolean", "NO", "Not supported"},
    {"NUM_THREADS", "string", "ALL_CPUS", "Number of threads. Default: GDAL_NUM_THREADS"},
    {"MEMORY_LIMIT", "int", "256",
     "Most MiB that the encoder takes; the rest goes to a file without a name. 0: no limit"},
};

static const wvl_option *find_key(const char *key)
{
    size_t count;
    const wvl_option *option = wvl_options(&count);
    for (; count && !EQUAL(option->key, key); option++, count--) {
    }
    return count ? option : nullptr;
}

static std::string escape(const std::string &text)
{
    char *made = CPLEscapeString(text.c_str(), -1, CPLES_XML);
    std::string result(made);
    CPLFree(made);
    return result;
}

static std::string list_entry(const Entry &entry)
{
    std::string out = std::string("<Option name=\"") + entry.name + "\" type=\"" + entry.type + "\"";
    out += " description=\"" + escape(entry.text) + "\"";
    if (!EQUAL(entry.type, "string-select")) {
        return out + (*entry.values ? std::string(" default=\"") + entry.values + "\"/>" : "/>");
    }
    const CPLStringList words(CSLTokenizeString2(entry.values ? entry.values : find_key(entry.name)->range, "|", 0));
    out += ">";
    for (int i = 0; i < words.Count(); i++) {
        out += std::string("<Value>") + words[i] + "</Value>";
    }
    return out + "</Option>";
}

std::string list_options()
{
    std::string out = "<CreationOptionList>", keys;
    for (const Entry &entry : entries) {
        out += list_entry(entry);
    }
    size_t count;
    const wvl_option *option = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        keys += std::string(i ? ", " : "") + option[i].key;
    }
    out += "<Option name=\"WAVELANE\" type=\"string\" description=\"" +
           escape("Options of Wavelane: \"key=value, key=value\", also preset=NAME. With it, the defaults are those of "
                  "Wavelane. Keys: " +
                  keys) +
           "\"/>";
    return out + "</CreationOptionList>";
}

} // namespace wavelane
