import Synchronization

/// Both ends of a WebSocket in memory and the link between them.
actor MemoryWebSocketPair {
  enum Side: Int {
    case client = 0
    case server = 1

    var other: Side { self == .client ? .server : .client }
  }

  private struct End {
    var outgoing: [WebSocketMessage] = []
    var unsentBytes = 0
    var senders: [CheckedContinuation<Void, Never>] = []
    var incoming = IncomingMessages()
    var bytesOnTheWay = 0
    var reader: (number: UInt64, continuation: CheckedContinuation<WebSocketEvent?, Never>)?
    var ownClose: (code: Int, reason: String)?
    var closeIsSent = false
    var isClosed = false
    /// When the last thing sent to this end arrives: nothing overtakes it.
    var lastArrival = MonotonicInstant(nanoseconds: 0)
  }

  private static let highWaterBytes = 1 << 20
  private static let lowWaterBytes = 128 << 10
  /// The live client's patience with a silent peer.
  private static let hangUp = Duration.seconds(12)

  nonisolated private let runtime: any Runtime
  private var conditions: LinkConditions
  private var ends = [End(), End()]
  private var readerNumber: UInt64 = 0
  private var stallTimer: ScheduledAction?
  private let finished = Atomic(false)

  init(runtime: any Runtime, conditions: LinkConditions) {
    self.runtime = runtime
    self.conditions = conditions
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.executor.asUnownedSerialExecutor()
  }

  /// Whether both ends are closed.
  nonisolated var isFinished: Bool { finished.load(ordering: .acquiring) }

  // MARK: The two ends

  func send(_ message: WebSocketMessage, from side: Side) async {
    while ends[side.rawValue].unsentBytes > Self.highWaterBytes, isOpen(side) {
      await withCheckedContinuation { ends[side.rawValue].senders.append($0) }
    }
    guard isOpen(side) else { return }
    ends[side.rawValue].outgoing.append(message)
    ends[side.rawValue].unsentBytes += message.byteCount
    pump(from: side)
  }

  func unsentBytes(of side: Side) -> Int {
    ends[side.rawValue].unsentBytes
  }

  func receive(at side: Side) async -> WebSocketEvent? {
    readerNumber += 1
    let number = readerNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let event = nextEvent(at: side) {
          continuation.resume(returning: event)
        } else if ends[side.rawValue].isClosed || Task.isCancelled {
          continuation.resume(returning: nil)
        } else {
          precondition(ends[side.rawValue].reader == nil, "a WebSocket has one reader at a time")
          ends[side.rawValue].reader = (number, continuation)
        }
      }
    } onCancel: {
      runtime.task { await self.cancelReader(number, side) }
    }
  }

  func close(from side: Side, code: Int, reason: String) {
    guard isOpen(side) else { return }
    ends[side.rawValue].ownClose = (code, reason)
    wakeSenders(of: side)
    pump(from: side)
  }

  // MARK: The link

  func setConditions(_ conditions: LinkConditions) {
    self.conditions = conditions
    stallTimer?.cancel()
    stallTimer = nil
    switch conditions.state {
    case .up:
      pump(from: .client)
      pump(from: .server)
    case .stalled:
      stallTimer = runtime.after(Self.hangUp) { [weak self] in
        self?.assumeIsolated { $0.breakConnection() }
      }
    case .down:
      breakConnection()
    }
  }

  func breakConnection() {
    finish(.client, (1006, ""))
    finish(.server, (1006, ""))
  }

  private func isOpen(_ side: Side) -> Bool {
    !ends[side.rawValue].isClosed && ends[side.rawValue].ownClose == nil
  }

  /// Sends what the other end has room for.
  private func pump(from side: Side) {
    guard conditions.state == .up, !ends[side.rawValue].isClosed else { return }
    let other = side.other.rawValue
    while let message = ends[side.rawValue].outgoing.first,
      ends[other].incoming.unreadBytes + ends[other].bytesOnTheWay <= Self.highWaterBytes
    {
      ends[side.rawValue].outgoing.removeFirst()
      ends[side.rawValue].unsentBytes -= message.byteCount
      ends[other].bytesOnTheWay += message.byteCount
      carry(to: side.other) { $0.arrive(message, at: side.other) }
    }
    if ends[side.rawValue].unsentBytes < Self.lowWaterBytes { wakeSenders(of: side) }
    guard ends[side.rawValue].outgoing.isEmpty, let close = ends[side.rawValue].ownClose,
      !ends[side.rawValue].closeIsSent
    else { return }
    ends[side.rawValue].closeIsSent = true
    carry(to: side.other) { $0.arriveClose(close.code, close.reason, at: side.other) }
  }

  private func carry(
    to side: Side, _ arrival: @escaping @Sendable (isolated MemoryWebSocketPair) -> Void
  ) {
    let now = runtime.now
    let due = max(now + conditions.latency, ends[side.rawValue].lastArrival)
    ends[side.rawValue].lastArrival = due
    runtime.after(due - now) { [weak self] in self?.assumeIsolated(arrival) }
  }

  private func arrive(_ message: WebSocketMessage, at side: Side) {
    ends[side.rawValue].bytesOnTheWay -= message.byteCount
    guard isOpen(side) else { return }
    guard message.byteCount <= IncomingMessages.maximumMessageBytes else {
      let offence = IncomingMessages.Offence.tooLarge
      return close(from: side, code: offence.closeCode, reason: offence.reason)
    }
    deliver(.message(message), at: side)
  }

  private func arriveClose(_ code: Int, _ reason: String, at side: Side) {
    finish(side, (code, reason))
    let mine = (code: code, reason: reason)
    carry(to: side.other) { $0.finish(side.other, (mine.code, mine.reason)) }
  }

  private func finish(_ side: Side, _ close: (code: Int, reason: String)) {
    guard !ends[side.rawValue].isClosed else { return }
    ends[side.rawValue].isClosed = true
    ends[side.rawValue].outgoing = []
    ends[side.rawValue].unsentBytes = 0
    deliver(.closed(code: close.code, reason: close.reason), at: side)
    wakeSenders(of: side)
    if ends.allSatisfy(\.isClosed) {
      finished.store(true, ordering: .releasing)
      stallTimer?.cancel()
    }
  }

  private func nextEvent(at side: Side) -> WebSocketEvent? {
    guard let event = ends[side.rawValue].incoming.popFirst() else { return nil }
    if ends[side.rawValue].incoming.unreadBytes < Self.lowWaterBytes { pump(from: side.other) }
    return event
  }

  private func deliver(_ event: WebSocketEvent, at side: Side) {
    if let reader = ends[side.rawValue].reader {
      ends[side.rawValue].reader = nil
      reader.continuation.resume(returning: event)
    } else {
      ends[side.rawValue].incoming.append(event)
    }
  }

  private func cancelReader(_ number: UInt64, _ side: Side) {
    guard let reader = ends[side.rawValue].reader, reader.number == number else { return }
    ends[side.rawValue].reader = nil
    reader.continuation.resume(returning: nil)
  }

  private func wakeSenders(of side: Side) {
    let waiting = ends[side.rawValue].senders
    ends[side.rawValue].senders = []
    for sender in waiting { sender.resume() }
  }
}

extension WebSocketMessage {
  /// Bytes of the payload.
  var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let bytes): bytes.count
    }
  }
}
