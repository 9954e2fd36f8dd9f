/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of a backend's workspaces: each is the memory for one job at a time. A backend's job begins with a
 * wvl_workspace. Workspaces are taken, given back and added from any thread, and a free one may be removed; all are
 * removed from one thread, when all are free.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>

typedef struct wvl_workspace {
    struct wvl_workspace *next;
    int busy; /* under the lock of the list */
} wvl_workspace;

typedef struct wvl_workspaces {
    pthread_mutex_t lock;
    wvl_workspace *first;
} wvl_workspaces;

/* 1, or 0: the system has no more locks. */
static inline int wvl_workspaces_init(wvl_workspaces *workspaces)
{
    workspaces->first = NULL;
    return !pthread_mutex_init(&workspaces->lock, NULL);
}

/* After the last workspace was removed. */
static inline void wvl_workspaces_fini(wvl_workspaces *workspaces) { pthread_mutex_destroy(&workspaces->lock); }

static inline void wvl_workspaces_add(wvl_workspaces *workspaces, wvl_workspace *workspace)
{
    pthread_mutex_lock(&workspaces->lock);
    workspace->busy = 0;
    workspace->next = workspaces->first;
    workspaces->first = workspace;
    pthread_mutex_unlock(&workspaces->lock);
}

/* How well a free workspace suits a job; 0: not at all. NULL: all suit. Called under the lock. */
typedef unsigned (*wvl_workspace_fits)(const wvl_workspace *workspace, const void *wanted);

/* Finds where the list names the free workspace that suits best, the first of several. Under the lock. NULL: there is
 * none.
 */
static inline wvl_workspace **wvl_workspaces_find(wvl_workspaces *workspaces, wvl_workspace_fits fits,
                                                  const void *wanted)
{
    wvl_workspace **found = NULL;
    unsigned most = 0;
    for (wvl_workspace **at = &workspaces->first; *at; at = &(*at)->next) {
        unsigned suits = !(*at)->busy;
        if (suits && fits) {
            suits = fits(*at, wanted);
        }
        if (suits > most) {
            most = suits;
            found = at;
        }
    }
    return found;
}

/* The workspace that no job has and that suits best. NULL: there is none. */
static inline wvl_workspace *wvl_workspaces_take_fitting(wvl_workspaces *workspaces, wvl_workspace_fits fits,
                                                         const void *wanted)
{
    pthread_mutex_lock(&workspaces->lock);
    wvl_workspace **at = wvl_workspaces_find(workspaces, fits, wanted), *found = at ? *at : NULL;
    if (found) {
        found->busy = 1;
    }
    pthread_mutex_unlock(&workspaces->lock);
    return found;
}

/* The same, off the list, for the caller to release. */
static inline wvl_workspace *wvl_workspaces_remove_fitting(wvl_workspaces *workspaces, wvl_workspace_fits fits,
                                                           const void *wanted)
{
    pthread_mutex_lock(&workspaces->lock);
    wvl_workspace **at = wvl_workspaces_find(workspaces, fits, wanted), *found = at ? *at : NULL;
    if (found) {
        *at = found->next;
    }
    pthread_mutex_unlock(&workspaces->lock);
    return found;
}

/* A workspace that no job has, or NULL. */
static inline wvl_workspace *wvl_workspaces_take(wvl_workspaces *workspaces)
{
    return wvl_workspaces_take_fitting(workspaces, NULL, NULL);
}

static inline void wvl_workspaces_give(wvl_workspaces *workspaces, wvl_workspace *workspace)
{
    pthread_mutex_lock(&workspaces->lock);
    workspace->busy = 0;
    pthread_mutex_unlock(&workspaces->lock);
}

/* Says whether some job has a workspace. */
static inline int wvl_workspaces_are_busy(wvl_workspaces *workspaces)
{
    int busy = 0;
    pthread_mutex_lock(&workspaces->lock);
    for (const wvl_workspace *workspace = workspaces->first; workspace; workspace = workspace->next) {
        busy |= workspace->busy;
    }
    pthread_mutex_unlock(&workspaces->lock);
    return busy;
}

/* Takes the first workspace off the list, for the caller to release; NULL: there is none. */
static inline wvl_workspace *wvl_workspaces_remove(wvl_workspaces *workspaces)
{
    wvl_workspace *workspace = workspaces->first;
    workspaces->first = workspace ? workspace->next : NULL;
    return workspace;
}
