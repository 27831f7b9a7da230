#!/usr/bin/env python3
"""tessera.linalg beside numpy.linalg: results, shapes, dtypes, kinds of arrays, errors. linalg.py BUILD"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, raises, test

import numpy as np

import tessera as ts

L, N = ts.linalg, np.linalg
rng = np.random.default_rng(5)
STACKS = (), (3,), (2, 3), (2, 1, 3)


def near(got, want, error=1e-11):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, (got.shape, want.shape)
    assert np.abs(got - want).max(initial=0) <= error * (1 + np.abs(want).max(initial=0)), (got, want)


def matrices(*shape, dtype="f8"):
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if dtype[0] == "c" else x).astype(dtype)


@test
def results_are_those_of_numpy():
    for stack in STACKS:
        for dtype in ("f8", "c16"):
            a, wide = matrices(*stack, 4, 4, dtype=dtype), matrices(*stack, 3, 5, dtype=dtype)
            adjoint = a.swapaxes(-1, -2).conj()
            for name in ("inv", "det", "pinv", "matrix_rank"):
                near(getattr(L, name)(a), getattr(N, name)(a))
            right = matrices(*stack, 4, 2, dtype=dtype)
            near(L.solve(a, right), N.solve(a, right), 1e-9)
            for got, want in zip(L.slogdet(a), N.slogdet(a)):
                near(got, want)
            near(L.cholesky(a @ adjoint), N.cholesky(a @ adjoint))
            near(L.cholesky(a @ adjoint, upper=True), N.cholesky(a @ adjoint).swapaxes(-1, -2).conj())
            near(L.pinv(wide), N.pinv(wide))
            near(L.svdvals(wide), N.svd(wide, compute_uv=False))
            near(L.eigvalsh(a + adjoint), N.eigvalsh(a + adjoint))
            near(L.eigvalsh(a, "U"), N.eigvalsh(a, "U"))
            for power in (-2, 0, 1, 5):
                near(L.matrix_power(a, power), N.matrix_power(a, power), 1e-8)
            for ord in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
                near(L.matrix_norm(wide, ord=ord), N.norm(wide, ord, axis=(-2, -1)))
                near(L.matrix_norm(wide, ord=ord, keepdims=True), N.norm(wide, ord, axis=(-2, -1), keepdims=True))


@test
def factors_make_the_matrix():
    for stack in STACKS:
        for m, n in ((4, 3), (3, 4), (1, 5)):
            a = matrices(*stack, m, n)
            for full in (True, False):
                made, want = L.svd(a, full_matrices=full), N.svd(a, full_matrices=full)
                assert [x.shape for x in made] == [x.shape for x in want]
                k = min(m, n)
                near(made.U[..., :k] * made.S[..., None, :] @ made.Vh[..., :k, :], a)
            q, r = L.qr(a)
            near(q @ r, a)
            q, r = L.qr(a, mode="complete")
            assert q.shape[-1] == m and r.shape == a.shape
            near(q @ r, a)
            near(np.abs(L.qr(a, "r")), np.abs(N.qr(a)[1]))
        h = matrices(*stack, 4, 4)
        h = h + h.swapaxes(-1, -2)
        values, vectors = L.eigh(h)
        near(vectors * values[..., None, :] @ vectors.swapaxes(-1, -2), h)
    assert L.eigh(h)._fields == ("eigenvalues", "eigenvectors") and L.slogdet(h)._fields == ("sign", "logabsdet")


@test
def vectors_and_least_squares():
    a, b = matrices(4, 4), matrices(4)
    near(L.solve(a, b), N.solve(a, b))
    near(L.solve(np.stack([a, a]), b), np.stack([N.solve(a, b)] * 2))
    for x, y, rcond in ((matrices(6, 3), matrices(6), None), (matrices(6, 3), matrices(6, 2), None),
                        (matrices(3, 6), matrices(3), None), (np.ones((5, 2)), matrices(5), None), (matrices(6, 3), matrices(6), 0.5)):
        for got, want in zip(L.lstsq(x, y, rcond), N.lstsq(x, y, rcond=rcond)):
            near(got, want)
    assert L.lstsq(matrices(3, 6, 2), matrices(3, 6, 1)).rank.tolist() == [2, 2, 2]
    x = matrices(3, 4)
    for ord in (None, 2, 1, 0, np.inf, -np.inf, 3):
        near(L.norm(x, ord, axis=1), N.norm(x, ord, axis=1))
        near(L.vector_norm(x, axis=0, ord=2 if ord is None else ord, keepdims=True), N.norm(x, ord, axis=0, keepdims=True))
    near(L.norm(x), N.norm(x))
    near(L.norm(x, "nuc"), N.norm(x, "nuc"))
    near(L.norm(matrices(2, 3, 4), 1, axis=(0, 2)).shape, (3,))
    near(L.vector_norm(x), N.norm(x))
    deep = np.arange(1.0, 33).reshape(2, 2, 2, 2, 2)
    near(L.norm(deep), N.norm(deep.ravel()))
    near(L.vector_norm(deep, ord=1, keepdims=True), deep.sum().reshape(1, 1, 1, 1, 1))
    raises(ValueError, "vector_norm: x has 5 axes; expected at most 4 with axis", L.vector_norm, deep, axis=0)
    near(L.vecdot(x, x), (x * x).sum(-1))
    near(L.trace(matrices(2, 3, 3)).shape, (2,))
    near(L.diagonal(x, offset=1), np.diagonal(x, 1))
    near(L.matrix_transpose(x), x.T)
    near(L.tensordot(x, x, axes=([0], [0])), np.tensordot(x, x, ([0], [0])))
    near(L.matmul(x, x.T), x @ x.T)
    near(L.outer(b, b), np.outer(b, b))
    near(L.cross(x[:, :3], x[:, :3] + 1), np.cross(x[:, :3], x[:, :3] + 1))


CONDITIONS = None, 2, -2, "fro", "nuc", np.inf, -np.inf, 1, -1


@test
def condition_numbers():
    for stack in STACKS:
        for dtype in ("f8", "c16", "i4"):
            a = (matrices(*stack, 4, 4, dtype=dtype) if dtype != "i4" else rng.integers(-9, 9, (*stack, 4, 4))).astype(dtype)
            for p in CONDITIONS:
                near(L.cond(a, p), N.cond(a, p), 1e-9)
                near(L.cond(ts.asarray(a), p) if len(stack) < 3 else L.cond(a, p), N.cond(a, p), 1e-9)
        for p in (None, 2, -2):
            wide = matrices(*stack, 3, 5)
            near(L.cond(wide, p), N.cond(wide, p), 1e-9)
    some = np.stack([np.eye(3), np.zeros((3, 3)), np.full((3, 3), 2), np.diag([1, 2, 0])])
    for p in CONDITIONS:
        got = np.asarray(L.cond(some, p))
        want = [9] + [np.inf] * 3 if p == "nuc" else N.cond(some, p)  # NumPy has no nuclear norm of singular matrices
        same = np.isclose(got, want, atol=1e-15) | (got > 1e15) & (np.asarray(want) > 1e15)
        assert np.all(same), (p, got, want)
        assert L.cond(some.astype("f4"), p).dtype == np.float32 and type(L.cond(ts.asarray(some), p)) is ts.Array
        assert L.cond(some[0:0], p).shape == (0,)
    assert [float(L.cond(one, 1)) for one in some[:2]] == [1, np.inf] and L.cond([[2.0]]).item() == 1
    some[2, 1, 1] = np.nan
    np.testing.assert_array_equal(np.isnan(L.cond(some, 1)), [False, False, True, False])
    raises(N.LinAlgError, "cond: x is nan at (2, 1, 1); finite numbers are needed", L.cond, some)
    raises(N.LinAlgError, "cond: the array has the shape (2, 0, 0); expected matrices of one element or more", L.cond, np.ones((2, 0, 0)))
    raises(N.LinAlgError, "cond: the array has the shape (2, 3); expected square", L.cond, np.ones((2, 3)), 1)
    raises(N.LinAlgError, "cond: the array has the shape (3,); expected two axes or more", L.cond, np.ones(3))
    raises(ts.ArgumentError, "cond: p is 3; expected None, 2, -2, 1, -1, inf", L.cond, np.eye(2), 3)


@test
def chains_of_products():
    for sizes in ((3, 4), (3, 4, 5), (30, 2, 40, 3, 7), (1, 6, 2, 2, 9, 1), (2, 0, 3, 4)):
        chain = [matrices(m, n) for m, n in zip(sizes, sizes[1:])]
        chain = chain if len(chain) > 1 else chain * 1 + [matrices(4, 2)]
        near(L.multi_dot(chain), N.multi_dot(chain))
        row, column = [chain[0][0]] + chain[1:], chain[:-1] + [chain[-1][:, 0]]
        near(L.multi_dot(row), N.multi_dot(row))
        near(L.multi_dot(column), N.multi_dot(column))
        near(L.multi_dot([chain[0][0]] + column[1:]), N.multi_dot([chain[0][0]] + column[1:]))
        out = np.zeros(N.multi_dot(chain).shape)
        assert L.multi_dot(chain, out=out) is out
        near(out, N.multi_dot(chain))
        assert type(L.multi_dot([ts.asarray(a) for a in chain])) is ts.Array and type(L.multi_dot(chain)) is np.ndarray
    assert L.multi_dot([[[1, 2]], [[3], [4]]]).tolist() == [[11]] and L.multi_dot([[1, 2], [3, 4]]).item() == 11
    splits = L._cheapest_splits([30, 35, 15, 5, 10, 20, 25])  # of the textbook: ((A (B C)) ((D E) F))
    assert splits[0][5] == 2 and splits[0][2] == 0 and splits[3][5] == 4
    raises(ts.ArgumentError, "multi_dot: arrays has 1 element; expected 2 or more", L.multi_dot, [np.eye(2)])
    raises(N.LinAlgError, "multi_dot: arrays[1] has the shape (2,); expected two axes", L.multi_dot, [np.eye(2), np.ones(2), np.eye(2)])
    raises(N.LinAlgError, "multi_dot: arrays[1] has the shape (3, 3); expected 2 rows", L.multi_dot, [np.eye(2), np.eye(3)])


@test
def general_eigenvalues_are_not_there():
    for name in ("eig", "eigvals"):
        raises(AttributeError, name, getattr, L, name)


@test
def dtypes_and_kinds():
    for dtype, want in (("f4", "f4"), ("f8", "f8"), ("c8", "c8"), ("i4", "f8"), ("u1", "f8"), ("?", "f8")):
        a = np.eye(3).astype(dtype)
        assert L.inv(a).dtype == L.qr(a).Q.dtype == L.solve(a, a).dtype == L.eigh(a).eigenvectors.dtype == want, dtype
        assert type(L.inv(a)) is np.ndarray and type(L.inv(ts.asarray(a))) is ts.Array
    assert type(L.inv([[2, 1], [1, 1]])) is ts.Array
    near(L.inv([[2, 1], [1, 1]]), [[1, -1], [-1, 2]])
    assert L.matrix_power(np.array([[1, 2], [3, 4]]), 3).dtype.kind == "i"
    a = ts.asarray(matrices(2, 3, 3))
    near(L.pinv(a), N.pinv(np.asarray(a)))
    near(L.svd(np.zeros((0, 3, 2))).U.shape, (0, 3, 3))


@test
def errors_are_both():
    for call in (lambda: L.inv(np.zeros((2, 3, 3))), lambda: L.solve(np.zeros((2, 2)), np.ones(2)), lambda: L.cholesky(-np.eye(2)),
                 lambda: L.svd(np.full((2, 2), np.nan)), lambda: L.matrix_power(np.zeros((2, 2)), -1)):
        for kind in (N.LinAlgError, L.LinAlgError, ts.RangeError, ts.Error, ValueError):
            raises(kind, "", call)
    raises(L.LinAlgError, "inv: a is singular; it must have an inverse", L.inv, np.zeros((2, 2)))
    raises(L.LinAlgError, "inv: a has a singular matrix at 1;", L.inv, np.stack([np.eye(2), np.ones((2, 2))]))
    raises(L.LinAlgError, "inv: a has a singular matrix at (0, 1);", L.inv, np.stack([np.eye(2), np.ones((2, 2))])[None])
    a = np.stack([np.eye(3)] * 4)
    a[2, 1, 2] = np.nan
    raises(L.LinAlgError, "inv: a is nan at (2, 1, 2); finite numbers are needed", L.inv, a)
    raises(L.LinAlgError, "inv: a is nan at (1, 2);", L.inv, a[2])
    raises(L.LinAlgError, "matrix_norm: x is nan at (1, 2);", L.matrix_norm, a[2], ord=2)
    raises(L.LinAlgError, "matrix_power: a is singular", L.matrix_power, np.zeros((2, 2)), -1)
    raises(N.LinAlgError, "inv: the array has the shape (2, 3); expected square matrices", L.inv, np.ones((2, 3)))
    raises(TypeError, "matrix_power: n is 1.5; expected an integer", L.matrix_power, np.eye(2), 1.5)
    raises(ts.ArgumentError, "norm: ord is 'fro', and there is one axis", L.norm, [1.0, 2.0], "fro")
    assert L.matrix_power(np.array([[200, 0], [0, 1]], "u1"), 2).tolist() == [[64, 0], [0, 1]]
    raises(L.LinAlgError, "not positive definite", L.cholesky, -np.eye(2))
    raises(ts.ShapeError, "solve: the array has the shape (1, 3); expected square matrices", L.solve, np.ones((1, 3)), np.ones(1))
    raises(ts.ShapeError, "inv: the array has the shape (3,); expected two axes or more", L.inv, np.ones(3))
    raises(ts.ShapeError, "solve: the array has the shape (); expected one axis or more", L.solve, np.ones((1, 1)), 1.0)
    raises(ts.ShapeError, "norm: the array has the shape (1, 1, 1); expected one or two axes", L.norm, np.ones((1, 1, 1)), 2)
    raises(ts.ArgumentError, "qr: mode is 'raw'; expected 'reduced', 'complete' or 'r'", L.qr, np.eye(2), "raw")
    raises(ts.ArgumentError, "eigh: UPLO is 'x'; expected 'L' or 'U'", L.eigh, np.eye(2), "x")
    raises(ts.ArgumentError, "matrix_norm: ord is 7; expected", L.matrix_norm, np.eye(2), ord=7)
    raises(ts.ArgumentError, "norm: axis is (0, 1, 2); expected one or two axes", L.norm, np.ones((1, 1, 1)), axis=(0, 1, 2))
    raises(ts.ShapeError, "matrix_power: the array has the shape (1, 2); expected square", L.matrix_power, np.ones((1, 2)), 2)
    raises(ts.ShapeError, "matrix_transpose: the array has the shape (2,)", L.matrix_transpose, np.ones(2))


finish()
