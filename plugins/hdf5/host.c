/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Functions through object pointers, which POSIX permits and C does not. */
static int find(void *library, const char *name, void *place)
{
    void *address = dlsym(library, name);
    memcpy(place, &address, sizeof address);
    return address != NULL;
}

int host_find(host *h, const void *call)
{
    Dl_info caller;
    int good = 1;
    void *library = dladdr(call, &caller) ? dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!library) { /* HDF5 is linked into the program */
        library = dlopen(NULL, RTLD_LAZY);
    }
    memset(h, 0, sizeof *h);
    if (!library) {
        return 0;
    }
#define X(name) good = find(library, #name, &h->name) && good;
    HOST_FUNCTIONS(X)
#undef X
    good = find(library, "H5E_ERR_CLS_g", &h->error_class) && find(library, "H5E_PLINE_g", &h->error_major) &&
           find(library, "H5E_CANTFILTER_g", &h->error_minor) && good;
    (void)(find(library, "H5Eis_paused", &h->H5Eis_paused) && find(library, "H5Eresume_stack", &h->H5Eresume_stack) &&
           find(library, "H5Epause_stack", &h->H5Epause_stack));
    (void)dlclose(library); /* it stays: it is calling */
    return good;
}

/* HDF5 2.0 empties the stack where it is paused again: what is on it is kept meanwhile. */
void host_complain(const host *h, const char *function, unsigned line, const char *text)
{
    bool is_paused = false;
    int pauses = 0;
    while (h->H5Epause_stack && h->H5Eis_paused(H5E_DEFAULT, &is_paused) >= 0 && is_paused &&
           h->H5Eresume_stack(H5E_DEFAULT) >= 0) {
        pauses++;
    }
    (void)h->H5Epush2(H5E_DEFAULT, "wavelane-hdf5", function, line, *h->error_class, *h->error_major, *h->error_minor,
                      "%s", text);
    if (pauses) {
        hid_t kept = h->H5Eget_current_stack();
        while (pauses--) {
            (void)h->H5Epause_stack(H5E_DEFAULT);
        }
        (void)h->H5Eset_current_stack(kept);
    }
}
