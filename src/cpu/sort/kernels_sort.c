/* Sorting and selection of keys. Built once per instruction set. */
#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "cpu/memory/row_copy.h"
#include "cpu/sort/kernels.h"
#include "cpu/template.h"

#define U uint8_t
#define I int8_t
#define BITS 8
#define INFINITY_BITS 0
#define SELECT_BITS 8
#include "cpu/sort/keys.c.inc"
#define U uint16_t
#define I int16_t
#define BITS 16
#define INFINITY_BITS 0x7c00
#define SELECT_BITS 8
#include "cpu/sort/keys.c.inc"
#define U uint32_t
#define I int32_t
#define BITS 32
#define INFINITY_BITS 0x7f800000u
#define SELECT_BITS TESS__DIGIT_BITS
#include "cpu/sort/keys.c.inc"
#define U uint64_t
#define I int64_t
#define BITS 64
#define INFINITY_BITS UINT64_C(0x7ff0000000000000)
#define SELECT_BITS TESS__DIGIT_BITS
#include "cpu/sort/keys.c.inc"

enum {
    SORT_FEW = 32,       /* items, below which insertion sort is used */
    SORT_MANY = 1 << 18, /* bytes of items that the cache holds together with their copy */
    SORT_WIDTH = 11,     /* most bits of a digit of those */
    SORT_BITS = 8        /* bits of the digit by which more items are partitioned */
};

#define ITEM uint8_t
#define SIZE 1
#define KEY(x) (x)
#define WORD uint8_t
#include "cpu/sort/radix.c.inc"
#include "cpu/sort/partition.c.inc"
#define ITEM uint16_t
#define SIZE 2
#define KEY(x) (x)
#define WORD uint16_t
#include "cpu/sort/radix.c.inc"
#include "cpu/sort/partition.c.inc"
#define ITEM uint32_t
#define SIZE 4
#define KEY(x) (x)
#define WORD uint32_t
#include "cpu/sort/radix.c.inc"
#include "cpu/sort/partition.c.inc"
#define ITEM uint64_t
#define SIZE 8
#define KEY(x) (x)
#define WORD uint64_t
#include "cpu/sort/radix.c.inc"
#include "cpu/sort/partition.c.inc"
#define ITEM tess__pair
#define SIZE 16
#define KEY(x) ((x).key)
#define WORD uint64_t
#include "cpu/sort/radix.c.inc"
#include "cpu/sort/partition.c.inc"

#if defined(__AVX512F__)
#define SIZE 4
#define KEY uint32_t
#include "cpu/sort/network.c.inc"
#include "cpu/sort/quick.c.inc"
#define SIZE 8
#define KEY uint64_t
#include "cpu/sort/network.c.inc"
#include "cpu/sort/quick.c.inc"
#endif

void TESS__FILL_KERNELS(sort, sort)(tess__sort_kernels *k);

void TESS__FILL_KERNELS(sort, sort)(tess__sort_kernels *k)
{
    static const tess__key_kernel *const  keys[] = { &key_kernel_8, &key_kernel_16, &key_kernel_32, &key_kernel_64 };
    static const tess__item_kernel *const items[] = { &item_kernel_1, &item_kernel_2, &item_kernel_4, &item_kernel_8,
                                                      &item_kernel_16 };
    memcpy(k->key, keys, sizeof keys);
    memcpy(k->item, items, sizeof items);
#if defined(__AVX512F__)
    k->item[2] = &quick_kernel_4, k->item[3] = &quick_kernel_8;
#endif
}
