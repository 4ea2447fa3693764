import CVoiceDSP
import CallTransport
import Networking
import Providers
import Synchronization

/// Carries one member's packets over its media WebSocket.
///
/// Bound: 256 batches of packets for the device; beyond it the device is too slow, and further
/// batches are dropped and counted. What was taken back is never sent, however full the queue is.
final class MediaPump: Sendable {
  private let transport: WebSocketCallTransport
  private let outgoing = Inbox<[MediaFrame]>(capacity: 256)
  private let state = Mutex((floor: UInt32(0), dropped: 0))

  init(_ socket: any WebSocketConnection, runtime: any Runtime) {
    // Speech is sent ahead of time: 400 ms of 20 ms packets, and room for the next burst.
    transport = WebSocketCallTransport(socket, runtime: runtime, queueBound: 256)
  }

  /// Queues packets for the device.
  func send(_ packets: [vd_packet]) {
    let frames = packets.compactMap { MediaFrame($0) }
    if !outgoing.put(frames) { state.withLock { $0.dropped += frames.count } }
  }

  /// Frames that a slow device never got.
  var droppedFrames: Int { state.withLock { $0.dropped } }

  /// Takes back packets of generations below `generation`.
  func discard(below generation: UInt32) {
    state.withLock { $0.floor = max($0.floor, generation) }
    // An empty batch wakes the writer; when the queue is full it is awake.
    _ = outgoing.put([])
  }

  /// Writes until the member leaves.
  func write() async {
    // The inbox never fails; a cancelled task ends the loop.
    while let next = try? await outgoing.next() {
      let floor = state.withLock { $0.floor }
      await transport.discard(generationsBefore: floor)
      await transport.send(next.filter { $0.generation >= floor })
    }
  }

  /// The device's next packet; nil at the end.
  func receive() async -> vd_packet? {
    while let event = await transport.receive() {
      guard case .frame(let frame) = event else { return nil }
      if let packet = frame.packet { return packet }
    }
    return nil
  }

  func close(code: Int, reason: String) async {
    outgoing.finish()
    await transport.close(code: code, reason: reason)
  }
}
