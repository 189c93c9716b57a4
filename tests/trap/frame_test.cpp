// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Finding the vector state in signal frames as Linux lays them out, and finding none elsewhere.
#include "emu/trap/frame.hpp"

#include <gtest/gtest.h>
#include <cstring>
#include <vector>

namespace {

using tessera::trap::find_vector_frame;
using tessera::trap::frame_end;
using tessera::trap::vector_magic;
using tessera::trap::VectorFrame;

// Headers of a signal frame for one vector length: another extension first, as some future kernel
// may have, then vector state, then the end.
class Frame {
 public:
  explicit Frame(std::uint64_t vlenb, bool other_first = false) : bytes_(32 * vlenb + 512, 0xee) {
    std::uint8_t* p = bytes_.data();
    if (other_first) p = put_header(p, 0x12345678, 64) + 56;
    std::uint8_t* state = put_header(p, vector_magic, static_cast<std::uint32_t>(56 + 32 * vlenb));
    VectorFrame vector{1, 2, 3, 4, vlenb, state + 48};
    std::memcpy(state, &vector, sizeof vector);
    frame_ = reinterpret_cast<VectorFrame*>(state);
    end_ = put_header(state + 48 + 32 * vlenb, 0, 0);
  }

  std::uint8_t* begin() { return bytes_.data(); }
  std::uint8_t* end() { return end_; }
  VectorFrame* frame() { return frame_; }
  std::uint8_t* put_header(std::uint8_t* p, std::uint32_t magic, std::uint32_t size) {
    std::memcpy(p, &magic, 4);
    std::memcpy(p + 4, &size, 4);
    return p + 8;
  }

 private:
  std::vector<std::uint8_t> bytes_;
  VectorFrame* frame_;
  std::uint8_t* end_;
};

TEST(Frame, vector_state_is_found_at_every_length) {
  for (const std::uint64_t vlenb : {16, 32, 64, 128}) {
    for (const bool other_first : {false, true}) {
      Frame f(vlenb, other_first);
      EXPECT_EQ(find_vector_frame(f.begin(), f.end()), f.frame());
    }
  }
}

TEST(Frame, no_headers_no_state) {
  Frame f(32);
  f.put_header(f.begin(), 0, 0);
  EXPECT_EQ(find_vector_frame(f.begin(), f.end()), nullptr);
}

// An emulator without extension headers: the place lies beyond the frame, and must not be read.
TEST(Frame, nothing_is_read_beyond_the_frame) {
  Frame f(32);
  EXPECT_EQ(find_vector_frame(f.begin(), f.begin()), nullptr);
  EXPECT_EQ(find_vector_frame(f.begin(), f.begin() - 64), nullptr);
  EXPECT_EQ(find_vector_frame(f.begin(), f.begin() + 7), nullptr);
  EXPECT_EQ(find_vector_frame(f.begin(), f.begin() + 40), nullptr);
}

TEST(Frame, registers_must_lie_inside) {
  Frame f(32);
  VectorFrame* frame = f.frame();
  frame->registers = f.begin() - 1;
  EXPECT_EQ(find_vector_frame(f.begin(), f.end()), nullptr);
  frame->registers = f.end() - 32 * 32 + 1;
  EXPECT_EQ(find_vector_frame(f.begin(), f.end()), nullptr);
  frame->registers = f.end() - 32 * 32;
  EXPECT_EQ(find_vector_frame(f.begin(), f.end()), frame);
}

TEST(Frame, impossible_lengths_and_sizes) {
  Frame f(32);
  f.frame()->vlenb = 0;
  EXPECT_EQ(find_vector_frame(f.begin(), f.end()), nullptr);
  f.frame()->vlenb = ~std::uint64_t{0} / 32;
  EXPECT_EQ(find_vector_frame(f.begin(), f.end()), nullptr);
  Frame g(32);
  g.put_header(g.begin(), vector_magic, 8);
  EXPECT_EQ(find_vector_frame(g.begin(), g.end()), nullptr);
  g.put_header(g.begin(), 0x12345678, 0);  // would never advance
  EXPECT_EQ(find_vector_frame(g.begin(), g.end()), nullptr);
  g.put_header(g.begin(), 0x12345678, ~0u);
  EXPECT_EQ(find_vector_frame(g.begin(), g.end()), nullptr);
}

TEST(Frame, its_end_is_the_interrupted_stack_or_the_top_of_the_alternate_one) {
  std::uint8_t memory[400];
  std::uint8_t* low = memory + 100;
  std::uint8_t* high = memory + 200;
  EXPECT_EQ(frame_end(memory + 150, memory + 300, low, high), high);          // switched
  EXPECT_EQ(frame_end(memory + 150, memory + 180, low, high), memory + 180);  // was there already
  EXPECT_EQ(frame_end(memory + 250, memory + 300, low, high), memory + 300);  // not used
  EXPECT_EQ(frame_end(memory + 250, memory + 300, nullptr, nullptr), memory + 300);
}

}  // namespace
