import Networking

/// Why a speech or language provider could not do what was asked.
public enum ProviderError: Error, Sendable, Equatable {
  /// Nothing can be asked of it now: not configured, not started, model file missing, refused.
  case unavailable(String)
  /// It stayed silent for longer than its limit; the sentence names the limit.
  case timedOut(String)
  /// It asked for fewer requests; nil when it did not say for how long.
  case rateLimited(retryAfter: Duration?)
  /// The request was taken back by us.
  case cancelled
  /// It answered with an error, or with something that cannot be read.
  case failed(String)
}

extension ProviderError: CustomStringConvertible {
  /// A sentence for an `error` frame or a log line.
  public var description: String {
    switch self {
    case .unavailable(let sentence), .timedOut(let sentence), .failed(let sentence):
      return sentence
    case .rateLimited(let retryAfter):
      guard let retryAfter else { return "The provider refused: too many requests." }
      let seconds = Int((retryAfter.milliseconds / 1000).rounded(.up))
      return "The provider refused: too many requests; try again in \(seconds) s."
    case .cancelled:
      return "The request was cancelled."
    }
  }
}
