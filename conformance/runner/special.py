# SPDX-License-Identifier: BSD-2-Clause
"""Rows that are no plain encode: faults of the machine, misuse, several encoders at once, output beyond 4 GiB."""
import re

import faultrows
import libraryrows

# Description after "::" in group J, and the function that makes it happen.
SPECIAL = [
    (r"malloc fails", faultrows.memory), (r"pthread_create fails", faultrows.threads), (r"write\(\) ENOSPC", faultrows.full_disk),
    (r"write\(\) EINTR", faultrows.interrupted_writes), (r"seek unsupported", faultrows.pipe), (r"input header claims", faultrows.lying_headers),
    (r"parameter fuzz", libraryrows.random_configurations), (r"cancel from another thread", libraryrows.cancel),
    (r"2 encoders x 16 threads", libraryrows.two_encoders), (r"10 000 encodes loop", libraryrows.endless), (r"output = input path", faultrows.output_is_input),
    (r"locale with decimal comma", libraryrows.decimal_comma), (r"rows with stride", libraryrows.strides), (r"samples outside declared range", libraryrows.outside_range),
    (r"mosaic > 4 GiB output", libraryrows.huge_output),
]


def description(row):
    return row.image_kind.split(" :: ")[-1]


def find(row):
    if row.group not in "JG" or (row.group == "G" and not row.image_kind.startswith("mosaic")):
        return None
    return next((function for pattern, function in SPECIAL if re.match(pattern, description(row))), None)


def is_special(row):
    return row.group in "J" or find(row) is not None


def run(attempt):
    function = find(attempt.row)
    if function is None:
        attempt.fail("row", f"nothing here makes this happen: {description(attempt.row)}")
        return
    function(attempt)


def belongs_elsewhere(row):
    if re.search(r"cuda|GPU|compute-sanitizer", row.image_kind):
        return "needs a GPU: see the device suites"
    if "input fuzz" in row.image_kind:
        return "libFuzzer targets: .ci/fuzz"
    return ""


def needs_long(row):
    return "long mode" in row.expected_check


def runs_alone(row):
    """Rows whose memory or threads would disturb the others."""
    return find(row) in (libraryrows.huge_output, libraryrows.endless)


def weight(row):
    """Long ones first, so that no processor waits at the end."""
    heavy = {"A11": 9, "J13": 8, "J01": 7, "A10": 6, "A06": 6, "C22": 6, "F21": 5, "D32": 6, "J07": 5, "J15": 9}
    return heavy.get(row.id, 1)
