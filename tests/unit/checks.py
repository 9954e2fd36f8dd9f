# SPDX-License-Identifier: BSD-2-Clause
"""What a suite expects: counted, and told where it is not so."""
failures, count = [], 0


def expect(condition, what):
    global count
    count += 1
    if not condition:
        failures.append(what)
        print("FAIL:", what)


def end():
    """For sys.exit()."""
    print(f"{count} checks, {len(failures)} failures")
    return 1 if failures else 0
