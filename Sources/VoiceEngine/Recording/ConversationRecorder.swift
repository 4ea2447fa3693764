import CAudioDevice
import Glibc
import Synchronization

/// Records a conversation into a WAV file: left the microphone, right the speaker as it was heard,
/// aligned by the playout clock. While the microphone is muted its channel is silent.
///
/// The audio thread only copies blocks into a queue of 2.5 s; a thread of the recorder's own writes
/// them. `@unchecked Sendable`: the tape and the thread are touched by that thread while it runs
/// and otherwise under `control`; starting and joining the thread hand them over.
final class ConversationRecorder: @unchecked Sendable {
  /// Time between two writes of the recorder's thread; the header is never older.
  static let pauseMilliseconds: Int32 = 100

  private let port: VoicePort
  private let tape: RecordingTape
  private let hasThread: Bool
  private let control = Mutex<RecorderThread?>(nil)
  private let published = Mutex<Published>(Published())

  private struct Published {
    var status: RecordingStatus?
    var untoldFailure: String?
  }

  /// - Parameter hasThread: without one its owner calls ``drain()``, on a clock of its own.
  init(port: VoicePort, hasThread: Bool) {
    self.port = port
    self.hasThread = hasThread
    tape = RecordingTape(port: port)
  }

  /// Begins, or goes on with the file of the last start. Blocks for the disk.
  ///
  /// - Throws: ``AudioError`` of code `recordingFailed`.
  func start(path: String) throws(AudioError) {
    let failure = control.withLock { thread -> AudioError? in
      guard thread == nil else { return nil }
      do throws(AudioError) {
        try tape.open(path)
        publish(failure: nil)
        if hasThread {
          thread = try RecorderThread(pauseMilliseconds: Self.pauseMilliseconds) { [weak self] in
            self?.drain() ?? false
          }
        }
        return nil
      } catch {
        tape.close()
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Writes what waits and completes the file. Blocks for the disk; may be called in every state.
  func stop() {
    control.withLock { thread in
      thread?.end()
      thread = nil
      drain()
      tape.close()
    }
  }

  /// Writes what waits.
  ///
  /// - Returns: whether to go on.
  @discardableResult
  func drain() -> Bool {
    do throws(AudioError) {
      try tape.drain()
      publish(failure: nil)
      return true
    } catch {
      tape.close()
      publish(failure: error.message)
      ad_wake_signal(port.wakeDescriptor)
      return false
    }
  }

  private func publish(failure: String?) {
    published.withLock { published in
      let known = published.status?.failure
      published.status = tape.status(failure: failure ?? known)
      if let failure { published.untoldFailure = failure }
    }
  }

  /// What it holds so far; `nil` before the first start. Role: any; never waits for the disk.
  var status: RecordingStatus? {
    published.withLock { $0.status }
  }

  /// Hands out, once, why the recording ended early.
  func takeFailure() -> String? {
    published.withLock { published in
      defer { published.untoldFailure = nil }
      return published.untoldFailure
    }
  }
}
