/// What a recording holds so far.
public struct RecordingStatus: Sendable, Hashable {
  /// The file; a number was added to the wanted name when that was taken.
  public var path: String
  /// Frames in it, at 48 kHz.
  public var frames: Int
  /// Frames of them that are empty: time lost in an xrun, or blocks that came too fast for the disk.
  public var missingFrames: Int
  /// Blocks of 10 ms that were lost because the disk was slower than the queue of 2.5 s is long.
  public var droppedBlocks: UInt64
  /// Why it ended early, with what to do; `nil` while all is well.
  public var failure: String?

  public init(
    path: String, frames: Int, missingFrames: Int, droppedBlocks: UInt64, failure: String?
  ) {
    self.path = path
    self.frames = frames
    self.missingFrames = missingFrames
    self.droppedBlocks = droppedBlocks
    self.failure = failure
  }
}
