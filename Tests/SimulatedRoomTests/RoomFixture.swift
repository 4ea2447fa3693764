import CAlsa
import Glibc
import SimulatedRoomControl
import Testing

/// A room of its own for one test, in manual time, with the ALSA configuration that opens it.
struct RoomFixture {
  let room: SimulatedRoom
  private let configuration: OpaquePointer
  private let directory: String

  var recordingPath: String { "\(directory)/room.wav" }
  var listPath: String { "\(directory)/room.json" }

  init(
    _ name: String, acoustics: SimulatedRoomAcoustics = .silentAndDirect, records: Bool = false,
    manualTime: Bool = true
  ) throws {
    var template = Array("/tmp/simroom-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw AlsaError(call: "mkdtemp", code: -errno) }
    directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let library = try SimulatedRoomLibrary()
    room = try library.room(named: name)
    if manualTime { try room.useManualClock() }
    try room.configure(acoustics, recordingTo: records ? "\(directory)/room.wav" : nil)
    let path = "\(directory)/alsa.conf"
    try SimulatedRoomConfiguration(libraryPath: library.path, roomName: name).write(to: path)
    configuration = try Self.load(path)
  }

  /// Every device must be closed by now.
  func remove() {
    #expect(throws: Never.self) { try room.remove() }
    snd_config_delete(configuration)
    for path in [recordingPath, listPath, "\(directory)/alsa.conf"] { unlink(path) }
    rmdir(directory)
  }

  func open(
    _ direction: SimulatedRoom.Direction, format: snd_pcm_format_t = SND_PCM_FORMAT_S16_LE,
    channels: UInt32 = 1, access: snd_pcm_access_t = SND_PCM_ACCESS_RW_INTERLEAVED,
    period: UInt = 480, buffer: UInt = 4800
  ) throws -> RoomDevice {
    try RoomDevice(
      configuration: configuration, direction: direction, format: format, channels: channels,
      access: access, period: period, buffer: buffer)
  }

  /// Loads the file apart from the process's configuration, which other tests may have read.
  private static func load(_ path: String) throws -> OpaquePointer {
    var input: OpaquePointer?
    var top: OpaquePointer?
    try check("snd_input_stdio_open", snd_input_stdio_open(&input, path, "r"))
    defer { snd_input_close(input) }
    try check("snd_config_top", snd_config_top(&top))
    try check("snd_config_load", snd_config_load(top, input))
    return top!
  }
}

extension SimulatedRoomAcoustics {
  /// No noise, no tail, the speaker at full level in the microphone: what is played is captured.
  static let silentAndDirect = SimulatedRoomAcoustics(
    echoReturnLossDB: 0, delayMS: 0, rt60MS: 0, noiseDBFS: -200)
}

struct AlsaError: Error, CustomStringConvertible {
  let call: String
  let code: Int32
  var description: String { "\(call): \(String(cString: snd_strerror(code)))" }
}

@discardableResult
func check<Result: BinaryInteger>(_ call: String, _ result: Result) throws -> Result {
  guard result >= 0 else { throw AlsaError(call: call, code: Int32(result)) }
  return result
}
