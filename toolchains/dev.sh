#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# The project's one command, for Debian 12 and 13. Run it as: bash toolchains/dev.sh COMMAND
set -euo pipefail

usage() {
  cat <<'TEXT'
toolchains/dev.sh COMMAND
  setup [--system] [--plots]     install what is missing (apt) and make build/prefix; the other commands do this first.
                                 --system: also fetch a riscv64 machine (kernel and emulator, 150 MB), for tests/system
                                 --plots: also install matplotlib, for bench/plot.py
  test [--folders REGEX] [--sources REGEX] [BUILD...] [-- CTEST...]
                                 build and run all tests, or those of some builds, folders of tests/, sources of tests/backend and
                                 tests/identity, with options for ctest
  demo [OPTIONS]                 run the example model on every backend and print one table
  bench [REGEX] [OPTIONS]        build and run the benches whose name matches, with options for Google Benchmark
  bench --riscv64 [REGEX] [OPTIONS]
                                 the same for riscv64: static programs for a board, and here the instructions of one call of each case
  budget [REGEX]                 measure the rows of tests/cost/budget.tsv whose name matches; exit 1 if one is over
  digests                        write the digests of tests/identity (from the scalar backend) and tests/c_interface
  board                          build tessera-check, the static program that checks a RISC-V board, and print its path
  docs                           write the reference of the public interface to build/docs/html; a warning is an error
  tables                         write the tables of README.md from the library's lists
  witness                        compare every legal matrix instruction with binutils 2.47 (fetched with apt into build/)
  ggml [OPERATOR...]             Debian testing's ggml (fetched with apt into build/) loads examples/ggml and tests it, natively and
                                 with matrix instructions under QEMU
  oldest-cmake                   use the library from Debian 11's CMake 3.18 (fetched with apt into build/), in every way CMake knows
  onnx [OPERATOR]                Debian 13's ONNX Runtime (fetched with apt into build/) loads examples/onnx, whose operators are
                                 compared with its own
  debian13 [ARGUMENTS]           test riscv64-gcc, or the builds named, in a tree of Debian 13 (made by mmdebstrap in build/), with
                                 its compilers, libraries and QEMU; arguments as for test; needs root
  tomorrow [ARGUMENTS]           test tomorrow-gcc and tomorrow-clang: Debian testing's GCC 15, Highway 1.3, xsimd 14 and QEMU 11
                                 (fetched with apt into build/); arguments as for test
Builds: host-gcc host-clang host-asan riscv64-clang riscv64-gcc aarch64-clang, each in build/NAME; if named, aarch64-gcc (the
whole of aarch64-clang), tomorrow-gcc and tomorrow-clang.
Besides apt packages, nothing outside build/ is touched.
TEXT
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_root="$root/build"
all_builds=(host-gcc host-clang host-asan riscv64-clang riscv64-gcc aarch64-clang)
named_builds=(aarch64-gcc tomorrow-gcc tomorrow-clang) # tested when named
part_options=() # for all builds of this command: what cmd_test was told to leave out
jobs=$(nproc)
# shellcheck source=toolchains/prefix.sh
. "$root/toolchains/prefix.sh"
# shellcheck source=toolchains/apt_root.sh
. "$root/toolchains/apt_root.sh"
# shellcheck source=toolchains/benchmark.sh
. "$root/toolchains/benchmark.sh"
# shellcheck source=toolchains/system.sh
. "$root/toolchains/system.sh"
# shellcheck source=toolchains/witness.sh
. "$root/toolchains/witness.sh"
# shellcheck source=toolchains/ggml.sh
. "$root/toolchains/ggml.sh"
# shellcheck source=toolchains/onnx.sh
. "$root/toolchains/onnx.sh"
# shellcheck source=toolchains/oldest_cmake.sh
. "$root/toolchains/oldest_cmake.sh"
# shellcheck source=toolchains/debian13.sh
. "$root/toolchains/debian13.sh"
# shellcheck source=toolchains/tomorrow.sh
. "$root/toolchains/tomorrow.sh"

# ---- set-up ----------------------------------------------------------------------------------------------------------

common_packages=(
  g++ cmake ninja-build meson python3 git pkg-config
  clang-19 lld-19 llvm-19 libclang-rt-19-dev clang-format-19
  g++-riscv64-linux-gnu libc6-dev-riscv64-cross g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
  libgtest-dev googletest libbenchmark-dev doxygen)

# Runs a command that talks much; what it said is shown only if it fails.
quietly() {
  mkdir -p "$build_root"
  "$@" >"$build_root/setup.log" 2>&1 </dev/null || {
    cat "$build_root/setup.log" >&2
    return 1
  }
}

apt_update() {
  DEBIAN_FRONTEND=noninteractive quietly apt-get -q update
}

missing_packages() {
  local package
  for package in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      echo "$package"
    fi
  done
}

ensure_packages() {
  local missing
  missing=$(missing_packages "$@")
  if [ -z "$missing" ]; then
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "dev.sh: not root; install these packages first:" $missing >&2
    return 2
  fi
  echo "== installing:" $missing
  apt_update
  # shellcheck disable=SC2086 # one word per package
  DEBIAN_FRONTEND=noninteractive quietly apt-get -q -y -o Dpkg::Use-Pty=0 install --no-install-recommends $missing
}

# packages_of CODENAME: what the builds need of a release of Debian, a line each.
packages_of() {
  printf '%s\n' "${common_packages[@]}"
  case $1 in
    bookworm) echo patchelf ;;
    trixie) printf '%s\n' g++-14-riscv64-linux-gnu libhwy-dev libxsimd-dev ;;
    *)
      echo "dev.sh: this is '$1'; the packages are known for Debian 12 (bookworm) and 13 (trixie) only" >&2
      return 2
      ;;
  esac
}

setup() {
  local codename lock packages
  codename=$(debian_codename)
  packages=$(packages_of "$codename")
  mapfile -t packages <<<"$packages"
  mkdir -p "$build_root"
  exec {lock}>"$build_root/.setup-lock"
  flock "$lock" # of two commands at once, the second waits and finds all made
  ensure_packages "${packages[@]}"
  ensure_prefix "$build_root/prefix/trixie" "$codename"
  ensure_benchmark "$build_root/prefix/benchmark" "$codename"
  exec {lock}>&-
}

# ---- builds ----------------------------------------------------------------------------------------------------------

# The flavour of x86 whose tests run here.
widest_flavour() {
  local flag
  for flag in avx512f avx512_vnni avx512_vbmi2 avx512_bitalg; do
    if ! grep -qw "$flag" /proc/cpuinfo; then
      echo avx2
      return
    fi
  done
  echo avx512
}

# build_options NAME: a line each; later ones win.
build_options() {
  local release=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG")
  case $1 in
    host-gcc) printf '%s\n' "${release[@]}" -DCMAKE_CXX_COMPILER=g++ "-DTESSERA_FLAVOURS=base;avx2" \
      "-DTESSERA_TEST_KERNELS=matmul_grid_.|backends" -DTESSERA_BUILD_EXAMPLES=OFF ;; # host-asan has the other kernels
    host-clang) printf '%s\n' "${release[@]}" -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
      "-DTESSERA_TEST_FLAVOURS=$(widest_flavour)" ;; # host-gcc and host-asan have the others
    host-asan) # no NDEBUG: the debug checks are tested here
      printf '%s\n' -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1" \
        -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
        -DTESSERA_SANITIZE=address,undefined "-DTESSERA_FLAVOURS=base"
      ;;
    riscv64-clang) printf '%s\n' "${release[@]}" "--toolchain=$root/toolchains/riscv64-clang.cmake" ;;
    riscv64-gcc)
      printf '%s\n' "${release[@]}" "--toolchain=$root/toolchains/riscv64-gcc.cmake" "-DTESSERA_FLAVOURS=rvv" \
        -DTESSERA_BUILD_EXAMPLES=OFF
      ;;
    aarch64-gcc | aarch64-clang) # Highway and xsimd on NEON, and what a baseline with fma does to the scalar code
      printf '%s\n' "${release[@]}" "--toolchain=$root/toolchains/$1.cmake" \
        "-DTESSERA_TEST_FOLDERS=backend|identity" -DTESSERA_BUILD_TOOLS=OFF -DTESSERA_BUILD_EXAMPLES=OFF \
        -DTESSERA_BUILD_BENCH=OFF -DTESSERA_INSTALL=OFF
      if [ "$1" = aarch64-clang ]; then # products of blocks: a minute
        printf '%s\n' -DTESSERA_TEST_FOLDERS=identity -DTESSERA_TEST_SOURCES=matmul_blocks
      fi
      ;;
    tomorrow-gcc)
      printf '%s\n' "${release[@]}" "--toolchain=$root/toolchains/riscv64-gcc.cmake" "-DTESSERA_FLAVOURS=rvv;rvv_hwy" \
        "-DTESSERA_TEST_FOLDERS=backend|identity|trap" "${tomorrow_options[@]}" ;;
    tomorrow-clang)
      printf '%s\n' "${release[@]}" "--toolchain=$root/toolchains/riscv64-clang.cmake" -DTESSERA_FLAVOURS=rvv_xsimd \
        "-DTESSERA_TEST_FOLDERS=backend|identity" "${tomorrow_options[@]}" ;;
    *)
      echo "dev.sh: no build called '$1'; there are: ${all_builds[*]} ${named_builds[*]}" >&2
      return 2
      ;;
  esac
}

# The folder with the compiler, the libraries and QEMU of a build.
prefix_of() {
  case $1 in
    tomorrow-*) echo "$build_root/prefix/tomorrow" ;;
    *) echo "${TESSERA_PREFIX:-$build_root/prefix/trixie}" ;;
  esac
}

# Configures a build unless it already is, with the same options.
configure() {
  local name=$1 options stamp
  options=$(build_options "$name" && printf '%s\n' "${part_options[@]}")
  stamp="$build_root/$name/.options"
  if [ -f "$build_root/$name/build.ninja" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$options" ]; then
    return 0
  fi
  local words
  mapfile -t words <<<"$options"
  TESSERA_PREFIX=$(prefix_of "$name") cmake --fresh -S "$root" -B "$build_root/$name" -G Ninja "${words[@]}" >"$build_root/$name.log" 2>&1 || {
    cat "$build_root/$name.log" >&2
    return 1
  }
  echo "$options" >"$stamp"
}

# build NAME [TARGET...]
build() {
  local name=$1
  shift
  configure "$name"
  local targets=()
  if [ $# -gt 0 ]; then
    targets=(--target "$@")
  fi
  TESSERA_PREFIX=$(prefix_of "$name") cmake --build "$build_root/$name" --parallel "$jobs" "${targets[@]}"
}

# The words that are targets of a build: programs whose source or flavour is absent are left out.
existing_targets() {
  local name=$1 target
  shift
  configure "$name"
  local known
  known=$(ninja -C "$build_root/$name" -t targets all | sed -n 's/^\([^:/]*\): phony$/\1/p')
  for target in "$@"; do
    if grep -qxF -- "$target" <<<"$known"; then
      echo "$target"
    fi
  done
}

# ---- commands --------------------------------------------------------------------------------------------------------

# ctest over all builds at once, so that one summary line covers everything; that line is moved to the very end.
run_ctest() {
  printf 'subdirs("%s")\n' "$@" >"$build_root/CTestTestfile.cmake"
  ctest --test-dir "$build_root" --no-tests=error --output-on-failure --parallel "$jobs" "${ctest_options[@]}" |
    awk '/^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+$/ { summary = $0; next }
         { print; fflush() }
         END { if (summary != "") print summary }'
}

cmd_test() {
  local builds=()
  ctest_options=()
  while [ $# -gt 0 ]; do
    if [ "$1" = -- ]; then
      shift
      ctest_options=("$@")
      break
    fi
    case $1 in
      --folders)
        part_options+=("-DTESSERA_TEST_FOLDERS=${2:?--folders needs an expression}" -DTESSERA_BUILD_BENCH=OFF -DTESSERA_BUILD_EXAMPLES=OFF)
        shift 2
        ;;
      --sources)
        part_options+=("-DTESSERA_TEST_SOURCES=${2:?--sources needs an expression}" -DTESSERA_BUILD_BENCH=OFF) # tessera-check wants all
        shift 2
        ;;
      *)
        build_options "$1" >/dev/null
        builds+=("$1")
        shift
        ;;
    esac
  done
  if [ ${#builds[@]} -eq 0 ]; then
    builds=("${all_builds[@]}")
  fi
  SECONDS=0
  setup
  if [[ " ${builds[*]} " = *" tomorrow-"* ]]; then
    ensure_tomorrow "$build_root/prefix/tomorrow"
  fi
  echo "== set-up: $SECONDS s"
  local name start
  for name in "${builds[@]}"; do
    start=$SECONDS
    echo "== building $name"
    build "$name"
    echo "== built $name: $((SECONDS - start)) s"
  done
  local status=0
  run_ctest "${builds[@]}" || status=$?
  # The budget reads the time of the last whole run; that of a part would pass for it.
  if [ "${builds[*]}" = "${all_builds[*]}" ] && [ ${#ctest_options[@]} -eq 0 ] && [ ${#part_options[@]} -eq 0 ]; then
    echo "$SECONDS" >"$build_root/test-seconds"
  fi
  return "$status"
}

cmd_demo() {
  setup
  local name targets
  for name in host-clang riscv64-clang; do
    mapfile -t targets < <(existing_targets "$name" \
      stories_{base,avx2,avx512,rv64gc,rvv,rvv_hwy,rvv_xsimd} hybrid_{base,avx2,rvv} tessera_trap_preload)
    if [ ${#targets[@]} -gt 0 ]; then
      build "$name" "${targets[@]}" | grep -v '^ninja: no work to do' || [ "${PIPESTATUS[0]}" -eq 0 ]
    fi
  done
  exec bash "$root/examples/demo.sh" "$@"
}

cmd_bench() {
  local regex=. name_of_build=host-clang
  if [ "${1:-}" = --riscv64 ]; then
    name_of_build=riscv64-clang
    shift
  fi
  if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    regex=$1
    shift
  fi
  setup
  configure "$name_of_build"
  local names
  names=$(ninja -C "$build_root/$name_of_build" -t targets all | sed -n 's/^\([a-z0-9_]*_bench_[a-z0-9]*\(_hwy\|_xsimd\)\{0,1\}\): phony$/\1/p' | sort |
    grep -v '^cmake_' | grep -E -- "$regex") || {
    echo "dev.sh: no bench matches '$regex'" >&2
    return 2
  }
  # shellcheck disable=SC2086 # one word per target
  build "$name_of_build" $names
  mkdir -p "$build_root/bench"
  local commit
  commit=$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)
  local name status
  for name in $names; do
    echo "== $name"
    if [ "$name_of_build" = riscv64-clang ]; then
      count_bench "$name" --benchmark_context=commit="$commit" "$@"
      continue
    fi
    status=0
    "$build_root/host-clang/bench/$name" --benchmark_context=commit="$commit" \
      --benchmark_out="$build_root/bench/$name.json" --benchmark_out_format=json "$@" || status=$?
    if [ "$status" -eq 77 ]; then
      echo "   not run: this CPU lacks the instructions"
    elif [ "$status" -ne 0 ]; then
      return "$status"
    fi
  done
}

# On both matrix cores; the programs themselves are for boards.
count_bench() {
  local name=$1 core
  shift
  for core in k1 k3; do
    # Registers of a length known to the compiler: VLEN 256 alone.
    if [ "$core" = k3 ] && [[ $name = *_rvv_xsimd ]]; then
      continue
    fi
    build riscv64-clang tessera_run tessera_count >/dev/null
    python3 "$root/bench/count.py" "$build_root/riscv64-clang/emu/tessera-run" "$core" "$build_root/riscv64-clang/bench/$name" \
      "$build_root/bench/$name.$core.json" "$@"
  done
}

cmd_board() {
  setup
  build riscv64-clang tessera_check_rvv
  echo "$build_root/riscv64-clang/bench/check/tessera_check_rvv"
}

# A row's command prints the measured number as the last word of its last line, and exits 77 where it cannot be measured.
# A limit is a maximum, or a minimum when it is written >=X.
cmd_budget() {
  local regex=${1:-.} table="$root/tests/cost/budget.tsv"
  if [ ! -f "$table" ]; then
    echo "dev.sh: there is no tests/cost/budget.tsv" >&2
    return 2
  fi
  setup
  # Rows of the host build what they measure; those of RISC-V share these programs.
  local name
  configure host-clang
  for name in riscv64-clang riscv64-gcc; do
    # shellcheck disable=SC2046 # one word per target
    build "$name" $(existing_targets "$name" tessera_cost_{matmul,kernels,ssm}_rvv tessera_cost_kernels_rvv_zvfh tessera_count tessera_trap_cost) \
      >"$build_root/$name.log" 2>&1 || {
      cat "$build_root/$name.log" >&2
      return 1
    }
  done
  build host-clang tessera_cost >"$build_root/host-clang.log" 2>&1 || {
    cat "$build_root/host-clang.log" >&2
    return 1
  }
  local limit unit command output measured verdict status rows=0 failures=0
  printf 'name\tlimit\tmeasured\tunit\tcommand\tverdict\n'
  while IFS=$'\t' read -r name limit unit command || [ -n "$name" ]; do
    if [ -z "$name" ] || [ "${name#\#}" != "$name" ] || [ "$name" = name ] || ! [[ $name =~ $regex ]]; then
      continue
    fi
    rows=$((rows + 1))
    status=0
    output=$(cd "$root" && TESSERA_BUILD_ROOT="$build_root" bash -c "$command" </dev/null) || status=$?
    measured=$(awk 'NF { last = $NF } END { print last }' <<<"$output")
    if [ "$status" -eq 77 ]; then
      measured=-
      verdict="not run"
    elif [ "$status" -ne 0 ]; then
      measured=-
      verdict="over (the command failed with $status)"
      failures=$((failures + 1))
    elif within_limit "$limit" "$measured"; then
      verdict=ok
    else
      verdict=over
      failures=$((failures + 1))
    fi
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$limit" "$measured" "$unit" "$command" "$verdict"
  done <"$table"
  if [ "$rows" -eq 0 ]; then
    echo "dev.sh: no row of the budget matches '$regex'" >&2
    return 2
  fi
  [ "$failures" -eq 0 ]
}

# within_limit LIMIT MEASURED: what is no number (nan included) is never within.
within_limit() {
  awk -v limit="$1" -v measured="$2" 'BEGIN {
    number = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
    least = sub(/^>=/, "", limit)
    if (limit !~ number || measured !~ number) exit 1
    exit least ? !(measured + 0 >= limit + 0) : !(measured + 0 <= limit + 0)
  }'
}

cmd_digests() {
  setup
  build host-gcc tessera_identity_base
  "$build_root/host-gcc/tests/identity/tessera_identity_base" --write "$root/tests/identity/digests.txt"
  build host-clang tessera_c_interface_digests
}

cmd_setup() {
  local option
  for option in "$@"; do
    case $option in
      --system | --plots) ;;
      *)
        echo "dev.sh: setup knows --system and --plots, not '$option'" >&2
        return 2
        ;;
    esac
  done
  setup
  for option in "$@"; do
    case $option in
      --system) ensure_system "$build_root/prefix/system" ;;
      --plots) ensure_packages python3-matplotlib ;;
    esac
  done
}

cmd_docs() {
  setup
  mkdir -p "$build_root/docs"
  (cd "$root" && TESSERA_DOCS="$build_root/docs" doxygen toolchains/Doxyfile)
  echo "$build_root/docs/html/index.html"
}

cmd_tables() {
  setup
  python3 "$root/toolchains/support_tables.py" "$root"
}

cmd_witness() {
  setup
  build host-gcc tessera_ime
  witness "$build_root/host-gcc/emu/tessera-ime"
}

cmd_ggml() {
  setup
  ggml "$@"
}

cmd_onnx() {
  setup
  onnx "$@"
}

cmd_oldest_cmake() {
  setup
  ensure_packages patchelf
  oldest_cmake
}

cmd_debian13() {
  debian13 "$@"
}

cmd_tomorrow() {
  cmd_test tomorrow-gcc tomorrow-clang "$@"
}

command=${1:-}
shift || true
case $command in
  setup) cmd_setup "$@" ;;
  test) cmd_test "$@" ;;
  demo) cmd_demo "$@" ;;
  bench) cmd_bench "$@" ;;
  board) cmd_board ;;
  budget) cmd_budget "$@" ;;
  digests) cmd_digests ;;
  docs) cmd_docs ;;
  tables) cmd_tables ;;
  witness) cmd_witness ;;
  ggml) cmd_ggml "$@" ;;
  onnx) cmd_onnx "$@" ;;
  oldest-cmake) cmd_oldest_cmake ;;
  debian13) cmd_debian13 "$@" ;;
  tomorrow) cmd_tomorrow "$@" ;;
  help | -h | --help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
