/* Structs of parameters: many values of an operator as one parameter. See tessera/op_define.h.
 *
 *     TESS_STRUCT(lens, (f64 cs, f64 voltage, f32 matrix[6]))
 *
 * defines `typedef struct lens { .. } lens` for C, and keeps its text for operators with val(lens, p). Members are
 * bool, i8 .. u64, f32, f64, c32 and c64, and arrays of them. Bodies use p.cs and p.matrix[2], with a number as the
 * index. The structs of an operator have at most 1024 bytes in total, and a struct has at most 32 members.
 */
#ifndef TESSERA_OP_STRUCT_H
#define TESSERA_OP_STRUCT_H

#include "tessera/each.h"
#include "tessera/op_call.h"
#include "tessera/op_type.h"

#define TESS_STRUCT(name, members)                                                                                     \
    TESS__STRUCT(name, members)                                                                                        \
    TESS__STRUCT_AS_TEXT(name, "struct " #name #members)

/* By the name of a type in parameter lists: the text of a struct; none for numbers. */
#define TESS__STRUCT_AS_TEXT(name, text) TESS__UNUSED static const char TESS__STRUCT_TEXT_##name[] = text;
/* clang-format off */
#define TESS__STRUCT_TEXT_bool ""
#define TESS__STRUCT_TEXT__Bool ""
#define TESS__STRUCT_TEXT_i8 ""
#define TESS__STRUCT_TEXT_i16 ""
#define TESS__STRUCT_TEXT_i32 ""
#define TESS__STRUCT_TEXT_i64 ""
#define TESS__STRUCT_TEXT_u8 ""
#define TESS__STRUCT_TEXT_u16 ""
#define TESS__STRUCT_TEXT_u32 ""
#define TESS__STRUCT_TEXT_u64 ""
#define TESS__STRUCT_TEXT_f16 ""
#define TESS__STRUCT_TEXT_f32 ""
#define TESS__STRUCT_TEXT_f64 ""
#define TESS__STRUCT_TEXT_c16 ""
#define TESS__STRUCT_TEXT_c32 ""
#define TESS__STRUCT_TEXT_c64 ""
#define TESS__STRUCT_TEXT_int ""
#define TESS__STRUCT_TEXT_float ""
#define TESS__STRUCT_TEXT_double ""
/* clang-format on */

/* Declarations with the names by which macros know numbers (tessera/op_type.h): the macros of operators concatenate
 * names and find these. */
#define TESS__STRUCT(name, members)                                                                                    \
    typedef struct name {                                                                                              \
        TESS__STRUCT_MEMBERS(TESS__PLAIN members)                                                                      \
    } name;                                                                                                            \
    TESS__UNUSED typedef name TESS__IN_BODY_##name, TESS__STORED_##name, TESS__HELD_##name;                            \
    enum { TESS__DTYPE_##name = TESS_DTYPE_NONE };                                                                     \
    TESS__UNUSED static inline name tess__get_TESS__NAME_##name(const void *tess__value, int64_t tess__i)              \
    {                                                                                                                  \
        name tess__copied;                                                                                             \
        memcpy(&tess__copied, ((const void *const *)tess__value)[tess__i], sizeof tess__copied);                       \
        return tess__copied;                                                                                           \
    }                                                                                                                  \
    TESS__UNUSED static inline tess_bind tess__bind_structure_##name(const name *tess__at)                             \
    {                                                                                                                  \
        static const tess_struct_def tess__def = { #name, sizeof(name) };                                              \
        return tess__bind_structure(tess__at, &tess__def);                                                             \
    }
#define TESS__STRUCT_MEMBERS(...) TESS__EACH(TESS__STRUCT_MEMBER, ~, __VA_ARGS__)
#define TESS__STRUCT_MEMBER(unused, x) TESS__IN_BODY_##x;

#endif
