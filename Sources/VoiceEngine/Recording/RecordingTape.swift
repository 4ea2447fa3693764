import CVoiceCore

/// Moves what the core kept into a file. Role: one thread at a time.
final class RecordingTape {
  /// Blocks fetched with one call.
  private static let batch = 16

  private let port: VoicePort
  private let blocks: UnsafeMutableBufferPointer<vc_heard>
  private var file: RecordingFile?
  private var timeline = RecordingTimeline()
  /// Where the file is, once there was one.
  private(set) var path: String?

  init(port: VoicePort) {
    self.port = port
    blocks = .allocate(capacity: Self.batch)
  }

  deinit {
    file?.close()
    blocks.deallocate()
  }

  /// Opens the file, or goes on with it, and lets the core keep what is heard.
  ///
  /// - Throws: ``AudioError`` of code `recordingFailed`.
  func open(_ wanted: String) throws(AudioError) {
    let opened: RecordingFile
    if let path {
      opened = try RecordingFile(continuing: path)
    } else {
      opened = try RecordingFile(creating: wanted)
    }
    path = opened.path
    guard vc_port_start_recording(port.pointer) == 0 else {
      opened.close()
      throw AudioError(
        code: .recordingFailed,
        message: "There is no memory to record the conversation. Free some memory and try again.")
    }
    file = opened
  }

  /// Writes everything that waits, then the header.
  ///
  /// - Throws: ``AudioError`` of code `recordingFailed`; what was written stays readable.
  func drain() throws(AudioError) {
    guard let file else { return }
    do throws(AudioError) {
      if try writeWaiting(to: file) { try file.writeHeader(frames: timeline.frames) }
    } catch {
      // Best effort on a disk that failed already: the first failure is the one to tell.
      try? file.writeHeader(frames: timeline.frames)
      throw error
    }
  }

  /// - Returns: whether there was anything.
  private func writeWaiting(to file: RecordingFile) throws(AudioError) -> Bool {
    var wrote = false
    // Bounded by what the queue holds: the device goes on meanwhile.
    for _ in 0..<(Int(VC_PORT_RECORDED_BLOCKS) / Self.batch) {
      let count = vc_port_take_recorded(port.pointer, blocks.baseAddress, Self.batch)
      for index in 0..<count { try write(index, to: file) }
      wrote = wrote || count > 0
      if count < Self.batch { break }
    }
    return wrote
  }

  private func write(_ index: Int, to file: RecordingFile) throws(AudioError) {
    var placed = timeline
    let place = placed.place(
      captureFrame: blocks[index].capture_frames, count: Int(VC_BLOCK_FRAMES))
    switch place {
    case .past:
      return
    case .full:
      throw AudioError(
        code: .recordingFailed,
        message: "The recording \(file.path) has reached 4 GiB (6.2 hours), more than which a WAV"
          + " file cannot hold. The conversation goes on without it.")
    case .at(let frame):
      let failure = withUnsafeBytes(of: &blocks[index].samples) { samples -> AudioError? in
        do throws(AudioError) {
          try file.write(samples, atFrame: frame)
          return nil
        } catch {
          return error
        }
      }
      if let failure { throw failure }
      timeline = placed
    }
  }

  /// Closes the file and lets the core keep nothing more.
  func close() {
    vc_port_stop_recording(port.pointer)
    file?.close()
    file = nil
  }

  func status(failure: String?) -> RecordingStatus? {
    path.map {
      RecordingStatus(
        path: $0, frames: timeline.frames, missingFrames: timeline.missingFrames,
        droppedBlocks: vc_port_dropped_recorded(port.pointer), failure: failure)
    }
  }
}
