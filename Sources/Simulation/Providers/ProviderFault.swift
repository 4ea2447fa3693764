/// What goes wrong with one request to a scripted provider.
public enum ProviderFault: Sendable, Equatable {
  /// Nothing comes for this long, then everything.
  case stall(Duration)
  /// Answers 429.
  case rateLimited
  /// Never answers.
  case hang
  /// Ends at once and has given nothing.
  case silence
  /// The worker dies in the middle of the request.
  case crash
  /// The result comes once more after the end. Of a stream only: of the model or the voice.
  case duplicate
  /// The result comes although the request was cancelled, this long after.
  case late(Duration)
}

/// The faults of one provider, by the number of the request (0 is the first).
public struct FaultPlan: Sendable {
  public var byRequest: [Int: ProviderFault]

  public init(_ byRequest: [Int: ProviderFault] = [:]) {
    self.byRequest = byRequest
  }
}
