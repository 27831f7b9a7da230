/* Metadata of EER movies: <item name="sensorPixelSize.width" unit="m">7.3e-11</item>, found by its name. */
#include "io/eer/metadata.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/text/text.h"

enum { MAX_BYTES = 1 << 20 };

/* The metres of an item, 0 if it is not there or in another unit. */
static double metres_of(const char *xml, const char *name)
{
    char   wanted[64];
    double value = 0;
    (void)snprintf(wanted, sizeof wanted, "name=\"%s\"", name);
    const char *found = strstr(xml, wanted);
    const char *text = found ? strchr(found, '>') : NULL;
    const char *unit = found ? strstr(found, "unit=\"m\"") : NULL;
    if (!text || !unit || unit > text) return 0;
    for (text++; tess__is_blank(*text); text++) continue;
    const size_t n = strcspn(text, "< \t\r\n");
    if (!tess__text_f64(&value, text, (int64_t)n) || !isfinite(value) || !(value > 0)) return 0;
    return value;
}

void tess__eer_read_metadata(tess_file *file, int64_t at, int64_t n)
{
    static const char *const names[3] = { "", "sensorPixelSize.height", "sensorPixelSize.width" };
    int64_t                  got = 0;
    if (n <= 0 || at < 0 || at > tess__source_size(file->source)) return;
    if (n > MAX_BYTES) n = MAX_BYTES;
    char *xml = tess__alloc((size_t)n + 1);
    if (!xml) return;
    if (tess__source_read(file->source, at, xml, n, &got) != TESS_OK) {
        tess_error_clear();
        got = 0; /* a movie without a pixel size is still a movie */
    }
    xml[got] = '\0';
    for (int k = 1; k < 3; k++) file->info.meta.pixel_size[k] = 1e10 * metres_of(xml, names[k]);
    tess__free(xml);
}
