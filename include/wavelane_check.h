/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libwavelane-check judges JPEG 2000 codestreams and files strictly. It takes bytes and reports violations.
 *
 *   wvl_check_options options = {.struct_size = sizeof options, .profile = "cinema2k"};
 *   wvl_check_summary summary = {.struct_size = sizeof summary};
 *   int verdict = wvl_check_file(data, bytes, &options, print_issue, NULL, &summary);
 *   wvl_check_release_summary(&summary);
 *
 * It reads every marker segment of ISO/IEC 15444-1 and those that 15444-15 adds. It decodes every packet header, and
 * compares the pointer marker segments with the packets found. It decodes HT blocks, to see how each of their streams
 * ends, but no other samples. It shares no code with the encoder, links libc alone, never prints, and keeps no global
 * state. Any number of threads may call it. NULL is safe where it is not said to have a meaning:
 * WVL_CHECK_BAD_ARGUMENT, or nothing happens. Any input is safe: a value of a header is used only as far as the bytes
 * confirm it, and the input's size and the options limit work and memory. Clauses are those of ISO/IEC 15444-1 (ITU-T
 * T.800) unless another document is named.
 */
#ifndef WAVELANE_CHECK_H
#define WAVELANE_CHECK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(WVL_BUILDING_SHARED) && defined(__GNUC__)
#define WVL_CHECK_API __attribute__((visibility("default")))
#else
#define WVL_CHECK_API
#endif

typedef enum wvl_check_severity {
    WVL_CHECK_WARNING = 1, /* legal, or not certainly illegal, but unusual or harmful */
    WVL_CHECK_ERROR = 2    /* the document or the profile forbids it */
} wvl_check_severity;

typedef enum wvl_check_verdict {
    WVL_CHECK_LEGAL = 0,
    WVL_CHECK_ILLEGAL = 1,
    WVL_CHECK_UNDECIDED = 2, /* no error found, but a limit of the options stopped the walk */
    WVL_CHECK_BAD_ARGUMENT = -1,
    WVL_CHECK_NO_MEMORY = -2
} wvl_check_verdict;

/* Strings are valid until the callback returns; rule and clause are static. */
typedef struct wvl_check_issue {
    uint64_t offset; /* from the first byte given */
    wvl_check_severity severity;
    const char *rule; /* stable name, see wvl_check_rules() */
    const char *clause;
    const char *profile; /* NULL: the standard itself; else the profile that forbids it */
    const char *text;    /* what is wrong, with the values found; no line end */
} wvl_check_issue;

typedef void (*wvl_check_report_fn)(void *user, const wvl_check_issue *issue);

/* One packet, in codestream order within its tile. Offsets count from the first byte given. */
typedef struct wvl_check_packet {
    uint32_t tile, part; /* part: tile-part in codestream order, from 0 */
    uint32_t component, resolution, layer;
    uint64_t precinct;
    uint64_t offset, bytes;               /* in the bit stream: SOP, header, EPH, body as far as they are there */
    uint64_t header_offset, header_bytes; /* with EPH; elsewhere than the bit stream with PPM and PPT */
    uint64_t body_bytes;
} wvl_check_packet;

typedef void (*wvl_check_packet_fn)(void *user, const wvl_check_packet *packet);

/* What a packet holds of one code block (B.7, B.10). */
typedef struct wvl_check_block {
    uint32_t tile, component, resolution, layer;
    uint64_t precinct;
    uint32_t level;               /* of decomposition, n_b of B.5: a sample of the band stands for 2^level each way */
    uint32_t band;                /* 0: LL, 1: HL, 2: LH, 3: HH (B.5) */
    uint32_t x, y, width, height; /* the block in the band's coordinates (B-15), within its precinct (B.7) */
    uint32_t passes;              /* coding passes of this packet (B.10.6); of HT blocks placeholders too */
    uint64_t offset, bytes;       /* within the body of the packet; from the first byte given. 0 bytes: passes alone */
} wvl_check_block;

typedef void (*wvl_check_block_fn)(void *user, const wvl_check_block *block);

/* Set the structure to zero first: zero is the default everywhere. Later versions append members. If a newer program
 * sets a member that this version does not know, the call returns WVL_CHECK_BAD_ARGUMENT. */
typedef struct wvl_check_options {
    size_t struct_size;
    const char *profile; /* its violations are reported too and decide the verdict; a name of wvl_check_profiles() */
    uint32_t frames, seconds; /* frame rate as a fraction, for byte limits; 0: 24/1 */
    int stereo;               /* one eye of a stereoscopic pair: half the bytes */
    uint64_t memory_limit;    /* bytes; 0: 256 MiB and 64 times the input */
    /* Code blocks and precincts visited, and runs of 32 samples of an HT block; 0: 2^25 and 128 times the input's
     * bytes. */
    uint64_t work_limit;
    uint32_t issue_limit;       /* reports; 0: 1000. Further issues are counted, not reported */
    wvl_check_packet_fn packet; /* called for every packet, with the same user */
    int hfr;                    /* high frame rate: twice the bytes of a cinema profile */
    /* Allocator of the caller; set both or none. summary must then be NULL. release gets the size and pointer of an
     * earlier allocate. */
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory, size_t bytes);
    void *memory_user;
    int skip_blocks; /* HT segments are not decoded; only their lengths, Scup and forbidden pairs are checked */
    /* Called after `packet` for every code block that the packet includes (B.10.4), in the order of its body. */
    wvl_check_block_fn block;
} wvl_check_options;

typedef enum wvl_check_format {
    WVL_CHECK_NOTHING = 0,
    WVL_CHECK_CODESTREAM = 1,
    WVL_CHECK_JP2 = 2,
    WVL_CHECK_JPH = 3
} wvl_check_format;

typedef struct wvl_check_profile {
    const char *name, *doc;
    int applies; /* the format suits it: jp2 for files, and so on */
    int met;     /* applies, and no rule of it or of its base is broken */
    uint32_t violations;
} wvl_check_profile;

typedef struct wvl_check_component {
    uint8_t depth, is_signed, dx, dy;
    uint64_t packet_bytes; /* headers and bodies of its packets */
    uint64_t part_bytes;   /* sum of Psot of tile-parts that hold packets of no other component */
} wvl_check_component;

#define WVL_CHECK_PROFILE_ROOM 48

/* Filled as far as the walk came. Before the call, set all to zero, then struct_size. A structure that is shorter than
 * that of 0.2.0 is refused (WVL_CHECK_BAD_ARGUMENT). */
typedef struct wvl_check_summary {
    size_t struct_size;
    wvl_check_format format;
    int complete; /* every packet that the headers promise was found and read */
    uint64_t errors, warnings;
    uint64_t codestream_offset, codestream_bytes; /* SOC to EOC */
    uint16_t rsiz;
    uint32_t x0, y0, x1, y1;
    uint32_t tile_x0, tile_y0, tile_width, tile_height;
    uint32_t component_count;
    wvl_check_component *components; /* NULL without SIZ */
    uint64_t tile_count;             /* of the grid */
    uint64_t part_count, packet_count, empty_packet_count;
    uint64_t header_bytes, body_bytes; /* of packets */
    uint32_t layer_count;              /* largest of all tiles */
    uint64_t *layer_bytes;             /* [layer_count] packets of each layer; NULL without packets */
    uint64_t resolution_bytes[33];     /* packets of each resolution */
    uint32_t profile_count;
    wvl_check_profile profiles[WVL_CHECK_PROFILE_ROOM];
    uint64_t ht_block_count; /* HT cleanup segments that were decoded to their end */
    /* B of MAGB in CAP, and the least B that is enough for those blocks; 0 without HT blocks. */
    uint32_t ht_bound_told, ht_bound_needed;
} wvl_check_summary;

/* Judges a raw codestream, SOC to EOC: `bytes` bytes at data, read during the call only. options, report and summary
 * may be NULL. Returns a wvl_check_verdict. */
WVL_CHECK_API int wvl_check_codestream(const void *data, size_t bytes, const wvl_check_options *options,
                                       wvl_check_report_fn report, void *user, wvl_check_summary *summary);
/* Judges a file: JP2 or JPH if it has the signature box, else a raw codestream. */
WVL_CHECK_API int wvl_check_file(const void *data, size_t bytes, const wvl_check_options *options,
                                 wvl_check_report_fn report, void *user, wvl_check_summary *summary);
/* Frees all memory that a summary points to. The walk fills it, the caller releases it. NULL is ignored. */
WVL_CHECK_API void wvl_check_release_summary(wvl_check_summary *summary);

/* ---- What a file holds ----
 * wvl_check_list() gives what stands in a codestream or file in its order, damaged or not, and names what does not
 * agree. It needs the headers alone: a source may read them from a file of any size. */

typedef enum wvl_check_item_kind {
    WVL_CHECK_ITEM_NUMBER = 1,
    WVL_CHECK_ITEM_FLAG = 2, /* number: 0 or 1 */
    WVL_CHECK_ITEM_REAL = 3,
    WVL_CHECK_ITEM_TEXT = 4,
    WVL_CHECK_ITEM_BYTES = 5, /* `bytes` bytes at data */
    WVL_CHECK_ITEM_RAW = 6,   /* a number as it is written, which other items give in other words or not at all */
    WVL_CHECK_ITEM_LIST = 7,  /* this and the next four are open up to their END, around what they hold */
    WVL_CHECK_ITEM_ROW = 8,   /* a member of a list that has members itself */
    WVL_CHECK_ITEM_BOX = 9,
    WVL_CHECK_ITEM_SUPERBOX = 10,
    WVL_CHECK_ITEM_SEGMENT = 11, /* a marker segment; SOT holds all of its tile-part */
    WVL_CHECK_ITEM_END = 12,
    WVL_CHECK_ITEM_PROBLEM = 13 /* text: what is wrong at offset */
} wvl_check_item_kind;

/* Members that do not belong to the kind are zero. Pointers are valid until the callback returns. */
typedef struct wvl_check_item {
    wvl_check_item_kind kind;
    wvl_check_item_kind ended; /* END: of what */
    const char *name;          /* of the field, box or marker; NULL: a member of a list */
    uint64_t number;
    double real;
    const char *text;
    const void *data;
    uint64_t offset, bytes; /* of a box, marker segment or tile-part */
} wvl_check_item;

typedef void (*wvl_check_item_fn)(void *user, const wvl_check_item *item);

/* Set the structure to zero first. Either data or read is set. */
typedef struct wvl_check_source {
    size_t struct_size;
    const void *data;
    /* Copies bytes from offset on, at most 2^20, all of them within `bytes`. 0: they cannot be read. */
    int (*read)(void *user, uint64_t offset, void *buffer, size_t bytes);
    uint64_t bytes; /* of the whole file */
} wvl_check_source;

/* WVL_CHECK_LEGAL if no problem was found (which says less than the judges above), WVL_CHECK_ILLEGAL,
 * WVL_CHECK_NO_MEMORY or WVL_CHECK_BAD_ARGUMENT. */
WVL_CHECK_API int wvl_check_list(const wvl_check_source *source, wvl_check_item_fn item, void *user);

typedef struct wvl_check_rule {
    const char *id, *clause;
    wvl_check_severity severity;
    const char *doc;
} wvl_check_rule;

/* The rules of the standard, then those of the profiles: static tables. */
WVL_CHECK_API const wvl_check_rule *wvl_check_rules(size_t *count);
/* The profiles, each with its name and one sentence; applies, met and violations are zero. */
WVL_CHECK_API const wvl_check_profile *wvl_check_profiles(size_t *count);

#ifdef __cplusplus
}
#endif
#endif
