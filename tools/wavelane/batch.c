/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run of the command holds for all of its pictures. */
#include "job.h"
#include "settings.h"
#include "trace.h"

static wvl_log_level choose_level(const wvl_cli_args *args)
{
    if (args->verbose > 1) {
        return WVL_LOG_DEBUG;
    }
    return args->verbose ? WVL_LOG_INFO : WVL_LOG_WARNING;
}

static wvl_context_options describe_context(const wvl_cli_batch *s)
{
    const wvl_cli_args *args = s->args;
    return (wvl_context_options){.struct_size = sizeof(wvl_context_options),
                                 .host = wvl_cli_describe_kept(s->kept),
                                 .log = wvl_cli_log,
                                 .threads = args->threads,
                                 .log_level = choose_level(args)};
}

wvl_context *wvl_cli_open_single(const wvl_cli_batch *s)
{
    wvl_context_options options = describe_context(s);
    wvl_context *context;
    options.threads = 1;
    return wvl_context_create(&options, &context) == WVL_OK ? context : NULL;
}

int wvl_cli_open_batch(wvl_cli_batch *s)
{
    const wvl_cli_args *args = s->args;
    s->kept = args->image_dir ? wvl_cli_open_kept() : NULL;
    wvl_context_options options = describe_context(s);
    int code = args->trace ? wvl_cli_open_trace(args, &options) : WVL_EXIT_OK;
    if (code) {
        return code;
    }
    wvl_status status = wvl_context_create(&options, &s->context);
    TRY(status, wvl_cancel_create(s->context, &s->cancel));
    TRY(status, wvl_params_create(s->context, &s->params));
    if (status) {
        return wvl_cli_fail(wvl_cli_exit_code(status), "%s", wvl_status_text(status));
    }
    code = wvl_cli_apply_settings(args, s->params);
    return code ? code : wvl_cli_refuse_idle(args, s->params);
}

void wvl_cli_close_batch(wvl_cli_batch *s)
{
    wvl_cli_close_ahead(s->ahead);
    wvl_params_release(s->params);
    wvl_cancel_release(s->cancel);
    wvl_context_release(s->context);
    wvl_cli_close_kept(s->kept);
}
