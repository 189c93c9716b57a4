// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// What the recipes' made-up format, backend, instruction and kernel do, where the library knows them by its lists alone.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tessera/isa/ime/all.hpp"
#include "tessera/matmul.hpp"
#include "tessera/negate.hpp"
#include "tessera/softmax.hpp"
#include "tessera/tessera.h"
#include "tests/isa/golden_words.hpp"

namespace {

using namespace tessera;
using Weights = format::q4_mid;

int failures = 0;
void expect(bool good, const char* what) {
  std::printf("%s %s\n", good ? "ok  " : "FAIL", what);
  if (!good) ++failures;
}

struct alignas(64) Line {
  std::byte bytes[64];
};
std::vector<Line> lines(std::size_t bytes) {
  return std::vector<Line>((bytes + 63) / 64);
}
std::span<std::byte> bytes_of(std::vector<Line>& l) {
  return std::as_writable_bytes(std::span(l));
}

std::vector<float> ramp(std::size_t n, unsigned seed) {
  std::vector<float> x(n);
  for (float& v : x) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(static_cast<int>(seed >> 8) - (1 << 23)) * 0x1p-23f;
  }
  return x;
}

constexpr std::size_t M = 3, N = 5, K = 64, blocks = N * K / Weights::group;

template <class B>
std::vector<float> product(const std::vector<float>& a, const std::vector<Weights::Block>& w) {
  using T = tile_for<Weights, B>;
  auto image = lines(packed_size<Weights, T>(N, K));
  const BlockView<Weights> stored{reinterpret_cast<const std::byte*>(w.data()), N, K,
                                  K / Weights::group * sizeof(Weights::Block)};
  expect(pack_weights<Weights, T>(stored, bytes_of(image)) == Status::ok, "format: packed");
  std::vector<Weights::Block> back(blocks);
  const Status unpacked =
      unpack_weights<Weights, T>(bytes_of(image), N, K, reinterpret_cast<std::byte*>(back.data()),
                                 K / Weights::group * sizeof(Weights::Block));
  expect(unpacked == Status::ok && std::memcmp(back.data(), w.data(), blocks * sizeof w[0]) == 0,
         "format: unpacked to the same bytes");
  std::vector<float> c(M * N);
  MatmulArgs<Weights, T> args{
      matrix(a.data(), M, K), {bytes_of(image), N, K}, matrix(c.data(), M, N)};
  const WorkspaceSize need = workspace_size<B>(args);
  auto shared = lines(need.shared), scratch = lines(need.scratch);
  args.workspace = {bytes_of(shared), bytes_of(scratch)};
  expect(matmul<B>(args) == Status::ok, B::name);
  return c;
}

void try_format_and_backend() {
  bool found = false;
  expect(with_format(1000, [&]<class F>(Type<F>) { found = F::group == Weights::group; }) ==
                 Status::ok &&
             found,
         "format: found by its number");
  const auto a = ramp(M * K, 1), w = ramp(N * K, 2);
  std::vector<Weights::Block> stored(blocks);
  std::vector<float> values(N * K);
  for (std::size_t i = 0; i < blocks; ++i) {
    Weights::quantize_block(w.data() + i * Weights::group, stored[i]);
    Weights::dequantize_block(stored[i], values.data() + i * Weights::group);
  }
  const auto c = product<backend::scalar>(a, stored);
  bool near = true;
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < N; ++j) {
      double sum = 0, size = 0;
      for (std::size_t k = 0; k < K; ++k) {
        const double p = static_cast<double>(a[i * K + k]) * static_cast<double>(values[j * K + k]);
        sum += p, size += std::fabs(p);
      }
      near = near && std::fabs(static_cast<double>(c[i * N + j]) - sum) <=
                         size / 100;  // activations of 8 bits
    }
  expect(near, "format: a product with float64's values");

  expect(available_backends::has<backend::pairs>, "backend: in the list");
  const auto same = [](const std::vector<float>& x, const std::vector<float>& y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
  };
  expect(same(c, product<backend::pairs>(a, stored)), "backend: scalar's bits of a product");
  std::vector<float> y(M * K), want(M * K);
  const auto rows = MatrixView<const float>{a.data(), M, K - 1, K};
  const bool ran =
      softmax<backend::pairs>({rows, MatrixView<float>{y.data(), M, K - 1, K}, 3.0f}) ==
          Status::ok &&
      softmax<backend::scalar>({rows, MatrixView<float>{want.data(), M, K - 1, K}, 3.0f}) ==
          Status::ok;
  expect(ran && same(y, want), "backend: scalar's bits of a softmax of odd length");
}

void try_instruction() {
  const GoldenWord& golden = golden_words[0];
  constexpr ime::Operands operands{.vd = 2, .vs1 = 4, .vs2 = 5, .imm = 1};
  expect(ime::encode<ime::Vrev>(operands) == golden.word, "instruction: its golden word");
  const ime::Decoded decoded = ime::decode(golden.word, ime::k3);
  expect(decoded && decoded.operands == operands && !ime::decode(golden.word, ime::k1),
         "instruction: decoded where it is legal");
  char buffer[64];
  ime::Text text(buffer, sizeof buffer);
  ime::disassemble(golden.word, text);
  expect(std::string(buffer) == golden.assembly, "instruction: disassembled");
}

void try_kernel() {
  const auto x = ramp(M * K, 3);
  std::vector<float> y(M * K), z(M * K);
  const bool ran = negate<backend::pairs>(
                       {matrix<const float>(x.data(), M, K), matrix(y.data(), M, K)}) == Status::ok;
  tsr_negate_args args = tsr_negate_init();
  args.x.data = x.data(), args.y.data = z.data();
  args.x.rows = args.y.rows = M, args.x.cols = args.y.cols = K;
  args.x.row_stride = args.y.row_stride = K;
  const bool c_ran = tsr_negate(&args) == TSR_OK;
  bool right = ran, c_right = c_ran;
  for (std::size_t i = 0; i < x.size(); ++i) {
    right = right && y[i] == -x[i];
    c_right = c_right && z[i] == -x[i];
  }
  expect(right, "kernel: on the made-up backend");
  expect(c_right, "kernel: through the C interface");
}

}  // namespace

int main() {
  try_format_and_backend();
  try_instruction();
  try_kernel();
  return failures == 0 ? 0 : 1;
}
