import VoiceEngine

/// How the agent is kept from hearing itself.
public enum EchoStatus: String, Sendable, Hashable {
  /// The canceller alone; the person may speak at any time.
  case cancelling
  /// Silence is sent while the agent is heard.
  case halfDuplex = "half_duplex"
  /// Nothing: for tests and headsets.
  case off

  init(_ echo: DeviceStatus.Echo) {
    switch echo {
    case .cancelling: self = .cancelling
    case .halfDuplex: self = .halfDuplex
    case .off: self = .off
    }
  }
}
