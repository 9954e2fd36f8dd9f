/* SPDX-License-Identifier: BSD-2-Clause */
/* The structures of c-blosc2 as its own header has them: to compile this is the test (hosts.py). */
#include <blosc2.h>
#include <blosc2/codecs-registry.h>

#include "../blosc.h"

#define SAME(ours, theirs, member)                                                                                     \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, member) &&                                               \
                       sizeof(((ours *)0)->member) == sizeof(((theirs *)0)->member),                                   \
                   #theirs "." #member)

SAME(blosc_layer, blosc2_metalayer, name);
SAME(blosc_layer, blosc2_metalayer, content);
SAME(blosc_layer, blosc2_metalayer, content_len);
SAME(blosc_schunk, blosc2_schunk, compcode);
SAME(blosc_schunk, blosc2_schunk, typesize);
SAME(blosc_schunk, blosc2_schunk, metalayers);
SAME(blosc_schunk, blosc2_schunk, nmetalayers);
SAME(blosc_settings, blosc2_cparams, compcode);
SAME(blosc_settings, blosc2_cparams, typesize);
SAME(blosc_settings, blosc2_cparams, schunk);
SAME(blosc_codec, codec_info, encoder);
SAME(blosc_codec, codec_info, decoder);
_Static_assert(BLOSC_FAILURE == (int)BLOSC2_ERROR_FAILURE, "errors");
_Static_assert(BLOSC_DATA == (int)BLOSC2_ERROR_DATA, "errors");
_Static_assert(BLOSC_CODEC_PARAM == (int)BLOSC2_ERROR_CODEC_PARAM, "errors");
