#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Time of the processor and resident memory of gdal_translate with JP2WAVELANE, and beside JP2OpenJPEG. Pictures are mosaics (VRT) of one picture.

  figures.py FOLDER-OF-THE-DRIVER [--picture FILE] [--pixels N] [--large WIDTH,HEIGHT] [--runs N]

--pixels: side of the RGB picture that both write, lossless and lossy, by one thread (default 4096). --large: a picture of one band that JP2WAVELANE
alone writes from the VRT, lossless, with GDAL_CACHEMAX=128 (default 20000,10000). Without --picture: drawn waves and noise. Ends with 1 if a ratio is
below 3, if more than 512 MB are resident, or if a lossless file has other pixels; with 77 where python3-gdal is not here.
"""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile

LOSSLESS = ["-co", "QUALITY=100", "-co", "REVERSIBLE=YES"]
LEAST_RATIO, MOST_MEGABYTES = 3, 512
ROWS = 1024  # compared at a time: one row of tiles


def draw(gdal, path, side=1024):
    noise = random.Random(1)
    ds = gdal.GetDriverByName("GTiff").Create(path, side, side, 3, options=["TILED=YES", "INTERLEAVE=PIXEL"])
    for band in range(3):
        drift = [noise.randrange(-6, 7) for _ in range(side)]
        rows = (bytes(max(0, min(255, 128 + (x * (y + 300 * band) // 900) % 97 - 48 + drift[x] + noise.randrange(-2, 3))) for x in range(side)) for y in range(side))
        ds.GetRasterBand(band + 1).WriteRaster(0, 0, side, side, b"".join(rows))
    return path


def mosaic(gdal, source, bands, width, height, path):
    """A VRT that repeats the first bands of source."""
    ds = gdal.Open(source)
    across, down = ds.RasterXSize, ds.RasterYSize
    parts = ['<VRTDataset rasterXSize="%d" rasterYSize="%d">' % (width, height)]
    for band in range(1, bands + 1):
        parts.append('<VRTRasterBand dataType="Byte" band="%d"><ColorInterp>%s</ColorInterp>' % (band, "Gray" if bands == 1 else ("Red", "Green", "Blue")[band - 1]))
        for y in range(0, height, down):
            for x in range(0, width, across):
                size = 'xSize="%d" ySize="%d"' % (min(across, width - x), min(down, height - y))
                parts.append('<SimpleSource><SourceFilename relativeToVRT="0">%s</SourceFilename><SourceBand>%d</SourceBand><SourceProperties RasterXSize="%d" RasterYSize="%d" DataType="Byte" '
                             'BlockXSize="256" BlockYSize="256"/><SrcRect xOff="0" yOff="0" %s/><DstRect xOff="%d" yOff="%d" %s/></SimpleSource>' % (source, band, across, down, size, x, y, size))
        parts.append("</VRTRasterBand>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts + ["</VRTDataset>"]))
    return path


def translate(driver, source, out, options):
    """Seconds of the processor and megabytes."""
    pid = os.fork()
    if pid == 0:
        run = subprocess.run(["gdal_translate", "-q", "-of", driver, source, out] + options, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(out + ".used", "w", encoding="ascii") as file:
            file.write("%f %d" % (used.ru_utime + used.ru_stime, used.ru_maxrss))
        os._exit(run.returncode)
    if os.waitpid(pid, 0)[1]:
        raise RuntimeError("%s fails: %s" % (driver, options))
    with open(out + ".used", encoding="ascii") as file:
        seconds, kilobytes = file.read().split()
    return float(seconds), int(kilobytes) / 1000


def is_same(gdal, one, two):
    a, b = gdal.Open(one), gdal.Open(two)
    return all(a.ReadRaster(0, y, a.RasterXSize, min(ROWS, a.RasterYSize - y)) == b.ReadRaster(0, y, a.RasterXSize, min(ROWS, a.RasterYSize - y)) for y in range(0, a.RasterYSize, ROWS))


def compare(gdal, folder, source, pixels, runs):
    """JP2OpenJPEG and JP2WAVELANE in turns, the least time of each."""
    good = True
    flat = os.path.join(folder, "rgb.tif")
    gdal.Translate(flat, mosaic(gdal, source, 3, pixels, pixels, os.path.join(folder, "rgb.vrt")), creationOptions=["TILED=YES", "INTERLEAVE=PIXEL", "BIGTIFF=IF_SAFER"])
    for name, options in (("lossless", LOSSLESS), ("QUALITY=25", []), ("QUALITY=5", ["-co", "QUALITY=5"])):
        times = {"JP2OpenJPEG": [], "JP2WAVELANE": []}
        for _ in range(runs):
            for driver, taken in times.items():
                taken.append(translate(driver, flat, os.path.join(folder, driver + ".jp2"), options))
        host, ours = (min(taken) for taken in times.values())
        sizes = [os.path.getsize(os.path.join(folder, driver + ".jp2")) for driver in times]
        good &= host[0] / ours[0] >= LEAST_RATIO
        print("%d x %d RGB, %s: JP2OpenJPEG %.2f s, %d bytes; JP2WAVELANE %.2f s, %d bytes, %.0f MB: %.1f times" % (pixels, pixels, name, host[0], sizes[0], ours[0], sizes[1], ours[1], host[0] / ours[0]))
        sys.stdout.flush()
        if options is LOSSLESS:
            good &= is_same(gdal, flat, os.path.join(folder, "JP2WAVELANE.jp2"))
    return good


def write_large(gdal, folder, source, width, height):
    out = os.path.join(folder, "large.jp2")
    vrt = mosaic(gdal, source, 1, width, height, os.path.join(folder, "large.vrt"))
    os.environ["GDAL_CACHEMAX"] = "128"
    seconds, megabytes = translate("JP2WAVELANE", vrt, out, LOSSLESS)
    print("%d x %d of one band, lossless: %.1f s, %d bytes, %.0f MB resident" % (width, height, seconds, os.path.getsize(out), megabytes))
    sys.stdout.flush()
    return megabytes <= MOST_MEGABYTES and is_same(gdal, vrt, out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--picture")
    parser.add_argument("--pixels", type=int, default=4096)
    parser.add_argument("--large", default="20000,10000")
    parser.add_argument("--runs", type=int, default=2)
    args = parser.parse_args()
    os.environ.update(GDAL_DRIVER_PATH=os.path.abspath(args.folder), GDAL_NUM_THREADS="1", GDAL_MAX_DATASET_POOL_SIZE="100")
    try:
        from osgeo import gdal
    except ImportError:
        print("no python3-gdal")
        return 77
    gdal.UseExceptions()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "part.tif")
        if args.picture:
            gdal.Translate(source, os.path.abspath(args.picture), creationOptions=["TILED=YES", "INTERLEAVE=PIXEL"])
        else:
            draw(gdal, source)
        width, height = (int(word) for word in args.large.split(","))
        good = compare(gdal, folder, source, args.pixels, args.runs) if args.pixels else True
        return 0 if (write_large(gdal, folder, source, width, height) if width else True) and good else 1


if __name__ == "__main__":
    sys.exit(main())
