/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GDAL itself makes the content of the boxes with georeference and metadata, as for its own JPEG 2000 drivers.
 */
#include "plugin.h"

#include <algorithm>
#include <cstring>

namespace wavelane
{

constexpr uint32_t type_uuid = 0x75756964;

Boxes::Boxes(const Picture &picture, const Options &options)
{
    jp2.struct_size = sizeof jp2;
    is_behind = options.is_set("GEOBOXES_AFTER_JP2C", options.is_inspire());
    if (picture.palette) {
        describe_palette(picture, options);
    } else {
        describe_channels(picture);
    }
    describe_resolution(picture.source);
    Made made;
    make_place(picture.source, options, made);
    make_metadata(picture.source, options, made);
    place(made);
    jp2.channel_types = channels.data();
    jp2.channel_count = static_cast<uint32_t>(channels.size());
    jp2.boxes = before.data();
    jp2.box_count = static_cast<uint32_t>(before.size());
}

/* ---- Colour ---------------------------------------------------------------------------------- */

/* JP2 names grey and sRGB. Bands that are neither are grey and channels of no kind. */
void Boxes::describe_channels(const Picture &picture)
{
    int colors = picture.is_rgb ? 3 : 1;
    for (int i = 0; i < picture.bands; i++) {
        bool is_color = i != picture.alpha && colors > 0;
        colors -= is_color;
        channels.push_back(is_color ? WVL_CHANNEL_COLOR : WVL_CHANNEL_UNSPECIFIED);
    }
    if (picture.alpha >= 0) {
        channels[static_cast<size_t>(picture.alpha)] = WVL_CHANNEL_OPACITY;
    }
    jp2.color = picture.is_rgb ? WVL_COLOR_SRGB : WVL_COLOR_GREY;
    if (picture.is_420) {
        jp2.color = WVL_COLOR_SYCC;
    }
    if (colors > 0) {
        throw Failure(CPLE_NotSupported, "a band of colour is needed beside alpha");
    }
}

void Boxes::describe_palette(const Picture &picture, const Options &options)
{
    const GDALColorTable *table = picture.palette;
    int count = std::min(table->GetColorEntryCount(), 256), columns = 3;
    for (int i = 0; i < count; i++) {
        columns = table->GetColorEntry(i)->c4 != 255 ? 4 : columns;
    }
    columns = static_cast<int>(options.number("CT_COMPONENTS", options.is_inspire() ? 3 : columns));
    if (columns != 3 && columns != 4) {
        throw Failure(CPLE_NotSupported, "CT_COMPONENTS must be 3 or 4");
    }
    for (int i = 0; i < count; i++) {
        const GDALColorEntry *e = table->GetColorEntry(i);
        const short values[] = {e->c1, e->c2, e->c3, e->c4};
        entries.insert(entries.end(), values, values + columns);
    }
    jp2.palette_entries = static_cast<uint32_t>(count);
    jp2.palette_columns = static_cast<uint32_t>(columns);
    jp2.palette_depth = 8;
    jp2.palette = entries.data();
    jp2.color = WVL_COLOR_SRGB;
    channels.assign(3, WVL_CHANNEL_COLOR);
    if (columns == 4) {
        channels.push_back(WVL_CHANNEL_OPACITY);
    }
}

/* TIFF's units: 2 inch, 3 centimetre. */
void Boxes::describe_resolution(GDALDataset *source)
{
    const char *x = source->GetMetadataItem("TIFFTAG_XRESOLUTION"), *y = source->GetMetadataItem("TIFFTAG_YRESOLUTION");
    const char *unit = source->GetMetadataItem("TIFFTAG_RESOLUTIONUNIT");
    static const double factors[] = {0, 0, 1 / 0.0254, 100};
    int index = unit ? atoi(unit) : 0;
    double per_metre = index > 0 && index < 4 ? factors[index] : 0;
    if (x && y && per_metre > 0 && CPLAtof(x) > 0 && CPLAtof(y) > 0) {
        jp2.display_x_per_metre = CPLAtof(x) * per_metre;
        jp2.display_y_per_metre = CPLAtof(y) * per_metre;
    }
}

/* ---- Boxes of GDAL --------------------------------------------------------------------------- */

/* In the order in which JP2OpenJPEG puts them; Inspire's guidelines know the one behind the codestream. */
void Boxes::place(const Made &made)
{
    if (is_behind) {
        add_behind(made.gml);
        for (const OwnedBox &box : made.xml) {
            add_behind(box);
        }
        add_behind(made.geo);
        add_behind(made.xmp);
        return;
    }
    add_before(made.geo);
    add_before(made.xmp);
    for (const OwnedBox &box : made.xml) {
        add_before(box);
    }
    add_before(made.gml);
}

void Boxes::add_behind(const OwnedBox &box)
{
    if (box) {
        GByte *whole = box->GetWritableBoxData();
        behind.insert(behind.end(), whole, whole + box->GetDataLength() + 8);
        CPLFree(whole);
    }
}

void Boxes::add_before(const OwnedBox &box)
{
    if (!box) {
        return;
    }
    const GByte *data = box->GetWritableData();
    wvl_box b = {};
    uint32_t type;
    memcpy(&type, box->GetType(), sizeof type);
    b.type = CPL_MSBWORD32(type);
    size_t bytes = static_cast<size_t>(box->GetDataLength()), skipped = b.type == type_uuid ? sizeof b.uuid : 0;
    memcpy(b.uuid, data, skipped);
    contents.emplace_back(data + skipped, data + bytes);
    b.data = contents.back().data();
    b.bytes = bytes - skipped;
    before.push_back(b);
}

static void warn(const char *option)
{
    CPLError(CE_Warning, CPLE_AppDefined, "%s: %s: the picture has no place on the map that this box could hold",
             driver_name, option);
}

void Boxes::make_place(GDALDataset *source, const Options &options, Made &made)
{
    GDALJP2Metadata metadata;
    double place[6];
    bool has_place = source->GetGeoTransform(place) == CE_None, has_points = source->GetGCPCount() > 0;
    const OGRSpatialReference *system = has_points ? source->GetGCPSpatialRef() : source->GetSpatialRef();
    auto rpc = source->GetMetadata("RPC");
    if (system) {
        metadata.SetSpatialRef(system);
    }
    if (has_points) {
        metadata.SetGCPs(source->GetGCPCount(), source->GetGCPs());
    } else if (has_place) {
        metadata.SetGeoTransform(place);
    }
    if (rpc) {
        metadata.SetRPCMD(rpc);
    }
    const char *kind = source->GetMetadataItem(GDALMD_AREA_OR_POINT);
    metadata.bPixelIsPoint = kind && EQUAL(kind, GDALMD_AOP_POINT);
    bool wants_geo = options.is_set("GeoJP2", true), can_geo = has_points || has_place || system || rpc;
    if (wants_geo && can_geo) {
        made.geo.reset(metadata.CreateJP2GeoTIFF());
        keeps_rpc = rpc != nullptr;
    } else if (wants_geo && options.find("GeoJP2")) {
        warn("GeoJP2");
    }
    make_gml(source, options, &metadata, !has_points && has_place && system, made);
}

void Boxes::make_gml(GDALDataset *source, const Options &options, GDALJP2Metadata *metadata, bool has_place, Made &made)
{
    const char *second = options.find("GMLJP2V2_DEF");
    int across = source->GetRasterXSize(), down = source->GetRasterYSize();
    if (!second && !options.is_set("GMLJP2", true)) {
        return;
    }
    if (!has_place && !CPLGetConfigOption("GMLJP2OVERRIDE", nullptr)) {
        if (second || options.find("GMLJP2")) {
            warn(second ? "GMLJP2V2_DEF" : "GMLJP2");
        }
        return;
    }
    made.gml.reset(second ? metadata->CreateGMLJP2V2(across, down, second, source)
                          : metadata->CreateGMLJP2(across, down));
    if (!made.gml) {
        throw Failure(CPLE_AppDefined, "GMLJP2: the box cannot be made");
    }
    has_gml = options.is_set("JPX", true);
}

void Boxes::make_metadata(GDALDataset *source, const Options &options, Made &made)
{
    bool is_main_only = options.is_set("MAIN_MD_DOMAIN_ONLY");
    keeps_metadata = options.is_set("WRITE_METADATA");
    if (!keeps_metadata) {
        return;
    }
    if (!is_main_only) {
        made.xmp.reset(GDALJP2Metadata::CreateXMPBox(source));
        int count = 0;
        GDALJP2Box **boxes = GDALJP2Metadata::CreateXMLBoxes(source, &count);
        for (int i = 0; i < count; i++) {
            made.xml.emplace_back(boxes[i]);
        }
        CPLFree(boxes);
        if (source->GetMetadata("xml:IPR")) {
            CPLError(CE_Warning, CPLE_NotSupported, "%s: metadata of the domain xml:IPR are not written", driver_name);
        }
    }
    made.xml.emplace_back(GDALJP2Metadata::CreateGDALMultiDomainMetadataXMLBox(source, is_main_only));
}

} // namespace wavelane
