/* SPDX-License-Identifier: BSD-2-Clause */
#include "plugin.h"

#include <algorithm>
#include <new>

namespace wavelane
{

constexpr int64_t mebibyte = 1 << 20, usual_memory = 256;

static CPLErrorNum find_number(wvl_status status)
{
    switch (status) {
    case WVL_CANCELLED: return CPLE_UserInterrupt;
    case WVL_ERROR_PARAMETER: return CPLE_IllegalArg;
    case WVL_ERROR_UNSUPPORTED: return CPLE_NotSupported;
    case WVL_ERROR_MEMORY: return CPLE_OutOfMemory;
    case WVL_ERROR_SINK: return CPLE_FileIO;
    default: return CPLE_AppDefined;
    }
}

static void check(wvl_status status, const char *text)
{
    if (status != WVL_OK) {
        throw Failure(find_number(status), *text ? text : wvl_status_text(status));
    }
}

static void log(void *, wvl_log_level level, const char *text)
{
    if (level <= WVL_LOG_WARNING) {
        CPLError(CE_Warning, CPLE_AppDefined, "%s: %s", driver_name, text);
    } else {
        CPLDebug("WAVELANE", "%s", text);
    }
}

static Context make_context(const Options &options)
{
    wvl_context_options o = {};
    o.struct_size = sizeof o;
    o.log = log;
    o.log_level = WVL_LOG_WARNING;
    o.threads = find_threads(options);
    wvl_context *context = nullptr;
    check(wvl_context_create(&o, &context), "");
    return Context(context);
}

static wvl_status try_profiles(const wvl_plan_request &request, const Options &options, wvl_params *params,
                               wvl_plan **plan)
{
    wvl_status status = WVL_ERROR_INTERNAL;
    for (const char *profile : find_profiles(options)) {
        if (profile) {
            check(wvl_params_set(params, "profile", profile), wvl_params_error(params));
        }
        status = wvl_plan_build(&request, plan);
        if (status == WVL_OK) {
            break;
        }
    }
    return status;
}

/* PROFILE=AUTO declares profile 1 where the library accepts the settings with it. The usual quality of 25 percent does
 * not hold for pictures whose headers take more. */
static Plan make_plan(wvl_context *context, const Options &options, const Picture &picture, File file,
                      const Boxes *boxes, bool *is_profile_1)
{
    wvl_params *made = nullptr;
    check(wvl_params_create(context, &made), "");
    Params params(made);
    set_params(options, picture, file, made);
    wvl_image_format format = picture.format();
    std::vector<char> error(4096);
    wvl_plan_request request = {};
    request.struct_size = sizeof request;
    request.context = context;
    request.params = made;
    request.format = &format;
    request.jp2 = boxes ? boxes->info() : nullptr;
    request.error = error.data();
    request.error_bytes = error.size();
    wvl_plan *plan = nullptr;
    wvl_status status = try_profiles(request, options, made, &plan);
    if (status == WVL_ERROR_UNREACHABLE && !options.find("QUALITY") && options.has_host_defaults()) {
        check(wvl_params_set(made, "rates", ""), wvl_params_error(made));
        status = try_profiles(request, options, made, &plan);
    }
    check(status, error.data());
    *is_profile_1 = EQUAL(wvl_params_get(made, "profile"), "1");
    return Plan(plan);
}

struct Progress {
    GDALProgressFunc function;
    void *data;
    double most; /* it never goes back */
};

static int show_progress(void *user, uint64_t done, uint64_t total, wvl_stage)
{
    Progress *p = static_cast<Progress *>(user);
    p->most = std::max(p->most, total ? static_cast<double>(done) / static_cast<double>(total) : 0);
    return !p->function(std::min(p->most, 1.0), nullptr, p->data);
}

static uint64_t find_memory(const Options &options, const wvl_plan *plan, const wvl_row_source &source, bool can_patch)
{
    wvl_rows_memory need = {};
    need.struct_size = sizeof need;
    check(wvl_rows_measure(plan, &source, &need), "");
    bool is_early = need.leaves_early == 1 || (need.leaves_early == 2 && can_patch);
    uint64_t least = is_early ? need.early_least_bytes : need.least_bytes;
    int64_t given = options.number("MEMORY_LIMIT", usual_memory);
    if (given < 0 || given > INT64_MAX / mebibyte) {
        throw Failure(CPLE_IllegalArg, "MEMORY_LIMIT must be a number of MiB, or 0");
    }
    uint64_t memory = static_cast<uint64_t>(given * mebibyte);
    return options.find("MEMORY_LIMIT") ? memory : std::max(memory, least);
}

static void encode(const wvl_plan *plan, Picture &picture, const Options &options, Output &output, Progress *progress)
{
    wvl_row_source source = picture.rows();
    std::string folder = CPLGetConfigOption("CPL_TMPDIR", CPLGetConfigOption("TMPDIR", ""));
    wvl_rows_options limits = {};
    limits.struct_size = sizeof limits;
    limits.memory_bytes = find_memory(options, plan, source, output.can_patch);
    limits.spill_folder = folder.empty() ? nullptr : folder.c_str();
    wvl_control control = {};
    control.struct_size = sizeof control;
    control.progress = show_progress;
    control.progress_user = progress;
    wvl_sink sink = output.sink();
    std::vector<char> error(4096);
    wvl_status status = wvl_encode_rows(plan, &source, &limits, &sink, &control, nullptr, error.data(), error.size());
    std::string text = status == WVL_CANCELLED ? "User terminated CreateCopy()" : error.data();
    if (status == WVL_ERROR_SINK) {
        text = output.why();
    }
    bool is_sample = status == WVL_ERROR_INPUT && !picture.has_failed;
    check(status, (text + (is_sample ? " (option NBITS, or NBITS of the source)" : "")).c_str());
}

static GDALDataset *create_copy(const char *name, GDALDataset *source, CSLConstList list, Progress *progress)
{
    Options options(list);
    File file = find_file(options, name);
    Picture picture(source, options);
    std::unique_ptr<Boxes> boxes;
    if (file != File::codestream) {
        boxes.reset(new Boxes(picture, options));
    }
    Context context = make_context(options);
    bool is_profile_1 = false;
    Plan plan = make_plan(context.get(), options, picture, file, boxes.get(), &is_profile_1);
    if (!progress->function(0, nullptr, progress->data)) {
        throw Failure(CPLE_UserInterrupt, "User terminated CreateCopy()");
    }
    Output output(name, boxes && boxes->has_gml, is_profile_1);
    encode(plan.get(), picture, options, output, progress);
    output.finish(boxes ? boxes->behind : std::vector<GByte>());
    progress->function(1, nullptr, progress->data);
    return open_written(name, picture, boxes.get());
}

/* List: GDAL 3.6 has char **, later versions a constant list. */
template <typename List>
static GDALDataset *CreateCopy(const char *name, GDALDataset *source, int, List list, GDALProgressFunc function,
                               void *data)
{
    Progress progress = {function ? function : GDALDummyProgress, data, 0};
    try {
        return create_copy(name, source, list, &progress);
    } catch (const Failure &failure) {
        CPLError(CE_Failure, failure.number, "%s: %s", driver_name, failure.what());
    } catch (const std::exception &failure) {
        CPLError(CE_Failure, CPLE_OutOfMemory, "%s: %s", driver_name, failure.what());
    }
    return nullptr;
}

} // namespace wavelane

/* Drivers that read claim "jp2" and "j2k"; this one leaves these words to them, and so their place as the default. */
extern "C" void CPL_DLL GDALRegister_JP2WAVELANE()
{
    if (!GDAL_CHECK_VERSION(wavelane::driver_name) || GDALGetDriverByName(wavelane::driver_name)) {
        return;
    }
    GDALDriver *driver = new GDALDriver();
    driver->SetDescription(wavelane::driver_name);
    driver->SetMetadataItem(GDAL_DCAP_RASTER, "YES");
    driver->SetMetadataItem(GDAL_DCAP_VIRTUALIO, "YES");
    driver->SetMetadataItem(GDAL_DMD_LONGNAME, "JPEG 2000, written by Wavelane");
    driver->SetMetadataItem(GDAL_DMD_EXTENSION, "jph");
    driver->SetMetadataItem(GDAL_DMD_MIMETYPE, "image/jp2");
    driver->SetMetadataItem(GDAL_DMD_CREATIONDATATYPES, "Byte UInt16 Int16 UInt32 Int32");
    driver->SetMetadataItem(GDAL_DMD_CREATIONOPTIONLIST, wavelane::list_options().c_str());
    driver->pfnCreateCopy = wavelane::CreateCopy;
    GetGDALDriverManager()->RegisterDriver(driver);
}
