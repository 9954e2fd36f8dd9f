/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the files beside a picture that say where it lies. Their names are those that GDAL tries, in lower case, in
 * upper case, or as the folder has them: files from other systems have whatever case.
 */
#include "sidecar.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILE_BYTES ((size_t)16 << 20)
#define MOST_EXTENSION 24u
#define MOST_LISTED 1000u /* files of a folder: the limit of GDAL, for folders of many pictures */

typedef struct side_file {
    char *data;
    size_t bytes;
    int is_unreadable; /* it is there, but cannot be read or is too long */
    int lacks_memory;  /* no memory, or no more files can be opened: the run ends, for metadata would be lost */
} side_file;

/* A regular file. A pipe with such a name would be waited for, and a device never ends: it is opened without waiting,
 * and not read. */
static FILE *open_regular(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
        (void)close(fd);
        errno = EINVAL;
        return NULL;
    }
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !file) {
        (void)close(fd);
        errno = ENOMEM;
    }
    return file;
}

/* 1: there is such a file, readable or not. */
static int read_file(const char *path, side_file *f)
{
    FILE *file = open_regular(path);
    if (!file) {
        int is_absent = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
        f->lacks_memory |= errno == ENOMEM || errno == EMFILE || errno == ENFILE;
        f->is_unreadable |= !is_absent && !f->lacks_memory;
        return !is_absent;
    }
    f->data = malloc(MOST_FILE_BYTES + 1);
    f->bytes = f->data ? fread(f->data, 1, MOST_FILE_BYTES + 1, file) : 0;
    f->lacks_memory |= !f->data;
    f->is_unreadable |= ferror(file) || f->bytes > MOST_FILE_BYTES;
    (void)fclose(file);
    if (f->is_unreadable) {
        free(f->data);
        f->data = NULL;
    }
    return 1;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* A search for files beside a picture. */
typedef struct search {
    const char *path;
    size_t folder, stem; /* of the path: bytes of its folder with the slash, and of all before the extension */
    char *name;          /* room for a path beside it; owned */
    char *listed;        /* names there that begin as the picture's does in some case, each with its NUL; owned */
    size_t listed_bytes;
} search;

/* Without a list, endings are tried in lower and in upper case alone. */
static void list_folder(search *s)
{
    memcpy(s->name, s->path, s->folder);
    snprintf(s->name + s->folder, 2, "%s", s->folder ? "" : ".");
    DIR *dir = opendir(s->name);
    unsigned count = 0;
    for (const struct dirent *d; dir && (d = readdir(dir)) && ++count <= MOST_LISTED;) {
        size_t n = strlen(d->d_name) + 1;
        int is_near = !strncasecmp(d->d_name, s->path + s->folder, s->stem - s->folder);
        char *larger = is_near ? realloc(s->listed, s->listed_bytes + n) : NULL;
        if (larger) {
            s->listed = larger;
            memcpy(larger + s->listed_bytes, d->d_name, n);
            s->listed_bytes += n;
        }
    }
    s->listed_bytes = count <= MOST_LISTED ? s->listed_bytes : 0;
    if (dir) {
        (void)closedir(dir);
    }
}

/* 1: the name begins in another case than the picture's, and lies beside a picture of its own. */
static int is_of_other(const search *s, const char *listed)
{
    const char *picture = s->path + s->folder;
    size_t n = s->stem - s->folder;
    for (size_t at = 0; memcmp(listed, picture, n) != 0 && at < s->listed_bytes; at += strlen(s->listed + at) + 1) {
        if (!memcmp(s->listed + at, listed, n) && !strcasecmp(s->listed + at, picture)) {
            return 1;
        }
    }
    return 0;
}

/* The file of this ending, as ".tfw", behind the first `stem` bytes of the path: in lower case, in upper case, or as
 * the folder has it. 1: there is one. */
static int read_with_ending(search *s, size_t stem, const char *ending, side_file *f)
{
    memcpy(s->name, s->path, stem);
    for (int is_upper = 0; is_upper < 2; is_upper++) {
        for (size_t i = 0; i <= strlen(ending); i++) {
            unsigned char c = (unsigned char)ending[i];
            s->name[stem + i] = (char)(is_upper ? toupper(c) : tolower(c));
        }
        if (read_file(s->name, f)) {
            return 1;
        }
    }
    for (size_t at = 0, n; at < s->listed_bytes; at += n) {
        n = strlen(s->listed + at) + 1;
        if (!strcasecmp(s->listed + at, s->name + s->folder) && !is_of_other(s, s->listed + at)) {
            memcpy(s->name + s->folder, s->listed + at, n);
            return read_file(s->name, f);
        }
    }
    return 0;
}

/* Reads the world file of an extension: .tfw or .tifw for "tif". */
static int read_world_of(search *s, const char *extension, side_file *f)
{
    char ending[MOST_EXTENSION + 3];
    size_t n = strlen(extension);
    if (n < 2 || n > MOST_EXTENSION) {
        return 0;
    }
    snprintf(ending, sizeof ending, ".%c%cw", extension[0], extension[n - 1]);
    if (read_with_ending(s, s->stem, ending, f)) {
        return 1;
    }
    snprintf(ending, sizeof ending, ".%sw", extension);
    return read_with_ending(s, s->stem, ending, f);
}

/* The first that is there: those of the picture's extension, of its other spellings, .wld. */
static void read_world_file(search *s, side_file *f)
{
    static const char *const spellings[][3] = {{"tif", "tiff", NULL}, {"jpg", "jpeg", "jpe"}};
    const char *extension = s->path + s->stem + (s->path[s->stem] == '.');
    if (read_world_of(s, extension, f)) {
        return;
    }
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        int is_one = 0;
        for (size_t k = 0; k < 3 && spellings[i][k]; k++) {
            is_one |= !strcasecmp(extension, spellings[i][k]);
        }
        for (size_t k = 0; is_one && k < 3 && spellings[i][k]; k++) {
            if (strcasecmp(extension, spellings[i][k]) != 0 && read_world_of(s, spellings[i][k], f)) {
                return;
            }
        }
    }
    (void)read_with_ending(s, s->stem, ".wld", f);
}

static int contains(const side_file *f, const char *word)
{
    size_t n = strlen(word);
    for (size_t at = 0; f->data && at + n <= f->bytes; at++) {
        if (!memcmp(f->data + at, word, n)) {
            return 1;
        }
    }
    return 0;
}

/* Places in forms that are not read here: approximations of ArcGIS, control points of MapInfo, and the polynomials of
 * satellite pictures. */
static void name_others(search *s, wvl_io_picture *io)
{
    static const struct {
        const char *ending, *name;
        const char *words[2]; /* that it contains */
    } others[] = {{".tfwx", ".tfwx (an approximate location)", {"", ""}},
                  {".tab", ".tab (a location by MapInfo)", {"!table", "\"RASTER\""}},
                  {".rpb", ".RPB (a location by polynomials)", {"", ""}},
                  {"_rpc.txt", "_RPC.TXT (a location by polynomials)", {"", ""}}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        side_file f = {0};
        (void)read_with_ending(s, s->stem, others[i].ending, &f);
        if (f.data && contains(&f, others[i].words[0]) && contains(&f, others[i].words[1])) {
            wvl_io_add_name(io->lost, sizeof io->lost, others[i].name);
        }
        free(f.data);
    }
}

/* ---- Both ------------------------------------------------------------------------------------ */

static int take_files(search *s, wvl_io_picture *io)
{
    side_file aux = {0}, world = {0};
    (void)read_with_ending(s, strlen(s->path), ".aux.xml", &aux);
    read_world_file(s, &world);
    if (aux.is_unreadable) {
        wvl_io_add_name(io->lost, sizeof io->lost, ".aux.xml (cannot be read)");
    }
    if (world.is_unreadable) {
        wvl_io_add_name(io->lost, sizeof io->lost, "world file (cannot be read)");
    }
    int failed = aux.lacks_memory || world.lacks_memory;
    int result = failed ? -1 : wvl_metadata_take_sidecars(aux.data, aux.bytes, world.data, world.bytes, io);
    if (result == 0 && !wvl_metadata_has_place(&io->metadata.blobs[WVL_IO_GEO])) {
        name_others(s, io);
    }
    free(aux.data);
    free(world.data);
    return result;
}

int wvl_metadata_read_sidecars(const char *path, wvl_io_picture *io)
{
    if (!strcmp(path, "-") || wvl_metadata_has_place(&io->metadata.blobs[WVL_IO_GEO])) {
        return 0;
    }
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    search s = {.path = path,
                .folder = slash ? (size_t)(slash + 1 - path) : 0,
                .stem = dot ? (size_t)(dot - path) : strlen(path),
                .name = malloc(strlen(path) + NAME_MAX + 32)};
    if (!s.name) {
        return -1;
    }
    list_folder(&s);
    int result = take_files(&s, io);
    free(s.listed);
    free(s.name);
    return result;
}
