/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the driver JP2WAVELANE. CreateCopy() (driver.cpp) looks at the bands (picture.cpp), reads the creation
 * options (options.cpp), puts georeference and metadata into boxes (boxes.cpp), and encodes row by row into a file of
 * VSI*L (output.cpp). returned.cpp has the dataset that the caller gets.
 */
#ifndef WAVELANE_GDAL_PLUGIN_H
#define WAVELANE_GDAL_PLUGIN_H

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <cpl_string.h>
#include <cpl_vsi.h>
#include <cpl_vsi_error.h>
#include <gdal_pam.h>
#include <gdaljp2metadata.h>

#include "wavelane_rows.h"
#include "wavelane_simple.h"

namespace wavelane
{

constexpr const char *driver_name = "JP2WAVELANE";

/* The reason why there is no file. CreateCopy() makes it an error of GDAL. */
struct Failure : std::runtime_error {
    CPLErrorNum number;
    Failure(CPLErrorNum n, const std::string &text) : std::runtime_error(text), number(n) {}
};

/* Objects of the library, released by their own functions. */
template <typename T, void (*release)(T *)> struct Releaser {
    void operator()(T *object) const { release(object); }
};
using Context = std::unique_ptr<wvl_context, Releaser<wvl_context, wvl_context_release>>;
using Params = std::unique_ptr<wvl_params, Releaser<wvl_params, wvl_params_release>>;
using Plan = std::unique_ptr<wvl_plan, Releaser<wvl_plan, wvl_plan_release>>;

/* ---- Creation options ------------------------------------------------------------------------ */

enum class File { codestream, jp2, jph };

class Options
{
  public:
    explicit Options(CSLConstList given) : list(given) {}
    const char *find(const char *name) const { return CSLFetchNameValue(list, name); }
    bool is_set(const char *name, bool otherwise = false) const;
    long long number(const char *name, long long otherwise) const; /* a Failure if it is none */
    /* INSPIRE_TG: what the guidelines for orthoimagery demand. */
    bool is_inspire() const { return is_set("INSPIRE_TG"); }
    /* The defaults of JP2OpenJPEG hold where no options of Wavelane are given, which have their own. */
    bool has_host_defaults() const { return !find("WAVELANE"); }

  private:
    CSLConstList list;
};

std::string list_options(); /* DMD_CREATIONOPTIONLIST */
File find_file(const Options &options, const char *name);
uint32_t find_threads(const Options &options);

struct Picture;
void set_params(const Options &options, const Picture &picture, File file, wvl_params *params);
/* The values of the option "profile" that are tried in turn. */
std::vector<const char *> find_profiles(const Options &options);

/* ---- Bands ----------------------------------------------------------------------------------- */

/* Reads the bands as rows, samples of all bands side by side; with 4:2:0 in a second buffer those of Cb and Cr. */
struct Picture {
    Picture(GDALDataset *dataset, const Options &options);
    wvl_row_source rows();
    wvl_image_format format() const;

    GDALDataset *source;
    uint32_t width, height;
    int bands;
    GDALDataType type;
    int sample_bytes;
    int alpha = -1;             /* band from 0 */
    bool has_bit_alpha = false; /* alpha in 1 bit: 0, or anything else */
    bool is_rgb = false;        /* the first three bands, in this order */
    bool is_420 = false;
    bool has_failed = false; /* the source gave no pixels */
    const GDALColorTable *palette = nullptr;
    std::vector<wvl_component_format> components;

  private:
    std::vector<wvl_row_component> places;
    std::vector<GByte> pixels; /* of 4:2:0: two rows */
    void find_type();
    void find_colors(const Options &options);
    void find_depths(const Options &options);
    void lay_out();
    void read_pixels(GByte *data, int64_t pitch, int first, int count);
    void read_luma(const wvl_row_buffer &buffer);
    void read_chroma(const wvl_row_buffer &buffer);
    void read(const wvl_row_buffer *buffers, uint32_t count);
    static wvl_status read_rows(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error, size_t bytes);
};

/* ---- Boxes ----------------------------------------------------------------------------------- */

using OwnedBox = std::unique_ptr<GDALJP2Box>;

/* What a JP2 file says beside its codestream. */
class Boxes
{
  public:
    Boxes(const Picture &picture, const Options &options);
    const wvl_jp2_info *info() const { return &jp2; }
    bool has_gml = false;                           /* GMLJP2: the file says that it has boxes of Part 2 */
    std::vector<GByte> behind;                      /* whole boxes that follow the codestream */
    bool keeps_rpc = false, keeps_metadata = false; /* they need no .aux.xml */

  private:
    wvl_jp2_info jp2 = {};
    std::vector<uint16_t> channels, entries;
    std::vector<std::vector<GByte>> contents;
    std::vector<wvl_box> before;
    bool is_behind;
    struct Made {
        OwnedBox geo, gml, xmp;
        std::vector<OwnedBox> xml;
    };
    void describe_channels(const Picture &picture);
    void describe_palette(const Picture &picture, const Options &options);
    void describe_resolution(GDALDataset *source);
    void make_place(GDALDataset *source, const Options &options, Made &made);
    void make_gml(GDALDataset *source, const Options &options, GDALJP2Metadata *metadata, bool has_place, Made &made);
    void make_metadata(GDALDataset *source, const Options &options, Made &made);
    void place(const Made &made);
    void add_before(const OwnedBox &box);
    void add_behind(const OwnedBox &box);
};

/* ---- Output ---------------------------------------------------------------------------------- */

/* Standard output or a device: it takes bytes in order only, is never read and never deleted. */
bool is_stream(const char *path);

/* A file of VSI*L. It is deleted unless finish() was called. */
class Output
{
  public:
    /* has_gml: the brand "jpx " and a box of reader requirements are put behind the first two boxes (OGC 05-047r3). */
    Output(const char *name, bool has_gml, bool is_profile_1);
    ~Output();
    Output(const Output &) = delete;
    Output &operator=(const Output &) = delete;
    wvl_sink sink();
    void finish(const std::vector<GByte> &behind);
    std::string why() const; /* bytes could not be written */
    bool can_patch;

  private:
    std::string name;
    VSILFILE *file;
    std::vector<GByte> head; /* takes the place of the first boxes; empty: none */
    uint64_t shift = 0;      /* bytes that the head has more than they */
    bool has_begun = false;
    void remove() const;
    static int write(void *user, const void *data, size_t bytes);
    static int patch(void *user, uint64_t offset, const void *data, size_t bytes);
    int put(const void *data, size_t bytes);
    std::string problem; /* of the last write, if the system says one */
};

/* ---- The dataset that CreateCopy() returns --------------------------------------------------- */

/* A driver that reads JPEG 2000 opens the file; without one (or for a pipe) the dataset has bands, but no pixels. */
GDALDataset *open_written(const char *name, const Picture &picture, const Boxes *boxes);

} // namespace wavelane

#endif
