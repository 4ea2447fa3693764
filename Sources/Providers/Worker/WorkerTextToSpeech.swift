/// Speech synthesis by a worker process.
public struct WorkerTextToSpeech: TextToSpeech {
  /// Rate of the embedded voice, in Hz, until the worker has said its own.
  private static let usualRate = 24_000

  private let supervisor: WorkerSupervisor

  public init(supervisor: WorkerSupervisor) {
    self.supervisor = supervisor
  }

  public var rate: Int {
    get async { await supervisor.ready?.rate ?? Self.usualRate }
  }

  public func speak(_ text: String, voice: String) async throws(ProviderError) -> any SpeechReply {
    let exchange = try await supervisor.open()
    await supervisor.send(
      WorkerCommand.startSpeech(text: text, voice: voice).frame(request: exchange.id),
      answerDue: true)
    return Reply(supervisor: supervisor, exchange: exchange)
  }

  private struct Reply: SpeechReply {
    let supervisor: WorkerSupervisor
    let exchange: WorkerExchange

    func next() async throws(ProviderError) -> [Int16]? {
      while let answer = try await exchange.inbox.next() {
        if case .data(let frame) = answer, frame.kind == .audio { return frame.samples }
      }
      return nil
    }

    func cancel() async {
      await supervisor.cancel(exchange.id)
    }
  }
}
