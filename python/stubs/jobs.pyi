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
    def __array__(self, dtype: _Any = ..., copy: _Any = ...) -> _Any: ...

class Result:
    def __init__(self, job: str, fields: _Mapping[str, _Any]) -> None: ...
    @property
    def report(self) -> dict[str, _Any]: ...

JOBS
