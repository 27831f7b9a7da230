/* Operators compiled with the program, at file scope.
 *
 *     TESS_EWISE(fuse, (in(f32,x), in(f32,y), val(f32,a), out(f32,z)), z = a*x + tessm_cos(y); )
 *     TESS_IWISE(edge, (view(f32,v,clamp), out(f32,z)), z = tess_at(v, b, d, h, w + 1) - tess_at(v, b, d, h, w); )
 *     TESS_REDUCE(sum_of_squares, (in(f32,x), acc(f64,s,sum), out(f64,z)), f64 y = x; s += y*y; )
 *     TESS_TRY(tess_call(&fuse, &x, &y, 2.0f, &z));
 *
 * Parameters are in(type, name), out, inout, val, view(type, name[, border]), scatter(type, name) and acc(type, name,
 * monoid[, start]), where the monoid is sum, prod, min, max, any, all or none. The border `value` is followed by the
 * value outside, a constant or a val: view(f32, v, value, -1). A spectrum has its layout in place of a border,
 * spectrum_h, spectrum_hc, spectrum_f or spectrum_fc, and is read at signed frequencies. The list may also contain
 * join(..) and post(..), with the statements of these blocks, and use(f) for each function of TESS_DEVICE_FN that is
 * called:
 *
 *     TESS_DEVICE_FN(f32, lerp, (f32 a, f32 b, f32 t), return a + (b - a)*t; )
 *     TESS_EWISE(mix, (in(f32,x), in(f32,y), out(f32,z), use(lerp)), z = lerp(x, y, 0.25f); )
 *
 * A struct of numbers and arrays of numbers, also defined at file scope, passes many values as one parameter:
 *
 *     TESS_STRUCT(lens, (f64 cs, f64 voltage, f32 matrix[6]))
 *     TESS_EWISE(blur, (in(f32,x), val(lens,p), out(f32,z)), z = p.matrix[0]*x + (f32)p.cs; )
 *     TESS_TRY(tess_call(&blur, &x, tess_struct(lens, &mine), &z));
 *
 * A body is C code and also the text of an operator: it is compiled with the program, and the text is checked at the
 * first call and printed for other devices. It must use only the language of docs/operators.md. It calls tessm_NAME of
 * tessera/math.h, reads views with tess_at(v, b, d, h, w), and adds to scatters with tess_at(s, b, d, h, w) += e, or
 * between two elements with tessm_add_linear(s, b, d, h, x, e). Types are i8 .. u64, f32, f64, c32 and c64. f16 and c16
 * are allowed only for parameters, whose values are f32 and c32 in the body. TESS_IWISE and TESS_REDUCE have the
 * indices b, d, h, w, of int64_t. Complex numbers are added and multiplied by functions: tessera/op_complex.h.
 *
 * A macro defines `static tess_op_def name` and static functions name_tile, name_join, name_post. Undefined behaviour
 * in C is undefined in a body too: dividing integers by 0, overflow of signed integers, conversion of huge floats to
 * integers, shifts beyond the width. In text these are defined.
 *
 * Results are bit-identical to those of the text. gcc and clang do not contract products and sums in bodies, whatever
 * the compiler options, with two exceptions. clang's -ffp-contract=fast cannot be overridden. When gcc vectorises for
 * processors with FMA, it contracts complex products written out in parts (x_re*y_re - x_im*y_im beside x_re*y_im +
 * x_im*y_re); tessm_mul and tessm_mul_conj are the same everywhere.
 *
 * Loops are vectorised at -O2 and -O3. Loops with a square root also need -fno-math-errno; with gcc, arithmetic under
 * an `if` also needs -fno-trapping-math. sin, cos, tan and sinc are vectorised too unless arguments are huge, except in
 * functions of TESS_DEVICE_FN and in C++17.
 */
#ifndef TESSERA_OP_DEFINE_H
#define TESSERA_OP_DEFINE_H

#include "tessera/each.h"
#include "tessera/math.h"
#include "tessera/op_block.h"
#include "tessera/op_call.h"
#include "tessera/op_complex.h"
#include "tessera/op_lane.h"
#include "tessera/op_run.h"
#include "tessera/op_struct.h"

/* ---- Compiler attributes ---- */

/* Bodies are in a function that is inlined into loops. For gcc, each function needs an attribute that disables
 * contraction, which also enables vectorisation at -O2. Other attributes would prevent inlining of the functions that
 * bodies call. */
#if defined(__clang__)
#define TESS__LOOP_FN
#define TESS__BODY_FN __attribute__((always_inline)) inline
#define TESS__UNUSED __attribute__((unused))
#define TESS__NO_CONTRACTION _Pragma("clang fp contract(off)")
#define TESS__INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define TESS__QUIET                                                                                                    \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wshadow\"")                                  \
        _Pragma("clang diagnostic ignored \"-Wpass-failed\"")
#define TESS__LOUD _Pragma("clang diagnostic pop")
#elif defined(__GNUC__)
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define TESS__LOOP_FN __attribute__((optimize("O3", "fp-contract=off")))
#else
#define TESS__LOOP_FN __attribute__((optimize("fp-contract=off")))
#endif
#define TESS__BODY_FN __attribute__((always_inline)) inline
#define TESS__UNUSED __attribute__((unused))
#define TESS__NO_CONTRACTION
#define TESS__INDEPENDENT _Pragma("GCC ivdep")
#define TESS__QUIET _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define TESS__LOUD _Pragma("GCC diagnostic pop")
#else
#define TESS__LOOP_FN
#define TESS__BODY_FN inline
#define TESS__UNUSED
#define TESS__NO_CONTRACTION
#define TESS__INDEPENDENT
#define TESS__QUIET
#define TESS__LOUD
#endif

#if defined(__GNUC__)
#define TESS__CALLED __attribute__((noinline))
#define TESS__ALONE __restrict__
#else
#define TESS__CALLED
#define TESS__ALONE
#endif

#ifdef __cplusplus
#define TESS__ALIGNED alignas(16)
#else
#define TESS__ALIGNED _Alignas(16)
#endif

/* ---- Names of types, in bodies and in lists of parameters ---- */

#define TESS__TYPES                                                                                                    \
    TESS__UNUSED typedef int8_t   i8;                                                                                  \
    TESS__UNUSED typedef int16_t  i16;                                                                                 \
    TESS__UNUSED typedef int32_t  i32;                                                                                 \
    TESS__UNUSED typedef int64_t  i64;                                                                                 \
    TESS__UNUSED typedef uint8_t  u8;                                                                                  \
    TESS__UNUSED typedef uint16_t u16;                                                                                 \
    TESS__UNUSED typedef uint32_t u32;                                                                                 \
    TESS__UNUSED typedef uint64_t u64;                                                                                 \
    TESS__UNUSED typedef float    f32;                                                                                 \
    TESS__UNUSED typedef double   f64;                                                                                 \
    TESS__UNUSED typedef tess_c32 c32;                                                                                 \
    TESS__UNUSED typedef tess_c64 c64;

/* ---- Lists of parameters ---- */

/* TESS__FOR(role, task, params) expands to task(type, name, ..) for each parameter of that role. An entry is converted
 * to a list that begins with its role; two roles are equal if their concatenated names are a macro. */
#define TESS__FOR(role, task, params) TESS__FOR_((role, task), TESS__PLAIN params)
#define TESS__FOR_(pair, ...) TESS__EACH(TESS__FOR_ENTRY, pair, __VA_ARGS__)
#define TESS__FOR_ENTRY(pair, entry) TESS__FOR_ONE(TESS__PLAIN pair, TESS__ENTRY_##entry)
#define TESS__FOR_ONE(...) TESS__FOR_ONE_(__VA_ARGS__)
#define TESS__FOR_ONE_(wanted, task, role, ...)                                                                        \
    TESS__PASTE(TESS__IF_, TESS__SECOND(TESS__SAME_##wanted##_##role, 0, ~))(task(__VA_ARGS__))
#define TESS__SECOND(...) TESS__SECOND_(__VA_ARGS__)
#define TESS__SECOND_(a, b, ...) b
#define TESS__IF_0(...)
#define TESS__IF_1(...) __VA_ARGS__

#define TESS__ENTRY_in(T, x) in, T, x
#define TESS__ENTRY_out(T, x) out, T, x
#define TESS__ENTRY_inout(T, x) inout, T, x
#define TESS__ENTRY_val(T, x) val, T, x
#define TESS__ENTRY_view(T, ...) view, T, __VA_ARGS__, zero, ~
#define TESS__ENTRY_scatter(T, x) scatter, T, x
#define TESS__ENTRY_acc(T, x, ...) acc, T, x, __VA_ARGS__, ~
#define TESS__ENTRY_post(...) post, __VA_ARGS__
#define TESS__ENTRY_join(...) join, __VA_ARGS__
#define TESS__ENTRY_use(f) use, f

#define TESS__SAME_in_in ~, 1
#define TESS__SAME_out_out ~, 1
#define TESS__SAME_inout_inout ~, 1
#define TESS__SAME_val_val ~, 1
#define TESS__SAME_view_view ~, 1
#define TESS__SAME_scatter_scatter ~, 1
#define TESS__SAME_acc_acc ~, 1
#define TESS__SAME_post_post ~, 1
#define TESS__SAME_join_join ~, 1
#define TESS__SAME_use_use ~, 1

/* In the order of the list: the indices of parameters, and the entries for tess__blocks. */
#define TESS__NUMBERS(params) TESS__NUMBERS_(TESS__PLAIN params)
#define TESS__NUMBERS_(...) TESS__EACH(TESS__NUMBER, ~, __VA_ARGS__)
#define TESS__NUMBER(unused, entry) TESS__NUMBER_##entry
#define TESS__NUMBER_in(T, x) tess__k_##x,
#define TESS__NUMBER_out(T, x) tess__k_##x,
#define TESS__NUMBER_inout(T, x) tess__k_##x,
#define TESS__NUMBER_val(T, x) tess__k_##x,
#define TESS__NUMBER_view(T, ...) TESS__PASTE(tess__k_, TESS__FIRST(__VA_ARGS__)),
#define TESS__NUMBER_scatter(T, x) tess__k_##x,
#define TESS__NUMBER_acc(T, x, ...) tess__k_##x,
#define TESS__NUMBER_post(...)
#define TESS__NUMBER_join(...)
#define TESS__NUMBER_use(f)

#define TESS__ROLES(params) TESS__ROLES_(TESS__PLAIN params)
#define TESS__ROLES_(...) TESS__EACH(TESS__ROLE, ~, __VA_ARGS__)
#define TESS__ROLE(unused, entry) TESS__ROLE_OF_##entry
#define TESS__ROLE_OF_in(T, x) TESS__ROLE_OF(TESS__ROLE_IN, T, TESS__HELD_##T)
#define TESS__ROLE_OF_out(T, x) TESS__ROLE_OF(tess__reduces ? TESS__ROLE_OTHER : TESS__ROLE_OUT, T, TESS__HELD_##T)
#define TESS__ROLE_OF_inout(T, x) TESS__ROLE_OF(TESS__ROLE_INOUT, T, TESS__HELD_##T)
#define TESS__ROLE_OF_val(T, x) TESS__ROLE_OF(TESS__ROLE_OTHER, T, TESS__HELD_##T)
#define TESS__ROLE_OF_view(T, ...) TESS__ROLE_OF(TESS__ROLE_OTHER, T, TESS__HELD_##T)
#define TESS__ROLE_OF_scatter(T, x) TESS__ROLE_OF(TESS__ROLE_SCATTER, T, TESS__HELD_##T)
#define TESS__ROLE_OF_acc(T, x, ...)                                                                                   \
    { TESS__ROLE_ACC, TESS__DTYPE_##T, (int32_t)sizeof(TESS__LANE(T, x, __VA_ARGS__, ~)),                              \
      (int32_t)sizeof(TESS__LANE(T, x, __VA_ARGS__, ~)) },
#define TESS__ROLE_OF_post(...)
#define TESS__ROLE_OF_join(...)
#define TESS__ROLE_OF_use(f)
#define TESS__ROLE_OF(role, T, held)                                                                                   \
    { role, TESS__DTYPE_##T, (int32_t)sizeof(TESS__STORED_##T), (int32_t)sizeof(held) },

/* ---- Data of a block: members of a struct, and their initialisation ---- */

#define TESS__MEMBER_in(T, x)                                                                                          \
    const TESS__HELD_##T *x;                                                                                           \
    int64_t               tess__step_##x;
#define TESS__MEMBER_out(T, x) TESS__HELD_##T *x;
#define TESS__MEMBER_inout(T, x)                                                                                       \
    const TESS__HELD_##T *x;                                                                                           \
    TESS__HELD_##T       *tess__out_##x;
#define TESS__MEMBER_val(T, x) TESS__IN_BODY_##T x;
#define TESS__MEMBER_view(T, x, ...) TESS__PASTE(tess_view_, TESS__NAME_##T) x;
#define TESS__MEMBER_scatter(T, x) TESS__PASTE(tess_scatter_, TESS__NAME_##T) x;
#define TESS__MEMBERS(params)                                                                                          \
    TESS__FOR(in, TESS__MEMBER_in, params)                                                                             \
    TESS__FOR(out, TESS__MEMBER_out, params)                                                                           \
    TESS__FOR(inout, TESS__MEMBER_inout, params)                                                                       \
    TESS__FOR(val, TESS__MEMBER_val, params)                                                                           \
    TESS__FOR(view, TESS__MEMBER_view, params)                                                                         \
    TESS__FOR(scatter, TESS__MEMBER_scatter, params)

#define TESS__SET_in(T, x)                                                                                             \
    tess__args.x = (const TESS__HELD_##T *)tess__span->in[tess__k_##x];                                                \
    tess__args.tess__step_##x = 1;
#define TESS__SET_STEP(T, x) tess__args.tess__step_##x = tess__span->step[tess__k_##x];
#define TESS__SET_inout(T, x)                                                                                          \
    tess__args.x = (const TESS__HELD_##T *)tess__span->in[tess__k_##x];                                                \
    tess__args.tess__out_##x = (TESS__HELD_##T *)tess__span->out[tess__k_##x];
#define TESS__SET_val(T, x) tess__args.x = TESS__VALUE(T, x);
#define TESS__SET_view(T, x, border, ...)                                                                              \
    tess__args.x = TESS__PASTE(tess__view_, TESS__NAME_##T)(                                                           \
        tess__tile->ptr[tess__k_##x], tess__tile->stride[tess__k_##x], tess__tile->shape[tess__k_##x],                 \
        TESS__BORDER_IS_##border, tess__k_##x, tess__tile->fault);
#define TESS__SET_OUTSIDE(T, x, border, ...) TESS__PASTE(TESS__OUTSIDE_, border)(T, x, __VA_ARGS__)
#define TESS__OUTSIDE_zero(...)
#define TESS__OUTSIDE_clamp(...)
#define TESS__OUTSIDE_mirror(...)
#define TESS__OUTSIDE_reflect(...)
#define TESS__OUTSIDE_periodic(...)
#define TESS__OUTSIDE_nothing(...)
#define TESS__OUTSIDE_error(...)
#define TESS__OUTSIDE_spectrum_f(...)
#define TESS__OUTSIDE_spectrum_fc(...)
#define TESS__OUTSIDE_spectrum_h(...)
#define TESS__OUTSIDE_spectrum_hc(...)
#define TESS__OUTSIDE_value(T, x, outside, ...)                                                                        \
    TESS__PASTE(tess__put_, TESS__NAME_##T)(&tess__args.x.value, 0, outside);
#define TESS__SET_scatter(T, x)                                                                                        \
    tess__args.x = TESS__PASTE(tess__scatter_, TESS__NAME_##T)(                                                        \
        tess__tile->ptr[tess__k_##x], tess__tile->stride[tess__k_##x], tess__tile->shape[tess__k_##x]);
#define TESS__SET_OUTSIDES(params)                                                                                     \
    {                                                                                                                  \
        TESS__FOR(val, TESS__POST_val, params)                                                                         \
        TESS__FOR(view, TESS__SET_OUTSIDE, params)                                                                     \
    }
#define TESS__SETS(params)                                                                                             \
    TESS__FOR(in, TESS__SET_in, params)                                                                                \
    TESS__FOR(inout, TESS__SET_inout, params)                                                                          \
    TESS__FOR(val, TESS__SET_val, params)                                                                              \
    TESS__FOR(view, TESS__SET_view, params)                                                                            \
    TESS__SET_OUTSIDES(params)                                                                                         \
    TESS__FOR(scatter, TESS__SET_scatter, params)

#define TESS__VALUE(T, x) TESS__PASTE(tess__get_, TESS__NAME_##T)((const char *)tess__tile->val + 16 * tess__k_##x, 0)

/* The borders that a view can name. */
enum {
#define TESS__BORDER(name, NAME, help) TESS__BORDER_IS_##name = TESS_BORDER_##NAME,
#include "tessera/math/borders.def"
    TESS__BORDER_IS_error = TESS__BORDER_FAULT,
    TESS__BORDER_IS_spectrum_f = TESS__BORDER_SPECTRUM_F,
    TESS__BORDER_IS_spectrum_fc = TESS__BORDER_SPECTRUM_FC,
    TESS__BORDER_IS_spectrum_h = TESS__BORDER_SPECTRUM_H,
    TESS__BORDER_IS_spectrum_hc = TESS__BORDER_SPECTRUM_HC
};

/* ---- Variables of a body: before it and after it ---- */

#define TESS__LOAD_in(T, x)                                                                                            \
    TESS__UNUSED const TESS__IN_BODY_##T x = tess__args->x[tess__i * tess__args->tess__step_##x];
#define TESS__LOAD_out(T, x) TESS__UNUSED TESS__IN_BODY_##T x;
#define TESS__LOAD_inout(T, x) TESS__IN_BODY_##T x = tess__args->x[tess__i];
#define TESS__LOAD_val(T, x) TESS__UNUSED const TESS__IN_BODY_##T x = tess__args->x;
#define TESS__LOAD_view(T, x, ...) TESS__UNUSED const TESS__PASTE(tess_view_, TESS__NAME_##T) *const x = &tess__args->x;
#define TESS__LOAD_scatter(T, x)                                                                                       \
    TESS__UNUSED const TESS__PASTE(tess_scatter_, TESS__NAME_##T) *const x = &tess__args->x;
#define TESS__LOAD_acc(T, x, monoid, ...)                                                                              \
    TESS__IN_BODY_##T x = TESS__PASTE(TESS__START_, monoid)(TESS__NAME_##T, tess__lanes->x);
#define TESS__LOADS(params)                                                                                            \
    TESS__FOR(in, TESS__LOAD_in, params)                                                                               \
    TESS__FOR(out, TESS__LOAD_out, params)                                                                             \
    TESS__FOR(inout, TESS__LOAD_inout, params)                                                                         \
    TESS__FOR(val, TESS__LOAD_val, params)                                                                             \
    TESS__FOR(view, TESS__LOAD_view, params)                                                                           \
    TESS__FOR(scatter, TESS__LOAD_scatter, params)                                                                     \
    TESS__FOR(acc, TESS__LOAD_acc, params)

#define TESS__STORE_out(T, x) tess__args->x[tess__i] = x;
#define TESS__STORE_inout(T, x) tess__args->tess__out_##x[tess__i] = x;
#define TESS__STORE_acc(T, x, monoid, ...) TESS__PASTE(TESS__COMBINE_, monoid)(TESS__NAME_##T, tess__lanes->x, x);

/* Differences of the modes: outputs of a reduction belong to `post`. */
#define TESS__STORES_EWISE(params) TESS__FOR(out, TESS__STORE_out, params) TESS__FOR(inout, TESS__STORE_inout, params)
#define TESS__STORES_IWISE(params) TESS__STORES_EWISE(params)
#define TESS__STORES_REDUCE(params) TESS__FOR(acc, TESS__STORE_acc, params)
#define TESS__INDICES_EWISE
#define TESS__INDICES_IWISE                                                                                            \
    TESS__UNUSED const int64_t b = tess__at[0], d = tess__at[1], h = tess__at[2], w = tess__at[3] + tess__i;
#define TESS__INDICES_REDUCE TESS__INDICES_IWISE

/* ---- Lanes ---- */

#define TESS__LANE(T, x, monoid, ...) TESS__PASTE(TESS__LANE_, monoid)(T)
#define TESS__LANE_MEMBER(T, ...) TESS__LANE(T, __VA_ARGS__, ~) TESS__FIRST(__VA_ARGS__);
#define TESS__LANES_OF(T, x, ...)                                                                                      \
    TESS__LANE(T, x, __VA_ARGS__, ~) *const tess__lanes_##x =                                                          \
        (TESS__LANE(T, x, __VA_ARGS__, ~) *)tess__tile->acc[tess__k_##x];
#define TESS__TAKE(T, x, ...) tess__now.x = tess__lanes_##x[tess__i];
#define TESS__GIVE(T, x, ...) tess__lanes_##x[tess__i] = tess__now.x;

/* The few lanes of a row, in registers. */
#define TESS__HAND(T, x, ...)                                                                                          \
    TESS__LANE(T, x, __VA_ARGS__, ~) tess__hand_##x[TESS_ROW_LANES];                                                   \
    for (int tess__i = 0; tess__i < TESS_ROW_LANES; tess__i++) tess__hand_##x[tess__i] = tess__lanes_##x[tess__i];
#define TESS__LAY_DOWN(T, x, ...)                                                                                      \
    for (int tess__i = 0; tess__i < TESS_ROW_LANES; tess__i++) tess__lanes_##x[tess__i] = tess__hand_##x[tess__i];
#define TESS__TAKE_HAND(T, x, ...) tess__now.x = tess__hand_##x[tess__i];
#define TESS__GIVE_HAND(T, x, ...) tess__hand_##x[tess__i] = tess__now.x;

/* ---- join: accumulators without a monoid; post: from accumulators to outputs ---- */

#define TESS__JOIN(T, x, monoid, ...) TESS__PASTE(TESS__IF_NONE_, monoid)(TESS__JOIN_NONE(T, x))
#define TESS__JOINED(T, x, monoid, ...) TESS__PASTE(TESS__IF_NONE_, monoid)(TESS__JOINED_NONE(T, x))
#define TESS__JOIN_NONE(T, x)                                                                                          \
    TESS__IN_BODY_##T  x = TESS__PASTE(tess__get_, TESS__NAME_##T)(tess__tile->acc[tess__k_##x], tess__i);             \
    TESS__UNUSED const TESS__IN_BODY_##T x##_other =                                                                   \
        TESS__PASTE(tess__get_, TESS__NAME_##T)(tess__tile->other[tess__k_##x], tess__i);
#define TESS__JOINED_NONE(T, x) TESS__PASTE(tess__put_, TESS__NAME_##T)(tess__tile->acc[tess__k_##x], tess__i, x);
#define TESS__IF_NONE_none(...) __VA_ARGS__
#define TESS__IF_NONE_sum(...)
#define TESS__IF_NONE_prod(...)
#define TESS__IF_NONE_min(...)
#define TESS__IF_NONE_max(...)
#define TESS__IF_NONE_any(...)
#define TESS__IF_NONE_all(...)

/* Without a post block no output is set, and the function is not used. */
#define TESS__POST_out(T, x)                                                                                           \
    TESS__IN_BODY_##T x;                                                                                               \
    memset(&x, 0, sizeof x);
#define TESS__POST_val(T, x) TESS__UNUSED const TESS__IN_BODY_##T x = TESS__VALUE(T, x);
#define TESS__POST_acc(T, x, ...)                                                                                      \
    TESS__UNUSED TESS__IN_BODY_##T x = TESS__PASTE(tess__get_, TESS__NAME_##T)(tess__tile->acc[tess__k_##x], tess__i);
#define TESS__POSTED_out(T, x)                                                                                         \
    TESS__PASTE(tess__put_, TESS__NAME_##T)                                                                            \
    (tess__tile->ptr[tess__k_##x], tess__offset(tess__tile, tess__k_##x, tess__i), x);

static inline int64_t tess__offset(const tess_tile *tile, int k, int64_t i)
{
    const int64_t *o = tile->origin, *s = tile->stride[k];
    return o[0] * s[0] + o[1] * s[1] + o[2] * s[2] + (o[3] + i) * s[3];
}

/* ---- Functions ---- */

/* Whether a body has functions with a fast path for most arguments only, a constant for the compiler. */
static inline int tess__needs_slow_path(const char *body)
{
    return strstr(body, "tessm_sin") || strstr(body, "tessm_cos") || strstr(body, "tessm_tan");
}

#define TESS__BODY(name, params, mode, ...)                                                                            \
    struct name##_tess__args {                                                                                         \
        TESS__MEMBERS(params)                                                                                          \
        char tess__end;                                                                                                \
    };                                                                                                                 \
    struct name##_tess__lanes {                                                                                        \
        TESS__FOR(acc, TESS__LANE_MEMBER, params)                                                                      \
        char tess__end;                                                                                                \
    };                                                                                                                 \
    TESS__LOOP_FN static TESS__BODY_FN void name##_tess__body(                                                         \
        TESS__UNUSED const struct name##_tess__args *tess__args, TESS__UNUSED struct name##_tess__lanes *tess__lanes,  \
        TESS__UNUSED const tess_tile *tess__tile, TESS__UNUSED const int64_t *tess__at, TESS__UNUSED int64_t tess__i,  \
        TESS__UNUSED tess__flags *tess__slow_path)                                                                     \
    {                                                                                                                  \
        TESS__NO_CONTRACTION                                                                                           \
        TESS__TYPES                                                                                                    \
        TESS__INDICES_##mode { TESS__LOADS(params){ __VA_ARGS__ } TESS__STORES_##mode(params) }                        \
    }

/* A block of elements, with the fast functions, also for strided inputs, or complete: then one after the other, as
 * scatters require. Each loop is a separate function, since compilers optimise large ones less, and because of
 * TESS__ALONE: outputs overlap no view, so that repeated reads at the same position are done once. */
#define TESS__BLOCK_EWISE(name, params) TESS__BLOCK_MAP(name, params, EWISE)
#define TESS__BLOCK_IWISE(name, params) TESS__BLOCK_MAP(name, params, IWISE)
#define TESS__ALONE_IN_EWISE(T, x) , TESS__HELD_##T *tess__out_##x
#define TESS__ALONE_IN_IWISE(T, x) , TESS__HELD_##T *TESS__ALONE tess__out_##x
#define TESS__SET_ALONE(T, x) tess__args.x = tess__out_##x;
#define TESS__GIVE_ALONE(T, x) , (TESS__HELD_##T *)tess__span->out[tess__k_##x]
#define TESS__MAP_BEGIN(function, name, params, mode)                                                                  \
    TESS__LOOP_FN TESS__UNUSED static TESS__CALLED int function(                                                       \
        const tess_tile *tess__tile, const tess__row_span *tess__span TESS__FOR(out, TESS__ALONE_IN_##mode, params))   \
    {                                                                                                                  \
        enum { TESS__NUMBERS(params) tess__params };                                                                   \
        const int64_t tess__n = tess__span->n;                                                                         \
        const int64_t tess__at[4] = { tess__span->at[0], tess__span->at[1], tess__span->at[2], tess__span->at[3] };    \
        tess__flags   tess__any = { 0, 0 };                                                                            \
        struct name##_tess__args  tess__args;                                                                          \
        struct name##_tess__lanes tess__now;                                                                           \
        TESS__SETS(params)                                                                                             \
        TESS__FOR(out, TESS__SET_ALONE, params)

#define TESS__MAP_END                                                                                                  \
    return (tess__any.f32 != 0) | (tess__any.f64 != 0);                                                                \
    }

#define TESS__BLOCK_MAP(name, params, mode)                                                                            \
    TESS__MAP_BEGIN(name##_tess__loop, name, params, mode)                                                             \
    TESS__INDEPENDENT for (int64_t tess__i = 0; tess__i < tess__n; tess__i++)                                          \
        name##_tess__body(&tess__args, &tess__now, tess__tile, tess__at, tess__i, &tess__any);                         \
    TESS__MAP_END                                                                                                      \
    TESS__MAP_BEGIN(name##_tess__strided, name, params, mode)                                                          \
    TESS__FOR(in, TESS__SET_STEP, params)                                                                              \
    TESS__INDEPENDENT for (int64_t tess__i = 0; tess__i < tess__n; tess__i++)                                          \
        name##_tess__body(&tess__args, &tess__now, tess__tile, tess__at, tess__i, &tess__any);                         \
    TESS__MAP_END                                                                                                      \
    TESS__MAP_BEGIN(name##_tess__complete, name, params, mode)                                                         \
    for (int64_t tess__i = 0; tess__i < tess__n; tess__i++)                                                            \
        name##_tess__body(&tess__args, &tess__now, tess__tile, tess__at, tess__i, NULL);                               \
    TESS__MAP_END                                                                                                      \
    static int name##_tess__block(const tess_tile *tess__tile, const tess__row_span *tess__span, int tess__complete)   \
    {                                                                                                                  \
        enum { TESS__NUMBERS(params) tess__params, tess__inputs = 0 TESS__FOR(in, TESS__ONE_MORE, params) };           \
        if (tess__complete)                                                                                            \
            return name##_tess__complete(tess__tile, tess__span TESS__FOR(out, TESS__GIVE_ALONE, params));             \
        if (tess__inputs > 0 && tess__span->strided)                                                                   \
            return name##_tess__strided(tess__tile, tess__span TESS__FOR(out, TESS__GIVE_ALONE, params));              \
        return name##_tess__loop(tess__tile, tess__span TESS__FOR(out, TESS__GIVE_ALONE, params));                     \
    }

/* Element i is combined into lane i % lanes. Few lanes are kept in registers and processed in groups of elements; the
 * tail of a row is then combined into the first lanes in memory, as are all elements if there are many lanes.
 * `complete`: one after the other. */
#define TESS__BLOCK_REDUCE(name, params)                                                                               \
    TESS__LOOP_FN static int name##_tess__block(const tess_tile *tess__tile, const tess__row_span *tess__span,         \
                                                int tess__complete)                                                    \
    {                                                                                                                  \
        enum { TESS__NUMBERS(params) tess__params };                                                                   \
        const int64_t tess__n = tess__span->n;                                                                         \
        const int64_t tess__at[4] = { tess__span->at[0], tess__span->at[1], tess__span->at[2], tess__span->at[3] };    \
        int64_t       tess__first = 0;                                                                                 \
        tess__flags   tess__any = { 0, 0 };                                                                            \
        struct name##_tess__args tess__args;                                                                           \
        TESS__SETS(params)                                                                                             \
        TESS__FOR(acc, TESS__LANES_OF, params)                                                                         \
        for (int64_t tess__i = 0; tess__complete && tess__first < tess__n; tess__first++) {                            \
            struct name##_tess__lanes tess__now;                                                                       \
            TESS__FOR(acc, TESS__TAKE, params)                                                                         \
            name##_tess__body(&tess__args, &tess__now, tess__tile, tess__at, tess__first, NULL);                       \
            TESS__FOR(acc, TESS__GIVE, params)                                                                         \
            if (++tess__i == tess__tile->lanes) tess__i = 0;                                                           \
        }                                                                                                              \
        if (tess__tile->lanes == TESS_ROW_LANES && tess__n - tess__first >= TESS_ROW_LANES) {                          \
            TESS__FOR(acc, TESS__HAND, params)                                                                         \
            for (; tess__first + TESS_ROW_LANES <= tess__n; tess__first += TESS_ROW_LANES) {                           \
                TESS__INDEPENDENT for (int tess__i = 0; tess__i < TESS_ROW_LANES; tess__i++)                           \
                {                                                                                                      \
                    struct name##_tess__lanes tess__now;                                                               \
                    TESS__FOR(acc, TESS__TAKE_HAND, params)                                                            \
                    name##_tess__body(&tess__args, &tess__now, tess__tile, tess__at, tess__first + tess__i,            \
                                      &tess__any);                                                                     \
                    TESS__FOR(acc, TESS__GIVE_HAND, params)                                                            \
                }                                                                                                      \
            }                                                                                                          \
            TESS__FOR(acc, TESS__LAY_DOWN, params)                                                                     \
        }                                                                                                              \
        for (; tess__first < tess__n; tess__first += TESS_LANES) {                                                     \
            const int64_t tess__m = tess__least(tess__n - tess__first, TESS_LANES);                                    \
            TESS__INDEPENDENT for (int64_t tess__i = 0; tess__i < tess__m; tess__i++)                                  \
            {                                                                                                          \
                struct name##_tess__lanes tess__now;                                                                   \
                TESS__FOR(acc, TESS__TAKE, params)                                                                     \
                name##_tess__body(&tess__args, &tess__now, tess__tile, tess__at, tess__first + tess__i, &tess__any);   \
                TESS__FOR(acc, TESS__GIVE, params)                                                                     \
            }                                                                                                          \
        }                                                                                                              \
        return (tess__any.f32 != 0) | (tess__any.f64 != 0);                                                            \
    }

#define TESS__ROOM_in(T, x) +TESS__BLOCK_LENGTH * sizeof(TESS__HELD_##T)
#define TESS__ROOM_inout(T, x) +2 * TESS__BLOCK_LENGTH * sizeof(TESS__HELD_##T)
#define TESS__ROOM_acc(T, ...) +TESS__BLOCK_LENGTH * sizeof(TESS__LANE(T, __VA_ARGS__, ~))
#define TESS__ROOM(params)                                                                                             \
    TESS__FOR(in, TESS__ROOM_in, params)                                                                               \
    TESS__FOR(out, TESS__ROOM_in, params)                                                                              \
    TESS__FOR(inout, TESS__ROOM_inout, params)                                                                         \
    TESS__FOR(acc, TESS__ROOM_acc, params)

#define TESS__TILE(name, params, mode, text)                                                                           \
    static void name##_tile(const tess_tile *tess__tile)                                                               \
    {                                                                                                                  \
        enum { TESS__NUMBERS(params) tess__params, tess__reduces = TESS_MODE_##mode == TESS_MODE_REDUCE };             \
        static const tess__entry    tess__entries[] = { TESS__ROLES(params){ 0, 0, 0, 0 } };                           \
        TESS__ALIGNED unsigned char tess__workspace[16 TESS__ROOM(params)];                                            \
        tess__blocks(tess__tile, tess__entries, tess__params, name##_tess__block, tess__workspace, !tess__reduces,     \
                     tess__needs_slow_path(text));                                                                     \
    }

/* The statements of these blocks; other entries of the list are not in scope. */
#define TESS__STATEMENTS(...) __VA_ARGS__
#define TESS__JOIN_AND_POST(name, params)                                                                              \
    TESS__LOOP_FN TESS__UNUSED static void name##_join(const tess_tile *tess__tile)                                    \
    {                                                                                                                  \
        TESS__NO_CONTRACTION                                                                                           \
        TESS__TYPES                                                                                                    \
        enum { TESS__NUMBERS(params) tess__params };                                                                   \
        for (int64_t tess__i = 0; tess__i < tess__tile->extent[3]; tess__i++) {                                        \
            TESS__FOR(val, TESS__POST_val, params)                                                                     \
            TESS__FOR(acc, TESS__JOIN,                                                                                 \
                      params){ TESS__FOR(join, TESS__STATEMENTS, params) } TESS__FOR(acc, TESS__JOINED, params)        \
        }                                                                                                              \
    }                                                                                                                  \
    TESS__LOOP_FN TESS__UNUSED static void name##_post(const tess_tile *tess__tile)                                    \
    {                                                                                                                  \
        TESS__NO_CONTRACTION                                                                                           \
        TESS__TYPES                                                                                                    \
        enum { TESS__NUMBERS(params) tess__params };                                                                   \
        TESS__UNUSED const int64_t count = tess__tile->count;                                                          \
        for (int64_t tess__i = 0; tess__i < tess__tile->extent[3]; tess__i++) {                                        \
            TESS__FOR(val, TESS__POST_val, params)                                                                     \
            TESS__FOR(acc, TESS__POST_acc, params)                                                                     \
            TESS__FOR(out, TESS__POST_out,                                                                             \
                      params){ TESS__FOR(post, TESS__STATEMENTS, params) } TESS__FOR(out, TESS__POSTED_out, params)    \
        }                                                                                                              \
    }

/* ---- Definitions ---- */

/* Defines the static functions name_tile, name_join and name_post, and a definition with function_tile and so on. */
#define TESS__FUNCTIONS(name, params, body_text, mode, ...)                                                            \
    TESS__QUIET                                                                                                        \
    TESS__BODY(name, params, mode, __VA_ARGS__)                                                                        \
    TESS__BLOCK_##mode(name, params) TESS__TILE(name, params, mode, body_text) TESS__JOIN_AND_POST(name, params)       \
        TESS__LOUD
#define TESS__DEFINITION(name, params, params_text, body_text, mode, function)                                         \
    static const char *const name##_tess__uses[] = { TESS__FOR(val, TESS__USE_STRUCT, params)                          \
                                                         TESS__FOR(use, TESS__USE, params) NULL };                     \
    static tess_op_def       name = { #name,                                                                           \
                                      params_text,                                                                     \
                                      body_text,                                                                       \
                                      __FILE__,                                                                        \
                                      name##_tess__uses,                                                               \
                                      function##_tile,                                                                 \
                                (0 TESS__FOR(join, TESS__ONE_MORE, params)) ? function##_join : NULL,            \
                                (0 TESS__FOR(post, TESS__ONE_MORE, params)) ? function##_post : NULL,            \
                                      __LINE__,                                                                        \
                                      TESS_MODE_##mode,                                                                \
                                      NULL,                                                                            \
                                      { 0, 0 } };
#define TESS__OPERATOR(name, params, params_text, body_text, mode, ...)                                                \
    TESS__FUNCTIONS(name, params, body_text, mode, __VA_ARGS__)                                                        \
    TESS__DEFINITION(name, params, params_text, body_text, mode, name)
#define TESS__USE(f) f##_tess__text,
#define TESS__USE_STRUCT(T, x) TESS__STRUCT_TEXT_##T,
#define TESS__ONE_MORE(...) +1

#define TESS_EWISE(name, params, ...) TESS__OPERATOR(name, params, #params, #__VA_ARGS__, EWISE, __VA_ARGS__)
#define TESS_IWISE(name, params, ...) TESS__OPERATOR(name, params, #params, #__VA_ARGS__, IWISE, __VA_ARGS__)
#define TESS_REDUCE(name, params, ...) TESS__OPERATOR(name, params, #params, #__VA_ARGS__, REDUCE, __VA_ARGS__)

/* Defines a function for bodies: type, name, (parameters), statements. */
#define TESS_DEVICE_FN(type, name, params, ...)                                                                        \
    TESS__DEVICE_TEXT(name, "fn " #type " " #name #params " { " #__VA_ARGS__ " }")                                     \
    TESS__DEVICE_FN(type, name, params, __VA_ARGS__)
#define TESS__DEVICE_TEXT(name, text) TESS__UNUSED static const char name##_tess__text[] = text;
#define TESS__DEVICE_FN(type, name, params, ...)                                                                       \
    TESS__LOOP_FN TESS__UNUSED static TESS__BODY_FN TESS__IN_BODY_##type name(TESS__PARAMETERS(TESS__PLAIN params))    \
    {                                                                                                                  \
        TESS__NO_CONTRACTION                                                                                           \
        TESS__TYPES                                                                                                    \
        __VA_ARGS__                                                                                                    \
    }
#define TESS__PARAMETERS(...) TESS__LESS_ONE(TESS__EACH(TESS__PARAMETER, ~, __VA_ARGS__))
#define TESS__PARAMETER(unused, x) , TESS__IN_BODY_##x
#define TESS__LESS_ONE(...) TESS__LESS_ONE_(__VA_ARGS__)
#define TESS__LESS_ONE_(first, ...) __VA_ARGS__

#endif
