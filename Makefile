# A thin front for CMake. `make demo`, `make test` and `make test-all` set up a bare Debian machine first.
BUILD ?= build
PYTHON ?= /usr/bin/python3
JOBS  ?= $(shell nproc)
export JOBS

PREFIX ?= /usr/local
MAKEFLAGS += --no-print-directory

# The library and the command, with the kernels of all instruction sets.
all:
	@scripts/configure $(BUILD) -UTESS_ISAS >/dev/null
	@cmake --build $(BUILD) -j$(JOBS) --target tessera_installed

$(BUILD)/CMakeCache.txt:
	@scripts/configure $(BUILD)

demo:
	@scripts/setup build
	@scripts/configure $(BUILD) -UTESS_ISAS
	@cmake --build $(BUILD) -j$(JOBS) --target tessera
	@$(BUILD)/tessera demo -o out/demo

# What everyone should see pass: six minutes on two cores, half of them for compiling. Kernels of instruction sets that this
# processor lacks could not run here, and are left to `make` and `make test-all`.
test:
	@scripts/setup build python test
	@scripts/configure $(BUILD) -DTESS_TESTS=ON -DTESS_WERROR=ON "-DTESS_ISAS=$$(scripts/isas)"
	@cmake --build $(BUILD) -j$(JOBS) --target tessera_installed test_programs example_programs abi_layouts tessera_python
	@tests/run $(BUILD)

# The same with more random cases (all of them: make soak), and all else that tests: kernels of all instruction sets,
# simulated GPUs, fuzzed files, other compilers, accuracy, the installed library, benchmarks (built alone), sanitizers,
# valgrind: up to an hour.
test-all:
	@scripts/setup build python test test-all
	@scripts/configure $(BUILD) -DTESS_TESTS=ON -DTESS_WERROR=ON -UTESS_ISAS
	@cmake --build $(BUILD) -j$(JOBS)
	@cmake --build $(BUILD) -j$(JOBS) --target tessera_python
	@tests/run $(BUILD) all

# The tests of the GPU on a real one; where there is none, they say so.
test-gpu:
	@scripts/configure $(BUILD) -DTESS_TESTS=ON >/dev/null
	@cmake --build $(BUILD) -j$(JOBS) --target gpu_programs
	@tests/run $(BUILD) device

# The same under NVIDIA's compute-sanitizer: memcheck and racecheck.
sanitize-gpu:
	@scripts/configure $(BUILD) -DTESS_TESTS=ON >/dev/null
	@cmake --build $(BUILD) -j$(JOBS) --target gpu_programs
	@tests/run $(BUILD) races

BENCHES := memory ewise reduce sort index random linalg resize fft geometry_coordinates geometry_draw geometry_items \
           geometry_polar geometry_project geometry_slices geometry_transform signal_filter signal_convolve signal_ctf \
           signal_motion signal_shells signal_windows files files_eer op op_define

bench: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) -j$(JOBS) --target $(BENCHES:%=bench_%) tessera_shared
	@for program in $(BENCHES); do $(BUILD)/bench_$$program || exit 1; done

# Workloads on a GPU beside the limit of its memory, and PyTorch and CuPy where they are installed.
bench-gpu: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) -j$(JOBS) --target bench_gpu
	@$(BUILD)/bench_gpu
	@$(PYTHON) bench/peers_gpu.py

bench-peers: bench
	@scripts/setup test test-all
	@for script in bench/peers*.py; do $(PYTHON) $$script $(BUILD)/libtessera.so || exit 1; done

# The Python module, in $(BUILD)/python: PYTHONPATH=$(BUILD)/python python3 -c 'import tessera'
python:
	@scripts/setup build python
	@scripts/configure $(BUILD) -DTESS_PYTHON=$(PYTHON) -UTESS_ISAS
	@cmake --build $(BUILD) -j$(JOBS) --target tessera_python

# Calls from Python beside the same calls from C, and work as users write it beside NumPy, SciPy and mrcfile.
bench-python: python
	@scripts/setup test
	@cmake --build $(BUILD) -j$(JOBS) --target bench_python_call
	@$(PYTHON) bench/python.py $(BUILD)
	@$(PYTHON) bench/python_peers.py $(BUILD)
	@$(PYTHON) bench/layouts.py $(BUILD)

# PYTHON_INSTALL=1 puts the Python module below the prefix, too; Debian's Python finds it in /usr/local.
install: all $(if $(PYTHON_INSTALL),python)
	@cmake --install $(BUILD) --prefix $(PREFIX)
	@$(if $(PYTHON_INSTALL),cmake --install $(BUILD) --prefix $(PREFIX) --component python)

uninstall:
	@xargs rm -f < $(BUILD)/install_manifest.txt

# All random cases, by a seed that no run had before, and the longest tests of the command and of Python.
SEED ?= $(shell date +%s)

soak:
	@scripts/setup build python test test-all
	@scripts/configure $(BUILD) -DTESS_TESTS=ON
	@cmake --build $(BUILD) -j$(JOBS) --target test_programs tessera tessera_shared tessera_python
	@TESS_TEST_SEED=$(SEED) TESS_TEST_SAMPLE=1 tests/run $(BUILD) programs oracle blas cli python

# Every float through every function of one argument, and 10^7 hard and random arguments for the others: an hour.
math-all:
	@scripts/setup build test-all
	@scripts/configure $(BUILD) -DTESS_TESTS=ON
	@cmake --build $(BUILD) -j$(JOBS) --target math_ulp
	@$(BUILD)/math_ulp all f32
	@$(BUILD)/math_ulp all f64

# Errors of transforms of some thousand sizes beside FFTW's: ten minutes.
fft-accuracy:
	@scripts/setup build test-all
	@scripts/configure $(BUILD) -DTESS_TESTS=ON
	@cmake --build $(BUILD) -j$(JOBS) --target fft_accuracy
	@$(BUILD)/fft_accuracy

# 100 000 random operators, by the virtual machine and as C that is printed and compiled: three quarters of an hour.
operators-all:
	@scripts/setup build test
	@scripts/configure $(BUILD) -DTESS_TESTS=ON
	@cmake --build $(BUILD) -j$(JOBS) --target check_op_programs
	@TESS_PROGRAMS=100000 $(BUILD)/check_op_programs --seed 2

# Every kernel that the tests print, by NVRTC (which must be there; no GPU is needed), for four kinds of GPUs: an hour of a
# core.
kernels-all:
	@scripts/setup build test
	@scripts/configure $(BUILD) -DTESS_TESTS=ON
	@cmake --build $(BUILD) -j$(JOBS) --target gpu_programs
	@tests/run $(BUILD) gpu kernels

# The SVE kernels on a processor without SVE, in emulation: some minutes.
EMULATED := convert ewise reduce reduce_rows reduce_columns reduce_variance reduce_minmax scan sort index random linalg_matmul \
            reduce_layouts reduce_short resize fft signal_convolve

sve:
	@scripts/setup build emulate
	@scripts/configure $(BUILD) -DTESS_TESTS=ON
	@cmake --build $(BUILD) -j$(JOBS) --target $(EMULATED:%=check_%)
	@for program in $(EMULATED); do qemu-aarch64 -cpu max,sve256=on $(BUILD)/check_$$program || exit 1; done

# Ten million texts of operators, and of each kind of file, that went wrong, with sanitizers.
FUZZ_RUNS ?= 10000000
FUZZED := parse mrc npy npz star tiff png eer dm spider em ser imagic cs json

fuzz:
	@TESS_SANITIZE_LEVEL=-O1 scripts/sanitize $(BUILD)-fuzz address,undefined $(FUZZED:%=fuzz_%) fuzz_hdf5
	@for program in $(FUZZED); do echo $$program; $(BUILD)-fuzz/fuzz_$$program $(FUZZ_RUNS) || exit 1; done
	@echo hdf5; $(BUILD)-fuzz/fuzz_hdf5 $$(($(FUZZ_RUNS) / 100))

# Programs built with sanitizers; with more kernels than the baseline: make asan TESS_ISAS='base;v4'
asan tsan:
	@tests/run $(BUILD) $@

# The tests as they were built: BUILD=… with -DCMAKE_BUILD_TYPE=Debug shows lines.
valgrind: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) -j$(JOBS) --target api_programs >/dev/null
	@tests/run $(BUILD) valgrind

coverage:
	@scripts/configure $(BUILD)-coverage -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=--coverage >/dev/null
	@cmake --build $(BUILD)-coverage -j$(JOBS) >/dev/null
	@TESS_TEST_SAMPLE=4 tests/run $(BUILD)-coverage programs
	@scripts/coverage $(BUILD)-coverage

format:
	@clang-format -i $$(git ls-files '*.c' '*.h' 'src/*.inc')

clean:
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-coverage

.PHONY: all python demo test test-all soak test-gpu sanitize-gpu bench bench-gpu bench-peers bench-python install uninstall sve kernels-all math-all fft-accuracy operators-all fuzz asan tsan valgrind coverage format clean
