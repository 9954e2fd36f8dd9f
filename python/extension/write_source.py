# SPDX-License-Identifier: BSD-2-Clause
"""
Writes the C source of the extension module wavelane._wavelane, with cffi in API mode:

  write_source.py FOLDER OUTPUT

FOLDER is include: the declarations are taken from wavelane.h and wavelane_simple.h, so the package cannot differ from the manual.
"""
import os
import re
import sys

import cffi

if sys.argv[1:2] in (["--help"], ["-h"]):
    print(__doc__.strip())
    sys.exit()

GLUE = """
extern "Python+C" {
    int wvl_python_progress(void *user, uint64_t done, uint64_t total, int stage);
    void wvl_python_log(void *user, int level, const char *text);
    void wvl_python_trace(void *user, const char *track, const char *name, uint64_t picture, double begin, double end);
    int wvl_python_reserve(void *output, uint64_t bytes);
}
typedef struct wvl_python_output { uint8_t *data; uint64_t bytes, written; } wvl_python_output;
int wvl_python_write(void *output, const void *data, size_t bytes);
typedef struct wvl_python_watch { void *user; double last; } wvl_python_watch;
int wvl_python_watch_progress(void *watch, uint64_t done, uint64_t total, wvl_stage stage);
void wvl_python_pass_log(void *user, wvl_log_level level, const char *text);
void wvl_python_pass_trace(void *user, const wvl_trace_span *span);
void wvl_python_close(void);
"""

DLPACK = """
/* DLPack 0.8: what a capsule named "dltensor" holds. */
typedef struct { int32_t device_type, device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct {
    void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape, *strides; uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
    DLTensor dl_tensor; void *manager_ctx; void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
"""


def read_declarations(path):
    """The header without comments, preprocessor lines and what only C++ reads."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'#ifdef __cplusplus\n.*?#endif\n', "", text, flags=re.S)
    text = re.sub(r"^#.*(\\\n.*)*$", "", text, flags=re.M)
    return text.replace("WVL_API ", "")


def main():
    folder, output = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef("".join(read_declarations(os.path.join(folder, name)) for name in ("wavelane.h", "wavelane_simple.h")) + GLUE + DLPACK)
    ffi.set_source("wavelane._wavelane", '#include "glue.h"\n' + DLPACK, py_limited_api=True)
    made = output + ".new"
    ffi.emit_c_code(made)
    os.replace(made, output)


if __name__ == "__main__":
    main()
