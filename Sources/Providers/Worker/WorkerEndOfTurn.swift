/// The end-of-turn model in a worker process.
public struct WorkerEndOfTurn: EndOfTurnModel {
  /// 8 s at 16 kHz: what the model looks at.
  static let samplesAtMost = 128_000
  /// 1 s, far below the longest frame.
  static let samplesPerFrame = 16_000

  private let supervisor: WorkerSupervisor

  public init(supervisor: WorkerSupervisor) {
    self.supervisor = supervisor
  }

  public func completeness(of samples: [Int16]) async throws(ProviderError) -> Float {
    // A judgement that has to wait for a worker's start comes too late to be of use.
    guard await supervisor.ready != nil else {
      throw .unavailable(await supervisor.trouble ?? "The end-of-turn worker is not ready.")
    }
    let exchange = try await supervisor.open()
    await supervisor.send(WorkerCommand.startTranscription.frame(request: exchange.id))
    let last = samples.suffix(Self.samplesAtMost)
    for start in stride(from: last.startIndex, to: last.endIndex, by: Self.samplesPerFrame) {
      let part = last[start..<min(start + Self.samplesPerFrame, last.endIndex)]
      await supervisor.send(.audio(part, request: exchange.id))
    }
    await supervisor.send(
      WorkerCommand.endTranscription.frame(request: exchange.id), answerDue: true)
    while let answer = try await exchange.inbox.next() {
      guard case .result(let result) = answer, let complete = result.complete else { continue }
      return Float(complete)
    }
    throw .failed("The end-of-turn worker ended the request without a probability.")
  }
}
