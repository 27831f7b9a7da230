/* Pi, and physical constants in SI units: those that are exact since 2019, and the electron mass of CODATA 2018. */
#ifndef TESSERA_CONSTANTS_H
#define TESSERA_CONSTANTS_H

#include "tessera/base.h"

#define TESS_PI 3.14159265358979323846

#define TESS_PLANCK 6.62607015e-34             /* joule second */
#define TESS_SPEED_OF_LIGHT 299792458.0        /* metre / second */
#define TESS_ELECTRON_MASS 9.1093837015e-31    /* kilogram */
#define TESS_ELEMENTARY_CHARGE 1.602176634e-19 /* coulomb; an electron has its negative */

#endif
