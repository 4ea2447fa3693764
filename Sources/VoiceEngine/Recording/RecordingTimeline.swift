/// Where each block of a recording belongs in its file.
///
/// The file's first frame is the first block's; time that was lost in between stays empty, so that
/// a place in the file is always a time on the capture axis.
struct RecordingTimeline: Sendable, Hashable {
  /// Frames that a RIFF/WAVE file of 16-bit stereo holds: its sizes are 32 bits wide (6.2 hours).
  static let frameLimit = (Int(UInt32.max) - RecordingFile.headerBytes) / RecordingFile.frameBytes

  /// What is to be done with a block.
  enum Place: Sendable, Hashable {
    /// It begins at this frame of the file.
    case at(Int)
    /// It lies before the end of what is written; it is left out.
    case past
    /// The file cannot hold it.
    case full
  }

  /// The capture frame of the file's first frame; `nil` before the first block.
  private(set) var firstCaptureFrame: UInt64?
  /// Frames of the file so far.
  private(set) var frames = 0
  /// Frames of them of which nothing is known.
  private(set) var missingFrames = 0

  /// Finds the place of the next block, and counts it as written.
  mutating func place(captureFrame: UInt64, count: Int) -> Place {
    let first = firstCaptureFrame ?? captureFrame
    guard captureFrame >= first else { return .past }
    let offset = captureFrame - first
    guard offset <= UInt64(Self.frameLimit - count) else { return .full }
    let start = Int(offset)
    guard start >= frames else { return .past }
    firstCaptureFrame = first
    missingFrames += start - frames
    frames = start + count
    return .at(start)
  }
}
