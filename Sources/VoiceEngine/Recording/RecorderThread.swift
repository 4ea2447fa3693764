import CAudioDevice
import Glibc

/// A thread that does one thing again and again, with a pause between, until it is ended.
///
/// Its own thread, because a disk may take its time, which neither the audio thread nor an executor
/// has.
struct RecorderThread: Sendable {
  private final class Work: Sendable {
    let step: @Sendable () -> Bool
    let pauseMilliseconds: Int32
    let end: Int32

    init(step: @escaping @Sendable () -> Bool, pauseMilliseconds: Int32, end: Int32) {
      self.step = step
      self.pauseMilliseconds = pauseMilliseconds
      self.end = end
    }

    func run() {
      var descriptor = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
      while poll(&descriptor, 1, pauseMilliseconds) <= 0 {
        guard step() else { return }
      }
    }
  }

  private let handle: pthread_t
  private let endDescriptor: Int32

  /// - Parameter step: what it does; false ends the thread.
  /// - Throws: ``AudioError`` of code `recordingFailed` when there is no thread to be had.
  init(pauseMilliseconds: Int32, step: @escaping @Sendable () -> Bool) throws(AudioError) {
    let end = ad_wake_create()
    var handle = pthread_t()
    var result = -end
    if end >= 0 {
      let work = Unmanaged.passRetained(
        Work(step: step, pauseMilliseconds: pauseMilliseconds, end: end))
      result = pthread_create(
        &handle, nil,
        { context in
          guard let context else { return nil }
          Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
          return nil
        }, work.toOpaque())
      if result != 0 { work.release() }
    }
    guard result == 0 else {
      ad_wake_destroy(end)
      throw AudioError(
        code: .recordingFailed,
        message: "The recorder's thread could not be started (error \(result)). Raise the limit of"
          + " threads or free some memory.")
    }
    self.handle = handle
    endDescriptor = end
  }

  /// Ends it and waits for its last step.
  func end() {
    ad_wake_signal(endDescriptor)
    pthread_join(handle, nil)
    ad_wake_destroy(endDescriptor)
  }
}
