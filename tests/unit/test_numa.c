/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory nodes: what is read, and what a visit sets and takes back; on a made-up machine, and on this one. */
#include <pthread.h>

#include "base/numa.h"
#include "tests/support/support.h"

/* ---- A made-up machine ----------------------------------------------------------------------- */

static const char *online, *numa_node, *cpulist;
static char read_paths[512];
static wvl_numa_set mask, allowed; /* allowed: what the machine lets anybody have */
static int mode;
static unsigned preferred, set_count;

static int read_file(const char *path, char *text, size_t bytes)
{
    size_t length = strlen(read_paths);
    snprintf(read_paths + length, sizeof read_paths - length, "%s\n", path);
    const char *names[] = {"online", "numa_node", "cpulist"}, *texts[] = {online, numa_node, cpulist}, *found = NULL;
    for (unsigned i = 0; i < 3; i++) {
        found = strstr(path, names[i]) ? texts[i] : found;
    }
    snprintf(text, bytes, "%s", found ? found : "");
    return !found;
}

static int get_cpus(wvl_numa_set *cpus)
{
    *cpus = mask;
    return 0;
}

static int set_cpus(const wvl_numa_set *cpus)
{
    int is_none = 1;
    for (unsigned i = 0; i < sizeof mask.words / sizeof *mask.words; i++) {
        is_none &= !(cpus->words[i] & allowed.words[i]);
    }
    for (unsigned i = 0; !is_none && i < sizeof mask.words / sizeof *mask.words; i++) {
        mask.words[i] = cpus->words[i] & allowed.words[i];
    }
    set_count++;
    return is_none;
}

static int get_policy(int *found)
{
    *found = mode;
    return 0;
}

static int set_policy(int wanted, unsigned node)
{
    mode = wanted;
    preferred = node;
    return 0;
}

static const wvl_numa_calls made_up = {read_file, get_cpus, set_cpus, get_policy, set_policy};

static void setup(void)
{
    wvl_numa_test_calls = &made_up;
    online = "0-1\n";
    numa_node = "1\n";
    cpulist = "4-7\n";
    read_paths[0] = 0;
    memset(&mask, 0, sizeof mask);
    memset(&allowed, 0xff, sizeof allowed);
    mask.words[0] = 0xff;
    mode = WVL_NUMA_DEFAULT;
    preferred = set_count = 0;
}

static void teardown(void) { wvl_numa_test_calls = NULL; }

static unsigned count_bits(const wvl_numa_set *set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < WVL_NUMA_CPUS; i++) {
        count += (unsigned)(set->words[i / WVL_NUMA_WORD_BITS] >> i % WVL_NUMA_WORD_BITS & 1);
    }
    return count;
}

/* ---- What is read ---------------------------------------------------------------------------- */

TEST_FIXTURE(setup, teardown);

TEST(paths)
{
    wvl_numa_node node;
    wvl_numa_find(0x2, 0xAB, 0x1C, &node);
    ck_assert_ptr_eq(node.calls, &made_up);
    ck_assert_uint_eq(node.number, 1);
    ck_assert_uint_eq(node.cpus.words[0], 0xf0);
    ck_assert_uint_eq(count_bits(&node.cpus), 4);
    ck_assert_str_eq(read_paths, "/sys/devices/system/node/online\n"
                                 "/sys/bus/pci/devices/0002:ab:1c.0/numa_node\n"
                                 "/sys/devices/system/node/node1/cpulist\n");
}

/* Lists of processors, and how many they have; -1: none that counts. */
TEST(lists)
{
    static const struct {
        const char *text;
        int count;
    } rows[] = {
        {"0\n", 1},        {"0-3,8-11\n", 8}, {"", 0},         {"\n", 0},         {"0-8191\n", 8192},
        {"8191", 1},       {"3,1\n", 2},      {"5-4\n", -1},   {"0-8192\n", -1},  {"8192\n", -1},
        {"x\n", -1},       {"0-x\n", -1},     {"1-3;5\n", -1}, {"-1\n", -1},      {"0x1\n", -1},
        {"0-63,64\n", 65}, {"0,,1\n", -1},    {"1 2\n", -1},   {"0-3:1/2\n", -1}, {"63-64\n", 2},
        {"0-3,\n", 4},     {"7,7,7\n", 1},    {"2-2,2\n", 1},  {NULL, -1},        {"99999999999999999999999\n", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wvl_numa_node node;
        cpulist = rows[i].text;
        wvl_numa_find(0, 1, 0, &node);
        ck_assert_msg((node.calls != NULL) == (rows[i].count >= 0), "row %zu", i);
        ck_assert_msg(!node.calls || count_bits(&node.cpus) == (unsigned)rows[i].count, "row %zu: %u", i,
                      count_bits(&node.cpus));
    }
}

TEST(unknown)
{
    static const char *const rows[][2] = {{"0\n", "0\n"},  {"3\n", "3\n"},    {"", "0\n"},   {NULL, "0\n"},
                                          {"0-1", "-1\n"}, {"0-1", "8192\n"}, {"0-1", NULL}, {"x", "0\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wvl_numa_node node;
        wvl_numa_visit visit;
        online = rows[i][0];
        numa_node = rows[i][1];
        wvl_numa_find(0, 1, 0, &node);
        ck_assert_msg(!node.calls, "row %zu", i);
        wvl_numa_enter(&node, WVL_NUMA_THREAD | WVL_NUMA_MEMORY, &visit);
        wvl_numa_leave(&visit);
        wvl_numa_enter(NULL, WVL_NUMA_THREAD | WVL_NUMA_MEMORY, &visit);
        wvl_numa_leave(&visit);
    }
    ck_assert_uint_eq(set_count, 0);
}

/* ---- Visits ---------------------------------------------------------------------------------- */

TEST(visits_nest)
{
    wvl_numa_node node;
    wvl_numa_visit outer, inner;
    wvl_numa_find(0, 1, 0, &node);
    mask.words[0] = 0x3c;
    mask.words[1] = 1;
    wvl_numa_enter(&node, WVL_NUMA_THREAD, &outer);
    ck_assert_uint_eq(mask.words[0], 0x30);
    ck_assert_uint_eq(mask.words[1], 0);
    ck_assert_int_eq(mode, WVL_NUMA_DEFAULT);
    wvl_numa_enter(&node, WVL_NUMA_THREAD | WVL_NUMA_MEMORY, &inner);
    ck_assert_int_eq(mode, WVL_NUMA_PREFERRED);
    ck_assert_uint_eq(preferred, 1);
    wvl_numa_leave(&inner);
    ck_assert_int_eq(mode, WVL_NUMA_DEFAULT);
    ck_assert_uint_eq(mask.words[0], 0x30);
    ck_assert_uint_eq(set_count, 1);
    wvl_numa_leave(&outer);
    ck_assert_uint_eq(mask.words[0], 0x3c);
    ck_assert_uint_eq(mask.words[1], 1);
}

/* The thread had `before`, and a visit. Somebody gives it another mask meanwhile: that one stays. The machine takes
 * processors away, and what it leaves the thread is `meanwhile`: what is left of `before` comes back. */
static const struct {
    unsigned long before, meanwhile, allowed, after;
} changes[] = {{0xff, 0x20, ~0ul, 0x20},    {0xff, 0x0c, ~0ul, 0x0c},   {0x3c, 0xff, ~0ul, 0xff},
               {0xff, 0xf0, ~0ul, 0xff},    {0xff, 0x30, 0x3f, 0x3f},   {0xfc, 0x40, 0x43, 0x40},
               {0xfc, 0x0f, 0x0f, 0x0c},    {0xf8, 0x03, 0x03, 0x03},   {0xff, 0x10, 0x3f, 0x10},
               {0xff, 0x80, ~0x40ul, 0x80}, {0xff, 0xb0, ~0x40ul, 0xbf}};

TEST_EACH(changed_meanwhile, sizeof changes / sizeof *changes)
{
    wvl_numa_node node;
    wvl_numa_visit visit;
    wvl_numa_find(0, 1, 0, &node);
    mask.words[0] = changes[_i].before;
    wvl_numa_enter(&node, WVL_NUMA_THREAD, &visit);
    allowed.words[0] = changes[_i].allowed;
    mask.words[0] = changes[_i].meanwhile;
    wvl_numa_leave(&visit);
    ck_assert_msg(mask.words[0] == changes[_i].after, "%d: %lx", _i, mask.words[0]);
}

TEST(policy_of_others)
{
    wvl_numa_node node;
    wvl_numa_visit visit;
    wvl_numa_find(0, 1, 0, &node);
    wvl_numa_enter(&node, WVL_NUMA_MEMORY, &visit);
    mode = 3; /* interleaved */
    wvl_numa_leave(&visit);
    ck_assert_int_eq(mode, 3);
}

/* ---- This machine ---------------------------------------------------------------------------- */

/* The platform's calls, about a memory node that has the first processor of this thread alone. */
static const char *own_cpu(wvl_numa_set *before)
{
    static char text[16];
    unsigned i = 0;
    while (!(before->words[i / WVL_NUMA_WORD_BITS] >> i % WVL_NUMA_WORD_BITS & 1)) {
        i++;
    }
    snprintf(text, sizeof text, "%u\n", i);
    return text;
}

static void *visit_really(void *unused)
{
    wvl_numa_set before, now;
    wvl_numa_node node;
    wvl_numa_visit visit;
    int policy = 0, usual = 0;
    const wvl_numa_calls calls = {read_file, wvl_numa_platform.get_cpus, wvl_numa_platform.set_cpus,
                                  wvl_numa_platform.get_policy, wvl_numa_platform.set_policy};
    ck_assert_int_eq(wvl_numa_platform.get_cpus(&before), 0);
    (void)wvl_numa_platform.get_policy(&usual);
    wvl_numa_test_calls = &calls;
    cpulist = own_cpu(&before);
    numa_node = "0\n";
    wvl_numa_find(0, 1, 0, &node);
    wvl_numa_enter(&node, WVL_NUMA_THREAD | WVL_NUMA_MEMORY, &visit);
    ck_assert_int_eq(wvl_numa_platform.get_cpus(&now), 0);
    ck_assert_uint_eq(count_bits(&now), 1);
    ck_assert_mem_eq(&now, &node.cpus, sizeof now);
    if (visit.prefers) { /* else a container forbids it, or a user has set one */
        ck_assert_int_eq(wvl_numa_platform.get_policy(&policy), 0);
        ck_assert_int_eq(policy, WVL_NUMA_PREFERRED);
    } else {
        fprintf(stderr, "policies of memory cannot be set here\n");
    }
    wvl_numa_leave(&visit);
    ck_assert_int_eq(wvl_numa_platform.get_cpus(&now), 0);
    ck_assert_mem_eq(&now, &before, sizeof now);
    ck_assert(wvl_numa_platform.get_policy(&policy) || policy == usual);
    return unused;
}

TEST(really)
{
#ifdef __linux__
    pthread_t thread;
    char text[64];
    ck_assert_int_eq(pthread_create(&thread, NULL, visit_really, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(wvl_numa_platform.read("/proc/self/comm", text, sizeof text), 0);
    ck_assert_str_eq(text, "test_numa\n");
    ck_assert_int_eq(wvl_numa_platform.read("/proc/self/comm", text, 4), 0);
    ck_assert_str_eq(text, "tes");
    ck_assert_int_ne(wvl_numa_platform.read("/proc/self/none", text, sizeof text), 0);
#endif
    wvl_numa_node node;
    wvl_numa_test_calls = NULL;
    wvl_numa_find(0xffff, 0xff, 0x1f, &node); /* no such device */
    ck_assert_ptr_null(node.calls);
}

TEST_MAIN("numa")
