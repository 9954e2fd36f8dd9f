/* SPDX-License-Identifier: BSD-2-Clause */
#include "plugin.h"

namespace wavelane
{

/* A file that was written, where nobody here can read it. It keeps what GDAL puts into .aux.xml. */
class WrittenDataset final : public GDALPamDataset
{
  public:
    WrittenDataset(const char *name, const Picture &picture);
};

class WrittenBand final : public GDALPamRasterBand
{
  public:
    WrittenBand(GDALDataset *dataset, int number, GDALDataType type)
    {
        poDS = dataset;
        nBand = number;
        eDataType = type;
        nBlockXSize = dataset->GetRasterXSize();
        nBlockYSize = 1;
    }
    CPLErr IReadBlock(int, int, void *) override
    {
        CPLError(CE_Failure, CPLE_NotSupported, "%s writes only: this GDAL has no driver that reads JPEG 2000 from %s",
                 driver_name, poDS->GetDescription());
        return CE_Failure;
    }
};

WrittenDataset::WrittenDataset(const char *name, const Picture &picture)
{
    nRasterXSize = static_cast<int>(picture.width);
    nRasterYSize = static_cast<int>(picture.height);
    SetDescription(name);
    for (int i = 1; i <= picture.bands; i++) {
        SetBand(i, new WrittenBand(this, i, picture.type));
    }
    SetPhysicalFilename(name);
}

static GDALPamDataset *reopen(const char *name)
{
    CPLPushErrorHandler(CPLQuietErrorHandler);
    GDALDataset *opened =
        is_stream(name) ? nullptr : GDALDataset::Open(name, GDAL_OF_RASTER, nullptr, nullptr, nullptr);
    CPLPopErrorHandler();
    CPLErrorReset();
    GDALPamDataset *pam = dynamic_cast<GDALPamDataset *>(opened);
    if (opened && !pam) {
        GDALClose(opened);
    }
    return pam;
}

/* Words that the file says by itself, or that have no value, are left out; .aux.xml appears only if others are left. */
static void keep_metadata(GDALPamDataset *written, GDALDataset *source)
{
    CPLStringList kept;
    CSLConstList given = source->GetMetadata(), known = written->GetMetadata();
    for (; given && *given; given++) {
        char *key = nullptr;
        const char *value = CPLParseNameValue(*given, &key);
        const char *there = key ? CSLFetchNameValue(known, key) : nullptr;
        bool is_said = !key || !*value || EQUAL(key, GDALMD_AREA_OR_POINT) || EQUAL(key, "Corder");
        if (!is_said && !(there && EQUAL(there, value))) {
            kept.SetNameValue(key, value);
        }
        CPLFree(key);
    }
    for (int i = 0; i < kept.Count(); i++) {
        char *key = nullptr;
        const char *value = CPLParseNameValue(kept[i], &key);
        written->SetMetadataItem(key, value);
        CPLFree(key);
    }
}

GDALDataset *open_written(const char *name, const Picture &picture, const Boxes *boxes)
{
    if (is_stream(name)) {
        return new WrittenDataset(name, picture);
    }
    GDALPamDataset *written = reopen(name);
    if (!written) {
        written = new WrittenDataset(name, picture);
    }
    written->CloneInfo(picture.source, GCIF_PAM_DEFAULT & ~GCIF_METADATA);
    if (!boxes || !boxes->keeps_metadata) {
        keep_metadata(written, picture.source);
    }
    auto rpc = picture.source->GetMetadata("RPC");
    if (rpc && (!boxes || !boxes->keeps_rpc)) {
        written->SetMetadata(rpc, "RPC");
    }
    return written;
}

} // namespace wavelane
