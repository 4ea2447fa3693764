public import Networking

/// The call's packets as binary frames of one WebSocket, on either end.
///
/// Its queue holds ``OutgoingMediaQueue`` frames, and at most ``unsentBound`` bytes are handed to the
/// socket ahead of the network, so that a slow network costs old speech instead of growing delay.
public actor WebSocketCallTransport: CallTransport {
  /// Bytes the socket may hold unsent: about two seconds of speech at 32 kbit/s.
  static let unsentBound = 8 * 1024
  /// How long to wait before looking again whether the socket has caught up.
  static let unsentPause = Duration.milliseconds(20)

  public nonisolated let runtime: any Runtime
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.executor.asUnownedSerialExecutor()
  }

  private let connection: any WebSocketConnection
  private var queue: OutgoingMediaQueue
  private var writer: Task<Void, Never>?
  private var isClosed = false
  public private(set) var counters = CallTransportCounters()

  /// Takes over an open WebSocket.
  ///
  /// - Parameter queueBound: frames waiting to be written, at most.
  public init(
    _ connection: any WebSocketConnection, runtime: any Runtime,
    queueBound: Int = 64
  ) {
    self.connection = connection
    self.runtime = runtime
    queue = OutgoingMediaQueue(bound: queueBound)
  }

  public func send(_ frames: [MediaFrame]) {
    guard !isClosed else { return }
    for frame in frames {
      counters.droppedAtBound += queue.append(frame)
    }
    startWriting()
  }

  public func discard(generationsBefore generation: UInt32) {
    counters.discarded += queue.discard(generationsBefore: generation)
  }

  public func receive() async -> CallTransportEvent? {
    while let event = await connection.receive() {
      switch event {
      case .message(.binary(let bytes)):
        do {
          let frame = try MediaFrame(decoding: bytes)
          counters.received += 1
          return .frame(frame)
        } catch {
          counters.malformed += 1
        }
      case .message(.text):
        counters.malformed += 1
      case .closed(let code, let reason):
        stop()
        return .closed(code: code, reason: reason)
      }
    }
    stop()
    return nil
  }

  public func close(code: Int, reason: String) async {
    guard !isClosed else { return }
    stop()
    await connection.close(code: code, reason: reason)
  }

  private func stop() {
    isClosed = true
    queue.removeAll()
    writer?.cancel()
    writer = nil
  }

  /// One task writes while there is something to write, and ends with the queue.
  private func startWriting() {
    guard writer == nil, !queue.frames.isEmpty else { return }
    writer = runtime.task {
      await self.writeQueue()
    }
  }

  private func writeQueue() async {
    while !isClosed {
      do {
        while await connection.unsentBytes > Self.unsentBound {
          try await runtime.sleep(for: Self.unsentPause)
        }
      } catch {
        return  // Cancelled: the transport was closed meanwhile.
      }
      guard !isClosed, let frame = queue.popFirst() else { break }
      do {
        await connection.send(.binary(try frame.encoded()))
        counters.sent += 1
      } catch {
        counters.malformed += 1
      }
    }
    writer = nil
  }
}
