import Glibc

/// A growing RIFF/WAVE file: 48 kHz, stereo, 16 bits, little-endian.
///
/// Its header always tells of samples that are there, so that the file can be read at any moment
/// and after a crash. Role: one thread at a time.
struct RecordingFile: Sendable {
  static let headerBytes = 44
  static let frameBytes = 4
  static let rate = 48_000
  /// Names tried when one is taken: `talk.wav`, `talk-2.wav`, ... `talk-99.wav`.
  static let partLimit = 99

  /// Where it is, which may differ from where it was wanted.
  let path: String
  private let descriptor: Int32

  /// Makes a new file; one that is there already is never overwritten.
  ///
  /// - Throws: ``AudioError`` of code `recordingFailed`.
  init(creating wanted: String) throws(AudioError) {
    for part in 1...Self.partLimit {
      let path = Self.path(ofPart: part, of: wanted)
      // A recorded conversation is its owner's alone.
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor < 0, errno == EEXIST { continue }
      if descriptor < 0 { throw Self.cannotMake(path, errno) }
      self.path = path
      self.descriptor = descriptor
      try writeHeader(frames: 0)
      return
    }
    throw AudioError(
      code: .recordingFailed,
      message: "There are \(Self.partLimit) recordings named like \(wanted) already. Move them away"
        + " or give another name (--out FILE).")
  }

  /// Opens the file of an earlier start again, to go on.
  ///
  /// - Throws: ``AudioError`` of code `recordingFailed`.
  init(continuing path: String) throws(AudioError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CLOEXEC)
    if descriptor < 0 { throw Self.cannotMake(path, errno) }
  }

  func close() {
    Glibc.close(descriptor)
  }

  /// The name of a recording's first, second, ... part.
  static func path(ofPart part: Int, of wanted: String) -> String {
    guard part > 1 else { return wanted }
    let name = wanted.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return "\(wanted)-\(part)"
    }
    return wanted[..<dot] + "-\(part)" + wanted[dot...]
  }

  /// Writes interleaved samples; frames skipped on the way are silent.
  ///
  /// - Throws: ``AudioError`` of code `recordingFailed`.
  func write(_ samples: UnsafeRawBufferPointer, atFrame frame: Int) throws(AudioError) {
    try write(samples, atByte: Self.headerBytes + frame * Self.frameBytes)
  }

  /// Says in the header how many frames there are.
  ///
  /// - Throws: ``AudioError`` of code `recordingFailed`.
  func writeHeader(frames: Int) throws(AudioError) {
    let data = UInt32(clamping: frames * Self.frameBytes)
    var header: [UInt8] = []
    header += "RIFF".utf8
    header += Self.little(UInt32(Self.headerBytes - 8) &+ data)
    header += "WAVEfmt ".utf8
    header += Self.little(UInt32(16))
    header += Self.little(UInt16(1))
    header += Self.little(UInt16(2))
    header += Self.little(UInt32(Self.rate))
    header += Self.little(UInt32(Self.rate * Self.frameBytes))
    header += Self.little(UInt16(Self.frameBytes))
    header += Self.little(UInt16(16))
    header += "data".utf8
    header += Self.little(data)
    let failure = header.withUnsafeBytes { bytes -> AudioError? in
      do throws(AudioError) {
        try write(bytes, atByte: 0)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private static func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, atByte start: Int) throws(AudioError) {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let written = pwrite(descriptor, base + done, bytes.count - done, start + done)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw cannotWrite(written < 0 ? errno : EIO) }
      done += written
    }
  }

  private static func cannotMake(_ path: String, _ error: Int32) -> AudioError {
    let advice =
      switch error {
      case ENOENT, ENOTDIR: "Its folder is missing; make it, or give another place (--out FILE)."
      case EACCES, EPERM, EROFS: "This user may not write there; give another place (--out FILE)."
      case ENOSPC, EDQUOT: "The disk is full; free some of it, or give another place (--out FILE)."
      default: "Give another place (--out FILE)."
      }
    return AudioError(
      code: .recordingFailed,
      message: "The recording \(path) cannot be made (\(sentence(error))). \(advice)")
  }

  private func cannotWrite(_ error: Int32) -> AudioError {
    let advice =
      switch error {
      case ENOSPC, EDQUOT: "The disk is full: free some of it before the next one."
      case EFBIG: "The file has the largest size that is allowed here."
      default: "Check the disk."
      }
    return AudioError(
      code: .recordingFailed,
      message:
        "The recording \(path) ended early (\(Self.sentence(error))). What was recorded until"
        + " then is kept; the conversation goes on without it. \(advice)")
  }

  private static func sentence(_ error: Int32) -> String {
    String(cString: strerror(error))
  }
}
