import Networking
import SessionsModel

/// One session's socket and everything that follows from its frames.
///
/// The machine decides, this actor carries out: it opens and reads the socket, folds the state, runs
/// tools, hands events to every reader, and keeps the snapshot that `AgentSession` mirrors.
actor SessionConnection {
  /// How long a command waits for a socket that is coming back.
  static let sendPatience = Duration.seconds(10)
  /// How long `start()` waits: the first attempts with their time limits.
  static let startPatience = Duration.seconds(60)
  /// How long `close()` waits for the router's farewell.
  static let farewellPatience = Duration.seconds(2)

  nonisolated let id: String
  nonisolated let client: AgentsClient
  nonisolated let subscribers = EventSubscribers()
  /// Snapshots for the mirror; only the newest counts.
  nonisolated let snapshots: AsyncStream<SessionSnapshot>
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    client.environment.runtime.executor.asUnownedSerialExecutor()
  }

  nonisolated var runtime: any Runtime { client.environment.runtime }

  private let mirror: AsyncStream<SessionSnapshot>.Continuation
  let tools: [String: AgentTool]
  var snapshot: SessionSnapshot
  private var machine = EventsSocketMachine()
  var fold = Conversation()
  var turns: TurnList
  var calls: ToolCalls
  var runningTools: [String: RunningTool] = [:]
  private var socket: (any WebSocketConnection)?
  /// Counts sockets, so that news of an old one is known as such.
  private var socketNumber = 0
  private var waiters = SocketWaiters()
  /// A snapshot came before; a further one that starts anew is of a router that was restarted.
  private var hasSnapshot = false
  var signal: (@Sendable (CallSignal) async -> Void)?

  init(session: Session, client: AgentsClient, tools: [AgentTool]) {
    id = session.id
    self.client = client
    self.tools = Dictionary(tools.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
    calls = ToolCalls(names: tools.map(\.name))
    turns = TurnList(sessionID: session.id)
    snapshot = SessionSnapshot(session: session)
    snapshot.state = session.state == .ended ? .ended : .idle
    (snapshots, mirror) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  // MARK: For AgentSession

  /// Opens the socket; returns once it is open, or was given up.
  func start() async -> SessionSnapshot {
    if machine.phase == .idle || machine.phase == .ended { await prepareStart() }
    await handle(.open)
    _ = await waitUntilOpen(Self.startPatience)
    return snapshot
  }

  /// Sends a command, opening the socket first where need be.
  ///
  /// - Throws: why the session has no socket.
  func send(_ frame: Frame) async throws {
    if machine.phase == .idle || machine.phase == .ended { await prepareStart() }
    await handle(.open)
    guard await waitUntilOpen(Self.sendPatience), let socket else {
      throw snapshot.failure ?? .socketClosed(code: 1006, reason: "it could not be opened")
    }
    await socket.send(.text(frame.text))
  }

  /// Sends a frame of the call; false when the socket is down, then it is lost.
  func trySend(_ frame: Frame) async -> Bool {
    guard machine.phase == .open, let socket else { return false }
    await socket.send(.text(frame.text))
    return true
  }

  /// Takes in the router's record after a request changed it.
  func record(_ session: Session) -> SessionSnapshot {
    snapshot.session = session
    publish()
    return snapshot
  }

  /// Notes a turn this client asked for.
  func record(_ response: Response) {
    turns.add(response)
    snapshot.turns = turns.turns
    publish()
  }

  /// Waits a moment for the router's farewell, then closes.
  func finishAfterFarewell() async -> SessionSnapshot {
    if machine.phase == .open { _ = await wait(for: .end, Self.farewellPatience) }
    await handle(.close)
    return snapshot
  }

  /// Closes the socket; the readers of events end.
  func disconnect() async {
    await handle(.close)
  }

  /// Nobody mirrors this any more.
  nonisolated func abandon() {
    mirror.finish()
    runtime.task { await self.disconnect() }
  }

  func current() -> SessionSnapshot { snapshot }

  /// Keeps an error of a request that does not throw.
  func note(_ error: any Error) -> SessionSnapshot {
    snapshot.failure = .keeping(error)
    publish()
    return snapshot
  }

  // MARK: For the call

  /// Sends the call's frames and the socket's fate to `signal`; nil for a call that is over.
  func setSignal(_ signal: (@Sendable (CallSignal) async -> Void)?) {
    self.signal = signal
  }

  // MARK: The machine's driver

  private func handle(_ event: EventsSocketMachine.Event) async {
    await perform(machine.handle(event), frame: nil)
  }

  private func perform(_ actions: [EventsSocketMachine.Action], frame: Frame?) async {
    for action in actions {
      switch action {
      case .connect(let resumption): connect(resumption)
      case .renewToken: renewToken()
      case .pause(let duration): pause(duration)
      case .disconnect: dropSocket()
      case .deliver: if let frame { await deliver(frame) }
      case .restart:
        if let frame { restart(frame) }
        if hasSnapshot { await signal?(.restarted) }
        hasSnapshot = true
      case .refill: refill()
      case .connected(let isConnected): await connected(isConnected)
      case .finish(let failure): await finish(failure)
      }
    }
  }

  private func prepareStart() async {
    subscribers.reopen()
    snapshot.failure = nil
    if snapshot.session.lastResponseAt != nil, turns.turns.isEmpty { refill() }
  }

  private func connect(_ resumption: EventsSocketMachine.Resumption?) {
    socketNumber += 1
    let number = socketNumber
    runtime.task { await self.runSocket(number, resumption) }
  }

  private func runSocket(_ number: Int, _ resumption: EventsSocketMachine.Resumption?) async {
    var query = [("v", "2"), ("interim", "true"), ("channel", "true")]
    if !tools.isEmpty {
      // The tools this socket answers for, and what is still open of their calls.
      query.append(("tools", tools.keys.sorted().joined(separator: ",")))
      query.append(("replay_pending_tools", "true"))
    }
    if let resumption {
      query += [("after", String(resumption.after)), ("stream", resumption.stream)]
    }
    let opened: any WebSocketConnection
    do {
      opened = try await client.rest.openWebSocket(
        try SessionPaths.session(id, "events"), query: query.map { (name: $0.0, value: $0.1) })
    } catch {
      guard number == socketNumber else { return }
      await openingFailed(error)
      return
    }
    guard number == socketNumber, machine.phase == .opening else {
      await opened.close(code: 1000, reason: "")
      return
    }
    socket = opened
    await handle(.opened)
    await read(opened, number)
  }

  private func openingFailed(_ error: any Error) async {
    snapshot.failure = .keeping(error)
    switch error {
    case AgentsError.http(let failure):
      await handle(.refused(failure, chance: runtime.randomUInt64()))
    case AgentsError.transport:
      await handle(.unreachable(chance: runtime.randomUInt64()))
    case _ where machine.wasOpen && !(error is AgentsError):
      // The app's token provider threw, as it must while the network is down.
      await handle(.unreachable(chance: runtime.randomUInt64()))
    default:  // No user, an impossible URL, a provider that throws at once: trying again is no use.
      let failure = HTTPFailure(status: 400, message: "\(error)")
      await handle(.refused(failure, chance: 0))
      snapshot.failure = .keeping(error)
      publish()
    }
  }

  private func read(_ socket: any WebSocketConnection, _ number: Int) async {
    while number == socketNumber, let event = await socket.receive() {
      guard number == socketNumber else { return }
      switch event {
      case .message(.text(let text)): await received(text)
      case .message(.binary): continue  // Events are text; anything else is not for us.
      case .closed(let code, let reason):
        self.socket = nil
        let chance = runtime.randomUInt64()
        await handle(.closed(code: code, reason: reason, chance: chance))
        return
      }
    }
  }

  /// A frame that cannot be read is skipped, never fatal (contract part 1, 1.5).
  private func received(_ text: String) async {
    guard let json = try? JSONValue.parse(text), let frame = Frame(json: json) else { return }
    let head = EventsSocketMachine.FrameHead(
      seq: frame.seq, isSnapshot: frame.type == .snapshot,
      stream: frame["stream"]?.stringValue, gap: frame["gap"]?.boolValue ?? false,
      isLeft: frame.type == .left)
    await perform(machine.handle(.frame(head)), frame: frame)
  }

  private func renewToken() {
    runtime.task {
      do {
        try await self.client.rest.renewToken()
        await self.handle(.tokenRenewed)
      } catch {
        await self.openingFailed(error)
      }
    }
  }

  private func pause(_ duration: Duration) {
    let number = socketNumber
    runtime.after(duration) {
      self.runtime.task { await self.pauseOver(number) }
    }
  }

  private func pauseOver(_ number: Int) async {
    guard number == socketNumber else { return }
    await handle(.pauseOver)
  }

  private func dropSocket() {
    socketNumber += 1
    guard let socket else { return }
    self.socket = nil
    runtime.task { await socket.close(code: 1000, reason: "") }
  }

  private func connected(_ isConnected: Bool) async {
    if isConnected {
      snapshot.failure = nil
      // Watching an ended session has opened it again; its first snapshot says the rest.
      if snapshot.state == .ended { snapshot.state = .idle }
    }
    snapshot.isConnected = isConnected
    publish()
    if isConnected {
      waiters.opened()
      await perform(calls.resumed())
    }
    await signal?(.connected(isConnected))
  }

  private func finish(_ failure: EventsSocketMachine.AgentsFailure?) async {
    switch failure {
    case nil: snapshot.state = .ended
    case .http(let failure)?: snapshot.failure = .http(failure)
    case .closed(let code, let reason)?:
      snapshot.failure = .socketClosed(code: code, reason: reason)
    case .unreachable?: break  // The attempt's own error says more and is kept already.
    }
    publish()
    waiters.ended()
    await perform(calls.ended())
    await signal?(.ended)
    subscribers.finish()
  }

  // MARK: Waiting

  private func waitUntilOpen(_ limit: Duration) async -> Bool {
    switch machine.phase {
    case .open: true
    case .idle, .ended: false
    case .opening, .pausing: await wait(for: .open, limit) && machine.phase == .open
    }
  }

  private func wait(for wish: SocketWaiters.Wish, _ limit: Duration) async -> Bool {
    let id = waiters.nextID()
    let timer = runtime.after(limit) {
      self.runtime.task { await self.expire(id) }
    }
    defer { timer.cancel() }
    return await withCheckedContinuation { waiters.add(id, wish, $0) }
  }

  private func expire(_ id: Int) {
    waiters.expire(id)
  }

  func publish() {
    snapshot.version += 1
    mirror.yield(snapshot)
  }
}
