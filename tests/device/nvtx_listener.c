/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts NVTX ranges and tells at exit: NVTX_INJECTION64_PATH names this library. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvtx3/nvToolsExt.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char name[48];
    unsigned count;
} ranges[32];
static unsigned range_count, closed;

static int NVTX_API count_push(const char *name)
{
    unsigned i = 0;
    (void)pthread_mutex_lock(&lock);
    while (i < range_count && strcmp(ranges[i].name, name) != 0) {
        i++;
    }
    if (i == range_count && range_count < 31) {
        snprintf(ranges[range_count++].name, sizeof ranges[0].name, "%s", name);
    }
    ranges[i].count++;
    (void)pthread_mutex_unlock(&lock);
    return 0;
}

static int NVTX_API count_pop(void)
{
    (void)pthread_mutex_lock(&lock);
    closed++;
    (void)pthread_mutex_unlock(&lock);
    return 0;
}

static void tell(void)
{
    unsigned opened = 0;
    for (unsigned i = 0; i < range_count; i++) {
        opened += ranges[i].count;
        fprintf(stderr, "range %s\n", ranges[i].name);
    }
    fprintf(stderr, "ranges opened %u closed %u\n", opened, closed);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t fetch_table);
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t fetch_table)
{
    const NvtxExportTableCallbacks *table = fetch_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable functions;
    unsigned size;
    if (!table || !table->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size)) {
        return 0;
    }
    *functions[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)count_push;
    *functions[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)count_pop;
    return !atexit(tell);
}
