/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan, a description, and the boxes they make, for the tests of the JP2 room. */
#pragma once

#include "base/alloc.h"
#include "codec/jp2/jp2.h"
#include "codec/jp2/resolve.h"
#include "tests/prop/cs_parse.h"
#include "tests/support/support.h"

#define MAX_BOXES 64
#define TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* ---- A plan, a description, the boxes they make ---------------------------------------------- */

static wvl_plan plan;
static wvl_plan_component components[16384];
static wvl_jp2_info info;
static wvl_blob built;
static cs_box boxes[MAX_BOXES];
static size_t box_count;
static char text[4096];

static inline void start(uint32_t component_count)
{
    memset(&plan, 0, sizeof plan);
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    plan.syntax.image = (wvl_rect){100, 200, 740, 680};
    plan.syntax.component_count = component_count;
    plan.syntax.components = components;
    for (uint32_t i = 0; i < component_count; i++) {
        components[i] = (wvl_plan_component){8, 0, 1, 1, 0, {0, 0, 0, 0}, 0};
    }
}

static inline void drop(void)
{
    wvl_free(NULL, built.data, built.bytes);
    built = (wvl_blob){NULL, 0};
}

static inline void build_from(const wvl_jp2_info *given)
{
    drop();
    wvl_status status = wvl_jp2_build_boxes(NULL, &plan, given, &built, text, sizeof text);
    ck_assert_msg(status == WVL_OK && !*text, "%s", text);
    ck_assert_msg(cs_parse_boxes(built.data, (size_t)built.bytes, boxes, MAX_BOXES, &box_count, text, sizeof text),
                  "%s", text);
}

static inline void build(void) { build_from(&info); }

/* Content of the only box of a type; its presence and size are checked. */
static const uint8_t *content(uint32_t type, size_t bytes)
{
    const cs_box *found = NULL;
    for (size_t i = 0; i < box_count; i++) {
        if (boxes[i].type == type) {
            ck_assert_msg(!found, "box %08x twice", type);
            found = &boxes[i];
        }
    }
    ck_assert_msg(found != NULL, "no box %08x", type);
    ck_assert_uint_eq(found->content_bytes, bytes);
    return built.data + found->offset + found->header_bytes;
}

static inline int has(uint32_t type)
{
    for (size_t i = 0; i < box_count; i++) {
        if (boxes[i].type == type) {
            return 1;
        }
    }
    return 0;
}

/* Refused, with exactly `lines` lines, one of which contains reason. */
static inline void refuse(const char *reason, unsigned lines)
{
    drop();
    wvl_report report = {NULL, NULL, 0};
    wvl_jp2_header header;
    ck_assert_int_eq(wvl_jp2_resolve_header(&plan, &info, &header, &report), 0);
    ck_assert_int_eq(wvl_jp2_build_boxes(NULL, &plan, &info, &built, text, sizeof text), WVL_ERROR_PARAMETER);
    ck_assert(!built.data && built.bytes == 0);
    unsigned count = 1;
    for (const char *p = text; *p; p++) {
        count += *p == '\n';
    }
    ck_assert_msg(strstr(text, reason) != NULL, "'%s' is not in: %s", reason, text);
    ck_assert_msg(count == lines && report.count == lines, "%u lines, %u reports, %u wanted: %s", count, report.count,
                  lines, text);
}
