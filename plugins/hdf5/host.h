/* SPDX-License-Identifier: BSD-2-Clause */
/* The HDF5 library that calls the filter. Wheels bring one of their own, and two may be in one process. */
#ifndef WVL_HDF5_HOST_H
#define WVL_HDF5_HOST_H

#include <hdf5.h>
#include <stdbool.h>

#define HOST_FUNCTIONS(X)                                                                                              \
    X(H5Epush2)                                                                                                        \
    X(H5Eget_current_stack)                                                                                            \
    X(H5Eset_current_stack)                                                                                            \
    X(H5Pget_filter_by_id2)                                                                                            \
    X(H5Pmodify_filter)                                                                                                \
    X(H5Sget_simple_extent_dims)                                                                                       \
    X(H5Tget_class)                                                                                                    \
    X(H5Tget_order)                                                                                                    \
    X(H5Tget_sign)                                                                                                     \
    X(H5Tget_size)

typedef struct host {
#define X(name) __typeof__(&(name)) name;
    HOST_FUNCTIONS(X)
#undef X
    const hid_t *error_class, *error_major, *error_minor;
    /* From HDF5 2.0 on, else NULL: while a filter is called, the error stack takes nothing. */
    herr_t (*H5Eis_paused)(hid_t stack, bool *is_paused);
    herr_t (*H5Eresume_stack)(hid_t stack), (*H5Epause_stack)(hid_t stack);
} host;

/* call: an address within that library, as __builtin_return_address(0). 0: not all functions are there. */
int host_find(host *h, const void *call);

/* Adds a text to the error stack, which the host shows. */
void host_complain(const host *h, const char *function, unsigned line, const char *text);

#endif
