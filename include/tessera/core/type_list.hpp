// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Lists of types: the formats, the backends, the instructions. Everything iterates over these.
#ifndef TESSERA_CORE_TYPE_LIST_HPP_
#define TESSERA_CORE_TYPE_LIST_HPP_

#include <cstddef>
#include <type_traits>

#include "tessera/config.hpp"

TESSERA_NAMESPACE_BEGIN

/// A value that stands for a type, to hand it to a generic lambda.
template <class T>
struct Type {
  using type = T;
};

/// A list of types.
template <class... T>
struct TypeList {
  static constexpr std::size_t size = sizeof...(T);

  /// Is X one of them?
  template <class X>
  static constexpr bool has = (std::is_same_v<X, T> || ...);

  /// Calls f(Type<T>{}) for each, in order.
  template <class F>
  static constexpr void for_each(F&& f) {
    (f(Type<T>{}), ...);
  }

  /// The list with more types behind.
  template <class... More>
  using append = TypeList<T..., More...>;
};

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_TYPE_LIST_HPP_
