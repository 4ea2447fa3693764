import VisionAgentsCore

/// Keeps the service manager's watchdog from biting, only while sound really moves: a program that
/// runs and hears nothing is not alive.
@MainActor
final class SignOfLife {
  private let notifier: ServiceNotifier
  private var task: Task<Void, Never>?
  private var lastFrame: UInt64?
  private var wasLost = false

  init(_ notifier: ServiceNotifier) {
    self.notifier = notifier
  }

  /// Tells that the conversation is ready, and then a sign of life at a third of the interval, each
  /// time that the device's clock has moved on.
  func follow(_ voice: VoiceSession) {
    guard notifier.isWanted else { return }
    notifier.ready("In conversation.")
    let pause = (notifier.watchdogInterval ?? .seconds(3)) / 3
    task = Task { @MainActor [weak self] in
      while !Task.isCancelled {
        await self?.look(at: voice)
        // The manager's own pace; cancellation ends the loop at its head.
        try? await Task.sleep(for: pause, tolerance: .zero)
      }
    }
  }

  func stop() {
    task?.cancel()
    notifier.stopping()
  }

  private func look(at voice: VoiceSession) async {
    let frame = await voice.deviceFrame()
    if let frame, let lastFrame, frame != lastFrame { notifier.alive() }
    lastFrame = frame
    var reason: String?
    if case .lost(let why) = voice.call?.state.device { reason = why }
    if let reason, !wasLost { notifier.status(reason) }
    if reason == nil, wasLost { notifier.status("In conversation; the device is back.") }
    wasLost = reason != nil
  }
}
