#pragma once
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace worker {

/// The features Smart Turn was trained on: Whisper's log-mel of the last eight seconds, 80 bands in
/// 800 steps of 10 ms. Shorter speech stands at the end, with silence before it.
class LogMel {
public:
  static constexpr size_t rate = 16000;
  static constexpr size_t samples = 8 * rate;
  static constexpr size_t bands = 80;
  static constexpr size_t frames = 800;

  LogMel();

  /// Band by band, `bands * frames` values. One thread calls it.
  std::vector<float> of(const std::vector<int16_t> &audio);

private:
  static constexpr size_t window = 400; // 25 ms
  static constexpr size_t hop = 160;    // 10 ms
  static constexpr size_t bins = window / 2 + 1;
  using Complex = std::complex<double>;
  using Powers = std::array<double, bins>;

  /// The bins in which a band's triangle is not zero.
  struct Band {
    size_t first = 0;
    std::vector<double> weights;
  };

  void transform(size_t count, const Complex *in, size_t stride, Complex *out) const;
  void powers(const float *one, const float *other, Powers &first, Powers &second);
  void store(const Powers &powers, size_t frame, std::vector<float> &out) const;
  static std::vector<float> normalised(const std::vector<int16_t> &audio);

  std::array<double, window> hann_;
  std::array<Complex, window> roots_;
  std::array<Complex, window> time_;
  std::array<Complex, window> spectrum_;
  std::array<Band, bands> bands_;
};

} // namespace worker
