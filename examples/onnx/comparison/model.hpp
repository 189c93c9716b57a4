// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Models of ONNX in memory: tensors, nodes, and the few messages of the format that make a graph of them.
#ifndef TESSERA_EXAMPLES_ONNX_COMPARISON_MODEL_HPP_
#define TESSERA_EXAMPLES_ONNX_COMPARISON_MODEL_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace tessera_onnx {

/// Element types by ONNX's numbers.
enum class Type : std::int32_t { f32 = 1, u8 = 2, i32 = 6, i64 = 7 };

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return Type::f32;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return Type::u8;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return Type::i32;
  } else {
    static_assert(std::is_same_v<T, std::int64_t>);
    return Type::i64;
  }
}

struct Array {
  Type type = Type::f32;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

template <class T>
Array array_of(std::vector<std::int64_t> shape, const std::vector<T>& elements) {
  return {type_of<T>(), std::move(shape),
          std::string(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T))};
}

struct Attribute {
  std::string name;
  std::variant<std::int64_t, float> value;
};

/// A message of protobuf's wire format.
class Message {
 public:
  void integer(unsigned field, std::int64_t value);
  void number(unsigned field, float value);
  void text(unsigned field, std::string_view bytes);
  void message(unsigned field, const Message& m) { text(field, m.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

/// A graph whose inputs and outputs are tensors.
class Model {
 public:
  void input(const std::string& name, const Array& like);
  void constant(const std::string& name, const Array& array);
  /// An empty name stands for an input that is left out.
  void node(const std::string& domain, const std::string& op,
            const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
            const std::vector<Attribute>& attributes);
  /// Of any shape.
  void output(const std::string& name, Type type);
  /// The file's bytes.
  [[nodiscard]] std::string bytes() const;

 private:
  Message graph_;
};

}  // namespace tessera_onnx

#endif  // TESSERA_EXAMPLES_ONNX_COMPARISON_MODEL_HPP_
