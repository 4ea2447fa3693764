@preconcurrency import Dispatch
import Glibc

/// SIGHUP: to a daemon "read your configuration again"; from a terminal that was closed "end".
final class ReloadSignal: Sendable {
  // Kept alive for as long as the process listens.
  private let source: any DispatchSourceSignal

  /// - Parameters:
  ///   - reload: read the configuration again.
  ///   - terminalClosed: the terminal this program was started from is gone.
  init(
    reload: @escaping @Sendable () -> Void, terminalClosed: @escaping @Sendable () -> Void
  ) {
    let hadTerminal = Self.hasTerminal
    signal(SIGHUP, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    source.setEventHandler { @Sendable in
      if hadTerminal, !Self.hasTerminal { terminalClosed() } else { reload() }
    }
    source.resume()
  }

  private static var hasTerminal: Bool {
    let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }
}
