/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All kernels of the forward transform, a row each: the only place for their properties (core/kernel_row.h has the
 * words). A file that includes this one defines the macros ANY, CASCADE, LAST and MARCH before; they are undefined
 * after. Launches of one level run in the order of the rows.
 *
 * A name says: family, wavelet, source with the bits of a sample, bits of a coefficient's container, and what is
 * special. A lane has 8 columns where the name says nothing else. The function in the image has "wvl_" in
 * front of the name.
 *
 * to16or32 (coef 0): each band has its own container, and 16-bit pixels may be signed. RGB of 12 bits and one component
 * of 13 have 32 bits in HH alone; where details have 32, the last low-low band may have 16. A branch that is uniform
 * over the warp writes the one or the other; the address of a 32-bit band is twice the offset in a 16-bit one.
 */
/* clang-format off */

/* One level of any shape, or all that are left of a small picture.
 *  name    wavelet threads blocks shared */
ANY(any_53, 53,     128,    6,     14296)
ANY(any_97, 97,     128,    6,     14296)

/* Two or three levels of a plane, tile by tile.
 *      name                     wavelet sample coef threads blocks shared */
CASCADE(cascade_53_plane32_to16, 53,     32,    16,  256,    3,     47912)
CASCADE(cascade_97_plane32_to16, 97,     32,    16,  256,    2,     47912)
CASCADE(cascade_53_plane32_to32, 53,     32,    32,  256,    3,     47912)
CASCADE(cascade_97_plane32_to32, 97,     32,    32,  256,    2,     47912)
CASCADE(cascade_53_plane16_to16, 53,     16,    16,  256,    3,     47912)
CASCADE(cascade_53_plane32_to16or32, 53, 32,     0,  256,    3,     47912)

/* The last level of a plane. `blocks` promises few registers: most thread blocks lie beside those of the launch in
 * front, which leave few. 28 and not 32 thread blocks for 16or32: more would spill.
 *   name                       wavelet sample coef depth threads blocks shared */
LAST(last_53_plane32_to16,      53,     32,    16,  TO23, 32,     32,    288)
LAST(last_97_plane32_to16,      97,     32,    16,  TO23, 32,     24,    288)
LAST(last_53_plane32_to32,      53,     32,    32,  TO23, 32,     32,    288)
LAST(last_97_plane32_to32,      97,     32,    32,  TO23, 32,     24,    288)
LAST(last_53_plane16_to16,      53,     16,    16,  TO23, 32,     32,    288)
LAST(last_53_plane32_to16or32,  53,     32,     0,  TO23, 32,     28,    288)
LAST(last_97_plane32_to32_deep, 97,     32,    32,  DEEP, 32,     24,    288)

/* Two levels, by marching. Columns: name; wavelet; source, bits of a sample; columns of a lane; bits of a coefficient,
 * depth; share; ahead; owns; threads, blocks a multiprocessor, warps that count, bytes of shared memory. */

/* From a plane. 4 columns: for planes so small that latency is what they wait for. */
MARCH(march_53_plane32_to16,                53, PLANE,       32,  8, 16, ANY,  ONE,  RING,  WHOLE,  32, 16, 16, 8192)
MARCH(march_97_plane32_to16,                97, PLANE,       32,  8, 16, ANY,  ONE,  RING,  EDGES,  32, 12, 12, 8192)
MARCH(march_53_plane32_to32,                53, PLANE,       32,  8, 32, ANY,  ONE,  RING,  LEAST,  32, 16, 16, 8192)
MARCH(march_97_plane32_to32,                97, PLANE,       32,  8, 32, TO23, ONE,  RING,  EDGES,  32, 12, 12, 8192)
MARCH(march_53_plane16_to16,                53, PLANE,       16,  8, 16, ANY,  ONE,  RING,  WHOLE,  32, 16, 16, 4096)
MARCH(march_53_plane32_to16or32,            53, PLANE,       32,  8,  0, ANY,  ONE,  RING,  WHOLE,  32, 16, 16, 8192)
MARCH(march_97_plane32_to32_deep,           97, PLANE,       32,  8, 32, DEEP, ONE,  RING,  EDGES,  32, 12, 12, 8192)
MARCH(march_97_plane32_to32_4columns,       97, PLANE,       32,  4, 32, TO23, ONE,  SHORT, EDGES,  32, 16, 16, 2048)
MARCH(march_53_plane32_to16_packed,         53, PLANE,       32,  8, 16, ANY,  PACK, RING,  WHOLE,  32, 16, 16, 8192)
MARCH(march_97_plane32_to16_packed,         97, PLANE,       32,  8, 16, ANY,  PACK, RING,  EDGES,  32, 12, 12, 8192)
MARCH(march_53_plane32_to32_packed,         53, PLANE,       32,  8, 32, ANY,  PACK, RING,  LEAST,  32, 16, 16, 8192)
MARCH(march_97_plane32_to32_packed,         97, PLANE,       32,  8, 32, ANY,  PACK, RING,  EDGES,  32, 12, 12, 8192)
MARCH(march_53_plane16_to16_packed,         53, PLANE,       16,  8, 16, ANY,  PACK, RING,  WHOLE,  32, 16, 16, 4096)
MARCH(march_53_plane32_to16or32_packed,     53, PLANE,       32,  8,  0, ANY,  PACK, RING,  WHOLE,  32, 16, 16, 8192)

/*
 * Levels 1 and 2 from pixels.
 * Thread blocks: as many as registers allow without spills, and for three components of 5/3 no fewer than 16.
 * Fewer warps count than there are (march_53_gray8_to16_16columns, march_53_gray16_to32) where memory is what a kernel
 * waits for: stretches are longer then. In 9/7 the second lane of room (WHOLE) pays for 8-bit gray in 16 columns alone.
 */
MARCH(march_53_gray8_to16_16columns,        53, GRAY,         8, 16, 16, ANY,  HALF, SHORT, WHOLE,  32, 16, 11, 2048)
MARCH(march_97_gray8_to16_16columns,        97, GRAY,         8, 16, 16, ANY,  WIDE, SHORT, WHOLE,  32, 12, 12, 7168)
MARCH(march_53_gray8_to16,                  53, GRAY,         8,  8, 16, ANY,  ONE,  RING,  WHOLE,  32, 16, 16, 2048)
MARCH(march_97_gray8_to16,                  97, GRAY,         8,  8, 16, ANY,  ONE,  RING,  LEAST,  32, 12, 12, 2048)
MARCH(march_53_interleaved8_to16,           53, INTERLEAVED,  8,  8, 16, ANY,  EACH, RING,  WHOLE,  32, 16, 16, 6144)
MARCH(march_97_interleaved8_to16,           97, INTERLEAVED,  8,  8, 16, ANY,  EACH, RING,  LEAST,  32, 16, 16, 6144)
MARCH(march_53_planar8_to16,                53, PLANAR,       8,  8, 16, ANY,  EACH, RING,  WHOLE,  32, 16, 16, 6144)
MARCH(march_97_planar8_to16,                97, PLANAR,       8,  8, 16, ANY,  EACH, RING,  LEAST,  32, 16, 16, 6144)
MARCH(march_53_gray16_to16,                 53, GRAY,        16,  8, 16, ANY,  ONE,  SHORT, WHOLE,  32, 16, 16, 2048)
MARCH(march_97_gray16_to16,                 97, GRAY,        16,  8, 16, ANY,  ONE,  SHORT, LEAST,  32, 12, 12, 2048)
MARCH(march_53_gray16_to32,                 53, GRAY,        16,  8, 32, ANY,  ONE,  NONE,  WHOLE,  32, 16, 12,    0)
MARCH(march_97_gray16_to32,                 97, GRAY,        16,  8, 32, TO23, ONE,  SHORT, LEAST,  32, 12, 12, 2048)
MARCH(march_97_gray16_to32_deep,            97, GRAY,        16,  8, 32, DEEP, ONE,  SHORT, LEAST,  32, 12, 12, 2048)
MARCH(march_53_interleaved16_to16,          53, INTERLEAVED, 16,  8, 16, ANY,  EACH, SHORT, WHOLE,  32, 16, 16, 6144)
MARCH(march_97_interleaved16_to16,          97, INTERLEAVED, 16,  8, 16, ANY,  EACH, SHORT, LEAST,  32, 10, 12, 6144)
MARCH(march_53_planar16_to16,               53, PLANAR,      16,  8, 16, ANY,  EACH, SHORT, WHOLE,  32, 16, 16, 6144)
MARCH(march_97_planar16_to16,               97, PLANAR,      16,  8, 16, ANY,  EACH, SHORT, LEAST,  32, 12, 12, 6144)
MARCH(march_53_interleaved16_to32,          53, INTERLEAVED, 16,  8, 32, ANY,  EACH, SHORT, WHOLE,  32, 16, 16, 6144)
MARCH(march_97_interleaved16_to32,          97, INTERLEAVED, 16,  8, 32, ANY,  EACH, SHORT, LEAST,  32, 12, 12, 6144)
MARCH(march_53_planar16_to32,               53, PLANAR,      16,  8, 32, ANY,  EACH, SHORT, WHOLE,  32, 16, 16, 6144)
MARCH(march_97_planar16_to32,               97, PLANAR,      16,  8, 32, ANY,  EACH, SHORT, LEAST,  32, 12, 12, 6144)
MARCH(march_53_gray16_to16or32,             53, GRAY,        16,  8,  0, ANY,  ONE,  SHORT, WHOLE,  32, 16, 16, 2048)
MARCH(march_53_interleaved16_to16or32,      53, INTERLEAVED, 16,  8,  0, ANY,  EACH, SHORT, WHOLE,  32, 16, 16, 6144)
MARCH(march_53_planar16_to16or32,           53, PLANAR,      16,  8,  0, ANY,  EACH, SHORT, WHOLE,  32, 16, 16, 6144)
MARCH(march_53_interleaved8_to16_16columns, 53, INTERLEAVED,  8, 16, 16, ANY,  EACH, WARP,  WHOLE,  32, 12, 12, 12288)
MARCH(march_97_interleaved8_to16_16columns, 97, INTERLEAVED,  8, 16, 16, ANY,  MIX,  WARP,  LEAST, 128,  3,  9, 49152)
MARCH(march_53_planar8_to16_16columns,      53, PLANAR,       8, 16, 16, ANY,  EACH, RING,  WHOLE,  32, 12, 12, 12288)
MARCH(march_97_planar8_to16_16columns,      97, PLANAR,       8, 16, 16, ANY,  MIX,  RING,  LEAST, 128,  3,  9, 49152)

/* clang-format on */
#undef ANY
#undef CASCADE
#undef LAST
#undef MARCH
