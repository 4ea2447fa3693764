public import Networking

// What answers when no model file can be had: the sound path is proved all the same. Nothing here
// pretends to understand: every turn gets one fixed line, and the run's exit code says so.

/// Takes every utterance as heard and understands none of it.
public struct UnheardSpeechToText: SpeechToText {
  public init() {}

  public func begin() async throws(ProviderError) -> any TranscriptionRequest { Request() }

  private actor Request: TranscriptionRequest {
    private var samples = 0

    func append(_ more: [Int16]) { samples += more.count }

    func finish() async throws(ProviderError) -> Transcript {
      // 100 ms at 16 kHz: anything shorter is a click.
      Transcript(text: samples >= 1_600 ? "(not transcribed: no speech model is installed)" : "")
    }

    func cancel() {}
  }
}

/// Says one line after every turn.
public struct FixedLineLanguageModel: LanguageModel {
  /// The line; short, so that the sound path is proved quickly.
  public static let line = "I heard you, but no language model is installed."

  public init() {}

  public func respond(to prompt: ModelPrompt) async throws(ProviderError) -> any ModelReply {
    Reply()
  }

  private actor Reply: ModelReply {
    private var events: [ModelEvent] = [
      .text(FixedLineLanguageModel.line), .finished(ModelUsage()),
    ]

    func next() async throws(ProviderError) -> ModelEvent? {
      events.isEmpty ? nil : events.removeFirst()
    }

    func cancel() { events = [] }
  }
}

/// Speaks through the program `flite`, which brings its own voice.
public struct FliteTextToSpeech: TextToSpeech {
  private let runtime: LoopRuntime
  private let program: String

  /// - Parameter program: path of flite; searched in `PATH` without a slash.
  public init(runtime: LoopRuntime, program: String = "flite") {
    self.runtime = runtime
    self.program = program
  }

  /// Rate of the voice `slt`, in Hz.
  public var rate: Int { 16_000 }

  public func speak(_ text: String, voice: String) async throws(ProviderError) -> any SpeechReply {
    do {
      // flite opens the file it writes, and a child's standard output here is a socket, which
      // cannot be opened; behind `cat` it is a pipe, which can.
      let child = try await ChildProcess.launch(
        "/bin/sh",
        arguments: ["-c", #""$0" -voice slt -t "$1" -o /dev/stdout | cat"#, program, text],
        runtime: runtime)
      return FliteReply(child: child)
    } catch {
      throw .unavailable("\(error)")
    }
  }
}

/// A WAV file as flite writes it to a pipe, without its header.
private actor FliteReply: SpeechReply {
  /// Bytes of a RIFF header with one format and one data chunk.
  private static let headerBytes = 44

  private let child: ChildProcess
  private var toSkip = FliteReply.headerBytes
  private var odd: UInt8?
  private var hasSpoken = false

  init(child: ChildProcess) {
    self.child = child
  }

  func next() async throws(ProviderError) -> [Int16]? {
    while let bytes = await child.read() {
      let samples = decode(bytes)
      hasSpoken = hasSpoken || !samples.isEmpty
      if !samples.isEmpty { return samples }
    }
    guard hasSpoken else {
      throw .unavailable("The program flite gave no sound. Install it: apt-get install flite")
    }
    return nil
  }

  func cancel() async {
    await child.kill()
  }

  private func decode(_ bytes: [UInt8]) -> [Int16] {
    let skipped = min(toSkip, bytes.count)
    toSkip -= skipped
    var body = (odd.map { [$0] } ?? []) + bytes[skipped...]
    odd = body.count % 2 == 1 ? body.removeLast() : nil
    return stride(from: 0, to: body.count, by: 2).map {
      Int16(bitPattern: UInt16(body[$0]) | UInt16(body[$0 + 1]) << 8)
    }
  }
}
