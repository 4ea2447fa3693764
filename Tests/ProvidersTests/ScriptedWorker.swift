import Synchronization

@testable import Providers

/// A worker whose behaviour a test writes: what it answers to each frame it is sent.
final class ScriptedWorker: WorkerChannel {
  typealias Script = @Sendable (WorkerFrame, ScriptedWorker) -> Void

  private let events = Inbox<WorkerChannelEvent>(capacity: 1_024)
  private let script: Script
  private let state = Mutex((decoder: WorkerFrameDecoder(), ended: false))
  /// Bytes it reads before it stops reading for good.
  private let readsBytes: Int
  private let readBytes = Mutex(0)
  private let death = Inbox<Void>(capacity: 1)

  init(readyAs role: String?, readsBytes: Int = .max, script: @escaping Script = { _, _ in }) {
    self.script = script
    self.readsBytes = readsBytes
    guard let role else { return }
    write(
      .control(
        #"{"type":"ready","role":"\#(role)","name":"scripted","licence":"MIT","rate":24000}"#,
        request: 0))
  }

  func send(_ bytes: [UInt8]) async {
    let total = readBytes.withLock { read in
      read += bytes.count
      return read
    }
    guard total <= readsBytes else {
      // Like a full pipe: the writer waits until the process is gone. The inbox never fails.
      _ = try? await death.next()
      return
    }
    let frames = state.withLock { state -> [WorkerFrame] in
      state.decoder.append(bytes)
      var frames: [WorkerFrame] = []
      do {
        while let frame = try state.decoder.next() { frames.append(frame) }
      } catch {
        preconditionFailure("the supervisor wrote a broken frame: \(error)")
      }
      return frames
    }
    for frame in frames { script(frame, self) }
  }

  func receive() async -> WorkerChannelEvent? {
    do throws(ProviderError) {
      return try await events.next()
    } catch {
      return nil
    }
  }

  func kill() {
    end("signal 9")
  }

  func write(_ frame: WorkerFrame) {
    write(bytes: frame.encoded)
  }

  func write(bytes: [UInt8]) {
    _ = events.put(.output(bytes))
  }

  func end(_ reason: String) {
    let isNew = state.withLock { state in
      defer { state.ended = true }
      return !state.ended
    }
    guard isNew else { return }
    _ = events.put(.ended(reason))
    events.finish()
    death.finish()
  }
}

/// Launches the workers a test has prepared, one after the other; the last one again and again.
final class ScriptedLauncher: WorkerLauncher {
  private let makers: [@Sendable () -> ScriptedWorker]
  private let launched = Mutex(0)

  init(_ makers: (@Sendable () -> ScriptedWorker)...) {
    self.makers = makers
  }

  var launches: Int { launched.withLock { $0 } }

  func launch() async throws(ProviderError) -> any WorkerChannel {
    let index = launched.withLock { count in
      defer { count += 1 }
      return min(count, makers.count - 1)
    }
    return makers[index]()
  }
}

extension WorkerFrame {
  static func control(_ json: String, request: UInt32) -> WorkerFrame {
    WorkerFrame(kind: .control, request: request, payload: Array(json.utf8))
  }

  static func text(_ text: String, request: UInt32) -> WorkerFrame {
    WorkerFrame(kind: .text, request: request, payload: Array(text.utf8))
  }

  /// The `type` of a control frame; empty for data.
  var controlType: String {
    guard kind == .control else { return "" }
    let text = String(decoding: payload, as: UTF8.self)
    return text.split(separator: "\"type\":\"").dropFirst().first?
      .split(separator: "\"").first.map(String.init) ?? ""
  }
}
