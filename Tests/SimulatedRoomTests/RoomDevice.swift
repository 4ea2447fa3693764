import CAlsa
import SimulatedRoomControl

/// One PCM of a room, opened as an application opens it: non-blocking, started by hand.
final class RoomDevice {
  let pcm: OpaquePointer
  private let format: snd_pcm_format_t
  private let channels: Int
  private let mapped: Bool

  init(
    configuration: OpaquePointer, direction: SimulatedRoom.Direction, format: snd_pcm_format_t,
    channels: UInt32, access: snd_pcm_access_t, period: UInt, buffer: UInt
  ) throws {
    let stream = direction == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    var opened: OpaquePointer?
    try check(
      "snd_pcm_open_lconf",
      snd_pcm_open_lconf(&opened, "simroom", stream, Int32(SND_PCM_NONBLOCK), configuration))
    pcm = opened!
    self.format = format
    self.channels = Int(channels)
    mapped = access == SND_PCM_ACCESS_MMAP_INTERLEAVED
    try setHardware(access: access, channels: channels, period: period, buffer: buffer)
    try setSoftware(period: period)
    try check("snd_pcm_prepare", snd_pcm_prepare(pcm))
  }

  deinit { snd_pcm_close(pcm) }

  private func setHardware(
    access: snd_pcm_access_t, channels: UInt32, period: UInt, buffer: UInt
  ) throws {
    var parameters: OpaquePointer?
    try check("snd_pcm_hw_params_malloc", snd_pcm_hw_params_malloc(&parameters))
    defer { snd_pcm_hw_params_free(parameters) }
    try check("any", snd_pcm_hw_params_any(pcm, parameters))
    try check("access", snd_pcm_hw_params_set_access(pcm, parameters, access))
    try check("format", snd_pcm_hw_params_set_format(pcm, parameters, format))
    try check("channels", snd_pcm_hw_params_set_channels(pcm, parameters, channels))
    try check("rate", snd_pcm_hw_params_set_rate(pcm, parameters, 48_000, 0))
    try check("period", snd_pcm_hw_params_set_period_size(pcm, parameters, period, 0))
    try check("buffer", snd_pcm_hw_params_set_buffer_size(pcm, parameters, buffer))
    try check("snd_pcm_hw_params", snd_pcm_hw_params(pcm, parameters))
  }

  private func setSoftware(period: UInt) throws {
    var parameters: OpaquePointer?
    try check("snd_pcm_sw_params_malloc", snd_pcm_sw_params_malloc(&parameters))
    defer { snd_pcm_sw_params_free(parameters) }
    try check("current", snd_pcm_sw_params_current(pcm, parameters))
    try check("avail_min", snd_pcm_sw_params_set_avail_min(pcm, parameters, period))
    try check("start", snd_pcm_sw_params_set_start_threshold(pcm, parameters, UInt(Int32.max)))
    try check("snd_pcm_sw_params", snd_pcm_sw_params(pcm, parameters))
  }

  func start() throws { try check("snd_pcm_start", snd_pcm_start(pcm)) }

  /// Writes mono samples on every channel. Result: frames taken, or a negative errno.
  func write(_ samples: [Int16]) -> Int {
    let bytes = Int(snd_pcm_format_width(format)) / 8
    var raw = [UInt8](repeating: 0, count: samples.count * channels * bytes)
    raw.withUnsafeMutableBytes { buffer in
      for (index, sample) in samples.enumerated() {
        for channel in 0..<channels {
          let offset = (index * channels + channel) * bytes
          switch format {
          case SND_PCM_FORMAT_S16_LE:
            buffer.storeBytes(of: sample, toByteOffset: offset, as: Int16.self)
          case SND_PCM_FORMAT_S32_LE:
            buffer.storeBytes(of: Int32(sample) << 16, toByteOffset: offset, as: Int32.self)
          default:
            buffer.storeBytes(of: Float(sample) / 32768, toByteOffset: offset, as: Float.self)
          }
        }
      }
    }
    return mapped
      ? snd_pcm_mmap_writei(pcm, raw, UInt(samples.count))
      : snd_pcm_writei(pcm, raw, UInt(samples.count))
  }

  /// Reads up to `count` frames, the first channel as 16-bit samples.
  /// - Throws: ``AlsaError`` with the errno ALSA gives.
  func read(_ count: Int) throws -> [Int16] {
    let bytes = Int(snd_pcm_format_width(format)) / 8
    var raw = [UInt8](repeating: 0, count: count * channels * bytes)
    let frames = try check(
      "read",
      mapped
        ? snd_pcm_mmap_readi(pcm, &raw, UInt(count)) : snd_pcm_readi(pcm, &raw, UInt(count)))
    return raw.withUnsafeBytes { buffer in
      (0..<Int(frames)).map { index in
        let offset = index * channels * bytes
        switch format {
        case SND_PCM_FORMAT_S16_LE: return buffer.load(fromByteOffset: offset, as: Int16.self)
        case SND_PCM_FORMAT_S32_LE:
          return Int16(buffer.load(fromByteOffset: offset, as: Int32.self) >> 16)
        default:
          let value = buffer.load(fromByteOffset: offset, as: Float.self) * 32768
          return Int16(value.rounded())
        }
      }
    }
  }

  var state: snd_pcm_state_t { snd_pcm_state(pcm) }
  var avail: Int { snd_pcm_avail_update(pcm) }
}
