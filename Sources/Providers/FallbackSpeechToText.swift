import Networking
import Synchronization

/// Recognisers that stand in for one another: the next one gets the whole utterance when one fails,
/// or has no words for too long.
struct FallbackSpeechToText: SpeechToText {
  /// How long a recogniser may take from the end of the utterance while another one stands by: with
  /// the second one's time it stays within the budget of an answer (3 s) on most boxes.
  static let wordsLimit = Duration.milliseconds(1_500)
  /// The longest utterance that can be said again, 2 minutes at 16 kHz.
  static let samplesAtMost = 16_000 * 120

  private let recognisers: [any SpeechToText]
  private let runtime: any Runtime

  init(_ recognisers: [any SpeechToText], runtime: any Runtime) {
    precondition(!recognisers.isEmpty, "a route leads to at least one recogniser")
    self.recognisers = recognisers
    self.runtime = runtime
  }

  func begin() async throws(ProviderError) -> any TranscriptionRequest {
    let request = Request(recognisers, runtime)
    await request.begin()
    return request
  }

  private final class Request: TranscriptionRequest {
    private let recognisers: [any SpeechToText]
    private let runtime: any Runtime
    private let state = Mutex(State())

    private struct State {
      var said: [Int16] = []
      var first: (any TranscriptionRequest)?
      var running: (any TranscriptionRequest)?
      var failure: ProviderError?
      var isCancelled = false
    }

    init(_ recognisers: [any SpeechToText], _ runtime: any Runtime) {
      self.recognisers = recognisers
      self.runtime = runtime
    }

    func begin() async {
      do throws(ProviderError) {
        let recogniser = recognisers[0]
        let request = try await limited { () throws(ProviderError) in try await recogniser.begin() }
        state.withLock { $0.first = request }
      } catch {
        // Told if nobody else can do it either.
        state.withLock { $0.failure = error }
      }
    }

    func append(_ samples: [Int16]) async {
      let first = state.withLock { state in
        let room = FallbackSpeechToText.samplesAtMost - state.said.count
        state.said += samples.prefix(max(0, room))
        return state.first
      }
      await first?.append(samples)
    }

    func finish() async throws(ProviderError) -> Transcript {
      var failure = state.withLock { $0.failure } ?? .unavailable("No recogniser could begin.")
      if let first = state.withLock({ $0.first }) {
        do throws(ProviderError) {
          return try await words(of: first, isLast: recognisers.count == 1)
        } catch {
          failure = error
        }
      }
      for (place, recogniser) in recognisers.enumerated().dropFirst() {
        guard failure != .cancelled, !state.withLock({ $0.isCancelled }) else { throw .cancelled }
        do throws(ProviderError) {
          let request = try await limited { () throws(ProviderError) in
            try await recogniser.begin()
          }
          await request.append(state.withLock { $0.said })
          return try await words(of: request, isLast: place == recognisers.count - 1)
        } catch {
          failure = error
        }
      }
      throw failure
    }

    private func words(of request: any TranscriptionRequest, isLast: Bool)
      async throws(ProviderError) -> Transcript
    {
      state.withLock { $0.running = request }
      do throws(ProviderError) {
        guard !isLast else { return try await request.finish() }
        return try await limited { () throws(ProviderError) in try await request.finish() }
      } catch {
        await request.cancel()
        throw error
      }
    }

    private func limited<Value: Sendable>(
      _ operation: @escaping @Sendable () async throws(ProviderError) -> Value
    ) async throws(ProviderError) -> Value {
      let limit = FallbackSpeechToText.wordsLimit
      return try await withTimeLimit(
        limit, on: runtime,
        otherwise: "The recogniser had no words after \(limit.wholeMilliseconds) ms.", operation)
    }

    func cancel() async {
      let (first, running) = state.withLock { state in
        state.isCancelled = true
        state.said = []
        return (state.first, state.running)
      }
      await first?.cancel()
      await running?.cancel()
    }
  }
}
