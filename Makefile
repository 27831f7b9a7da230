# A thin front for CMake. `make demo` and `make test` set up a bare Debian machine first.
BUILD ?= build
PYTHON ?= /usr/bin/python3
JOBS  ?= $(shell nproc)

all: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) -j$(JOBS)

$(BUILD)/CMakeCache.txt:
	@cmake -B $(BUILD) -DTESS_WERROR=ON

demo:
	@scripts/setup build
	@$(MAKE) --no-print-directory all
	@$(BUILD)/example_demo

test:
	@scripts/setup build test
	@$(MAKE) --no-print-directory all
	@tests/run $(BUILD)

bench: all
	@$(BUILD)/bench_arrays

bench-peers: all
	@scripts/setup build test
	@$(BUILD)/bench_arrays
	@$(PYTHON) bench/peers.py $(BUILD)/libtessera.so

install: all
	@cmake --install $(BUILD)

asan:
	@cmake -B $(BUILD)-asan -DTESS_WERROR=ON -DTESS_SANITIZE=address,undefined >/dev/null
	@cmake --build $(BUILD)-asan -j$(JOBS) >/dev/null
	@tests/run $(BUILD)-asan programs

tsan:
	@cmake -B $(BUILD)-tsan -DTESS_WERROR=ON -DTESS_SANITIZE=thread >/dev/null
	@cmake --build $(BUILD)-tsan -j$(JOBS) >/dev/null
	@tests/run $(BUILD)-tsan threads

# valgrind 3.19 cannot read programs that hold SVE code, so this build has the plainest kernels alone.
valgrind:
	@cmake -B $(BUILD)-valgrind -DTESS_WERROR=ON -DTESS_ISAS=base -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
	@cmake --build $(BUILD)-valgrind -j$(JOBS) >/dev/null
	@tests/run $(BUILD)-valgrind valgrind

coverage:
	@cmake -B $(BUILD)-coverage -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=--coverage >/dev/null
	@cmake --build $(BUILD)-coverage -j$(JOBS) >/dev/null
	@tests/run $(BUILD)-coverage programs
	@scripts/coverage $(BUILD)-coverage

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-valgrind $(BUILD)-coverage

.PHONY: all demo test bench bench-peers install asan tsan valgrind coverage format clean
