/* Includes all headers on geometry. Vectors and matrices are in the order z, y, x, a pixel's coordinate is its index,
 * and the centre of n pixels is n / 2, rounded down; see docs/geometry.md. */
#ifndef TESSERA_GEOMETRY_H
#define TESSERA_GEOMETRY_H

#include "tessera/distance.h"
#include "tessera/draw.h"
#include "tessera/fourier_project.h"
#include "tessera/fourier_slices.h"
#include "tessera/interp.h"
#include "tessera/match_projections.h"
#include "tessera/matrix.h"
#include "tessera/polar.h"
#include "tessera/project.h"
#include "tessera/rotation.h"
#include "tessera/spectrum_transform.h"
#include "tessera/symmetrize.h"
#include "tessera/symmetry.h"
#include "tessera/transform.h"

#endif
