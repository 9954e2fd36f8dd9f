# SPDX-License-Identifier: BSD-2-Clause
"""The conformance runs: a matrix of encodes, judged by the walker and by foreign decoders."""
