/* Applies a macro to each of up to 32 arguments: TESS__EACH(m, c, x, y) is m(c, x) m(c, y). */
#ifndef TESSERA_EACH_H
#define TESSERA_EACH_H

#include "tessera/base.h"

#define TESS__PASTE_(a, b) a##b
#define TESS__PASTE(a, b) TESS__PASTE_(a, b)
#define TESS__FIRST(...) TESS__FIRST_(__VA_ARGS__, ~)
#define TESS__FIRST_(a, ...) a
#define TESS__PLAIN(...) __VA_ARGS__

/* clang-format off */
#define TESS__COUNT(...)                                                                                               \
    TESS__COUNT_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11,  \
                 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define TESS__COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,   \
                     a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, count, ...)                                \
    count

#define TESS__EACH(m, c, ...) TESS__PASTE(TESS__EACH_, TESS__COUNT(__VA_ARGS__))(m, c, __VA_ARGS__)
#define TESS__EACH_1(m, c, x) m(c, x)
#define TESS__EACH_2(m, c, x, ...) m(c, x) TESS__EACH_1(m, c, __VA_ARGS__)
#define TESS__EACH_3(m, c, x, ...) m(c, x) TESS__EACH_2(m, c, __VA_ARGS__)
#define TESS__EACH_4(m, c, x, ...) m(c, x) TESS__EACH_3(m, c, __VA_ARGS__)
#define TESS__EACH_5(m, c, x, ...) m(c, x) TESS__EACH_4(m, c, __VA_ARGS__)
#define TESS__EACH_6(m, c, x, ...) m(c, x) TESS__EACH_5(m, c, __VA_ARGS__)
#define TESS__EACH_7(m, c, x, ...) m(c, x) TESS__EACH_6(m, c, __VA_ARGS__)
#define TESS__EACH_8(m, c, x, ...) m(c, x) TESS__EACH_7(m, c, __VA_ARGS__)
#define TESS__EACH_9(m, c, x, ...) m(c, x) TESS__EACH_8(m, c, __VA_ARGS__)
#define TESS__EACH_10(m, c, x, ...) m(c, x) TESS__EACH_9(m, c, __VA_ARGS__)
#define TESS__EACH_11(m, c, x, ...) m(c, x) TESS__EACH_10(m, c, __VA_ARGS__)
#define TESS__EACH_12(m, c, x, ...) m(c, x) TESS__EACH_11(m, c, __VA_ARGS__)
#define TESS__EACH_13(m, c, x, ...) m(c, x) TESS__EACH_12(m, c, __VA_ARGS__)
#define TESS__EACH_14(m, c, x, ...) m(c, x) TESS__EACH_13(m, c, __VA_ARGS__)
#define TESS__EACH_15(m, c, x, ...) m(c, x) TESS__EACH_14(m, c, __VA_ARGS__)
#define TESS__EACH_16(m, c, x, ...) m(c, x) TESS__EACH_15(m, c, __VA_ARGS__)
#define TESS__EACH_17(m, c, x, ...) m(c, x) TESS__EACH_16(m, c, __VA_ARGS__)
#define TESS__EACH_18(m, c, x, ...) m(c, x) TESS__EACH_17(m, c, __VA_ARGS__)
#define TESS__EACH_19(m, c, x, ...) m(c, x) TESS__EACH_18(m, c, __VA_ARGS__)
#define TESS__EACH_20(m, c, x, ...) m(c, x) TESS__EACH_19(m, c, __VA_ARGS__)
#define TESS__EACH_21(m, c, x, ...) m(c, x) TESS__EACH_20(m, c, __VA_ARGS__)
#define TESS__EACH_22(m, c, x, ...) m(c, x) TESS__EACH_21(m, c, __VA_ARGS__)
#define TESS__EACH_23(m, c, x, ...) m(c, x) TESS__EACH_22(m, c, __VA_ARGS__)
#define TESS__EACH_24(m, c, x, ...) m(c, x) TESS__EACH_23(m, c, __VA_ARGS__)
#define TESS__EACH_25(m, c, x, ...) m(c, x) TESS__EACH_24(m, c, __VA_ARGS__)
#define TESS__EACH_26(m, c, x, ...) m(c, x) TESS__EACH_25(m, c, __VA_ARGS__)
#define TESS__EACH_27(m, c, x, ...) m(c, x) TESS__EACH_26(m, c, __VA_ARGS__)
#define TESS__EACH_28(m, c, x, ...) m(c, x) TESS__EACH_27(m, c, __VA_ARGS__)
#define TESS__EACH_29(m, c, x, ...) m(c, x) TESS__EACH_28(m, c, __VA_ARGS__)
#define TESS__EACH_30(m, c, x, ...) m(c, x) TESS__EACH_29(m, c, __VA_ARGS__)
#define TESS__EACH_31(m, c, x, ...) m(c, x) TESS__EACH_30(m, c, __VA_ARGS__)
#define TESS__EACH_32(m, c, x, ...) m(c, x) TESS__EACH_31(m, c, __VA_ARGS__)
/* clang-format on */

#endif
