/// Speech recognition by a worker process.
public struct WorkerSpeechToText: SpeechToText {
  private let supervisor: WorkerSupervisor

  public init(supervisor: WorkerSupervisor) {
    self.supervisor = supervisor
  }

  public func begin() async throws(ProviderError) -> any TranscriptionRequest {
    let exchange = try await supervisor.open()
    await supervisor.send(WorkerCommand.startTranscription.frame(request: exchange.id))
    return Request(supervisor: supervisor, exchange: exchange)
  }

  private struct Request: TranscriptionRequest {
    /// 0.5 s, far below the longest frame.
    static let samplesPerFrame = 8_000

    let supervisor: WorkerSupervisor
    let exchange: WorkerExchange

    func append(_ samples: [Int16]) async {
      for start in stride(from: 0, to: samples.count, by: Self.samplesPerFrame) {
        let part = samples[start..<min(start + Self.samplesPerFrame, samples.count)]
        await supervisor.send(.audio(part, request: exchange.id))
      }
    }

    func finish() async throws(ProviderError) -> Transcript {
      await supervisor.send(
        WorkerCommand.endTranscription.frame(request: exchange.id), answerDue: true)
      while let answer = try await exchange.inbox.next() {
        guard case .result(let result) = answer else { continue }
        return Transcript(
          text: result.text ?? "", decodeTime: result.decodeMs.map { .milliseconds($0) })
      }
      throw .failed("The speech-to-text worker ended the request without a result.")
    }

    func cancel() async {
      await supervisor.cancel(exchange.id)
    }
  }
}
