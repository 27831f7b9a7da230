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

class Images:
    def __init__(self, particles: _Any) -> None: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def dtype(self) -> _Any: ...
    ndim: int
    def __len__(self) -> int: ...
    def __getitem__(self, index: _Any) -> _Any: ...
    def __array__(self, dtype: _Any = ..., copy: _Any = ...) -> _Any: ...

class Particles:
    path: _Any
    def __init__(self, path: _Path, *, root: _Union[_Path, None] = ..., pixel_size: _Union[float, None] = ...) -> None: ...
    @classmethod
    def from_arrays(cls, rotations: _ArrayLike, shifts: _Union[_ArrayLike, None] = ..., ctfs: _Union[_ArrayLike, None] = ..., halves: _Union[_ArrayLike, None] = ..., *, box: int, pixel_size: _Union[float, None] = ...) -> Particles: ...
    @property
    def rotations(self) -> _Any: ...
    @rotations.setter
    def rotations(self, table: _Any) -> None: ...
    @property
    def shifts(self) -> _Any: ...
    @shifts.setter
    def shifts(self, table: _Any) -> None: ...
    @property
    def ctfs(self) -> _Any: ...
    @ctfs.setter
    def ctfs(self, table: None) -> None: ...
    @property
    def halves(self) -> _Any: ...
    @halves.setter
    def halves(self, table: _Any) -> None: ...
    @property
    def images(self) -> _Union[Images, None]: ...
    @property
    def pixel_size(self) -> float: ...
    @property
    def columns(self) -> dict[str, _Any]: ...
    def put_column(self, label: str, values: _Any) -> None: ...
    def __len__(self) -> int: ...
    def choose(self, rows: _Any) -> None: ...
    def write(self, path: _Path, *, images: _Union[_Path, None] = ..., overwrite: bool = ...) -> None: ...

class _align2d(Result):
    average: _Any
    places: Table
    changes: Table

def align2d(images: _Source, *, step: _Union[_float, None] = ..., max_shift: _Union[_float, None] = ..., mask_radius: _Union[_float, None] = ..., iterations: _int = ..., reference: _Union[_Source, None] = ..., sink: _Any = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _align2d: ...

class _align_stack(Result):
    shifts: Table

def align_stack(images: _Source, *, cutoff: _float = ..., bfactor: _float = ..., max_shift: _Union[_float, None] = ..., pixel_size: _Union[_float, None] = ..., sink: _Any = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _align_stack: ...

class _align_tilt_series(Result):
    shifts: Table

def align_tilt_series(images: _Source, tilts: _ArrayLike, *, axis: _float = ..., cutoff: _float = ..., max_shift: _Union[_float, None] = ..., sink: _Any = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _align_tilt_series: ...

class _correct_ctf(Result):
    images: _Any

def correct_ctf(images: _Source, ctfs: _Union[_ArrayLike, None] = ..., *, method: _Literal['flip', 'wiener', 'ctf', 'abs', 'squared'] = ..., snr: _float = ..., sink: _Any = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _correct_ctf: ...

class _dose_weight_stack(Result):
    images: _Any
    sum: _Any
    exposure: _float
    pixel_size: _float

def dose_weight_stack(images: _Source, *, dose: _Union[_float, None] = ..., pre: _float = ..., doses: _Union[_ArrayLike, None] = ..., voltage: _float = ..., critical_factor: _Union[_float, None] = ..., sum: _bool = ..., pixel_size: _Union[_float, None] = ..., sink: _Any = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _dose_weight_stack: ...

class _extract_particles(Result):
    boxes: _Any
    particles: Table
    pixel_size: _float
    n_dropped: _int

def extract_particles(micrographs: _Source, coordinates: _ArrayLike, box: _int, *, rescale: _Union[_int, None] = ..., subpixel: _bool = ..., bg_radius: _Union[_float, None] = ..., ramp: _bool = ..., white_dust: _Union[_float, None] = ..., black_dust: _Union[_float, None] = ..., invert: _bool = ..., dtype: _Union[_DTypeLike, None] = ..., sink: _Any = ..., pixel_size: _Union[_float, None] = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _extract_particles: ...

class _fit_ctf(Result):
    fits: _Any
    table: Table
    power: _Any
    curves: _Any
    n_fitted: _int

def fit_ctf(micrographs: _Source, *, voltage: _float = ..., cs: _float = ..., amplitude: _float = ..., tile: _int = ..., low: _Union[_float, None] = ..., high: _Union[_float, None] = ..., min_defocus: _float = ..., max_defocus: _float = ..., max_astigmatism: _float = ..., tolerated_astigmatism: _float = ..., phase_shift: _float = ..., min_phase_shift: _float = ..., max_phase_shift: _float = ..., movie: _bool = ..., frames: _int = ..., pixel_size: _Union[_float, None] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _fit_ctf: ...

class _half_map_fsc(Result):
    curves: Table
    all: _Any
    cones: Table
    resolution_143: _float
    resolution_500: _float
    cones_best: _float
    cones_worst: _float
    randomized_from: _float
    n_pairs: _int
    n_shells: _int
    first_random: _int
    crosses_143: _bool
    crosses_500: _bool

def half_map_fsc(half1: _Source, half2: _Source, *, mask: _Union[_Source, None] = ..., randomize_at_fsc: _float = ..., randomize_at: _Union[_float, None] = ..., cones: _int = ..., cone_angle: _Union[_float, None] = ..., each: _bool = ..., no_interpolate: _bool = ..., pixel_size: _Union[_float, None] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _half_map_fsc: ...

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

class _make_mask(Result):
    mask: _Any
    statistics: Table
    cutoff: _float

def make_mask(images: _Source, *, threshold: _Union[_float, None] = ..., lowpass: _Union[_float, None] = ..., cutoff: _Union[_float, None] = ..., largest: _bool = ..., extend: _float = ..., soft: _float = ..., sphere: _Union[_ArrayLike, None] = ..., box: _Union[_ArrayLike, None] = ..., cylinder: _Union[_ArrayLike, None] = ..., shell: _Union[_ArrayLike, None] = ..., ellipsoid: _Union[_ArrayLike, None] = ..., centre: _Union[_ArrayLike, None] = ..., use: _Union[_Source, None] = ..., is_mask: _bool = ..., masks: _Union[_Sequence[_Source], None] = ..., join: _Union[_str, None] = ..., apply: _bool = ..., outside: _float = ..., pixel_size: _Union[_float, None] = ..., sink: _Any = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _make_mask: ...

class _motion_correct(Result):
    sum: _Any
    weighted: _Any
    odd: _Any
    even: _Any
    thumbnail: _Any
    shifts: Table
    model: _Any
    patch_positions: _Any
    patch_shifts: _Any
    patch_weights: _Any
    hot_pixels: _Any
    pixel_size: _float
    motion: _float
    motion_early: _float
    motion_late: _float
    score: _float
    noise: _float
    residual: _float
    local_gain: _float
    local_error: _float
    n_frames: _int
    n_bad_pixels: _int
    n_patches: _int
    group: _int

def motion_correct(movie: _Source, *, dark: _Union[_Source, None] = ..., gain: _Union[_Source, None] = ..., gain_sense: _Union[_Literal['multiply', 'divide'], None] = ..., gain_rot: _int = ..., gain_flip: _Literal['none', 'x', 'y'] = ..., defects: _Union[_Source, None] = ..., hot: _float = ..., dose: _Union[_float, None] = ..., pre: _float = ..., doses: _Union[_ArrayLike, None] = ..., voltage: _float = ..., critical_factor: _Union[_float, None] = ..., group: _Union[_int, None] = ..., resolution: _float = ..., bfactor: _float = ..., max_shift: _Union[_float, None] = ..., patches: _Union[_Shape, None] = ..., max_local: _Union[_float, None] = ..., always_local: _bool = ..., interp: _Literal['linear', 'cubic', 'lanczos4', 'lanczos6', 'lanczos8'] = ..., pixel_size: _Union[_float, None] = ..., odd: _bool = ..., even: _bool = ..., thumbnail: _bool = ..., unweighted: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _motion_correct: ...

class _pick(Result):
    particles: Table
    diameter: _float
    height: _int
    width: _int
    n_angles: _int

def pick(micrographs: _Source, *, diameter: _Union[_float, None] = ..., templates: _Union[_Source, None] = ..., template_pixel_size: _Union[_float, None] = ..., step: _Union[_float, None] = ..., blob: _Literal['gauss', 'dog'] = ..., bright: _bool = ..., bin: _Union[_float, None] = ..., threshold: _float = ..., distance: _Union[_float, None] = ..., edge: _Union[_float, None] = ..., max: _Union[_int, None] = ..., pixel_size: _Union[_float, None] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _pick: ...

class _project_map(Result):
    images: _Any
    pixel_size: _float

def project_map(map: _Source, rotations: _ArrayLike, *, shifts: _Union[_ArrayLike, None] = ..., ctfs: _Union[_ArrayLike, None] = ..., method: _Literal['fourier', 'real'] = ..., pad: _int = ..., pixel_size: _Union[_float, None] = ..., sink: _Any = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _project_map: ...

class _reconstruct(Result):
    map: _Any
    half1: _Any
    half2: _Any
    resolution: _float
    resolution_0_5: _float

def reconstruct(images: _Source, rotations: _Union[_ArrayLike, None] = ..., *, shifts: _Union[_ArrayLike, None] = ..., ctfs: _Union[_ArrayLike, None] = ..., halves: _Union[_ArrayLike, None] = ..., sym: _Union[_str, None] = ..., cutoff: _float = ..., floor: _float = ..., pad: _int = ..., ewald: _Union[_Literal['front', 'back'], None] = ..., diameter: _Union[_float, None] = ..., pixel_size: _Union[_float, None] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _reconstruct: ...

class _reconstruct_tilt_series(Result):
    volume: _Any

def reconstruct_tilt_series(images: _Source, tilts: _ArrayLike, *, depth: _Union[_float, None] = ..., weighting: _Literal['ramp', 'none'] = ..., interp: _Literal['nearest', 'linear', 'cubic'] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _reconstruct_tilt_series: ...

class _refine(Result):
    map: _Any
    half1: _Any
    half2: _Any
    rotations: _Any
    shifts: _Any
    scores: _Any
    fsc: _Any
    history: Table
    resolution: _float
    resolution_0_5: _float
    converged: _bool

def refine(images: _Source, reference: _Source, *, rotations: _Union[_ArrayLike, None] = ..., shifts: _Union[_ArrayLike, None] = ..., ctfs: _Union[_ArrayLike, None] = ..., halves: _Union[_ArrayLike, None] = ..., sym: _Union[_str, None] = ..., iterations: _int = ..., global_iterations: _int = ..., step: _Union[_float, None] = ..., shift_range: _float = ..., diameter: _Union[_float, None] = ..., cutoff: _Union[_float, None] = ..., pixel_size: _Union[_float, None] = ..., reference_pixel_size: _Union[_float, None] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _refine: ...

class _render_eer(Result):
    images: _Any
    n_images: _int

def render_eer(movie: _Source, *, dark: _Union[_Source, None] = ..., gain: _Union[_Source, None] = ..., gain_sense: _Union[_Literal['multiply', 'divide'], None] = ..., gain_rot: _int = ..., gain_flip: _Literal['none', 'x', 'y'] = ..., sink: _Any = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _render_eer: ...

class _sharpen(Result):
    map: _Any
    shells: Table
    bfactor: _float
    fit_from: _float
    fit_to: _float
    intercept: _float
    correlation: _float
    resolution: _float
    lowpass: _float
    is_fitted: _bool
    crosses: _bool

def sharpen(half1: _Source, half2: _Union[_Source, None] = ..., *, bfactor: _Union[_float, None] = ..., fit_from: _float = ..., fit_to: _Union[_float, None] = ..., relion_fit: _bool = ..., lowpass: _Union[_float, None] = ..., edge: _Union[_float, None] = ..., no_weight: _bool = ..., mask: _Union[_Source, None] = ..., randomize_at_fsc: _float = ..., randomize_at: _Union[_float, None] = ..., apply_mask: _bool = ..., want_sharpened: _bool = ..., pixel_size: _Union[_float, None] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _sharpen: ...

class _simulate_atoms(Result):
    map: _Any
    positions: Table

def simulate_atoms(*, box: _int = ..., atoms: _int = ..., radius: _Union[_float, None] = ..., sigma: _float = ..., sink: _Any = ..., pixel_size: _Union[_float, None] = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _simulate_atoms: ...

class _simulate_movie(Result):
    movie: _Any
    particles: Table
    rotations: _Any
    shifts: Table
    local_shifts: Table
    ctf: _Any
    gain: _Any
    pixel_size: _float
    dose: _float

def simulate_movie(map: _Source, defocus: _float, *, frames: _int = ..., size: _Union[_Shape, None] = ..., count: _Union[_int, None] = ..., distance: _Union[_float, None] = ..., contrast: _float = ..., ice: _float = ..., dose: _float = ..., no_damage: _bool = ..., drift: _float = ..., local: _float = ..., noise: _Literal['poisson', 'gaussian', 'none'] = ..., gain: _bool = ..., astigmatism: _float = ..., angle: _float = ..., voltage: _float = ..., cs: _float = ..., amplitude: _float = ..., phase_shift: _float = ..., bfactor: _float = ..., sink: _Any = ..., pixel_size: _Union[_float, None] = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _simulate_movie: ...

class _simulate_particles(Result):
    images: _Any
    particles: Table
    rotations: _Any
    shifts: _Any
    ctfs: _Any
    pixel_size: _float
    noise: _float

def simulate_particles(map: _Source, *, count: _Union[_int, None] = ..., micrographs: _int = ..., snr: _float = ..., no_noise: _bool = ..., no_ctf: _bool = ..., shift: _float = ..., min_defocus: _float = ..., max_defocus: _float = ..., astigmatism: _float = ..., voltage: _float = ..., cs: _float = ..., amplitude: _float = ..., bfactor: _float = ..., rotations: _Union[_ArrayLike, None] = ..., shifts: _Union[_ArrayLike, None] = ..., ctfs: _Union[_ArrayLike, None] = ..., sink: _Any = ..., pixel_size: _Union[_float, None] = ..., overwrite: _bool = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _simulate_particles: ...

class _stack_histogram(Result):
    histogram: Table

def stack_histogram(images: _Source, bins: _int, *, low: _Union[_float, None] = ..., high: _Union[_float, None] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _stack_histogram: ...

class _stack_statistics(Result):
    statistics: Table

def stack_statistics(images: _Source, *, of: _Literal['all', 'image', 'volume'] = ..., device: _DeviceLike = ..., memory: _Union[_int, None] = ..., seed: _int = ..., progress: _Progress = ...) -> _stack_statistics: ...
