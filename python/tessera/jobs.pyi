"""Types of tessera.jobs. Made of python/stubs/jobs.pyi and the library's descriptions: UPDATE=1 tests/source/stubs BUILD

Arrays of results are of the kind of the first array, which a type cannot say: they are Any.
"""
from collections.abc import Callable as _Callable, Mapping as _Mapping, Sequence as _Sequence
from typing import Any as _Any, Literal as _Literal, Union as _Union

_Path = _Any
_ArrayLike = _Any
_DTypeLike = _Any
_DeviceLike = _Any
_Shape = _Union[int, _Sequence[int]]
_Axes = _Union[int, str, _Sequence[int], None]
_Source = _Any
_Progress = _Union[bool, _Callable[[str, int, int], _Any], None]
_bool = bool
_int = int
_float = float
_complex = complex
_str = str

class Table(dict[str, _Any]):
    def to_pandas(self) -> _Any: ...

class Result:
    def __init__(self, job: str, fields: _Mapping[str, _Any]) -> None: ...
    @property
    def report(self) -> dict[str, _Any]: ...

class _local_resolution(Result):
    map: _Any
    median: _float
    quantile_5: _float
    quantile_95: _float
    threshold: _float
    randomized_from: _float
    n_voxels: _int
    n_positions: _int
    box: _int

def local_resolution(half1: _Source, half2: _Source, *, radius: _Union[_float, None] = ..., soft: _Union[_float, None] = ..., step: _int = ..., threshold: _float = ..., no_correct: _bool = ..., mask: _Union[_Source, None] = ..., randomize_at_fsc: _float = ..., randomize_at: _Union[_float, None] = ..., pixel_size: _Union[_float, None] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _local_resolution: ...

class _pick(Result):
    particles: Table
    diameter: _float
    height: _int
    width: _int
    n_angles: _int

def pick(micrographs: _Source, *, diameter: _Union[_float, None] = ..., templates: _Union[_Source, None] = ..., template_apix: _Union[_float, None] = ..., step: _Union[_float, None] = ..., blob: _Literal['gauss', 'dog'] = ..., bright: _bool = ..., bin: _Union[_float, None] = ..., threshold: _float = ..., distance: _Union[_float, None] = ..., edge: _Union[_float, None] = ..., max: _Union[_int, None] = ..., pixel_size: _Union[_float, None] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _pick: ...
