import CMediaTransport
import CVoiceDSP
public import Networking
import Synchronization

/// The media thread as Swift sees it: every call's hearing and speech.
///
/// Live it has a thread of its own; in a simulation ``step()`` is called by the scheduler. All
/// methods: the runtime's executor.
public final class MediaPlane: Sendable {
  /// Why there is no media plane.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Calls at once; one more is refused.
  public static let callsAtMost: UInt32 = 256

  let runtime: any Runtime
  // The pointers are used on the runtime's executor only; the C side keeps its own thread apart.
  nonisolated(unsafe) private let plane: OpaquePointer
  nonisolated(unsafe) private let weights: OpaquePointer?
  private let calls = Mutex<[ObjectIdentifier: WeakCall]>([:])
  private let watch = Mutex<ScheduledAction?>(nil)

  private struct WeakCall {
    weak var call: MediaCall?
  }

  /// - Parameters:
  ///   - vadWeightsPath: the Silero weights; nil judges speech by energy.
  ///   - hasThread: false for a simulation, which calls ``step()``.
  public init(runtime: any Runtime, vadWeightsPath: String?, hasThread: Bool) throws(Failure) {
    self.runtime = runtime
    weights = try vadWeightsPath.map { (path) throws(Failure) in try Self.loadWeights(path) }
    var config = mt_config()
    config.calls_max = Self.callsAtMost
    config.vad_weights = weights
    config.lead_first_ms = 300
    config.lead_ms = 400
    config.bit_rate = 32_000
    var created: OpaquePointer?
    let result = mt_plane_create(&created, &config)
    guard result == 0, let created else {
      if let weights { vd_vad_weights_release(weights) }
      throw Failure(description: "The media plane could not be made (error \(result)).")
    }
    plane = created
    let action = runtime.watch(descriptor: mt_plane_descriptor(created)) { [weak self] in
      self?.announce()
    }
    watch.withLock { $0 = action }
    if hasThread {
      let started = mt_plane_start(created)
      guard started == 0 else {
        throw Failure(description: "The media thread could not be started (error \(started)).")
      }
    }
  }

  deinit {
    watch.withLock { $0 }?.cancel()
    mt_plane_stop(plane)
    mt_plane_destroy(plane)
    if let weights { vd_vad_weights_release(weights) }
  }

  /// Does the work due now and hands on what came of it; for simulations.
  public func step() {
    mt_plane_step(plane, runtime.now.nanoseconds)
    announce()
  }

  /// Opens a call.
  ///
  /// - Parameter onReady: called on the executor whenever there may be something to take.
  func openCall(onReady: @escaping @Sendable () -> Void) throws(Failure) -> MediaCall {
    var opened: OpaquePointer?
    let result = mt_call_open(plane, &opened)
    guard result == 0, let opened else {
      throw Failure(
        description: "The router holds \(Self.callsAtMost) calls already (error \(result)).")
    }
    let call = MediaCall(plane: self, call: opened, onReady: onReady)
    calls.withLock { $0[ObjectIdentifier(call)] = WeakCall(call: call) }
    return call
  }

  fileprivate func forget(_ id: ObjectIdentifier) {
    _ = calls.withLock { $0.removeValue(forKey: id) }
  }

  private func announce() {
    // What a closed call left behind would keep the descriptor readable for ever.
    mt_plane_reap(plane)
    let ready = calls.withLock { $0.values.compactMap(\.call) }
    for call in ready.sorted(by: { $0.number < $1.number }) { call.onReady() }
  }

  private static func loadWeights(_ path: String) throws(Failure) -> OpaquePointer {
    var weights: OpaquePointer?
    var message = [CChar](repeating: 0, count: 256)
    let result = vd_vad_weights_load(&weights, path, &message, message.count)
    guard result == 0, let weights else {
      let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw Failure(description: String(decoding: bytes, as: UTF8.self))
    }
    return weights
  }
}

/// One call's place on the media plane.
final class MediaCall: Sendable {
  /// Order of opening, so that calls are served in the same order every time.
  let number: UInt64
  let onReady: @Sendable () -> Void
  private let plane: MediaPlane
  // Used on the runtime's executor only, as `mt_call_*` asks for ("Role: control").
  nonisolated(unsafe) private let call: OpaquePointer

  private static let opened = Atomic<UInt64>(0)

  fileprivate init(plane: MediaPlane, call: OpaquePointer, onReady: @escaping @Sendable () -> Void)
  {
    self.plane = plane
    self.call = call
    self.onReady = onReady
    number = Self.opened.add(1, ordering: .relaxed).newValue
  }

  deinit {
    plane.forget(ObjectIdentifier(self))
    mt_call_close(call)
  }

  var counters: mt_counters { mt_call_counters(call) }

  /// Hands over a packet of the device; false when the ring is full (counted).
  func receive(_ packet: vd_packet) -> Bool {
    withUnsafePointer(to: packet) { mt_call_receive(call, $0) == 0 }
  }

  /// Takes what was heard, oldest first.
  func takeHearing() -> [mt_hearing] {
    var taken: [mt_hearing] = []
    var batch = [mt_hearing](repeating: mt_hearing(), count: 8)
    while true {
      let count = mt_call_take_hearing(call, &batch, batch.count)
      taken += batch.prefix(count)
      if count < batch.count { return taken }
    }
  }

  /// Takes packets due for the device, oldest first.
  func takePackets() -> [vd_packet] {
    var taken: [vd_packet] = []
    var batch = [vd_packet](repeating: vd_packet(), count: 8)
    while true {
      let count = mt_call_take_packets(call, &batch, batch.count)
      taken += batch.prefix(count)
      if count < batch.count { return taken }
    }
  }

  /// Queues speech; returns how many samples were taken.
  func speak(_ samples: ArraySlice<Int16>, generation: UInt32, rate: Int) -> Int {
    samples.withUnsafeBufferPointer { buffer in
      mt_call_speak(call, generation, Int32(rate), buffer.baseAddress, buffer.count)
    }
  }

  /// Marks the end of a generation; false when there was no room for the mark.
  func endSpeech(generation: UInt32) -> Bool {
    mt_call_speak_end(call, generation) == 0
  }

  /// Drops everything of generations below `next` that was not sent.
  func flush(below next: UInt32) {
    mt_call_flush(call, next)
  }
}
