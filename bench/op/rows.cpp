// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// rms_norm, softmax, swiglu and the activations.
#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tessera/activation.hpp"
#include "tessera/norm.hpp"
#include "tessera/softmax.hpp"
#include "tests/reference/activation_functions.hpp"
#include "tests/reference/rms_norm.hpp"
#include "tests/reference/softmax.hpp"
#include "tests/reference/swiglu.hpp"

namespace op {
namespace {

/// What is the same for the three: a matrix to a matrix. `run(Type<B>, args..., y)` is the kernel.
struct Rows {
  const char* kernel;
  std::size_t rows;
  std::size_t cols;

  template <class B, class Args, class Kernel>
  Outcome run(Args args, const Cut& cut, bool check_only, Kernel kernel_of) const {
    Outcome out;
    out.values = untouched_values(rows * cols);
    args.y = tessera::matrix(out.values.data(), rows, cols);
    out.status = tessera::check<B>(args);
    if (out.status != tessera::Status::ok || check_only) return out;
    out.status = run_cut(cut, tessera::units(args), [&](tessera::UnitRange range) {
      return kernel_of(tessera::Type<B>{}, args, range);
    });
    return out;
  }

  template <class Args, class Kernel, class Reference>
  int answer_with(const Options& options, const Args& args, Kernel kernel_of,
                  Reference row_reference) const {
    Question q;
    const Cut cut = cut_of(options);
    with_backend(options, [&]<class B>(tessera::Type<B>) {
      q.instance = std::string(kernel) + " " + B::name + " (" + B::vector_via + ")";
      q.atom = "vectors";
      q.outcome = run<B>(args, cut, options.flag("check-only"), kernel_of);
    });
    q.shape = std::to_string(rows) + "x" + std::to_string(cols);
    q.out_shape = {rows, cols};
    q.scalar = [&] { return run<tessera::backend::scalar>(args, Cut{}, false, kernel_of).values; };
    q.reference = [&] {
      reference::Expected want;
      for (std::size_t i = 0; i < rows; ++i) row_reference(i * cols, want);
      return want;
    };
    return answer(options, q);
  }
};

Rows rows_of(const Options& options, const char* kernel, const std::string& file) {
  const Rows r{kernel, dimension(options, "rows", 4, file, 0),
               dimension(options, "cols", 64, file, 1)};
  elements(r.rows, r.cols, "cols");
  return r;
}

}  // namespace

int run_rms_norm(int argc, char** argv) {
  const Options options(argc, argv, "rms_norm", {"rows", "cols", "eps", "x", "weight"});
  const Rows r = rows_of(options, "rms_norm", "x");
  const auto x = operand(options, "x", {r.rows, r.cols}, 0);
  const auto weight = operand(options, "weight", {r.cols}, 1);
  tessera::RmsNormArgs args;
  args.x = tessera::matrix(x.data(), r.rows, r.cols);
  args.weight = weight.data();
  args.eps = static_cast<float>(options.number("eps", 1e-5));
  return r.answer_with(
      options, args,
      []<class B>(tessera::Type<B>, const auto& a, auto range) {
        return tessera::rms_norm<B>(a, range);
      },
      [&](std::size_t at, reference::Expected& want) {
        reference::rms_norm(x.data() + at, weight.data(), r.cols, args.eps, want);
      });
}

int run_softmax(int argc, char** argv) {
  const Options options(argc, argv, "softmax", {"rows", "cols", "scale", "x"});
  const Rows r = rows_of(options, "softmax", "x");
  const auto x = operand(options, "x", {r.rows, r.cols}, 0);
  tessera::SoftmaxArgs args;
  args.x = tessera::matrix(x.data(), r.rows, r.cols);
  args.scale = static_cast<float>(options.number("scale", 1.0));
  return r.answer_with(
      options, args,
      []<class B>(tessera::Type<B>, const auto& a, auto range) {
        return tessera::softmax<B>(a, range);
      },
      [&](std::size_t at, reference::Expected& want) {
        reference::softmax(x.data() + at, args.scale, r.cols, want);
      });
}

int run_swiglu(int argc, char** argv) {
  const Options options(argc, argv, "swiglu", {"rows", "cols", "gate", "up"});
  const Rows r = rows_of(options, "swiglu", "gate");
  const auto gate = operand(options, "gate", {r.rows, r.cols}, 0);
  const auto up = operand(options, "up", {r.rows, r.cols}, 1);
  tessera::SwigluArgs args;
  args.gate = tessera::matrix(gate.data(), r.rows, r.cols);
  args.up = tessera::matrix(up.data(), r.rows, r.cols);
  return r.answer_with(
      options, args,
      []<class B>(tessera::Type<B>, const auto& a, auto range) {
        return tessera::swiglu<B>(a, range);
      },
      [&](std::size_t at, reference::Expected& want) {
        reference::swiglu(gate.data() + at, up.data() + at, r.cols, want);
      });
}

namespace {

/// `kernel(Type<B>, args, range)` is the function.
template <class Kernel>
int run_activation(int argc, char** argv, const char* name, reference::Activation f,
                   Kernel kernel) {
  const Options options(argc, argv, name, {"rows", "cols", "x"});
  const Rows r = rows_of(options, name, "x");
  const auto x = operand(options, "x", {r.rows, r.cols}, 0);
  tessera::ActivationArgs args;
  args.x = tessera::matrix(x.data(), r.rows, r.cols);
  return r.answer_with(options, args, kernel, [&](std::size_t at, reference::Expected& want) {
    reference::activation(f, x.data() + at, r.cols, want);
  });
}

}  // namespace

int run_softplus(int argc, char** argv) {
  return run_activation(argc, argv, "softplus", reference::Activation::softplus,
                        []<class B>(tessera::Type<B>, const auto& a, auto range) {
                          return tessera::softplus<B>(a, range);
                        });
}
int run_sigmoid(int argc, char** argv) {
  return run_activation(argc, argv, "sigmoid", reference::Activation::sigmoid,
                        []<class B>(tessera::Type<B>, const auto& a, auto range) {
                          return tessera::sigmoid<B>(a, range);
                        });
}
int run_silu(int argc, char** argv) {
  return run_activation(argc, argv, "silu", reference::Activation::silu,
                        []<class B>(tessera::Type<B>, const auto& a, auto range) {
                          return tessera::silu<B>(a, range);
                        });
}

}  // namespace op
