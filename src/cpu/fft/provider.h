/* Who transforms: the engine here, or a plugin that TESS_FFT names. */
#ifndef TESS_CPU_FFT_PROVIDER_H
#define TESS_CPU_FFT_PROVIDER_H

#include "backend.h"
#include "cpu/fft/plugin.h"

/* The plugin that is wanted, or NULL: the engine. A wish that cannot be met is an error. */
tess_status tess__fft_plugin_find(const tess__fft_plugin **plugin, const char *fn);

/* The backend's entries for a plugin: a transform on a stream, and getting ready for one, which needs no release. */
tess_status tess__fft_plugin_submit(const tess__fft_plugin *plugin, tess_stream *stream, const tess__fft *work);
tess_status tess__fft_plugin_prepare(const tess__fft_plugin *plugin, const tess__fft *work, struct tess_fft_plan_info *info);

/* Have the plugin in use, if there is one, give back what it keeps. */
void tess__fft_plugin_clear(void);

#endif
