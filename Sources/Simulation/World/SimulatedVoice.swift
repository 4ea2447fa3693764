import Networking
public import SessionsModel
public import VisionAgentsCore

/// A voice session of a simulated world: what the SDK offers, as calls that run the world until they
/// are done.
public final class SimulatedVoice: Sendable {
  private let voice: UnmirroredVoice
  private let world: SimulatedWorld
  private let seen = Shared<[AgentEvent]>([])
  private let hasEnded = Shared(false)

  init(_ voice: UnmirroredVoice, world: SimulatedWorld, isFollowed: Bool = true) {
    self.voice = voice
    self.world = world
    let (seen, hasEnded) = (seen, hasEnded)
    let events = voice.events()
    world.runtime.task {
      for await event in events { seen.update { $0.append(event) } }
      hasEnded.value = true
    }
    guard isFollowed else { return }
    let (journal, runtime) = (world.journal, world.runtime)
    voice.follow { state in
      journal.note(Journal.Source.state, state.rawValue, at: runtime.now.nanoseconds)
    }
  }

  public var sessionID: String { voice.sessionID }

  /// The events that the SDK handed to its reader, oldest first.
  public var events: [AgentEvent] { seen.value }

  /// Whether the stream of events has ended.
  public var eventsHaveEnded: Bool { hasEnded.value }

  public func events(_ kind: AgentEvent.Kind) -> [AgentEvent] {
    events.filter { $0.kind == kind }
  }

  /// The states a person saw, oldest first.
  public var states: [String] { world.journal.texts(of: Journal.Source.state) }

  /// Whether nothing of the microphone goes out until the wake word is said.
  public var isAsleep: Bool { voice.isAsleep }

  public func join() throws {
    try world.run("join") { [voice] in try await voice.join() }
  }

  public func send(_ frame: Frame) throws {
    try world.run("sending") { [voice] in try await voice.send(frame) }
  }

  public func say(_ text: String, interrupt: Bool = false, requestID: String? = nil) throws {
    var frame = Frame(.say, ["text": .string(text), "interrupt": .bool(interrupt)])
    if let requestID { frame["request_id"] = .string(requestID) }
    try send(frame)
  }

  public func setMuted(_ isMuted: Bool) throws {
    try world.run("muting") { [voice] in await voice.setMuted(isMuted) }
  }

  public func leave() throws {
    try world.run("leaving") { [voice] in try await voice.leave() }
  }

  public func end() throws {
    try world.run("ending") { [voice] in try await voice.end() }
  }
}
