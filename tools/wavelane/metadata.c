/* SPDX-License-Identifier: BSD-2-Clause */
/* Metadata on the command's way from a picture to a file: what is kept, named as lost, or applied. */

#include "cli.h"
#include "tools/metadata/sidecar.h"

unsigned wvl_cli_kept_metadata(const wvl_cli_args *args)
{
    unsigned keep = WVL_KEEP_ALL & ~args->dropped;
    return args->no_xmp ? keep & ~(unsigned)(WVL_KEEP_XMP | WVL_KEEP_TEXT) : keep;
}

/* ---- A picture ------------------------------------------------------------------------------- */

void wvl_cli_name_lost(const wvl_cli_args *args, const char *name, const wvl_cli_picture *p)
{
    const char *first = p->io.lost, *second = p->metadata.lost;
    if ((*first || *second) && (args->dropped & WVL_CLI_STRIPPED) != WVL_CLI_STRIPPED) {
        wvl_cli_warn_once(name, "metadata that the output does not carry: %s%s%s", first, *first && *second ? ", " : "",
                          second);
    }
}

int wvl_cli_settle_metadata(const wvl_cli_args *args, const char *name, wvl_io_picture *io)
{
    if (!(args->dropped & WVL_KEEP_GEO) && wvl_metadata_read_sidecars(name, io) != 0) {
        return wvl_cli_lack_memory(name);
    }
    if (io->orientation > 1 && args->orient) {
        char error[256];
        int swaps = wvl_io_orientation_swaps(io->orientation);
        int result = wvl_io_orient_picture(io, error, sizeof error);
        if (result != WVL_IO_OK) {
            return wvl_cli_fail(result == WVL_IO_ERROR_MEMORY ? WVL_EXIT_DEVICE : WVL_EXIT_INPUT, "%s: %s", name,
                                error);
        }
        wvl_metadata_reset_orientation(&io->metadata, swaps);
        /* GeoTIFF tags count rows and columns as they were stored. */
        if (io->metadata.blobs[WVL_IO_GEO].data || io->metadata.blobs[WVL_IO_GML].data) {
            wvl_cli_warn_once(name, "the location of the picture (GeoTIFF, GML) is left out, because --orient auto "
                                    "moves its rows and columns");
            wvl_io_drop_blob(&io->metadata, WVL_IO_GEO);
            wvl_io_drop_blob(&io->metadata, WVL_IO_GML);
        }
        return WVL_EXIT_OK;
    }
    if (io->orientation > 1) {
        wvl_cli_warn_once(name,
                          "orientation %u is not applied; the samples are encoded as they are stored "
                          "(--orient auto turns them)",
                          io->orientation);
    }
    return WVL_EXIT_OK;
}
