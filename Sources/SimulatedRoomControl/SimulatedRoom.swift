/// One simulated room: a loudspeaker, a microphone and a person.
///
/// Time counts in frames at 48 kHz from the start of the first ALSA stream; the recording begins
/// at frame 0. Thread role: any thread but a realtime one.
///
/// `@unchecked Sendable`: every function behind the handle takes the room's own lock, and the
/// handle is valid until ``remove()``, after which no copy of this value may be used.
public struct SimulatedRoom: @unchecked Sendable {
  public let name: String
  private let handle: OpaquePointer
  private let functions: SimulatedRoomFunctions

  init(name: String, handle: OpaquePointer, functions: SimulatedRoomFunctions) {
    self.name = name
    self.handle = handle
    self.functions = functions
  }

  /// A direction of the device.
  public enum Direction: Int32, Sendable {
    case playback = 1
    case capture = 2
    case both = 3
  }

  /// A fault as a kernel device shows it.
  public enum Fault: Int32, Sendable {
    case xrun = 1
    case suspend
    case stall
    case unplug
    case replug
  }

  /// What has happened in the room; the order is that of `simroom.h`.
  public struct Counters: Sendable, Equatable {
    public var playedFrames: UInt64
    public var capturedFrames: UInt64
    public var playbackXruns: UInt64
    public var captureXruns: UInt64
    public var utterances: UInt64
    public var utterancesRefused: UInt64
    public var recordedFrames: UInt64
    public var recorderDroppedFrames: UInt64
    public var spuriousWakes: UInt64
  }

  /// Sets the acoustics and, once, where the recording goes (a JSON list of what was said lies
  /// beside it).
  /// - Throws: ``SimulatedRoomError/refused(action:code:)`` for values out of range and files that
  ///   cannot be written.
  public func configure(
    _ acoustics: SimulatedRoomAcoustics, recordingTo path: String? = nil
  ) throws(SimulatedRoomError) {
    try check(
      "take its acoustics or write \(path ?? "no recording")",
      functions.configure(
        handle, acoustics.echoReturnLossDB, acoustics.delayMS, acoustics.rt60MS,
        acoustics.noiseDBFS, acoustics.seed, path))
  }

  /// Lets the person say something, after whatever is queued.
  /// - Parameter samples: 48 kHz mono.
  /// - Returns: the frame at which the first sample reaches the microphone.
  public func say(_ samples: [Int16]) throws(SimulatedRoomError) -> Int64 {
    var start: Int64 = 0
    try check("say \(samples.count) frames", functions.say(handle, samples, samples.count, &start))
    return start
  }

  /// Whether the person has nothing left to say.
  public var nearEndIsIdle: Bool { functions.nearEndIdle(handle) != 0 }

  /// The room's time in frames; 0 before the first stream starts.
  public var position: Int64 { functions.position(handle) }

  /// The frame at which a running stream's frame 0 lies; nil when it does not run.
  public func streamStart(_ direction: Direction) -> Int64? {
    let start = functions.streamStart(handle, direction.rawValue)
    return start < 0 ? nil : start
  }

  /// Makes the device fail.
  /// - Parameter frames: length of a stall, at 48 kHz.
  public func inject(
    _ fault: Fault, _ direction: Direction = .both, frames: Int64 = 0
  ) throws(SimulatedRoomError) {
    try check(
      "fail with \(fault)",
      functions.inject(handle, fault.rawValue, direction.rawValue, frames))
  }

  /// Sets what lies between the playback buffer and the air, in frames at 48 kHz, 2 s at most: as the
  /// driver tells it, and what it hides.
  public func setLatency(told: Int64 = 0, hidden: Int64) throws(SimulatedRoomError) {
    try check("hide \(hidden) frames", functions.setLatency(handle, told, hidden))
  }

  public var counters: Counters {
    var raw = [UInt64](repeating: 0, count: 9)
    _ = functions.counters(handle, &raw, raw.count)
    return Counters(
      playedFrames: raw[0], capturedFrames: raw[1], playbackXruns: raw[2], captureXruns: raw[3],
      utterances: raw[4], utterancesRefused: raw[5], recordedFrames: raw[6],
      recorderDroppedFrames: raw[7], spuriousWakes: raw[8])
  }

  /// Waits until everything heard so far is in the recording (two seconds at most); blocks.
  public func flush() throws(SimulatedRoomError) {
    try check("complete its recording", functions.flush(handle))
  }

  /// Completes the recording and forgets the room; its name is free afterwards.
  /// - Throws: ``SimulatedRoomError/refused(action:code:)`` while a stream is open.
  public func remove() throws(SimulatedRoomError) {
    try check("be removed", functions.remove(handle))
  }

  /// Stops the wall clock for this room; only before its first stream starts.
  public func useManualClock() throws(SimulatedRoomError) {
    try check("stop its clock", functions.useManualClock(handle))
  }

  /// Moves a manual clock by frames at 48 kHz.
  public func advance(by frames: Int64) throws(SimulatedRoomError) {
    try check("move its clock", functions.advance(handle, frames))
  }

  private func check(_ action: String, _ code: Int32) throws(SimulatedRoomError) {
    guard code >= 0 else { throw .refused(action: action, code: code) }
  }
}
