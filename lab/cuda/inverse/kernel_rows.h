/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All kernels of the inverse transform, a row each: the only place for their properties (core/kernel_row.h has the
 * words). A file that includes this one defines the macros ANY, MARCH and PIXELS before; they are undefined after.
 * Launches of one step run in the order of the rows.
 *
 * A name says: family, wavelet, bits of a coefficient's container, destination with the bits of a sample, and what is
 * special. A lane has 8 columns where the name says nothing else. The function in the image has "wvl_" in
 * front of the name.
 */
/* clang-format off */

/* One level of any shape, or none, to a plane.
 *  name            wavelet threads blocks shared */
ANY(inverse_any_53, 53,     128,    0,     15320)
ANY(inverse_any_97, 97,     128,    0,     15320)

/* Two levels, by marching. Columns: name; wavelet; bits of a coefficient; destination, bits of a sample; columns of a
 * lane; iterations on their way through shared memory; share; threads, blocks a multiprocessor, shared memory. */
MARCH(inverse_march_53_16_to_plane32,           53, 16, PLANE,       32,  8, 4, ONE,  32, 16,  8704)
MARCH(inverse_march_97_16_to_plane32,           97, 16, PLANE,       32,  8, 4, ONE,  32, 12,  8832)
MARCH(inverse_march_53_32_to_plane32,           53, 32, PLANE,       32,  8, 3, ONE,  32, 16, 12288)
MARCH(inverse_march_97_32_to_plane32,           97, 32, PLANE,       32,  8, 3, ONE,  32, 12, 12416)
MARCH(inverse_march_53_16_to_gray8_16columns,   53, 16, GRAY,         8, 16, 3, ONE,  32, 12, 13056)
MARCH(inverse_march_97_16_to_gray8_16columns,   97, 16, GRAY,         8, 16, 3, ONE,  32,  8, 13184)
MARCH(inverse_march_53_16_to_gray8,             53, 16, GRAY,         8,  8, 4, ONE,  32, 16,  8704)
MARCH(inverse_march_97_16_to_gray8,             97, 16, GRAY,         8,  8, 4, ONE,  32, 16,  8832)
MARCH(inverse_march_53_16_to_interleaved8,      53, 16, INTERLEAVED,  8,  8, 3, MIX, 128,  5, 34944)
MARCH(inverse_march_97_16_to_interleaved8,      97, 16, INTERLEAVED,  8,  8, 3, MIX, 128,  4, 35328)
MARCH(inverse_march_53_16_to_planar8,           53, 16, PLANAR,       8,  8, 3, MIX, 128,  5, 33408)
MARCH(inverse_march_97_16_to_planar8,           97, 16, PLANAR,       8,  8, 3, MIX, 128,  4, 33792)
MARCH(inverse_march_53_16_to_gray16,            53, 16, GRAY,        16,  8, 4, ONE,  32, 16,  8704)
MARCH(inverse_march_97_16_to_gray16,            97, 16, GRAY,        16,  8, 4, ONE,  32, 12,  8832)
MARCH(inverse_march_53_32_to_gray16,            53, 32, GRAY,        16,  8, 3, ONE,  32, 16, 12288)
MARCH(inverse_march_97_32_to_gray16,            97, 32, GRAY,        16,  8, 3, ONE,  32, 12, 12416)
MARCH(inverse_march_97_16_to_interleaved8_16columns, 97, 16, INTERLEAVED, 8, 16, 2, MIX, 128, 2, 42624)
MARCH(inverse_march_97_16_to_planar8_16columns, 97, 16, PLANAR,       8, 16, 2, MIX, 128,  2, 39552)

/* Planes to pixels of any shape. `threads` is the most: fewer where tiles are many (launch.c).
 *     name               wavelet threads blocks shared */
PIXELS(inverse_pixels_53, 53,     1024,   0,     0)
PIXELS(inverse_pixels_97, 97,     1024,   0,     0)

/* clang-format on */
#undef ANY
#undef MARCH
#undef PIXELS
