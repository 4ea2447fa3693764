import Glibc

/// The control functions of `simroom.h`, found by name. They are not linked: a linked copy would
/// have rooms of its own that alsa-lib's copy of the plugin knows nothing of.
struct SimulatedRoomFunctions: Sendable {
  typealias Room = OpaquePointer

  let room: @Sendable @convention(c) (UnsafePointer<CChar>) -> Room?
  let remove: @Sendable @convention(c) (Room) -> Int32
  let configure:
    @Sendable @convention(c) (
      Room, Double, Double, Double, Double, UInt32, UnsafePointer<CChar>?
    ) -> Int32
  let say:
    @Sendable @convention(c) (Room, UnsafePointer<Int16>?, Int, UnsafeMutablePointer<Int64>?) ->
      Int32
  let nearEndIdle: @Sendable @convention(c) (Room) -> Int32
  let position: @Sendable @convention(c) (Room) -> Int64
  let streamStart: @Sendable @convention(c) (Room, Int32) -> Int64
  let inject: @Sendable @convention(c) (Room, Int32, Int32, Int64) -> Int32
  let setLatency: @Sendable @convention(c) (Room, Int64, Int64) -> Int32
  let counters: @Sendable @convention(c) (Room, UnsafeMutablePointer<UInt64>, Int) -> Int
  let flush: @Sendable @convention(c) (Room) -> Int32
  let useManualClock: @Sendable @convention(c) (Room) -> Int32
  let advance: @Sendable @convention(c) (Room, Int64) -> Int32

  init(handle: UnsafeMutableRawPointer, path: String) throws(SimulatedRoomError) {
    func find<Function>(_ name: String) throws(SimulatedRoomError) -> Function {
      guard let symbol = dlsym(handle, "simroom_\(name)") else {
        throw .functionMissing(name: "simroom_\(name)", path: path)
      }
      return unsafeBitCast(symbol, to: Function.self)
    }
    room = try find("room")
    remove = try find("remove")
    configure = try find("configure")
    say = try find("say")
    nearEndIdle = try find("near_end_idle")
    position = try find("position")
    streamStart = try find("stream_start")
    inject = try find("inject")
    setLatency = try find("set_latency")
    counters = try find("counters")
    flush = try find("flush")
    useManualClock = try find("use_manual_clock")
    advance = try find("advance")
  }
}
