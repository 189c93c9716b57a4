// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/onnx/comparison/model.hpp"

#include <cstring>

namespace tessera_onnx {
namespace {

// Fields of ONNX's messages that are used, by its description of the format.
namespace model_field {
enum : unsigned { ir_version = 1, graph = 7, opset_import = 8 };
}
namespace opset_field {
enum : unsigned { domain = 1, version = 2 };
}
namespace graph_field {
enum : unsigned { node = 1, name = 2, initializer = 5, input = 11, output = 12 };
}
namespace node_field {
enum : unsigned { input = 1, output = 2, op_type = 4, attribute = 5, domain = 7 };
}
namespace attribute_field {
enum : unsigned { name = 1, f = 2, i = 3, type = 20 };
}
namespace tensor_field {
enum : unsigned { dims = 1, data_type = 2, name = 8, raw_data = 9 };
}
namespace value_field {
enum : unsigned {
  name = 1,
  type = 2,
  tensor_type = 1,
  elem_type = 1,
  shape = 2,
  dim = 1,
  dim_value = 1
};
}

Message value_info(const std::string& name, Type type, const std::vector<std::int64_t>* shape) {
  Message tensor, of, value;
  tensor.integer(value_field::elem_type, static_cast<std::int64_t>(type));
  if (shape != nullptr) {
    Message dims;
    for (const std::int64_t n : *shape) {
      Message dim;
      dim.integer(value_field::dim_value, n);
      dims.message(value_field::dim, dim);
    }
    tensor.message(value_field::shape, dims);
  }
  of.message(value_field::tensor_type, tensor);
  value.text(value_field::name, name);
  value.message(value_field::type, of);
  return value;
}

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value % 128 + 128);
  bytes_ += static_cast<char>(value);
}

void Message::integer(unsigned field, std::int64_t value) {
  varint(field * 8);
  varint(static_cast<std::uint64_t>(value));
}

void Message::number(unsigned field, float value) {
  varint(field * 8 + 5);
  char little[sizeof value];
  std::memcpy(little, &value, sizeof value);
  bytes_.append(little, sizeof value);
}

void Message::text(unsigned field, std::string_view bytes) {
  varint(field * 8 + 2);
  varint(bytes.size());
  bytes_ += bytes;
}

void Model::input(const std::string& name, const Array& like) {
  graph_.message(graph_field::input, value_info(name, like.type, &like.shape));
}

void Model::constant(const std::string& name, const Array& array) {
  Message tensor;
  for (const std::int64_t n : array.shape) tensor.integer(tensor_field::dims, n);
  tensor.integer(tensor_field::data_type, static_cast<std::int64_t>(array.type));
  tensor.text(tensor_field::name, name);
  tensor.text(tensor_field::raw_data, array.bytes);
  graph_.message(graph_field::initializer, tensor);
}

void Model::node(const std::string& domain, const std::string& op,
                 const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                 const std::vector<Attribute>& attributes) {
  Message node;
  for (const std::string& name : inputs) node.text(node_field::input, name);
  for (const std::string& name : outputs) node.text(node_field::output, name);
  node.text(node_field::op_type, op);
  for (const Attribute& a : attributes) {
    Message attribute;
    attribute.text(attribute_field::name, a.name);
    const bool is_number = std::holds_alternative<float>(a.value);
    if (is_number)
      attribute.number(attribute_field::f, std::get<float>(a.value));
    else
      attribute.integer(attribute_field::i, std::get<std::int64_t>(a.value));
    attribute.integer(attribute_field::type, is_number ? 1 : 2);
    node.message(node_field::attribute, attribute);
  }
  node.text(node_field::domain, domain);
  graph_.message(graph_field::node, node);
}

void Model::output(const std::string& name, Type type) {
  graph_.message(graph_field::output, value_info(name, type, nullptr));
}

std::string Model::bytes() const {
  Message model, graph = graph_;
  graph.text(graph_field::name, "comparison");
  model.integer(model_field::ir_version, 10);
  model.message(model_field::graph, graph);
  const struct {
    const char* domain;
    int version;
  } opsets[] = {{"", 21}, {"com.microsoft", 1}, {"tessera", 1}};
  for (const auto& o : opsets) {
    Message opset;
    opset.text(opset_field::domain, o.domain);
    opset.integer(opset_field::version, o.version);
    model.message(model_field::opset_import, opset);
  }
  return model.bytes();
}

}  // namespace tessera_onnx
