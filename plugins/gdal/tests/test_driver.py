#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""
The driver JP2WAVELANE in GDAL, by Debian's python3-gdal. What it writes is read by JP2OpenJPEG, and compared with the source and with what JP2OpenJPEG
writes. Cases with a number have the situation of the test of that number in GDAL's suite for JP2OpenJPEG (autotest/gdrivers/jp2openjpeg.py).

  test_driver.py FOLDER-OF-THE-DRIVER [CASE ...]

Ends with 0, 1, or 77 where python3-gdal or JP2OpenJPEG is not here.
"""
import array
import json
import os
import random
import re
import subprocess
import sys
import tempfile

if len(sys.argv) < 2 or sys.argv[1] in ("--help", "-h"):
    print(__doc__.strip())
    sys.exit(0 if len(sys.argv) > 1 else 2)
os.environ["GDAL_DRIVER_PATH"] = os.path.abspath(sys.argv[1])
os.environ.pop("GDAL_NUM_THREADS", None)
try:
    from osgeo import gdal, osr
except ImportError:
    print("no python3-gdal")
    sys.exit(77)

gdal.DontUseExceptions()
HOST = gdal.GetDriverByName("JP2OpenJPEG")
OURS = gdal.GetDriverByName("JP2WAVELANE")
MEM = gdal.GetDriverByName("MEM")
LOSSLESS = ["QUALITY=100", "REVERSIBLE=YES"]
RED, GREEN, BLUE, ALPHA, GREY, NONE = (gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand, gdal.GCI_AlphaBand, gdal.GCI_GrayIndex, gdal.GCI_Undefined)
RGB = [RED, GREEN, BLUE]
CODES = {gdal.GDT_Byte: "B", gdal.GDT_UInt16: "H", gdal.GDT_Int16: "h", gdal.GDT_UInt32: "I", gdal.GDT_Int32: "i"}
CASES, RASTERS = [], {}


def case(function):
    CASES.append(function)
    return function


def require(condition, text):
    if not condition:
        raise AssertionError(text)


# ---- Sources, copies, comparisons ----


def samples(width, height, band, kind, most):
    key = (width, height, band, kind, most)
    if key not in RASTERS:
        draw = random.Random(band)
        low = -most - 1 if kind in (gdal.GDT_Int16, gdal.GDT_Int32) else 0
        span = most - low + 1
        made = array.array(CODES[kind], ((x * 3 + y * 2 + band * 40 + draw.randrange(9)) * 257 % span + low for y in range(height) for x in range(width)))
        made[0], made[-1] = low, most
        RASTERS[key] = made.tobytes()
    return RASTERS[key]


def make(width=130, height=70, bands=1, kind=gdal.GDT_Byte, colors=None, most=255, place=True):
    ds = MEM.Create("", width, height, bands, kind)
    for i in range(bands):
        ds.GetRasterBand(i + 1).WriteRaster(0, 0, width, height, samples(width, height, i, kind, most))
        if colors:
            ds.GetRasterBand(i + 1).SetColorInterpretation(colors[i])
    if place:
        ds.SetProjection(system(32631))
        ds.SetGeoTransform([450000, 1, 0, 5000000, 0, -1])
    return ds


def system(code):
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(code)
    return reference.ExportToWkt()


def copy(source, options=(), name="/vsimem/out.jp2", driver=None, **more):
    """Returns whether there is a file, and all messages."""
    messages = []
    gdal.Unlink(name + ".aux.xml")
    gdal.PushErrorHandler(lambda level, number, text: messages.append((level, number, text)))
    done = (driver or OURS).CreateCopy(name, source, options=list(options), **more) is not None
    gdal.PopErrorHandler()
    return done, messages


def written(source, options=(), name="/vsimem/out.jp2", warnings=0, **more):
    done, messages = copy(source, options, name, **more)
    require(done and len(messages) == warnings, "%s: %s" % (options, messages))
    return gdal.Open(name)


def refused(source, options, words, name="/vsimem/refused.jp2", **more):
    gdal.Unlink(name)
    done, messages = copy(source, options, name, **more)
    require(not done and messages and messages[-1][0] == gdal.CE_Failure, "%s: accepted" % (options,))
    require(messages[-1][2].startswith("JP2WAVELANE: ") and words in messages[-1][2], "%s: %s" % (options, messages))
    require(gdal.VSIStatL(name) is None, "%s: a file is left" % (options,))
    return messages[-1]


def pixels(ds, kind=None):
    return [ds.GetRasterBand(i + 1).ReadRaster(buf_type=kind or ds.GetRasterBand(1).DataType) for i in range(ds.RasterCount)]


def same_pixels(source, ds, options=()):
    require(pixels(source) == pixels(ds, source.GetRasterBand(1).DataType), "%s: pixels differ" % (options,))


def error(source, ds):
    return sum(abs(a - b) for s, d in zip(pixels(source), pixels(ds)) for a, b in zip(s, d))


def has_aux(name="/vsimem/out.jp2"):
    return gdal.VSIStatL(name + ".aux.xml") is not None


def describe(name):
    """gdalinfo, without the names, and without what COM says of the encoder (GDAL knows the words of OpenJPEG)."""
    info = gdal.Info(gdal.Open(name), format="json", computeChecksum=True)
    for key in ("files", "description"):
        info.pop(key)
    info["metadata"].get("IMAGE_STRUCTURE", {}).pop("COMPRESSION_REVERSIBILITY", None)
    return json.dumps(info, sort_keys=True, indent=1)


def as_host(source, options=LOSSLESS, extension="jp2"):
    """Lossless: JP2OpenJPEG's file and ours say the same to gdalinfo, with or without .aux.xml."""
    names = ["/vsimem/%s.%s" % (driver.ShortName, extension) for driver in (HOST, OURS)]
    for name, driver in zip(names, (HOST, OURS)):
        done, messages = copy(source, options, name, driver)
        require(done and not messages, "%s: %s" % (driver.ShortName, messages))
    host, ours = (describe(name) for name in names)
    differ = [pair for pair in zip(host.split("\n"), ours.split("\n")) if pair[0] != pair[1]]
    require(host == ours, "%s: JP2OpenJPEG and JP2WAVELANE: %s" % (options, differ[:3]))
    require(has_aux(names[0]) == has_aux(names[1]), "%s: .aux.xml: %d and %d" % (options, has_aux(names[0]), has_aux(names[1])))
    same_pixels(source, gdal.Open(names[1]), options)


def structure(name="/vsimem/out.jp2"):
    text = gdal.GetJPEG2000StructureAsString(name, ["ALL=YES"])
    require("Error" not in text, text[-400:])
    return text


def field(text, name):
    return re.search(r'<Field name="%s"[^>]*>([^<]*)<' % re.escape(name), text).group(1)


def boxes(text):
    return re.findall(r'<JP2Box name="([^"]*)"', text)


# ---- Samples, bands and colours ----


@case
def case_4_bytes_and_resolution():
    source = make()
    for key, value in (("XRESOLUTION", "300"), ("YRESOLUTION", "200"), ("RESOLUTIONUNIT", "3 (pixels/cm)")):
        source.SetMetadataItem("TIFFTAG_" + key, value)
    as_host(source)
    ds = written(source, LOSSLESS)
    require(ds.GetMetadataItem("TIFFTAG_XRESOLUTION") == "300" and ds.GetMetadataItem("TIFFTAG_YRESOLUTION") == "200", "resolution")


@case
def case_5_types():
    for kind, most, options in ((gdal.GDT_UInt16, 65535, []), (gdal.GDT_Int16, 32767, []), (gdal.GDT_UInt32, 2**28 - 1, []), (gdal.GDT_Int32, 2**27 - 1, []),
                                (gdal.GDT_UInt16, 2**13 - 1, ["NBITS=13"]), (gdal.GDT_Int32, 2**20 - 1, ["NBITS=21"])):
        source = make(kind=kind, most=most)
        for name in ("out.jp2", "out.j2k"):
            ds = written(source, LOSSLESS + options, "/vsimem/" + name)
            require(ds.GetRasterBand(1).DataType == kind, "type")
            same_pixels(source, ds, options)
    as_host(make(kind=gdal.GDT_Int16, most=32767), LOSSLESS + ["CODEC=J2K"], "j2k")
    refused(make(kind=gdal.GDT_UInt32, most=2**28), LOSSLESS, "NBITS")
    refused(MEM.Create("", 9, 9, 1, gdal.GDT_Float32), [], "Float32")


@case
def case_10_subsampled_chroma():
    source = make(130, 70, 3, colors=RGB, most=200)
    ds = written(source, ["YCBCR420=YES", "QUALITY=100"])
    copy(source, ["YCBCR420=YES", "QUALITY=100"], "/vsimem/host.jp2", HOST)
    require(error(source, ds) <= error(source, gdal.Open("/vsimem/host.jp2")), "4:2:0 is further off than that of JP2OpenJPEG")
    smooth = MEM.Create("", 64, 64, 3)
    for i, value in enumerate((200, 100, 50)):
        smooth.GetRasterBand(i + 1).Fill(value)
        smooth.GetRasterBand(i + 1).SetColorInterpretation(RGB[i])
    near = max(abs(a - b) for s, d in zip(pixels(smooth), pixels(written(smooth, ["YCBCR420=YES", "QUALITY=100"]))) for a, b in zip(s, d))
    require(near <= 2, "4:2:0 is off by %d" % near)
    require([ds.GetRasterBand(i).GetColorInterpretation() for i in (1, 2, 3)] == RGB, "colours of 4:2:0")
    ds = written(make(130, 70, 4, colors=RGB + [ALPHA]), ["YCBCR420=YES", "QUALITY=100", "1BIT_ALPHA=YES"])
    require(ds.GetRasterBand(4).GetColorInterpretation() == ALPHA, "alpha of 4:2:0")
    require(set(ds.GetRasterBand(4).ReadRaster()) == {0, 255}, "alpha of one bit in 4:2:0")
    for source, options in ((make(bands=3), []), (make(131, 70, 3, colors=RGB), []), (make(bands=3, colors=RGB), ["BLOCKXSIZE=33", "BLOCKYSIZE=32"])):
        refused(source, ["YCBCR420=YES"] + options, "YCBCR420")


@case
def case_21_22_24_25_colors():
    for bands, colors in ((1, [GREY]), (1, [NONE]), (2, [GREY, ALPHA]), (2, None), (3, RGB), (3, [NONE] * 3), (4, RGB + [ALPHA]), (4, RGB + [NONE]), (5, None)):
        as_host(make(bands=bands, colors=colors))
    as_host(make(bands=3, colors=RGB), LOSSLESS + ["YCC=NO"])
    as_host(make(bands=4, colors=RGB + [NONE]), LOSSLESS + ["ALPHA=YES"])
    source = make(bands=6, colors=RGB + [NONE, NONE, ALPHA])
    ds = written(source, LOSSLESS)
    require([ds.GetRasterBand(i + 1).GetColorInterpretation() for i in range(6)] == RGB + [NONE, NONE, ALPHA] and not has_aux(), "six bands")
    same_pixels(source, ds)
    source = make(40, 30, 300, gdal.GDT_UInt16, most=4095)
    same_pixels(source, written(source, LOSSLESS))


@case
def case_22_24_alpha_of_one_bit():
    for bands, colors in ((4, RGB + [ALPHA]), (2, [GREY, ALPHA])):
        written(make(bands=bands, colors=colors), LOSSLESS + ["1BIT_ALPHA=YES"])
        ds = gdal.OpenEx("/vsimem/out.jp2", open_options=["1BIT_ALPHA_PROMOTION=NO"])
        require(ds.GetRasterBand(bands).GetMetadataItem("NBITS", "IMAGE_STRUCTURE") == "1", "bits of alpha")
        require(bytes(v != 0 for v in samples(130, 70, bands - 1, gdal.GDT_Byte, 255)) == ds.GetRasterBand(bands).ReadRaster(), "alpha of one bit")
        require(ds.GetRasterBand(1).ReadRaster() == samples(130, 70, 0, gdal.GDT_Byte, 255), "colour beside it")


@case
def case_23_bits():
    source = make(kind=gdal.GDT_UInt16, most=511)
    ds = written(source, LOSSLESS + ["NBITS=9"], "/vsimem/nine.jp2")
    again = written(ds, LOSSLESS)
    for one in (ds, again):
        require(one.GetRasterBand(1).GetMetadataItem("NBITS", "IMAGE_STRUCTURE") == "9" and not has_aux(), "9 bits")
        same_pixels(source, one)
    refused(source, ["NBITS=8"], "NBITS")
    refused(make(), ["NBITS=9"], "1 to 8")


@case
def case_30_color_table():
    for first, options, third in ((255, [], 255), (0, [], 0), (0, ["CT_COMPONENTS=3"], 255)):
        source = make(most=3)
        table = gdal.ColorTable()
        for i, entry in enumerate(((255, 255, 255, first), (255, 255, 0, 255), (255, 0, 255, 255), (0, 255, 255, 255))):
            table.SetColorEntry(i, entry)
        source.GetRasterBand(1).SetRasterColorTable(table)
        ds = written(source, options)
        got = ds.GetRasterBand(1).GetRasterColorTable()
        require(got.GetCount() == 4 and got.GetColorEntry(0) == (255, 255, 255, third) and got.GetColorEntry(2) == (255, 0, 255, 255), "colour table")
        require(not has_aux(), "colour table in .aux.xml")
        same_pixels(source, ds, options)
        require(copy(source, ["QUALITY=50"])[1][0][0] == gdal.CE_Warning, "no warning for lossy indices")
    refused(source, ["CT_COMPONENTS=5"], "CT_COMPONENTS")
    written(source, ["CODEC=J2K"], "/vsimem/out.j2k")
    require(has_aux("/vsimem/out.j2k"), "the colour table of a codestream is lost")


@case
def case_31_order_of_colors():
    """A limit: other orders than red, green, blue. Alpha may stand anywhere."""
    same_pixels(make(bands=3, colors=[BLUE, GREEN, RED]), written(make(bands=3, colors=[BLUE, GREEN, RED]), LOSSLESS))
    source = make(bands=4, colors=[ALPHA] + RGB)
    as_host(source, LOSSLESS + ["YCC=NO", "RESOLUTIONS=1"])


@case
def case_36_bands():
    refused(MEM.Create("", 2, 2, 16385), [], "16384")
    source = MEM.Create("", 8, 8, 2)
    source.AddBand(gdal.GDT_Int16)
    source.GetRasterBand(3).Fill(-5)
    ds = written(source, LOSSLESS)
    require(ds.GetRasterBand(3).ReadRaster(0, 0, 1, 1) == array.array("h", [-5]).tobytes() and ds.GetRasterBand(1).DataType == gdal.GDT_Int16, "types of bands")


# ---- Place ----


@case
def case_13_14_points():
    source = make(place=False)
    source.SetGCPs([gdal.GCP(x, y, 0, column, row) for x, y, column, row in ((2, 49, 0, 0), (3, 49, 130, 0), (2, 48, 0, 70), (3, 48, 130, 70))], system(4326))
    as_host(source)
    require(written(source).GetGCPCount() == 4 and not has_aux(), "control points")
    as_host(source, LOSSLESS + ["GeoJP2=NO", "GMLJP2=NO"])


@case
def case_16_17_pixel_is_point():
    source = make()
    source.SetMetadataItem("AREA_OR_POINT", "Point")
    as_host(source)
    ds = written(source)
    require(ds.GetMetadataItem("AREA_OR_POINT") == "Point" and ds.GetGeoTransform() == source.GetGeoTransform() and not has_aux(), "point")


@case
def case_rpc():
    source = make(place=False)
    poly = " ".join(str(i + 1) for i in range(20))
    given = {"LINE_OFF": "1", "SAMP_OFF": "2", "LAT_OFF": "3", "LONG_OFF": "4", "HEIGHT_OFF": "5", "LINE_SCALE": "6", "SAMP_SCALE": "7", "LAT_SCALE": "8", "LONG_SCALE": "9",
             "HEIGHT_SCALE": "10", "LINE_NUM_COEFF": poly, "LINE_DEN_COEFF": poly, "SAMP_NUM_COEFF": poly, "SAMP_DEN_COEFF": poly}
    source.SetMetadata(given, "RPC")
    as_host(source)
    for options, aux in (([], False), (["GeoJP2=NO"], True)):
        got = written(source, options).GetMetadata("RPC")
        require(float(got["LAT_SCALE"]) == 8 and got["LINE_DEN_COEFF"].split()[:3] == ["1", "2", "3"] and has_aux() == aux, "RPC %s" % options)


@case
def case_38_39_systems():
    source = make()
    reference = osr.SpatialReference()
    reference.ImportFromProj4("+proj=tmerc +lat_0=1 +lon_0=3 +k=0.9996 +x_0=500000 +ellps=bessel +units=m")
    source.SetProjection(reference.ExportToWkt())
    for options in ([], ["GeoJP2=NO"], ["GMLJP2=NO"]):
        as_host(source, LOSSLESS + options)
    gdal.FileFromMemBuffer("/vsimem/override.gml", gdal.Open("/vsimem/JP2OpenJPEG.jp2").GetMetadata_List("xml:gml.root-instance")[0]
                           if gdal.Open("/vsimem/JP2OpenJPEG.jp2").GetMetadata_List("xml:gml.root-instance") else "<gml/>")
    gdal.SetConfigOption("GMLJP2OVERRIDE", "/vsimem/override.gml")
    written(make(place=False), ["GeoJP2=NO"])
    gdal.SetConfigOption("GMLJP2OVERRIDE", None)
    require("asoc" in boxes(structure()), "GMLJP2OVERRIDE")


@case
def case_45_gml_of_version_2():
    ds = written(make(), ["GMLJP2V2_DEF=YES", "GeoJP2=NO"])
    require(ds.GetGeoTransform() == (450000, 1, 0, 5000000, 0, -1) and "32631" in ds.GetProjectionRef() and not has_aux(), "GMLJP2, version 2")
    require("gmljp2/2.0" in ds.GetMetadata_List("xml:gml.root-instance")[0], "version 2")
    for name in ("GMLJP2", "GeoJP2", "GMLJP2V2_DEF"):
        require(name in copy(make(place=False), [name + "=YES"])[1][0][2], "no warning for %s" % name)


@case
def case_boxes():
    """Which boxes there are, before and behind the codestream."""
    source = make(bands=3, colors=RGB)
    for options in ([], ["GMLJP2=NO"], ["GeoJP2=NO"], ["JPX=NO"], ["GEOBOXES_AFTER_JP2C=YES"], ["WRITE_METADATA=YES"],
                    ["WRITE_METADATA=YES", "GEOBOXES_AFTER_JP2C=YES"]):
        source.SetMetadataItem("FOO", "BAR")
        written(source, LOSSLESS + options)
        copy(source, LOSSLESS + options, "/vsimem/host.jp2", HOST)
        ours, host = ([box for box in boxes(structure(name)) if box not in ("cdef", "bpcc")] for name in ("/vsimem/out.jp2", "/vsimem/host.jp2"))
        require(ours == host, "%s: boxes %s, JP2OpenJPEG %s" % (options, ours, host))
        names = [name for name in ("FUAM", "DCM", "SF0", "SM0", "SF1", "SM1") if "rreq" in host]
        require([field(structure(), name) for name in names] == [field(structure("/vsimem/host.jp2"), name) for name in names], "reader requirements")


# ---- Metadata ----


@case
def case_37_metadata():
    for domain, value in ((None, {"FOO": "BAR"}), ("SOME", {"FOO": "BAR"}), ("xml:SOME", ["<some_box/>"]), ("xml:BOX_1", ["<some_box/>"]), ("xml:XMP", ["<fake_xmp/>"])):
        for options in ([], ["INSPIRE_TG=YES"], ["MAIN_MD_DOMAIN_ONLY=YES"]):
            source = MEM.Create("", 2, 2)
            source.SetMetadata(value, domain) if domain else source.SetMetadata(value)
            as_host(source, LOSSLESS + ["WRITE_METADATA=YES"] + options)
    source = make()
    source.SetMetadataItem("FOO", "BAR")
    as_host(source)
    require(written(source).GetMetadataItem("FOO") == "BAR" and has_aux(), "metadata in .aux.xml")
    source.SetMetadata(["<ipr/>"], "xml:IPR")
    require("IPR" in copy(source, ["WRITE_METADATA=YES"])[1][0][2], "no warning for IPR")


@case
def case_aux_xml():
    """What JP2 has no place for."""
    source = make(bands=2)
    band = source.GetRasterBand(2)
    band.SetNoDataValue(7)
    band.SetDescription("infrared")
    band.SetMetadataItem("wavelength", "900")
    band.SetScale(2)
    band.SetOffset(3)
    band.SetUnitType("m")
    band.SetCategoryNames(["a", "b"])
    as_host(source)
    ds = written(source, LOSSLESS)
    got = ds.GetRasterBand(2)
    require((got.GetNoDataValue(), got.GetDescription(), got.GetMetadataItem("wavelength"), got.GetScale(), got.GetUnitType()) == (7, "infrared", "900", 2, "m"), "band")
    as_host(source, LOSSLESS, "j2k")
    ds = gdal.Open("/vsimem/JP2WAVELANE.j2k")
    require("32631" in ds.GetProjectionRef() and ds.GetGeoTransform() == source.GetGeoTransform(), "the place of a codestream is lost")


# ---- Codestream ----


@case
def case_15_18_27_33_tiles():
    for size, options in ((256, ["BLOCKXSIZE=32", "BLOCKYSIZE=32"]), (600, ["BLOCKXSIZE=600", "BLOCKYSIZE=600"]), (300, ["RESOLUTIONS=1", "BLOCKXSIZE=256", "BLOCKYSIZE=256"]),
                          (90, ["BLOCKXSIZE=100000", "BLOCKYSIZE=100000"])):
        source = make(size, size)
        one, two = (written(source, LOSSLESS + options + ["NUM_THREADS=%d" % n], "/vsimem/%d.jp2" % n) for n in (1, 2))
        same_pixels(source, one, options)
        same_pixels(source, two, options)
        written(source, LOSSLESS + options + ["NUM_THREADS=2", "MEMORY_LIMIT=16"], "/vsimem/limit.jp2")
        require(len({read("/vsimem/" + name) for name in ("1.jp2", "2.jp2", "limit.jp2")}) == 1, "threads or memory change bytes")


def read(name):
    file = gdal.VSIFOpenL(name, "rb")
    data = gdal.VSIFReadL(1, gdal.VSIStatL(name).size, file)
    gdal.VSIFCloseL(file)
    return bytes(data)


@case
def case_28_29_44_codestream():
    """Markers as JP2OpenJPEG writes them: SIZ, COD, and what the options ask for."""
    source = make(300, 200, 3, colors=RGB)
    for options in ([], ["CODEBLOCK_WIDTH=32", "CODEBLOCK_HEIGHT=16"], ["PRECINCTS={128,128},{64,64}"], ["PRECINCTS="], ["PROGRESSION=RPCL", "SOP=YES", "EPH=YES"], ["TILEPARTS=RESOLUTIONS"],
                    ["TILEPARTS=LAYERS", "QUALITY=1,20"], ["TILEPARTS=COMPONENTS", "PROGRESSION=CPRL"], ["RESOLUTIONS=3", "PLT=YES", "TLM=YES"], ["CODEBLOCK_STYLE=BYPASS,TERMALL,PREDICTABLE"],
                    ["CODEBLOCK_STYLE=63"], ["PROFILE=UNRESTRICTED"], ["BLOCKXSIZE=128", "BLOCKYSIZE=64"], ["YCC=NO", "REVERSIBLE=YES"], ["COMMENT=Gruss"]):
        written(source, options)
        copy(source, options, "/vsimem/host.jp2", HOST)
        got, host = structure(), structure("/vsimem/host.jp2")
        for name in ("Rsiz", "XTsiz", "YTsiz", "Scod", "SGcod_Progress", "SGcod_NumLayers", "SGcod_MCT", "SPcod_NumDecompositions", "SPcod_xcb_minus_2", "SPcod_ycb_minus_2", "SPcod_cbstyle",
                     "SPcod_transformation"):
            require(field(got, name) == field(host, name), "%s: %s is %s, JP2OpenJPEG has %s" % (options, name, field(got, name), field(host, name)))
        require(re.findall('name="SPcod_Precincts[0-9]*"[^>]*>[0-9]*', got) == re.findall('name="SPcod_Precincts[0-9]*"[^>]*>[0-9]*', host), "%s: precincts" % options)
        for marker in ("SOT", "PLT", "TLM"):
            require(got.count('Marker name="%s"' % marker) == host.count('Marker name="%s"' % marker), "%s: number of %s" % (options, marker))
    require("Gruss" in got, "COMMENT")


@case
def case_quality():
    """At most the bytes that were asked for, layers for each value, and everything at 100."""
    source = make(400, 300, 3, colors=RGB)
    raw = 400 * 300 * 3
    for options, most in (([], 0.25), (["QUALITY=10"], 0.1), (["QUALITY=2,5,20"], 0.2), (["QUALITY=10", "REVERSIBLE=YES"], 0.1)):
        written(source, options)
        size = gdal.VSIStatL("/vsimem/out.jp2").size
        require(0.5 * most * raw < size < most * raw + 3000, "%s: %d of %d bytes" % (options, size, raw))
    written(source, ["QUALITY=2,5,20"])
    require(field(structure(), "SGcod_NumLayers") == "3", "layers")
    written(make(8, 8, place=False))  # so small that 25 percent do not hold the headers
    refused(make(8, 8, place=False), ["QUALITY=1"], "bytes")


@case
def case_wavelane():
    source = make(300, 200, 3, colors=RGB)
    ds = written(source, ["WAVELANE=style=HT, block='32,32', levels=3"], "/vsimem/out.jph")
    same_pixels(source, ds)
    require(field(structure("/vsimem/out.jph"), "SPcod_cbstyle") == "64" and field(structure("/vsimem/out.jph"), "SPcod_NumDecompositions") == "3", "HT blocks")
    ds = written(source, ["WAVELANE=progression=PCRL"])
    same_pixels(source, ds)
    require(field(structure(), "XTsiz") == "300", "defaults of Wavelane")
    written(source, ["WAVELANE=qfactor=80, reversible=no", "BLOCKXSIZE=128", "BLOCKYSIZE=128"])
    require(field(structure(), "XTsiz") == "128" and field(structure(), "SPcod_transformation") == "0", "both kinds of options")
    refused(source, ["WAVELANE=blok=3"], '"block"')


@case
def case_26_inspire():
    try:
        from osgeo_utils.samples import validate_jp2
    except ImportError:
        print("case_26_inspire: no validate_jp2")
        return
    for source, options in ((make(1100, 1100, colors=[GREY]), []), (make(1100, 1100), ["BLOCKXSIZE=1100", "BLOCKYSIZE=1100"]), (make(128, 128, 4, colors=RGB + [ALPHA]), []),
                            (make(place=False), ["NBITS=8"]), (make(kind=gdal.GDT_UInt16, most=4095), [])):
        source.GetRasterBand(1).SetMetadataItem("NBITS", "12", "IMAGE_STRUCTURE")
        written(source, ["INSPIRE_TG=YES"] + options)
        has_gml = source.GetProjectionRef() != ""
        report = validate_jp2.validate("/vsimem/out.jp2", None, True, has_gml, "disabled")
        require(report.error_count == 0 and report.warning_count == 0 and not has_aux(), "%s: %d errors, %d warnings" % (options, report.error_count, report.warning_count))
    source = make(1100, 1100)
    for options, words in ((["BLOCKXSIZE=1050", "BLOCKYSIZE=1050"], "tile"), (["BLOCKXSIZE=512", "BLOCKYSIZE=128"], "tile"), (["PROFILE=UNRESTRICTED"], "PROFILE"), (["RESOLUTIONS=1"], "resolution"),
                           (["NBITS=2"], "NBITS"), (["CODEC=J2K"], "CODEC"), (["CODEBLOCK_WIDTH=128", "CODEBLOCK_HEIGHT=32"], "block")):
        refused(source, ["INSPIRE_TG=YES"] + options, words)


# ---- Refusals, files, progress ----


@case
def case_28_29_41_refusals():
    for options, words in ((["USE_SRC_CODESTREAM=YES"], "USE_SRC_CODESTREAM"), (["BLOCKXSIZE=a"], "BLOCKXSIZE"), (["BLOCKXSIZE=-1"], "BLOCKXSIZE"), (["CODEBLOCK_WIDTH=2048"], "block"),
                           (["CODEBLOCK_WIDTH=63"], "powers of two"), (["TILEPARTS=ILLEGAL"], "TILEPARTS"), (["PROGRESSION=ABCD"], "LRCP"), (["QUALITY=0"], "QUALITY"), (["QUALITY=x"], "QUALITY"),
                           (["QUALITY="], "QUALITY"), (["RESOLUTIONS=100"], "RESOLUTIONS"), (["PROFILE=X"], "PROFILE"), (["CODEC=X"], "CODEC"), (["PRECINCTS={1,2},{3}"], "PRECINCTS"),
                           (["PRECINCTS={100,100}"], "powers of two"), (["NUM_THREADS=x"], "NUM_THREADS"), (["MEMORY_LIMIT=1"], "memory"), (["MEMORY_LIMIT=-1"], "MEMORY_LIMIT"),
                           (["WAVELANE=style=HT"], "jph"), (["NBITS=3"], "NBITS")):
        refused(make(300, 300), options, words)
    listed = OURS.GetMetadataItem("DMD_CREATIONOPTIONLIST")
    lacking = [name for name in re.findall('Option name="([^"]*)"', HOST.GetMetadataItem("DMD_CREATIONOPTIONLIST").replace("'", '"')) if 'name="%s"' % name not in listed]
    require(not lacking, "options of JP2OpenJPEG that are not known: %s" % lacking)
    require("progression" in listed and "<Value>RPCL</Value>" in listed, "the library's options are not listed")


@case
def case_files():
    """/vsi paths, pipes, and what is left of a file after a failure."""
    source = MEM.Create("", 4096, 4096)  # so large that bytes leave early, and the length of the box is patched, where that is possible
    source.SetProjection(system(32631))
    source.SetGeoTransform([450000, 1, 0, 5000000, 0, -1])
    source.WriteRaster(0, 0, 512, 512, random.Random(1).randbytes(512 * 512))
    options = LOSSLESS + ["CODEC=JP2"]
    written(source, options + ["GEOBOXES_AFTER_JP2C=YES"])
    require(boxes(structure())[-6:] == ["asoc", "lbl ", "asoc", "lbl ", "xml ", "uuid"], "boxes behind a codestream of tiles")
    written(source, options)
    whole = read("/vsimem/out.jp2")
    for name in ("/vsigzip//vsimem/out.jp2.gz", "/vsizip//vsimem/out.zip/out.jp2"):
        done, messages = copy(source, options, name)
        require(done and not messages and read(name) == whole, "%s: %s" % (name, messages))
    message = refused(source, options, "no/such", "/no/such/folder/out.jp2")
    require(message[1] == gdal.CPLE_OpenFailed, "number of the error")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in.tif")
        gdal.GetDriverByName("GTiff").CreateCopy(path, source)
        command = ["gdal_translate", "-q", "-of", "JP2WAVELANE", path] + [word for option in options for word in ("-co", option)]
        run = subprocess.run(command + ["/vsistdout/"], capture_output=True, check=False, timeout=60)
        require(run.returncode == 0 and run.stdout == whole, "vsistdout: %s" % run.stderr)
        run = subprocess.run(command + ["/dev/full"], capture_output=True, check=False, timeout=60)
        require(run.returncode == 1 and b"JP2WAVELANE" in run.stderr and os.path.exists("/dev/full"), "a full disk: %s" % run.stderr)
        out = os.path.join(folder, "out.jp2")
        run = subprocess.run(["sh", "-c", 'ulimit -f 8; trap "" XFSZ; exec "$@"', "sh"] + command + [out], capture_output=True, check=False, timeout=60)
        require(run.returncode == 1 and b"File too large" in run.stderr and not os.path.exists(out), "a file that may not grow: %s" % run.stderr)


@case
def case_progress():
    seen = []
    source = MEM.Create("", 2000, 3000)
    options = LOSSLESS + ["BLOCKXSIZE=128", "BLOCKYSIZE=128"]
    done, _ = copy(source, options, callback=lambda part, text, data: seen.append(part) or 1)
    require(done and seen[0] == 0 and seen[-1] == 1 and seen == sorted(seen) and len(seen) > 4, "progress %s" % seen)
    for stop in (0, 0.3, 0.6):
        message = refused(source, options, "User terminated", callback=lambda part, text, data, stop=stop: part < stop)
        require(message[1] == gdal.CPLE_UserInterrupt, "number of the error")


@case
def case_source_fails():
    gdal.FileFromMemBuffer("/vsimem/broken.vrt", """<VRTDataset rasterXSize="300" rasterYSize="300"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>
<SourceFilename>/vsimem/gone.tif</SourceFilename><SourceBand>1</SourceBand><SourceProperties RasterXSize="300" RasterYSize="300" DataType="Byte" BlockXSize="300" BlockYSize="1"/>
</SimpleSource></VRTRasterBand></VRTDataset>""")
    refused(gdal.Open("/vsimem/broken.vrt"), LOSSLESS, "No such file")


@case
def case_no_reader():
    """Without a driver that reads JPEG 2000 there is a file too, and its .aux.xml."""
    source = make()
    source.GetRasterBand(1).SetNoDataValue(9)
    HOST.Deregister()
    ds = OURS.CreateCopy("/vsimem/blind.jp2", source, options=LOSSLESS)
    require(ds is not None and ds.RasterXSize == 130 and ds.GetRasterBand(1).GetNoDataValue() == 9, "no dataset")
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    require(ds.GetRasterBand(1).ReadRaster() is None and "writes only" in gdal.GetLastErrorMsg(), "pixels from nowhere")
    gdal.PopErrorHandler()
    del ds
    HOST.Register()
    same_pixels(source, gdal.Open("/vsimem/blind.jp2"))
    require(has_aux("/vsimem/blind.jp2"), "no .aux.xml")


@case
def case_place_among_drivers():
    """Reading, and the extensions jp2 and j2k, stay with the drivers that read."""
    require(OURS.GetMetadataItem("DCAP_OPEN") is None and OURS.GetMetadataItem("DMD_EXTENSIONS") in (None, "jph"), "it claims to read")
    with tempfile.TemporaryDirectory() as folder:
        gdal.GetDriverByName("GTiff").CreateCopy(os.path.join(folder, "in.tif"), make(300, 200))
        out = os.path.join(folder, "out.jp2")
        run = subprocess.run(["gdal_translate", "-q", os.path.join(folder, "in.tif"), out], capture_output=True, check=False, timeout=60)
        require(run.returncode == 0 and not run.stderr and b"OpenJPEG" in open(out, "rb").read(), "jp2 is no longer JP2OpenJPEG: %s" % run.stderr)


@case
def case_rasterio():
    try:
        import rasterio.shutil
    except ImportError:
        print("case_rasterio: no python3-rasterio")
        return
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "in.tif"), os.path.join(folder, "out.jp2")
        source = make(300, 200, 3, colors=RGB)
        gdal.GetDriverByName("GTiff").CreateCopy(path, source)
        rasterio.shutil.copy(path, out, driver="JP2WAVELANE", QUALITY="100", REVERSIBLE="YES")
        with rasterio.open(out) as ds:
            require([ds.read(i + 1).tobytes() for i in range(3)] == pixels(source) and ds.crs.to_epsg() == 32631, "rasterio")


def main():
    if not HOST:
        print("GDAL without JP2OpenJPEG")
        return 77
    if not OURS:
        print("GDAL does not load the driver from %s" % sys.argv[1])
        return 1
    failed = 0
    chosen = [one for one in CASES if len(sys.argv) == 2 or one.__name__ in sys.argv[2:]]
    for one in chosen:
        try:
            one()
        except Exception as error:
            failed += 1
            print("%s: %s: %s" % (one.__name__, type(error).__name__, error))
    print("GDAL %s: %d cases, %d failed" % (gdal.VersionInfo("RELEASE_NAME"), len(chosen), failed))
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
