/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command removes when it must end without order: its own unfinished files, and nothing else. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tools/wavelane/cli.h"

static char folder[] = "/tmp/interrupt-XXXXXX";

static char *place(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

TEST(only_own_temporaries_are_removed)
{
    static const struct {
        const char *name;
        int flags, is_removed;
    } files[] = {
        {".out.jp2.a1b2c3", O_WRONLY | O_CLOEXEC, 1}, {".x.zzzzzz", O_WRONLY | O_CLOEXEC, 1},
        {".in.jp2.a1b2c3", O_RDONLY | O_CLOEXEC, 0},  {".handed.a1b2c3", O_WRONLY, 0},
        {"out.jp2.a1b2c3", O_WRONLY | O_CLOEXEC, 0},  {".out.jp2.a1b2", O_WRONLY | O_CLOEXEC, 0},
        {".out.jp2.A1B2C3", O_WRONLY | O_CLOEXEC, 0}, {"..a1b2c3", O_WRONLY | O_CLOEXEC, 0},
    };
    enum { COUNT = sizeof files / sizeof files[0] };
    int fds[COUNT];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (int i = 0; i < COUNT; i++) {
        fds[i] = open(place(files[i].name), files[i].flags | O_CREAT, 0600);
        ck_assert_int_ge(fds[i], 0);
    }
    wvl_cli_remove_temporaries();
    for (int i = 0; i < COUNT; i++) {
        ck_assert_msg(!access(place(files[i].name), F_OK) == !files[i].is_removed, "%s", files[i].name);
        (void)close(fds[i]);
        (void)unlink(place(files[i].name));
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

TEST_MAIN("interrupt")
