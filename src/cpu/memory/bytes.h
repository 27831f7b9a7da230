/* Unaligned types for elements of one size, whatever their dtype: a c16 of four bytes needs only the alignment of its
 * reals. */
#ifndef TESS_CPU_MEMORY_BYTES_H
#define TESS_CPU_MEMORY_BYTES_H

#include <stdint.h>

typedef uint8_t bytes1;
typedef uint16_t __attribute__((aligned(1))) bytes2;
typedef uint32_t __attribute__((aligned(1))) bytes4;
typedef uint64_t __attribute__((aligned(1))) bytes8;
typedef struct __attribute__((packed)) bytes16 {
    uint64_t low, high;
} bytes16;

#endif
