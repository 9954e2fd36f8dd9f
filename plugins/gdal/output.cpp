/* SPDX-License-Identifier: BSD-2-Clause */
#include "plugin.h"

#include <cerrno>
#include <cstring>

namespace wavelane
{

/* Bytes of the signature box and of the file type box as the library writes them: brand "jp2 ", compatible with it. */
constexpr size_t signature_bytes = 12, first_boxes_bytes = 32;

/* Standard features of Part 2 (M.11.1): 4 and 5 name profiles of the codestream, 67 GMLJP2. Masks 0x80 and 0x40. */
static std::vector<GByte> make_head(bool is_profile_1)
{
    const GByte profile = is_profile_1 ? 4 : 5;
    return {0,   0,   0,   12,  'j', 'P', ' ', ' ', 13,  10,  135, 10,  0,       0,   0,   24,  'f', 't', 'y',
            'p', 'j', 'p', '2', ' ', 0,   0,   0,   0,   'j', 'p', '2', ' ',     'j', 'p', 'x', ' ', 0,   0,
            0,   21,  'r', 'r', 'e', 'q', 1,   192, 128, 0,   2,   0,   profile, 128, 0,   67,  64,  0,   0};
}

bool is_stream(const char *path)
{
    VSIStatBufL stat;
    bool is_special =
        VSIIsLocal(path) && VSIStatExL(path, &stat, VSI_STAT_NATURE_FLAG) == 0 && !VSI_ISREG(stat.st_mode);
    return is_special || STARTS_WITH(path, "/vsistdout");
}

Output::Output(const char *path, bool has_gml, bool is_profile_1) : name(path)
{
    if (has_gml) {
        head = make_head(is_profile_1);
        shift = head.size() - first_boxes_bytes;
    }
    file = VSIFOpenExL(path, "wb", true);
    can_patch = VSISupportsRandomWrite(path, false) && !is_stream(path);
    if (!file) {
        throw Failure(CPLE_OpenFailed, std::string("cannot create ") + path + ": " + VSIGetLastErrorMsg());
    }
}

Output::~Output()
{
    if (file) {
        VSIFCloseL(file);
        remove();
    }
}

void Output::remove() const
{
    if (!is_stream(name.c_str())) {
        VSIUnlink(name.c_str());
    }
}

int Output::write(void *user, const void *data, size_t bytes)
{
    Output *o = static_cast<Output *>(user);
    if (!o->has_begun && !o->head.empty()) {
        if (bytes < first_boxes_bytes || memcmp(data, o->head.data(), signature_bytes)) {
            return 1;
        }
        data = static_cast<const GByte *>(data) + first_boxes_bytes;
        bytes -= first_boxes_bytes;
        if (o->put(o->head.data(), o->head.size())) {
            return 1;
        }
    }
    o->has_begun = true;
    return o->put(data, bytes);
}

/* Lengths alone are patched; none stands in the first boxes. */
int Output::patch(void *user, uint64_t offset, const void *data, size_t bytes)
{
    Output *o = static_cast<Output *>(user);
    vsi_l_offset end = VSIFTellL(o->file);
    return VSIFSeekL(o->file, offset + o->shift, SEEK_SET) || o->put(data, bytes) || VSIFSeekL(o->file, end, SEEK_SET);
}

int Output::put(const void *data, size_t bytes)
{
    errno = 0;
    bool is_written = VSIFWriteL(data, 1, bytes, file) == bytes;
    if (!is_written && errno) {
        problem = strerror(errno);
    }
    return !is_written;
}

std::string Output::why() const { return "cannot write " + name + (problem.empty() ? "" : ": ") + problem; }

wvl_sink Output::sink()
{
    wvl_sink s = {};
    s.struct_size = sizeof s;
    s.write = write;
    s.patch = can_patch ? patch : nullptr;
    s.user = this;
    return s;
}

void Output::finish(const std::vector<GByte> &behind)
{
    bool has_failed = put(behind.data(), behind.size());
    has_failed = VSIFCloseL(file) || has_failed;
    file = nullptr;
    if (has_failed) {
        remove();
        throw Failure(CPLE_FileIO, why());
    }
}

} // namespace wavelane
