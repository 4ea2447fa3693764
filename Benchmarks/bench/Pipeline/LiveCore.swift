import BenchNative
import CAudioDevice
import CVoiceCore
import CVoiceDSP
import Foundation

/// The scene through the audio thread on the room.
final class LiveCore {
  private let port: OpaquePointer
  private var device: OpaquePointer?
  private let wake: Int32
  private let scene: PipelineScene
  private var sent = 0
  private let packets = UnsafeMutablePointer<vd_packet>.allocate(capacity: 16)
  private let events = UnsafeMutablePointer<vc_event>.allocate(capacity: 16)

  init(_ scene: PipelineScene, weights: OpaquePointer?) throws {
    self.scene = scene
    var config = vc_config_default()
    config.vad_weights = weights
    config.half_duplex = 0
    config.yields = 0
    config.finds_latency = 0  // The reference believes the device.
    config.bit_rate = PipelineScene.bitRate
    config.expected_loss_pct = PipelineScene.lossPct
    var port: OpaquePointer?
    guard vc_port_create(&port, &config) == 0, let port else {
      throw BenchFailure("The core could not be made.")
    }
    self.port = port
    wake = ad_wake_create()
    var names = ad_config()
    withUnsafeMutableBytes(of: &names.capture) { $0.copyBytes(from: LiveRoom.device.utf8) }
    withUnsafeMutableBytes(of: &names.playback) { $0.copyBytes(from: LiveRoom.device.utf8) }
    var device: OpaquePointer?
    var error = [CChar](repeating: 0, count: 512)
    guard ad_device_open(&device, &names, port, wake, &error, error.count) == 0, let device else {
      throw BenchFailure(
        String(decoding: error.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    self.device = device
    guard ad_device_start(device) == 0 else {
      throw BenchFailure("The audio thread could not be started.")
    }
  }

  /// Ends the audio thread, so that another may open the device.
  func close() {
    guard let device else { return }
    var status = ad_status()
    ad_device_status(device, &status)
    xruns = status.xruns
    ad_device_close(device)
    self.device = nil
  }

  deinit {
    ad_device_close(device)
    vc_port_destroy(port)
    ad_wake_destroy(wake)
    packets.deallocate()
    events.deallocate()
  }

  /// Blocks that the audio thread has processed.
  var blocks: Int {
    var counters = vc_counters()
    var dropped: UInt64 = 0
    vc_port_counters(port, &counters, &dropped)
    return Int(counters.blocks)
  }

  /// How long the newest block had waited when it was read, in milliseconds.
  var lateness: Double {
    var playout = vc_playout()
    vc_port_playout(port, &playout)
    return Double(playout.now_frame - playout.next_capture_frame) / 48
  }

  /// Times the device was restarted; of the last state before ``close()``.
  private(set) var xruns: UInt64 = 0

  /// Feeds and drains it, as an application does, until it has processed so many blocks.
  func pass(until end: Int) throws {
    var last = blocks
    var patience = 1_000
    while last < end {
      let ahead = min(scene.packets.count, last / 2 + 8)
      while sent < ahead {
        var packet = scene.packets[sent]
        guard vc_port_send(port, &packet) != 0 else { break }
        sent += 1
      }
      ad_wake_clear(wake)
      while vc_port_take_packets(port, packets, 16) + vc_port_take_events(port, events, 16) > 0 {}
      usleep(5_000)
      let now = blocks
      patience = now > last ? 1_000 : patience - 1
      guard patience > 0 else { throw BenchFailure("The audio thread stands still.") }
      last = now
    }
  }

  /// The kernel's number of the audio thread.
  private func audioThread() throws -> Int32 {
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    for task in tasks {
      // A thread that ends meanwhile has no name any more.
      let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
      if name == "voice-audio\n", let id = Int32(task) { return id }
    }
    throw BenchFailure("There is no audio thread to measure.")
  }

  /// CPU seconds that the audio thread has used.
  func threadSeconds() throws -> Double {
    let id = try audioThread()
    // The kernel's own numbering of the CPU clock of one thread of this process.
    var time = timespec()
    guard clock_gettime(clockid_t(~id << 3 | 6), &time) == 0 else {
      throw BenchFailure("The audio thread ended while it was measured.")
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// From now on the audio thread is an ordinary one, and the least important.
  func loseItsPriority() throws {
    let id = try audioThread()
    var none = sched_param()
    guard sched_setscheduler(id, SCHED_OTHER, &none) == 0,
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), UInt32(id), 19) == 0
    else { throw BenchFailure("The audio thread keeps its priority (error \(errno)).") }
  }
}
