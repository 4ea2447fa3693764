/// Cuts what a worker writes into frames, however the pipe splits it.
struct WorkerFrameDecoder {
  private var buffer: [UInt8] = []
  private var head = 0

  /// Takes the next bytes of the pipe.
  mutating func append(_ bytes: [UInt8]) {
    if head > 0 {
      buffer.removeFirst(head)
      head = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next whole frame; nil when more bytes are needed.
  ///
  /// - Throws: when the bytes cannot be a frame; the stream is then lost for good.
  mutating func next() throws(WorkerFrameError) -> WorkerFrame? {
    guard buffer.count - head >= 4 else { return nil }
    let length = Int(word(at: head))
    guard length >= 5, length <= WorkerFrame.longest else {
      throw WorkerFrameError(sentence: "a frame of \(length) bytes; 5 to 1048576 are allowed")
    }
    if buffer.count - head >= 5, WorkerFrame.Kind(rawValue: buffer[head + 4]) == nil {
      throw WorkerFrameError(sentence: "a frame of unknown kind \(buffer[head + 4])")
    }
    guard buffer.count - head >= 4 + length, let kind = WorkerFrame.Kind(rawValue: buffer[head + 4])
    else { return nil }
    let frame = WorkerFrame(
      kind: kind, request: word(at: head + 5),
      payload: Array(buffer[(head + 9)..<(head + 4 + length)]))
    head += 4 + length
    return frame
  }

  private func word(at index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(buffer[index + $1]) << UInt32(8 * $1) }
  }
}

/// What made a worker's output unreadable.
struct WorkerFrameError: Error, Equatable {
  var sentence: String
}
