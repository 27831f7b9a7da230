/* Tessera: four-dimensional strided arrays (batch, depth, height, width) and the work done on them. */
#ifndef TESSERA_H
#define TESSERA_H

#include "tessera/array.h"
#include "tessera/base.h"
#include "tessera/border.h"
#include "tessera/cancel.h"
#include "tessera/compensated.h"
#include "tessera/sidecar.h"
#include "tessera/device.h"
#include "tessera/dtype.h"
#include "tessera/error.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/geometry.h"
#include "tessera/io.h"
#include "tessera/jobs.h"
#include "tessera/linalg.h"
#include "tessera/mrc.h"
#include "tessera/normalize.h"
#include "tessera/op.h"
#include "tessera/order.h"
#include "tessera/random.h"
#include "tessera/reduce.h"
#include "tessera/resize.h"
#include "tessera/scalar.h"
#include "tessera/scan.h"
#include "tessera/signal.h"
#include "tessera/star.h"
#include "tessera/table.h"
#include "tessera/version.h"

#endif
