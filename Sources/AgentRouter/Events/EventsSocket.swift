import Networking
import SessionsModel
import Stores

/// One events socket from its acceptance to its end.
///
/// Two tasks share it: one sends what the watcher's queue holds, one reads commands. Neither holds
/// up the session.
struct EventsSocket {
  /// A frame that cannot be handed to the network for this long ends the socket (contract 1.5).
  static let writeDeadline = Duration.seconds(10)

  let directory: SessionDirectory
  let runtime: any Runtime
  let key: SessionKey
  let caller: Caller
  let options: WatchOptions

  func serve(_ connection: any WebSocketConnection) async {
    let watcher = EventWatcher(
      id: runtime.makeID(), caller: caller, options: options, socket: connection)
    let sender = runtime.task { await Self.send(from: watcher, to: connection, runtime) }
    do throws(APIError) {
      try await directory.watch(key.id, for: caller, watcher)
    } catch {
      watcher.abandon()
      await sender.value
      await refuse(error, connection)
      return
    }
    let expiry = closeWhenTokenExpires(watcher)
    let isNormal = await readCommands(connection, watcher)
    expiry?.cancel()
    watcher.abandon()
    await directory.detach(watcher, from: key, normally: isNormal)
    await sender.value
  }

  /// What an upgrade could not be refused for is said on the socket.
  private func refuse(_ error: APIError, _ connection: any WebSocketConnection) async {
    let frame = Frame(
      .error,
      [
        "context": "session", "error": .string(error.message), "code": .string(error.code.rawValue),
      ])
    await connection.send(.text(frame.text))
    // 4404, 4503 and so on; 4013 asks the client to come back later.
    let code = error.status == 503 ? 4013 : 4000 + error.status
    await connection.close(code: code, reason: error.code.rawValue)
  }

  private static func send(
    from watcher: EventWatcher, to connection: any WebSocketConnection, _ runtime: any Runtime
  ) async {
    while let step = await watcher.next() {
      switch step {
      case .send(let frame):
        // Only a socket with a backlog can make us wait.
        guard await connection.unsentBytes > 0 else {
          await connection.send(.text(frame.text))
          continue
        }
        let deadline = runtime.after(writeDeadline) {
          runtime.task { await connection.close(code: 4008, reason: "too slow") }
        }
        await connection.send(.text(frame.text))
        deadline.cancel()
      case .close(let code, let reason):
        await connection.close(code: code, reason: reason)
      }
    }
  }

  /// Reads until the socket closes.
  ///
  /// - Returns: whether the peer closed it on purpose.
  private func readCommands(
    _ connection: any WebSocketConnection, _ watcher: EventWatcher
  ) async -> Bool {
    while let event = await connection.receive() {
      switch event {
      case .closed(let code, _): return code == 1000 || code == 1001 || code == 1005
      case .message(.binary):
        report("A command is a text message, not a binary one.", watcher)
      case .message(.text(let text)): await carryOut(text, watcher)
      }
    }
    return false
  }

  private func carryOut(_ text: String, _ watcher: EventWatcher) async {
    let command: JSONValue
    do throws(JSONParseError) {
      command = try JSONValue.parse(text)
    } catch {
      report("The command is not valid JSON: \(error).", watcher)
      return
    }
    guard let type = command["type"]?.stringValue else {
      report("The command has no type.", watcher)
      return
    }
    // The client closes its socket right behind this command, and a request that follows must
    // not find the session live: so the directory ends it here.
    if FrameType(rawValue: type) == .close {
      await directory.close(key, by: watcher)
    } else {
      await directory.handle(command, from: watcher, of: key)
    }
  }

  private func report(_ message: String, _ watcher: EventWatcher) {
    watcher.offer(Frame(.error, ["context": "command", "error": .string(message)]))
  }

  /// The client comes back with a fresh token (contract part 2, "Errors").
  private func closeWhenTokenExpires(_ watcher: EventWatcher) -> ScheduledAction? {
    guard let expiry = caller.expiresAt else { return nil }
    let seconds = max(0, expiry + Token.skewSeconds - runtime.secondsSince1970)
    return runtime.after(.seconds(seconds)) {
      watcher.offer(
        Frame(
          .error,
          [
            "context": "session", "error": "The token has expired; come back with a new one.",
            "code": "token_expired",
          ]))
      watcher.close(code: 4401, reason: "token_expired")
    }
  }
}
