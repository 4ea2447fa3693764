import CLibWebSockets

/// One descriptor watched for readability.
///
/// `@unchecked Sendable` by this rule: its state is touched only on the loop's thread.
final class DescriptorWatch: @unchecked Sendable {
  private enum State {
    case initial
    case watching(UnsafeMutablePointer<uv_poll_t>)
    case stopped
  }

  private let descriptor: Int32
  private let onReadable: @Sendable () -> Void
  private var state = State.initial

  init(descriptor: Int32, onReadable: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.onReadable = onReadable
  }

  /// Begins; returns false when it was stopped before.
  func start(on loop: UnsafeMutablePointer<uv_loop_t>) -> Bool {
    guard case .initial = state else { return false }
    let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    let status = uv_poll_init(loop, poll, descriptor)
    precondition(
      status == 0,
      "descriptor \(descriptor) cannot be watched (\(String(cString: uv_strerror(status)))): "
        + "it must be open, pollable and watched once only")
    poll.pointee.data = Unmanaged.passRetained(self).toOpaque()
    state = .watching(poll)
    uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, _, _ in
      // An error is handed over as readiness: the owner's read reports it.
      let watch = Unmanaged<DescriptorWatch>.fromOpaque(poll!.pointee.data)
      watch.takeUnretainedValue().onReadable()
    }
    return true
  }

  func stop() {
    guard case .watching(let poll) = state else {
      state = .stopped
      return
    }
    state = .stopped
    uv_close(handle(poll)) { handle in
      Unmanaged<DescriptorWatch>.fromOpaque(handle!.pointee.data).release()
      UnsafeMutableRawPointer(handle!).assumingMemoryBound(to: uv_poll_t.self).deallocate()
    }
  }
}
