/* The fit of one micrograph. */
#include "ctf/micrographs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double micrograph_pixel(const tess_ctf *ctf) { return 0.5 * (ctf->pixel_size[0] + ctf->pixel_size[1]); }

void micrograph_take_fit(micrograph *one, const tess_fit_ctf_result *r)
{
    const double *row = r->table.data;
    one->fit = *(const tess_ctf *)r->fits.data;
    one->score = row[4];
    one->resolution = isfinite(row[5]) ? micrograph_pixel(&one->known) / row[5] : 0;
    memcpy(one->errors, row + 6, sizeof one->errors);
    one->fitted = isfinite(one->fit.defocus);
}

void micrograph_title(char title[400], const micrograph *one, bool has_phase)
{
    const tess_ctf *c = &one->fit;
    const char     *slash = strrchr(one->called, '/');
    char            phase[48] = "", rings[48] = "no rings follow the fit";
    if (has_phase) (void)snprintf(phase, sizeof phase, ", phase shift %.1f\xc2\xb0", CTF_DEGREES * c->phase_shift);
    if (one->resolution > 0)
        (void)snprintf(rings, sizeof rings, "rings to %.1f \xc3\x85", micrograph_pixel(c) / one->resolution);
    (void)snprintf(title, 400, "%.80s: defocus %.0f and %.0f \xc3\x85, %.1f\xc2\xb0%s; correlation %.3f; %s",
                   slash ? slash + 1 : one->called, 1e4 * (c->defocus + c->astigmatism),
                   1e4 * (c->defocus - c->astigmatism), CTF_DEGREES * c->angle, phase, one->score, rings);
}
