/* Units of length: a table of names, in UTF-8, in Latin-1, and as ImageJ and XML escape them. */
#include "io/text/length_unit.h"

#include <string.h>

/* Of micro there is a sign and the letter mu, of Å a letter and the sign of the unit. */
static const struct {
    double      angstrom;
    const char *names; /* words */
} units[] = {
    { 1e10, "m meter metre" },
    { 2.54e8, "in inch" },
    { 1e8, "cm" },
    { 1e7, "mm millimeter millimetre" },
    { 1e4, "um micron microns micrometer micrometre \xc2\xb5m \xce\xbcm \xb5m \\u00B5m \\u00b5m &#181;m &#xB5;m" },
    { 10, "nm nanometer nanometre" },
    { 1, "A angstrom Angstrom angstroms Angstroms \xc3\x85 \xe2\x84\xab \xc5 \\u00C5 \\u00c5 &#197; &#xC5;" },
    { 0.01, "pm" },
};

double tess__length_unit(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (const char *word = units[i].names; *word;) {
            const size_t length = strcspn(word, " ");
            if (length == n && memcmp(word, name, n) == 0) return units[i].angstrom;
            word += length + strspn(word + length, " ");
        }
    return 0;
}
