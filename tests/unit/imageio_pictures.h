/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What independent readers (tifffile, FFmpeg, Pillow, numpy) find in the test pictures: size, components, depth, sign,
 * and the CRC-32 of all samples, plane by plane, as little-endian integers of the smallest container. Palettes are
 * expanded, but cog_cmap.tif is kept as indices; min-is-white is inverted; subsampled planes keep their size.
 */
#ifndef WVL_TESTS_UNIT_IMAGEIO_PICTURES_H
#define WVL_TESTS_UNIT_IMAGEIO_PICTURES_H

#include <stddef.h>
#include <stdint.h>

static const struct known_picture {
    const char *file, *raw_format;
    uint32_t width, height, components;
    unsigned depth, is_signed;
    uint32_t crc;
} known_pictures[] = {
    {"10bit.dpx", NULL, 600, 402, 3, 10, 0, 0x6ef84248},
    {"12bit.dpx", NULL, 600, 402, 3, 12, 0, 0xdaa3d20c},
    {"16bit_a.dpx", NULL, 600, 402, 4, 16, 0, 0x4210dc40},
    {"Bretagne1.ppm", NULL, 640, 480, 3, 8, 0, 0x724488f4},
    {"CMU-1-Small-Region.svs.tif", NULL, 2220, 2967, 3, 8, 0, 0xef8720b9},
    {"CT1.pgx", NULL, 512, 512, 1, 16, 1, 0x3ebdf202},
    {"GoldenGate_srgb16.tif", NULL, 1262, 860, 3, 16, 0, 0x524e9d8e},
    {"Google-Pixel2XL-16bit_acescg_g1_v4_krita.png", NULL, 64, 64, 3, 16, 0, 0xc6ae7a4f},
    {"M13_blue_0001.pgm", NULL, 1392, 1040, 1, 16, 0, 0x5056757f},
    {"MR2.pgm", NULL, 1024, 1024, 1, 12, 0, 0xd8d0985f},
    {"Nikon-D300-12bit_2020_g1_dt.png", NULL, 64, 64, 3, 16, 0, 0xecb2e151},
    {"RGB.byte.tif", NULL, 791, 718, 3, 8, 0, 0xd22da39b},
    {"a2_colr.ppm", NULL, 256, 149, 3, 8, 0, 0x55388ccf},
    {"blackmagic_2k_crop_rgb16.tif", NULL, 2048, 1080, 3, 16, 0, 0x536a0f30},
    {"c1p0_03_0.pgx", NULL, 256, 256, 1, 4, 1, 0x11c250e6},
    {"c1p0_05_2.pgx", NULL, 512, 512, 1, 8, 0, 0x0f1b1c62},
    {"c1p0_06_0.pgx", NULL, 513, 129, 1, 12, 0, 0xa5bf144a},
    {"c1p0_08_0.pgx", NULL, 257, 1536, 1, 12, 1, 0xf63b366c},
    {"c1p0_13_0.pgx", NULL, 1, 1, 1, 8, 0, 0xd202ef8d},
    {"capitol.tif", NULL, 504, 378, 1, 1, 0, 0x75d54159},
    {"cmyk-3c-16b.tiff", NULL, 157, 151, 4, 16, 0, 0xf6e11466},
    {"cog_cmap.tif", NULL, 7168, 8704, 1, 8, 0, 0xe9f8d34f},
    {"cog_int16.tif", NULL, 2658, 2667, 1, 16, 1, 0x7608201c},
    {"cramps-tile.tif", NULL, 800, 607, 1, 8, 0, 0xb09e56fd},
    {"cramps.tif", NULL, 800, 607, 1, 8, 0, 0xb09e56fd},
    {"cvo9xd_keong_macan_grayscale.png", NULL, 500, 500, 1, 8, 0, 0xac16fbcc},
    {"fax2d.tif", NULL, 1728, 1082, 1, 1, 0, 0x07e11897},
    {"flower-minisblack-24.tif", NULL, 73, 43, 1, 24, 0, 0x86bc8740},
    {"flower-minisblack-32.tif", NULL, 73, 43, 1, 32, 0, 0x7e467f04},
    {"flower-palette-02.tif", NULL, 73, 43, 3, 16, 0, 0x2bc28a32},
    {"flower-palette-04.tif", NULL, 73, 43, 3, 16, 0, 0x18491cd4},
    {"flower-palette-16.tif", NULL, 73, 43, 3, 16, 0, 0x9b381440},
    {"flower-rgb-contig-24.tif", NULL, 73, 43, 3, 24, 0, 0x52a9fd4a},
    {"flower-rgb-planar-10.tif", NULL, 73, 43, 3, 10, 0, 0xa8230310},
    {"flower-rgb-planar-12.tif", NULL, 73, 43, 3, 12, 0, 0xea220f3f},
    {"flower-rgb-planar-16.tif", NULL, 73, 43, 3, 16, 0, 0x0533194f},
    {"flower-separated-contig-16.tif", NULL, 73, 43, 4, 16, 0, 0xacf86c93},
    {"flower-separated-planar-08.tif", NULL, 73, 43, 4, 8, 0, 0x57515cba},
    {"flower_small.g.depth1.pgm", NULL, 510, 532, 1, 1, 0, 0x5f0bd481},
    {"flower_small.g.depth10.pgm", NULL, 510, 532, 1, 10, 0, 0xd9c6b99f},
    {"flower_small.g.depth12.pgm", NULL, 510, 532, 1, 12, 0, 0x2cc49d8a},
    {"flower_small.g.depth16.pgm", NULL, 510, 532, 1, 16, 0, 0xd647e99c},
    {"flower_small.g.depth8.pgm", NULL, 510, 532, 1, 8, 0, 0x0e9c588c},
    {"flower_small.ga.depth16.pam", NULL, 510, 532, 2, 16, 0, 0x9b09eeca},
    {"flower_small.rgb.depth16.ppm", NULL, 510, 532, 3, 16, 0, 0x9344bea8},
    {"flower_small.rgba.depth8.pam", NULL, 510, 532, 4, 8, 0, 0xeb6c5ac1},
    {"foreman_420.yuv", "352,288,3,8,u@1x1:2x2:2x2", 352, 288, 3, 8, 0, 0xbdbc42cf},
    {"foreman_422.yuv", "352,288,3,8,u@1x1:2x1:2x1", 352, 288, 3, 8, 0, 0xbd3e1bd1},
    {"galaxy.tif", NULL, 965, 965, 3, 8, 0, 0xb65d7d41},
    {"general-cmm-error.tif", NULL, 1181, 860, 4, 8, 0, 0x5d0aadb1},
    {"hdr_room.png", NULL, 676, 449, 3, 16, 0, 0x6db694b8},
    {"ic_flower_foveon_g16lin.png", NULL, 2267, 1513, 1, 16, 0, 0x84c3d769},
    {"ic_spider_web_g8.png", NULL, 4256, 2848, 1, 8, 0, 0x130aba46},
    {"issue141.tif", NULL, 2048, 32, 1, 16, 0, 0x7011c61d},
    {"issue203-8bpp-width1.bmp", NULL, 353, 500, 1, 8, 0, 0x73c71f29},
    {"kodim03.png", NULL, 768, 512, 3, 8, 0, 0x1a9c718c},
    {"kodim19.png", NULL, 512, 768, 3, 8, 0, 0x2a484f8c},
    {"ladoga.tif", NULL, 158, 118, 1, 16, 0, 0xd37323ce},
    {"mm.ppm", NULL, 499, 511, 3, 16, 0, 0xc3d9d46e},
    {"oxford.tif", NULL, 601, 81, 3, 8, 0, 0xf406be40},
    {"pc260001.tif", NULL, 640, 480, 3, 8, 0, 0xdd810dd0},
    {"perf_4k_4096x2160_rgb8.png", NULL, 4096, 2160, 3, 8, 0, 0x6fdc0812},
    {"perf_clic_1920x1080_rgb8.png", NULL, 1920, 1080, 3, 8, 0, 0x016d7b66},
    {"perf_dci2k_2048x1080_rgb12.tif", NULL, 2048, 1080, 3, 16, 0, 0xcf463e40},
    {"rgb_deflate.tif", NULL, 791, 718, 3, 8, 0, 0xd22da39b},
    {"scan-mono-iccgray.tif", NULL, 2408, 3436, 1, 1, 0, 0x9c4dbbd5},
    {"shade.tif", NULL, 1024, 1024, 1, 8, 0, 0xecdbbc14},
    {"sintel_16.png", NULL, 1024, 436, 3, 8, 0, 0x2df287de},
    {"src01_hrc00_576x324.yuv420p16le.yuv", "576,324,3,16,u@1x1:2x2:2x2", 576, 324, 3, 16, 0, 0x7ff72d50},
    {"tmshre_riaphotographs_alpha.png", NULL, 500, 500, 4, 8, 0, 0xa506acd7},
    {"umbra_mount_yasur.tiff", NULL, 2000, 2000, 1, 8, 0, 0xfc8b60ce},
    {"ycbcr-cat.tif", NULL, 250, 325, 3, 8, 0, 0x4d4862a7},
};

#endif
