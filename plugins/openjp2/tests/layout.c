/* SPDX-License-Identifier: BSD-2-Clause */
/* opj.h against the openjpeg.h that is installed: sizes, offsets and constants. To compile it is the test. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <openjpeg.h>

#define opj_codec own_codec
#define opj_stream own_stream
#define opj_image own_image
#define opj_cparameters own_cparameters
#include "opj.h"

#define SAME(type, member, own_type, own_member)                                                                       \
    _Static_assert(offsetof(type, member) == offsetof(own_type, own_member), #own_member);                             \
    _Static_assert(sizeof(((type *)0)->member) == sizeof(((own_type *)0)->own_member), "size of " #own_member)
#define P(member) SAME(opj_cparameters_t, member, opj_cparameters, member)
#define C(member) SAME(opj_image_comp_t, member, opj_component, member)
#define I(member) SAME(opj_image_t, member, own_image, member)
#define Q(member) SAME(opj_image_cmptparm_t, member, opj_component_request, member)

_Static_assert(sizeof(opj_cparameters_t) == sizeof(opj_cparameters), "opj_cparameters");
_Static_assert(sizeof(opj_image_t) == sizeof(own_image), "opj_image");
_Static_assert(sizeof(opj_image_comp_t) == sizeof(opj_component), "opj_component");
_Static_assert(sizeof(opj_poc_t) == sizeof(opj_change), "opj_change");
_Static_assert(sizeof(opj_image_cmptparm_t) == sizeof(opj_component_request), "opj_component_request");
/* clang-format off */
P(tile_size_on);
P(cp_tx0);
P(cp_ty0);
P(cp_tdx);
P(cp_tdy);
P(cp_disto_alloc);
P(cp_fixed_alloc);
P(cp_fixed_quality);
P(cp_matrice);
P(cp_comment);
P(csty);
P(prog_order);
P(POC);
P(numpocs);
P(tcp_numlayers);
P(tcp_rates);
P(tcp_distoratio);
P(numresolution);
P(cblockw_init);
P(cblockh_init);
P(mode);
P(irreversible);
P(roi_compno);
P(roi_shift);
P(res_spec);
P(prcw_init);
P(prch_init);
P(infile);
P(outfile);
P(index_on);
P(index);
P(image_offset_x0);
P(image_offset_y0);
P(subsampling_dx);
P(subsampling_dy);
P(decod_format);
P(cod_format);
P(cp_cinema);
P(max_comp_size);
P(cp_rsiz);
P(tp_on);
P(tp_flag);
P(tcp_mct);
P(jpip_on);
P(mct_data);
P(max_cs_size);
P(rsiz);
_Static_assert(offsetof(opj_cparameters_t, jpwl_epc_on) == offsetof(opj_cparameters, jpwl), "jpwl");
SAME(opj_poc_t, resno0, opj_change, resolution_begin);
SAME(opj_poc_t, compno0, opj_change, component_begin);
SAME(opj_poc_t, layno1, opj_change, layer_end);
SAME(opj_poc_t, resno1, opj_change, resolution_end);
SAME(opj_poc_t, compno1, opj_change, component_end);
SAME(opj_poc_t, prg1, opj_change, order_given);
SAME(opj_poc_t, prg, opj_change, order);
SAME(opj_poc_t, tile, opj_change, tile);
C(dx);
C(dy);
C(w);
C(h);
C(x0);
C(y0);
C(prec);
C(bpp);
C(sgnd);
C(resno_decoded);
C(factor);
C(data);
C(alpha);
I(x0);
I(y0);
I(x1);
I(y1);
I(numcomps);
I(color_space);
I(comps);
I(icc_profile_buf);
I(icc_profile_len);
Q(dx);
Q(dy);
Q(w);
Q(h);
Q(x0);
Q(y0);
Q(prec);
Q(bpp);
Q(sgnd);
_Static_assert((int)OPJ_CODEC_J2K == (int)OPJ_FORMAT_J2K, "OPJ_FORMAT_J2K");
_Static_assert((int)OPJ_CODEC_JP2 == (int)OPJ_FORMAT_JP2, "OPJ_FORMAT_JP2");
_Static_assert((int)OPJ_CLRSPC_SRGB == (int)OPJ_COLOR_SRGB, "OPJ_COLOR_SRGB");
_Static_assert((int)OPJ_CLRSPC_GRAY == (int)OPJ_COLOR_GREY, "OPJ_COLOR_GREY");
_Static_assert((int)OPJ_CLRSPC_SYCC == (int)OPJ_COLOR_SYCC, "OPJ_COLOR_SYCC");
_Static_assert((int)OPJ_CLRSPC_EYCC == (int)OPJ_COLOR_EYCC, "OPJ_COLOR_EYCC");
_Static_assert((int)OPJ_CLRSPC_CMYK == (int)OPJ_COLOR_CMYK, "OPJ_COLOR_CMYK");
_Static_assert((int)OPJ_PROFILE_0 == (int)OPJ_RSIZ_PROFILE_0, "OPJ_RSIZ_PROFILE_0");
_Static_assert((int)OPJ_PROFILE_1 == (int)OPJ_RSIZ_PROFILE_1, "OPJ_RSIZ_PROFILE_1");
_Static_assert((int)OPJ_PROFILE_CINEMA_2K == (int)OPJ_RSIZ_CINEMA_2K, "OPJ_RSIZ_CINEMA_2K");
_Static_assert((int)OPJ_PROFILE_CINEMA_4K == (int)OPJ_RSIZ_CINEMA_4K, "OPJ_RSIZ_CINEMA_4K");
_Static_assert((int)OPJ_PROFILE_CINEMA_S4K == (int)OPJ_RSIZ_CINEMA_S4K, "OPJ_RSIZ_CINEMA_S4K");
_Static_assert((int)OPJ_PROFILE_IMF_2K == (int)OPJ_RSIZ_IMF, "OPJ_RSIZ_IMF");
_Static_assert((int)OPJ_J2K_MAXRLVLS == (int)OPJ_MOST_RESOLUTIONS, "OPJ_MOST_RESOLUTIONS");
_Static_assert((int)OPJ_PATH_LEN == (int)OPJ_PATH_BYTES, "OPJ_PATH_BYTES");
_Static_assert((int)OPJ_LRCP == (int)0, "0");
_Static_assert((int)OPJ_RLCP == (int)1, "1");
_Static_assert((int)OPJ_RPCL == (int)2, "2");
_Static_assert((int)OPJ_PCRL == (int)3, "3");
_Static_assert((int)OPJ_CPRL == (int)4, "4");
_Static_assert((int)OPJ_CINEMA2K == (int)OPJ_RSIZ_CINEMA_2K, "OPJ_RSIZ_CINEMA_2K");
_Static_assert((int)OPJ_CINEMA4K == (int)OPJ_RSIZ_CINEMA_4K, "OPJ_RSIZ_CINEMA_4K");
_Static_assert((int)OPJ_TRUE == (int)1, "1");
/* clang-format on */

int main(void) { return 0; }
