import CVoiceDSP
import CallTransport
import Networking
import Providers

/// Carries one member's packets over its media WebSocket.
///
/// Bound: 256 batches of packets for the device; beyond it the device is too slow and batches are
/// dropped and counted by the transport's own queue.
final class MediaPump: Sendable {
  private enum Outgoing: Sendable {
    case frames([MediaFrame])
    case discard(below: UInt32)
  }

  private let transport: WebSocketCallTransport
  private let outgoing = Inbox<Outgoing>(capacity: 256)

  init(_ socket: any WebSocketConnection, runtime: any Runtime) {
    // Speech is sent ahead of time: 400 ms of 20 ms packets, and room for the next burst.
    transport = WebSocketCallTransport(socket, runtime: runtime, queueBound: 256)
  }

  /// Queues packets for the device.
  func send(_ packets: [vd_packet]) {
    _ = outgoing.put(.frames(packets.compactMap { MediaFrame($0) }))
  }

  /// Takes back packets of generations below `generation`.
  func discard(below generation: UInt32) {
    _ = outgoing.put(.discard(below: generation))
  }

  /// Writes until the member leaves.
  func write() async {
    // The inbox never fails; a cancelled task ends the loop.
    while let next = try? await outgoing.next() {
      switch next {
      case .frames(let frames): await transport.send(frames)
      case .discard(let generation): await transport.discard(generationsBefore: generation)
      }
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
