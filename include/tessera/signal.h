/* Signal processing on spectra and images: all headers of it. */
#ifndef TESSERA_SIGNAL_H
#define TESSERA_SIGNAL_H

#include "tessera/convolve.h"
#include "tessera/correlate.h"
#include "tessera/fsc.h"
#include "tessera/rank_filter.h"

#endif
