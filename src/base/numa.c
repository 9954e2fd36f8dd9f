/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* sched_setaffinity, syscall */
#include "base/numa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#define LIST_BYTES 4096u /* sysfs gives no more than a page */

/* ---- The platform ---------------------------------------------------------------------------- */

#if defined(__linux__) && defined(SYS_get_mempolicy) && defined(SYS_set_mempolicy)

static int read_text(const char *path, char *text, size_t bytes)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        return 1;
    }
    size_t count = fread(text, 1, bytes - 1, file);
    int failed = ferror(file);
    (void)fclose(file);
    text[count] = 0;
    return failed;
}

static int get_cpus(wvl_numa_set *cpus)
{
    memset(cpus, 0, sizeof *cpus);
    return sched_getaffinity(0, sizeof *cpus, (cpu_set_t *)(void *)cpus);
}

static int set_cpus(const wvl_numa_set *cpus)
{
    return sched_setaffinity(0, sizeof *cpus, (const cpu_set_t *)(const void *)cpus);
}

/* The C library has no functions for these. Some containers forbid them. */
static int get_policy(int *mode) { return syscall(SYS_get_mempolicy, mode, NULL, 0, NULL, 0) != 0; }

static int set_policy(int mode, unsigned node)
{
    wvl_numa_set nodes;
    memset(&nodes, 0, sizeof nodes);
    nodes.words[node / WVL_NUMA_WORD_BITS] = 1ul << node % WVL_NUMA_WORD_BITS;
    const void *of = mode == WVL_NUMA_PREFERRED ? &nodes : NULL;
    return syscall(SYS_set_mempolicy, mode, of, of ? (unsigned long)WVL_NUMA_CPUS : 0ul) != 0;
}

const wvl_numa_calls wvl_numa_platform = {read_text, get_cpus, set_cpus, get_policy, set_policy};

#else

const wvl_numa_calls wvl_numa_platform; /* it says nothing */

#endif

#ifdef WVL_TESTING
const wvl_numa_calls *wvl_numa_test_calls;
#endif

static const wvl_numa_calls *fetch_calls(void)
{
#ifdef WVL_TESTING
    return wvl_numa_test_calls ? wvl_numa_test_calls : &wvl_numa_platform;
#else
    return &wvl_numa_platform;
#endif
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* A list of sysfs, as "0-3,8". 0: it is none. */
static int parse_list(const char *text, wvl_numa_set *set)
{
    memset(set, 0, sizeof *set);
    while (is_digit(*text)) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (*end == '-') {
            last = strtoul(end + 1, &end, 10);
        }
        if (last < first || last >= WVL_NUMA_CPUS) {
            return 0;
        }
        for (unsigned long i = first; i <= last; i++) {
            set->words[i / WVL_NUMA_WORD_BITS] |= 1ul << i % WVL_NUMA_WORD_BITS;
        }
        text = *end == ',' ? end + 1 : end;
    }
    return !*text || *text == '\n';
}

static int read_list(const wvl_numa_calls *calls, const char *path, wvl_numa_set *set)
{
    char text[LIST_BYTES];
    return !calls->read(path, text, sizeof text) && parse_list(text, set);
}

static int has_several(const wvl_numa_set *set)
{
    unsigned found = 0;
    for (unsigned i = 0; i < WVL_NUMA_CPUS && found < 2; i++) {
        found += (unsigned)(set->words[i / WVL_NUMA_WORD_BITS] >> i % WVL_NUMA_WORD_BITS & 1);
    }
    return found > 1;
}

/* Finds what both have. 0: nothing. */
static int intersect(const wvl_numa_set *a, const wvl_numa_set *b, wvl_numa_set *both)
{
    unsigned long any = 0;
    for (size_t i = 0; i < sizeof a->words / sizeof *a->words; i++) {
        both->words[i] = a->words[i] & b->words[i];
        any |= both->words[i];
    }
    return any != 0;
}

static int are_equal(const wvl_numa_set *a, const wvl_numa_set *b) { return !memcmp(a, b, sizeof *a); }

/* ---- Memory nodes ---------------------------------------------------------------------------- */

void wvl_numa_find(unsigned domain, unsigned bus, unsigned pci_device, wvl_numa_node *node)
{
    char path[96];
    wvl_numa_set nodes;
    const wvl_numa_calls *calls = fetch_calls();
    memset(node, 0, sizeof *node);
    if (!calls->read || !read_list(calls, "/sys/devices/system/node/online", &nodes) || !has_several(&nodes)) {
        return;
    }
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%04x:%02x:%02x.0/numa_node", domain, bus, pci_device);
    /* -1: the machine does not say. */
    char text[32];
    long number = calls->read(path, text, sizeof text) ? -1 : strtol(text, NULL, 10);
    if (number < 0 || number >= (long)WVL_NUMA_CPUS) {
        return;
    }
    snprintf(path, sizeof path, "/sys/devices/system/node/node%ld/cpulist", number);
    if (read_list(calls, path, &node->cpus)) {
        node->calls = calls;
        node->number = (unsigned)number;
    }
}

/* ---- Visits ---------------------------------------------------------------------------------- */

static int move_thread(const wvl_numa_node *node, wvl_numa_visit *visit)
{
    wvl_numa_set wanted;
    return !node->calls->get_cpus(&visit->before) && intersect(&visit->before, &node->cpus, &wanted) &&
           !are_equal(&wanted, &visit->before) && !node->calls->set_cpus(&wanted);
}

static int prefer_memory(const wvl_numa_node *node)
{
    int mode;
    return !node->calls->get_policy(&mode) && mode == WVL_NUMA_DEFAULT &&
           !node->calls->set_policy(WVL_NUMA_PREFERRED, node->number);
}

void wvl_numa_enter(const wvl_numa_node *node, unsigned what, wvl_numa_visit *visit)
{
    visit->node = node && node->calls ? node : NULL;
    visit->is_moved = visit->prefers = 0;
    if (visit->node && what & WVL_NUMA_THREAD) {
        visit->is_moved = move_thread(node, visit);
    }
    if (visit->node && what & WVL_NUMA_MEMORY) {
        visit->prefers = prefer_memory(node);
    }
}

/* The thread has another mask than the visit gave it, which was `ours`. Asked for `ours` again, a platform that has
 * taken processors away (a cpuset, a processor that went offline) gives the same as now, or nothing; then that is no
 * wish of anybody. Else somebody has set it, and it is put back. */
static int is_set_by_others(const wvl_numa_calls *calls, const wvl_numa_set *ours, const wvl_numa_set *now)
{
    wvl_numa_set given;
    if (calls->set_cpus(ours) || calls->get_cpus(&given) || are_equal(&given, now)) {
        return 0;
    }
    (void)calls->set_cpus(now);
    return 1;
}

void wvl_numa_leave(const wvl_numa_visit *visit)
{
    wvl_numa_set now, ours;
    const wvl_numa_node *node = visit->node;
    int mode;
    if (visit->prefers && !node->calls->get_policy(&mode) && mode == WVL_NUMA_PREFERRED) {
        (void)node->calls->set_policy(WVL_NUMA_DEFAULT, 0);
    }
    if (visit->is_moved && intersect(&visit->before, &node->cpus, &ours) && !node->calls->get_cpus(&now) &&
        (are_equal(&now, &ours) || !is_set_by_others(node->calls, &ours, &now))) {
        (void)node->calls->set_cpus(&visit->before);
    }
}
