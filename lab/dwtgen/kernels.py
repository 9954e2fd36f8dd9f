# SPDX-License-Identifier: BSD-2-Clause
"""The kernel of a scheme, of one level or of several."""
from emit_cuda import Kernel
from emit_levels import LevelKernel
from schemes import Scheme


def make_kernel(wavelet, scheme, inverse, choices, vertical_first=False):
    kind = LevelKernel if choices.levels > 1 else Kernel
    return kind(Scheme(scheme, wavelet, inverse, vertical_first), choices)
