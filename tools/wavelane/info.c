/* SPDX-License-Identifier: BSD-2-Clause */
#include "info.h"
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The file -------------------------------------------------------------------------------- */

static int refuse_file(const char *name, const char *reason)
{
    wvl_cli_error("%s: %s", name, reason);
    return WVL_EXIT_INPUT;
}

/* A pipe cannot be read twice: its content is kept. */
static int read_pipe(wvl_info *info, uint64_t most)
{
    size_t bytes = 0;
    int code = wvl_cli_read_descriptor(info->fd, info->name, most, WVL_CLI_JPEG2000, &info->memory, &bytes);
    info->size = bytes;
    return code;
}

int wvl_info_open(wvl_info *info, const char *name, uint64_t most)
{
    struct stat st;
    int is_standard = !strcmp(name, "-");
    info->name = is_standard ? "standard input" : name;
    info->fd = is_standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (info->fd < 0 || fstat(info->fd, &st)) {
        return refuse_file(info->name, strerror(errno));
    }
    if (S_ISDIR(st.st_mode)) {
        return refuse_file(info->name, "is a directory");
    }
    if (!S_ISREG(st.st_mode)) {
        return read_pipe(info, most);
    }
    info->size = (uint64_t)st.st_size;
    return WVL_EXIT_OK;
}

void wvl_info_close(wvl_info *info)
{
    if (info->fd > STDIN_FILENO) {
        (void)close(info->fd);
    }
    for (size_t i = 0; i < WVL_INFO_MAX_PROBLEMS; i++) {
        free(info->problems[i]);
    }
    free(info->memory);
    free(info->tlm.values);
    free(info->parts.values);
}

int wvl_info_read(wvl_info *info, uint64_t offset, size_t bytes, uint8_t *buffer)
{
    if (offset > info->size || bytes > info->size - offset) {
        return wvl_info_problem(info, offset, "%zu bytes are expected, but the file ends at %" PRIu64, bytes,
                                info->size);
    }
    if (info->memory) {
        memcpy(buffer, info->memory + offset, bytes);
        return 1;
    }
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(info->fd, buffer + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return wvl_info_problem(info, offset + done, "cannot be read: %s",
                                    got < 0 ? strerror(errno) : "the file became shorter");
        }
        done += (size_t)got;
    }
    return 1;
}

uint32_t wvl_info_take(wvl_info_cursor *c, unsigned bytes)
{
    uint32_t v = 0;
    if (c->left < bytes) {
        c->overrun = 1;
        c->left = 0;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++) {
        v = v << 8 | c->p[i];
    }
    c->p += bytes;
    c->left -= bytes;
    return v;
}

int wvl_info_add_length(wvl_info_lengths *lengths, uint64_t value)
{
    if (lengths->count == lengths->capacity) {
        size_t capacity = lengths->capacity ? lengths->capacity * 2 : 256;
        uint64_t *larger = realloc(lengths->values, capacity * sizeof *larger);
        if (!larger) {
            return 0;
        }
        lengths->values = larger;
        lengths->capacity = capacity;
    }
    lengths->values[lengths->count++] = value;
    return 1;
}

/* ---- Problems and entries -------------------------------------------------------------------- */

int wvl_info_problem(wvl_info *info, uint64_t offset, const char *format, ...)
{
    char text[320];
    va_list args;
    int n = snprintf(text, sizeof text, "at byte %" PRIu64 ": ", offset);
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    if (info->problem_count < WVL_INFO_MAX_PROBLEMS) {
        info->problems[info->problem_count] = strdup(text);
    }
    info->problem_count++;
    return 0;
}

int wvl_info_lack_memory(wvl_info *info, uint64_t offset, const char *what)
{
    info->lacks_memory = 1;
    return wvl_info_problem(info, offset, "no memory for %s", what);
}

void wvl_info_open_entry(wvl_info *info, const char *kind, const char *name, uint64_t offset, uint64_t bytes)
{
    wvl_cli_report *r = &info->report;
    if (r->json) {
        wvl_cli_report_open_line(r, NULL);
        wvl_cli_report_text(r, kind, name);
    } else {
        wvl_cli_report_open_line(r, name);
    }
    wvl_cli_report_number(r, "offset", offset);
    wvl_cli_report_number(r, "bytes", bytes);
}

void wvl_info_report_problems(wvl_info *info)
{
    size_t listed = info->problem_count < WVL_INFO_MAX_PROBLEMS ? info->problem_count : WVL_INFO_MAX_PROBLEMS;
    if (info->report.json) {
        wvl_cli_report_open_list(&info->report, "problems");
        for (size_t i = 0; i < listed; i++) {
            wvl_cli_report_text(&info->report, NULL, info->problems[i] ? info->problems[i] : "out of memory");
        }
        wvl_cli_report_close(&info->report);
    }
    (void)fflush(info->report.file);
    for (size_t i = 0; i < listed; i++) {
        wvl_cli_error("%s: %s", info->name, info->problems[i] ? info->problems[i] : "out of memory");
    }
    if (info->problem_count > listed) {
        wvl_cli_error("%s: %zu more problems", info->name, info->problem_count - listed);
    }
}

/* Behind the signature box comes the file type box: its brand says which format the file is (I.5.2; 15444-15 Annex D).
 */
static const char *name_of_brand(wvl_info *info)
{
    static const struct {
        char brand[5];
        const char *name;
    } brands[] = {{"jp2 ", "JP2 file"}, {"jph ", "JPH file"}, {"jpx ", "JPX file"}, {"jpm ", "JPM file"}};
    uint8_t box[12] = {0};
    if (info->size >= 24 && wvl_info_read(info, 12, sizeof box, box) && !memcmp(box + 4, "ftyp", 4)) {
        for (size_t i = 0; i < sizeof brands / sizeof *brands; i++) {
            if (!memcmp(box + 8, brands[i].brand, 4)) {
                return brands[i].name;
            }
        }
    }
    return "JP2 family file";
}

void wvl_info_print_file(wvl_info *info)
{
    static const uint8_t signature[12] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', 0x0D, 0x0A, 0x87, 0x0A};
    uint8_t start[12] = {0};
    wvl_cli_report *r = &info->report;
    wvl_cli_report_text(r, "file", info->name);
    wvl_cli_report_number(r, "bytes", info->size);
    if (!wvl_info_read(info, 0, info->size < sizeof start ? (size_t)info->size : sizeof start, start)) {
        return;
    }
    if (!memcmp(start, signature, sizeof signature)) {
        info->facts.format = name_of_brand(info);
        wvl_cli_report_text(r, "format", info->facts.format);
        (void)wvl_info_print_boxes(info);
    } else if (start[0] == 0xFF && start[1] == 0x4F) {
        info->facts.format = "codestream";
        info->stream_end = info->size;
        wvl_cli_report_text(r, "format", info->facts.format);
        (void)wvl_info_print_codestream(info, 0, info->size);
    } else {
        (void)wvl_info_problem(info, 0, "neither a JP2 signature box (I.5.1) nor an SOC marker (A.4.1)");
    }
}
