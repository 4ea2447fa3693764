import Foundation
import Synchronization

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
    return Reply(supervisor: supervisor, exchange: exchange, usualRate: await rate)
  }

  private final class Reply: SpeechReply {
    private let supervisor: WorkerSupervisor
    private let exchange: WorkerExchange
    private let usualRate: Int
    private let ends = Mutex<[Int]>([])

    init(supervisor: WorkerSupervisor, exchange: WorkerExchange, usualRate: Int) {
      self.supervisor = supervisor
      self.exchange = exchange
      self.usualRate = usualRate
    }

    var wordEnds: [Int] { ends.withLock { $0 } }

    func next() async throws(ProviderError) -> [Int16]? {
      while let answer = try await exchange.inbox.next() {
        guard case .data(let frame) = answer else { continue }
        if frame.kind == .audio { return frame.samples }
        if frame.kind == .text { try takeWords(frame.payload) }
      }
      return nil
    }

    /// The words of the sentence whose sound comes next, in milliseconds of the reply.
    private func takeWords(_ payload: [UInt8]) throws(ProviderError) {
      guard let more = try? JSONDecoder().decode([Double].self, from: Data(payload)),
        more.allSatisfy({ (0...600_000).contains($0) })
      else { throw .failed("The voice's worker gave times of words that cannot be read.") }
      ends.withLock { $0 += more.map { Int($0 * Double(usualRate) / 1000) } }
    }

    func cancel() async {
      await supervisor.cancel(exchange.id)
    }
  }
}
