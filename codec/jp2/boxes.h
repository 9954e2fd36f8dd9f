/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to this room: box types (Table I.2). */
#pragma once

#define WVL_BOX_SIGNATURE 0x6A502020u   /* 'jP  ' */
#define WVL_BOX_FILE_TYPE 0x66747970u   /* 'ftyp' */
#define WVL_BOX_HEADER 0x6A703268u      /* 'jp2h' */
#define WVL_BOX_IMAGE 0x69686472u       /* 'ihdr' */
#define WVL_BOX_DEPTHS 0x62706363u      /* 'bpcc' */
#define WVL_BOX_COLOR 0x636F6C72u       /* 'colr' */
#define WVL_BOX_PALETTE 0x70636C72u     /* 'pclr' */
#define WVL_BOX_MAPPING 0x636D6170u     /* 'cmap' */
#define WVL_BOX_CHANNELS 0x63646566u    /* 'cdef' */
#define WVL_BOX_RESOLUTION 0x72657320u  /* 'res ' */
#define WVL_BOX_CAPTURE 0x72657363u     /* 'resc' */
#define WVL_BOX_DISPLAY 0x72657364u     /* 'resd' */
#define WVL_BOX_XML 0x786D6C20u         /* 'xml ' */
#define WVL_BOX_UUID 0x75756964u        /* 'uuid' */
#define WVL_BOX_ASSOCIATION 0x61736F63u /* 'asoc' (15444-2 M.11.1) */
#define WVL_BOX_CODESTREAM 0x6A703263u  /* 'jp2c' */
