/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process may have several copies of libopenjp2: its own, and those in Python wheels under other names
 * (libopenjp2-1a2b3c.so.2.5.3), which dlopen() loaded with hidden names. RTLD_NEXT finds none of the latter. So the
 * object that contains the caller is looked up, then the library among those that it needs (DT_NEEDED).
 */
#define _GNU_SOURCE
#include "real.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_OBJECTS = 64, NAME_BYTES = 4096 };

/* Objects that called, and what they got. Entries are only added, under the lock. */
static struct {
    uintptr_t object;
    const opj_real *real;
} known[MOST_OBJECTS];
static unsigned known_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void real_say(int is_warning, const char *format, ...)
{
    const char *level = getenv("WAVELANE_LOG");
    if (!is_warning && (!level || !*level || !strcmp(level, "0"))) {
        return;
    }
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "wavelane-openjp2: %s\n", text);
}

/* ---- Loaded objects -------------------------------------------------------------------------- */

typedef struct search {
    const void *address; /* whose object is looked for */
    uintptr_t object;    /* its base; its dynamic section */
    const ElfW(Dyn) * dynamic;
    const char *wanted;     /* a name that it needs; NULL: any libopenjp2 */
    char found[NAME_BYTES]; /* path of a loaded library with that name, or of the object if it is one itself */
} search;

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int is_openjp2(const char *name) { return !strncmp(last_part(name), "libopenjp2", 10); }

static int contains(const struct dl_phdr_info *info, const void *address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (uintptr_t)address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz) {
            return 1;
        }
    }
    return 0;
}

static int find_object(struct dl_phdr_info *info, size_t bytes, void *user)
{
    (void)bytes;
    search *s = user;
    if (!contains(info, s->address)) {
        return 0;
    }
    s->object = info->dlpi_addr ? info->dlpi_addr : 1;
    if (is_openjp2(info->dlpi_name) && !contains(info, &lock)) {
        snprintf(s->found, sizeof s->found, "%s", info->dlpi_name); /* calls within libopenjp2 come here too */
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            s->dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        }
    }
    return 1;
}

/* ---- The library ----------------------------------------------------------------------------- */

#ifdef WVL_OPENJP2_IN_ITS_PLACE
/* A library by its path, unless it is this one or a copy of it. */
static void *open_at(const char *path, const struct stat *own)
{
    struct stat other;
    if (stat(path, &other) || (own->st_ino == other.st_ino && own->st_dev == other.st_dev)) {
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (library && dlsym(library, "opj_wavelane")) {
        dlclose(library);
        library = NULL;
    }
    return library;
}

/* This library has the name libopenjp2.so.7 itself: the real one is opened by its path, and calls itself, not us. The
 * user's path comes first, then LD_LIBRARY_PATH, then the folders of the system. */
static void *open_real(search *s)
{
    static const char *const folders[] = {WVL_OPENJP2_FOLDERS};
    const char *path = getenv("WAVELANE_OPENJP2"), *list = getenv("LD_LIBRARY_PATH");
    Dl_info self;
    struct stat own;
    if (!dladdr(&lock, &self) || stat(self.dli_fname, &own)) {
        return NULL;
    }
    void *library = path && *path ? open_at(path, &own) : NULL;
    while (!library && list && *list) {
        size_t length = strcspn(list, ":;");
        snprintf(s->found, sizeof s->found, "%.*s/libopenjp2.so.7", (int)length, list);
        library = length ? open_at(s->found, &own) : NULL;
        list += length + (list[length] != '\0');
    }
    for (size_t i = 0; !library && i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(s->found, sizeof s->found, "%s/libopenjp2.so.7", folders[i]);
        library = open_at(s->found, &own);
    }
    return library;
}
#else
/* The libopenjp2 among the libraries that an object needs, or NULL. glibc has made DT_STRTAB an address. */
static const char *needed_openjp2(const ElfW(Dyn) * dynamic)
{
    const char *texts = NULL;
    for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++) {
        texts = d->d_tag == DT_STRTAB ? (const char *)d->d_un.d_ptr : texts;
    }
    for (const ElfW(Dyn) *d = dynamic; texts && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_NEEDED && is_openjp2(texts + d->d_un.d_val)) {
            return texts + d->d_un.d_val;
        }
    }
    return NULL;
}

static int find_library(struct dl_phdr_info *info, size_t bytes, void *user)
{
    (void)bytes;
    search *s = user;
    if (!info->dlpi_name || !is_openjp2(info->dlpi_name) || contains(info, &lock)) {
        return 0;
    }
    if (s->wanted && strncmp(last_part(info->dlpi_name), s->wanted, strlen(s->wanted))) {
        return 0;
    }
    snprintf(s->found, sizeof s->found, "%s", info->dlpi_name);
    return 1;
}

/* A loaded one, that of the object first; the program itself may have it too. */
static void *open_real(search *s)
{
    s->wanted = needed_openjp2(s->dynamic);
    if (!*s->found && !dl_iterate_phdr(find_library, s) && s->wanted) {
        s->wanted = NULL;
        dl_iterate_phdr(find_library, s);
    }
    void *library = *s->found ? dlopen(s->found, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library) {
        return library;
    }
    if (dlsym(RTLD_NEXT, "opj_version")) {
        return RTLD_NEXT; /* linked into the program itself */
    }
    return dlopen("libopenjp2.so.7", RTLD_LAZY | RTLD_LOCAL);
}
#endif

/* Whether the library fills and reads the structures of opj.h. Its defaults are written into a field of known bytes:
 * how far they reach is the size of opj_cparameters, and three of them stand where opj.h has them. */
static int has_structures(const opj_real *real)
{
    enum { ROOM = sizeof(opj_cparameters) + 4096 };
    unsigned char *bytes = malloc(ROOM);
    if (!bytes) {
        return 0;
    }
    memset(bytes, 0xA5, ROOM);
    real->opj_set_default_encoder_parameters((opj_cparameters *)(void *)bytes);
    size_t end = ROOM;
    while (end && bytes[end - 1] == 0xA5) {
        end--;
    }
    const opj_cparameters *p = (const opj_cparameters *)(const void *)bytes;
    int fits = end == sizeof(opj_cparameters) && p->numresolution == 6 && p->cblockw_init == 64 &&
               p->cblockh_init == 64 && p->roi_compno == -1 && p->cod_format == -1 && p->subsampling_dy == 1;
    free(bytes);

    opj_component_request request[2] = {{.dx = 1, .dy = 1, .w = 3, .h = 2, .prec = 8},
                                        {.dx = 1, .dy = 1, .w = 3, .h = 2, .prec = 7, .sgnd = 1}};
    opj_image *image = fits ? real->opj_image_create(2, request, OPJ_COLOR_GREY) : NULL;
    fits = image && image->numcomps == 2 && image->color_space == OPJ_COLOR_GREY && image->comps[0].prec == 8 &&
           image->comps[1].w == 3 && image->comps[1].prec == 7 && image->comps[1].sgnd == 1 && image->comps[1].data &&
           !image->icc_profile_buf && !image->icc_profile_len;
    if (image) {
        real->opj_image_destroy(image);
    }
    return fits;
}

static const opj_real *load(search *s)
{
    void *library = open_real(s);
    opj_real *real = library ? calloc(1, sizeof *real) : NULL;
    if (!real) {
        real_say(1, "no libopenjp2 is loaded");
        return NULL;
    }
    real->library = library;
#define FIND(result, name, parameters, arguments) *(void **)&real->name = dlsym(library, #name);
    OPJ_TAKEN(FIND)
#define FIND_VOID(name, parameters, arguments) FIND(void, name, parameters, arguments)
    OPJ_FORWARDED(FIND, FIND_VOID)
#undef FIND_VOID
#undef FIND
    if (!real->opj_image_data_free) {
        real->opj_image_data_free = free; /* before 2.2 samples were plain memory */
    }
    real->fits = real->opj_set_default_encoder_parameters && real->opj_image_create && real->opj_image_destroy &&
                 real->opj_create_compress && real->opj_setup_encoder && real->opj_start_compress &&
                 has_structures(real);
    const char *off = getenv("WAVELANE_OFF");
    if (off && *off && strcmp(off, "0")) {
        real->fits = 0;
#ifndef WVL_OPENJP2_IN_ITS_PLACE
    } else if (dlsym(library, "opj_wavelane")) {
        real->fits = 0; /* the library in the place of libopenjp2, which does what this one would do */
#endif
    } else if (!real->fits) {
        real_say(1, "this libopenjp2 (%s) is not one of 2.1 to 2.5: it encodes itself",
                 real->opj_version ? real->opj_version() : "of no version");
    }
    return real;
}

const opj_real *real_find(const void *caller)
{
    search s = {.address = caller};
    if (!dl_iterate_phdr(find_object, &s)) {
        s.object = 1; /* code that no object has: made at run time */
    }
    pthread_mutex_lock(&lock);
    const opj_real *real = NULL;
    unsigned i = 0;
    while (i < known_count && known[i].object != s.object) {
        i++;
    }
    if (i < known_count) {
        real = known[i].real;
    } else {
        real = load(&s);
        for (unsigned k = 0; real && k < known_count; k++) {
            if (known[k].real && known[k].real->library == real->library) {
                free((void *)(uintptr_t)real);
                real = known[k].real;
            }
        }
        if (real && known_count < MOST_OBJECTS) {
            known[known_count].object = s.object;
            known[known_count++].real = real;
        }
    }
    pthread_mutex_unlock(&lock);
    return real;
}
