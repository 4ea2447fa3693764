import Networking
import Providers

/// The time a scripted provider takes, with what its script lets go wrong.
enum ScriptedDelay {
  /// Waits as the script says, or fails as it says.
  static func pass(_ delay: Duration, fault: ProviderFault?, runtime: any Runtime)
    async throws(ProviderError)
  {
    switch fault {
    case .rateLimited: throw .rateLimited(retryAfter: .seconds(1))
    case .crash: throw .unavailable("The scripted worker died in mid-request.")
    case .hang: try await sleep(for: .seconds(86_400), runtime)
    case .stall(let duration): try await sleep(for: duration, runtime)
    case .duplicate, .late, .silence, nil: break
    }
    try await sleep(for: delay, runtime)
  }

  static func sleep(for duration: Duration, _ runtime: any Runtime) async throws(ProviderError) {
    do {
      try await runtime.sleep(for: duration)
    } catch {
      throw .cancelled
    }
  }
}
