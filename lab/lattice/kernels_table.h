/* SPDX-License-Identifier: BSD-2-Clause */
/* Both types of the template, and their table. WVL_LATTICE_TABLE: its name. */

#define T float
#define NAME(verb) verb##_f32
#define STEPS wvl_lattice_steps_f32
#define VECTOR wvl_floats
#define LANES WVL_FUSED_FLOATS
#define FUSED wvl_fused_f32
#include "lab/lattice/kernels_tmpl.h"

#define T double
#define NAME(verb) verb##_f64
#define STEPS wvl_lattice_steps_f64
#define VECTOR wvl_doubles
#define LANES WVL_FUSED_DOUBLES
#define FUSED wvl_fused_f64
#include "lab/lattice/kernels_tmpl.h"

const wvl_lattice_kernels WVL_LATTICE_TABLE = {
    .f32 = {forward_f32, inverse_f32, convolve_f32, convolve_back_f32, split_f32, merge_f32},
    .f64 = {forward_f64, inverse_f64, convolve_f64, convolve_back_f64, split_f64, merge_f64},
};
