#include "EndOfTurn/LogMel.h"
#include <algorithm>
#include <cmath>

namespace worker {

namespace {

// Slaney's scale: linear up to 1 kHz (15 mel), then 27 mel for a factor of 6.4.
constexpr double kneeHertz = 1000.0;
constexpr double kneeMel = 15.0;
constexpr double hertzPerMel = 200.0 / 3;
const double logStep = std::log(6.4) / 27.0;

double melOf(double hertz) {
  return hertz < kneeHertz ? hertz / hertzPerMel : kneeMel + std::log(hertz / kneeHertz) / logStep;
}

double hertzOf(double mel) {
  return mel < kneeMel ? hertzPerMel * mel : kneeHertz * std::exp(logStep * (mel - kneeMel));
}

/// Powers below this count as this.
constexpr double floorPower = 1e-10;
/// Nothing is shown more than this far below the loudest, in powers of ten.
constexpr float dynamicRange = 8.0f;
constexpr double leastVariance = 1e-7;

} // namespace

LogMel::LogMel() {
  const double turn = 2 * std::acos(-1.0) / static_cast<double>(window);
  for (size_t i = 0; i < window; ++i) {
    const double angle = turn * static_cast<double>(i);
    hann_[i] = 0.5 - 0.5 * std::cos(angle);
    roots_[i] = Complex(std::cos(angle), -std::sin(angle));
  }
  const double top = melOf(static_cast<double>(rate) / 2);
  const auto edge = [top](size_t i) {
    return hertzOf(top * static_cast<double>(i) / static_cast<double>(bands + 1));
  };
  for (size_t band = 0; band < bands; ++band) {
    const double low = edge(band), middle = edge(band + 1), high = edge(band + 2);
    for (size_t bin = 0; bin < bins; ++bin) {
      const double hertz = static_cast<double>(bin * rate) / static_cast<double>(window);
      const double height =
          std::min((hertz - low) / (middle - low), (high - hertz) / (high - middle));
      if (height <= 0)
        continue;
      if (bands_[band].weights.empty())
        bands_[band].first = bin;
      bands_[band].weights.push_back(height * 2 / (high - low));
    }
  }
}

/// A Fourier transform of any product of small factors; 400 = 2 * 2 * 2 * 2 * 5 * 5.
void LogMel::transform(size_t count, const Complex *in, size_t stride, Complex *out) const {
  if (count == 1) {
    out[0] = in[0];
    return;
  }
  const size_t parts = count % 2 == 0 ? 2 : 5;
  const size_t length = count / parts;
  for (size_t part = 0; part < parts; ++part)
    transform(length, in + part * stride, stride * parts, out + part * length);
  const size_t step = window / count;
  for (size_t k = 0; k < length; ++k) {
    std::array<Complex, 5> terms;
    for (size_t part = 0; part < parts; ++part)
      terms[part] = out[part * length + k] * roots_[part * k * step];
    for (size_t q = 0; q < parts; ++q) {
      Complex sum = terms[0];
      for (size_t part = 1; part < parts; ++part)
        sum += terms[part] * roots_[(part * q * length * step) % window];
      out[q * length + k] = sum;
    }
  }
}

/// Two real windows in one transform: one as the real, one as the imaginary part.
void LogMel::powers(const float *one, const float *other, Powers &first, Powers &second) {
  for (size_t i = 0; i < window; ++i)
    time_[i] = Complex(one[i] * hann_[i], other[i] * hann_[i]);
  transform(window, time_.data(), 1, spectrum_.data());
  for (size_t bin = 0; bin < bins; ++bin) {
    const Complex here = spectrum_[bin];
    const Complex mirrored = std::conj(spectrum_[(window - bin) % window]);
    first[bin] = std::norm(here + mirrored) / 4;
    second[bin] = std::norm(here - mirrored) / 4;
  }
}

void LogMel::store(const Powers &powers, size_t frame, std::vector<float> &out) const {
  for (size_t band = 0; band < bands; ++band) {
    double sum = 0;
    for (size_t i = 0; i < bands_[band].weights.size(); ++i)
      sum += bands_[band].weights[i] * powers[bands_[band].first + i];
    out[band * frames + frame] = static_cast<float>(std::log10(std::max(sum, floorPower)));
  }
}

/// Mean zero and variance one over all eight seconds, mirrored by half a window at both ends.
std::vector<float> LogMel::normalised(const std::vector<int16_t> &audio) {
  const size_t count = std::min(audio.size(), samples);
  const int16_t *last = audio.data() + (audio.size() - count);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = last[i] / 32768.0;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / static_cast<double>(samples);
  const double variance = squares / static_cast<double>(samples) - mean * mean;
  const double scale = 1 / std::sqrt(variance + leastVariance);
  constexpr size_t half = window / 2;
  std::vector<float> out(samples + window, static_cast<float>(-mean * scale));
  for (size_t i = 0; i < count; ++i)
    out[half + samples - count + i] = static_cast<float>((last[i] / 32768.0 - mean) * scale);
  for (size_t i = 1; i <= half; ++i) {
    out[half - i] = out[half + i];
    out[half + samples - 1 + i] = out[half + samples - 1 - i];
  }
  return out;
}

std::vector<float> LogMel::of(const std::vector<int16_t> &audio) {
  const std::vector<float> speech = normalised(audio);
  std::vector<float> out(bands * frames);
  const size_t silence = samples - std::min(audio.size(), samples);
  // Windows that lie wholly in the silence before the speech are all the same.
  const size_t silent = silence <= window ? 0 : (silence - window / 2) / hop / 2 * 2;
  Powers first, second;
  for (size_t frame = 0; frame < frames; frame += 2) {
    if (frame == 0 || frame >= silent)
      powers(&speech[frame * hop], &speech[(frame + 1) * hop], first, second);
    store(first, frame, out);
    store(second, frame + 1, out);
  }
  const float loudest = *std::max_element(out.begin(), out.end());
  for (float &value : out)
    value = (std::max(value, loudest - dynamicRange) + 4) / 4;
  return out;
}

} // namespace worker
