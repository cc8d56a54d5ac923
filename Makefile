# The commands people type. CMakePresets.json says how each build is configured.
#   make demo   installs what is missing, builds, runs the main job
#   make test   installs what is missing, builds with both MPIs, runs every test
JOBS ?= $(shell nproc)

# Open MPI refuses root unless asked twice, and containers are root.
export OMPI_ALLOW_RUN_AS_ROOT = 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = 1

.DEFAULT_GOAL := build
.PHONY: help setup setup-readers setup-python setup-package setup-build setup-lint build test test-thorough test-across demo docs lint sanitize test-with-hdf5 test-fresh test-nfs test-io4dolfinx test-dealii test-crowds test-simulated test-readers-table wheel clean

help:
	@echo 'make setup       install the missing packages (all that building and testing need)'
	@echo 'make build       the command, at build/bin/weft'
	@echo 'make demo        the main job: three ways of writing the same steps, side by side'
	@echo 'make test        every test, with Open MPI, MPICH and without MPI'
	@echo 'make test-thorough  runs are killed at every write, not at some'
	@echo 'make test-across files that this weft and another one (OTHER="command") on another HDF5 both work on'
	@echo 'make wheel       the Python package as a wheel that needs nothing, in dist/ (PYTHON=python3.12: of 3.12 and later)'
	@echo 'make docs        the reference of the C++ interface, at build/docs/html'
	@echo 'make lint        clang-format, clang-tidy, shellcheck, ruff, mypy'
	@echo 'make sanitize    tests under the address, undefined-behaviour and thread sanitizers'
	@echo 'make test-with-hdf5  the test programs of HDF5 itself under weft with (needs source packages; an hour)'
	@echo 'make test-fresh  make test on a new Debian machine (a chroot; needs root and debootstrap; SUITE=trixie: of that release)'
	@echo 'make test-nfs    ranks on two clients of a real NFS server, in a guest machine (needs root)'
	@echo 'make test-crowds      64, 128 and 256 ranks, with Open MPI and MPICH (an hour)'
	@echo 'make test-simulated   the writer on 64 and 1,024 simulated ranks (three minutes)'
	@echo 'make test-dealii      functions of deal.II (installs libdeal.ii-dev)'
	@echo 'make test-io4dolfinx  checkpoints of DOLFINx, with the newest Debian (a chroot; needs root and debootstrap)'
	@echo 'make test-readers-table  who reads which file, value for value: docs/readers.md (WRITE=1 writes it; needs npm, Maven)'
	@echo 'make bench       Weft and its peers, with a report (BENCH_FOLDER=where, BENCH_SCALE=0.1)'
	@echo 'make bench-write the write figure at full size (BENCH_FOLDER=where, 16 GB)'
	@echo 'make clean       remove the build trees'

# What comes from PyPI side by side: most of it is waiting.
setup:
	@scripts/install-packages build test
	@$(MAKE) --no-print-directory --jobs=3 setup-readers setup-python setup-package
setup-readers:
	@scripts/install-readers
setup-python:
	@scripts/install-python
setup-package:
	@scripts/install-python package
setup-build:
	@scripts/install-packages build
setup-lint:
	@scripts/install-packages build lint

# $(call configure_and_build,PRESET,TARGET)
define configure_and_build
	cmake --preset $(1)
	cmake --build --preset $(1) --parallel $(JOBS) --target $(2)
endef

build: setup-build
	$(call configure_and_build,default,weft)
	@scripts/install-python || echo 'make build: build/bin/weft is complete but for weft campaign and weft report'

test: setup
	$(call configure_and_build,default,all)
	$(call configure_and_build,mpich,all)
	$(call configure_and_build,serial,all)
	ctest --preset default --parallel $$(($(JOBS) + 1))  # many tests wait, for ranks to start or to end
	ctest --preset mpich --parallel $$(($(JOBS) + 1))
	ctest --preset serial --parallel $(JOBS)
	@echo 'make test: every test passed, with Open MPI, with MPICH and without MPI'

test-thorough: setup
	$(call configure_and_build,default,all)
	$(call configure_and_build,mpich,all)
	WEFT_THOROUGH=1 ctest --preset default --parallel $(JOBS) -R 'killed|recover' --timeout 3000
	WEFT_THOROUGH=1 ctest --preset mpich --parallel $(JOBS) -R 'test_killed$$' --timeout 3000

# Files of this build and of another one on another HDF5, in both directions: OTHER are the words that start that weft.
test-across:
	@test -n "$(OTHER)" || { echo 'make test-across: say OTHER="words that start a weft on another HDF5"' >&2; exit 1; }
	@mkdir -p build/scratch
	PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 WEFT=$(CURDIR)/build/bin/weft WEFT_OTHER="$(OTHER)" \
		/usr/bin/python3 -m pytest -q -p no:cacheprovider --basetemp build/scratch/across tests/versions

demo: build
	@scripts/install-readers || echo "demo: without VTK there will be no pictures of the heart"
	scripts/demo

# Needs PyPI and the source packages of this Debian. PYTHON=python3.12: the wheel of 3.12 and all later versions.
wheel: setup-build
	scripts/make-wheel $(PYTHON)

docs:
	@command -v doxygen > /dev/null || scripts/install-packages build test
	scripts/make-reference
	@echo 'make docs: open build/docs/html/index.html'

lint: setup-lint
	cmake --preset lint
	scripts/lint $(JOBS)

# The thread sanitizer wants its addresses where it expects them: setarch -R turns their randomisation off.
sanitize: setup
	$(call configure_and_build,asan,all)
	ctest --preset asan --parallel $(JOBS)
	cmake --preset tsan
	setarch -R cmake --build --preset tsan --parallel $(JOBS)
	setarch -R ctest --preset tsan --parallel $(JOBS)

test-fresh:
	SUITE=$(SUITE) scripts/test-fresh

test-with-hdf5:
	scripts/test-with-hdf5

test-io4dolfinx:
	scripts/test-io4dolfinx

# Ranks that wait for a core: their seconds mean nothing, their counts and memory do.
# MPICH is told that each rank is on a node of its own: ranks of one node wait for another by spinning when they start.
test-crowds: setup
	$(call configure_and_build,default,all)
	$(call configure_and_build,mpich,all)
	PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 WEFT=$(CURDIR)/build/bin/weft WEFT_MPI_FLAVOUR=openmpi \
		WEFT_MPIEXEC="mpiexec.openmpi --oversubscribe --bind-to none -x LD_PRELOAD=$(CURDIR)/build/tests/weft_yield_when_idle.so" \
		/usr/bin/python3 -m pytest -q -p no:cacheprovider --basetemp build/scratch/crowds tests/crowds
	PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 WEFT=$(CURDIR)/build-mpich/bin/weft WEFT_MPI_FLAVOUR=mpich \
		WEFT_MPIEXEC="mpiexec.mpich -genv MPIR_CVAR_NOLOCAL 1 -genv LD_PRELOAD $(CURDIR)/build-mpich/tests/weft_yield_when_idle.so" \
		/usr/bin/python3 -m pytest -q -p no:cacheprovider --basetemp build-mpich/scratch/crowds tests/crowds

test-simulated: setup
	$(call configure_and_build,default,weft)
	$(call configure_and_build,serial,weft_core)
	scripts/test-simulated 64 1024

test-dealii: build
	scripts/test-dealii

# Files on NFS 4.2 and 3, written by ranks on two clients. The guest comes up in 10 s once its packages are there.
test-nfs:
	@mkdir -p build/scratch
	PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 WEFT=$(CURDIR)/build/bin/weft \
		/usr/bin/python3 -m pytest -q -p no:cacheprovider --basetemp build/scratch/nfs tests/nfs

# Some fifteen readers on every kind of file. Also in words: build/scratch/readers-table.txt.
test-readers-table: build
	@scripts/install-packages build test && scripts/install-table-readers
	cmake --build --preset default --parallel $(JOBS) --target weft_reader_cases
	@mkdir -p build/scratch
	PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 WEFT=$(CURDIR)/build/bin/weft WEFT_TABLE_WRITE=$(WRITE) \
		WEFT_TABLE_REPORT=$(CURDIR)/build/scratch/readers-table.txt \
		.venv-table/bin/python -m pytest -q -p no:cacheprovider --basetemp build/scratch/readers-table tests/reading_table

clean:
	rm -rf build build-lint build-odr build-mpich build-serial build-asan build-tsan .venv-readers .venv-weft .venv-peers .venv-table .venv-python build-python build-wheel dist

# Weft and its peers as a campaign, in BENCH_FOLDER; BENCH_SCALE=0.1 is a tenth of 0.97 GB. Goes on where it was interrupted.
BENCH_FOLDER ?= bench
BENCH_SCALE ?= 1
.PHONY: bench bench-write
bench: build
	@scripts/install-python && scripts/install-peers
	cmake --build --preset default --parallel $(JOBS) --target one_process --target on_ranks
	build/bin/weft campaign run peers --out $(BENCH_FOLDER)/peers --scale $(BENCH_SCALE) --resume
	build/bin/weft report $(BENCH_FOLDER)/peers
	build/bin/on_ranks --help | grep -q ', bp5' || no_bp5='--set format=Weft,raw'; \
	build/bin/weft campaign run peers-on-ranks --out $(BENCH_FOLDER)/peers-on-ranks --scale $(BENCH_SCALE) --resume $$no_bp5
	build/bin/weft report $(BENCH_FOLDER)/peers-on-ranks

# Long and loud: the write figure at the paper's size (16 GB in BENCH_FOLDER).
bench-write: build
	@mkdir -p $(BENCH_FOLDER)
	python3 benchmarks/writing.py --folder $(BENCH_FOLDER)
