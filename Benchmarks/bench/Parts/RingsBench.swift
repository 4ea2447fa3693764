import BenchNative
import CVoiceDSP

/// The ring between two threads beside one written by hand, 8-byte elements, 1,024 of them.
struct RingsBench: Bench {
  let name = "rings"
  let summary = "one element from thread to thread, beside a ring written by hand"

  let controls = ["order=off"]

  /// What the hand-written ring takes on this class of machine when two cores are free; outside it
  /// the ratio says nothing.
  private static let referenceRange = 5.0...20

  private static let push: @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Int32 = {
    ring, value in
    withUnsafePointer(to: value) { Int32(vd_ring_push(OpaquePointer(ring), $0, 1)) }
  }

  /// As a ring would that lets two elements change places.
  private static let pushInWrongOrder: @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Int32 =
    {
      ring, value in push(ring, value % 1_000 < 2 ? value ^ 1 : value)
    }

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let count: UInt64 = options.isQuick ? 500_000 : 2_000_000
    var ring: OpaquePointer?
    guard let byHand = hand_ring_create(1_024),
      vd_ring_create(&ring, MemoryLayout<UInt64>.size, 1_024) == 0
    else { throw BenchFailure("The rings could not be made.") }
    defer {
      hand_ring_destroy(byHand)
      vd_ring_destroy(ring)
    }
    var ours: [Double] = []
    var theirs: [Double] = []
    let push: @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Int32 =
      options.controls.contains("order=off") ? Self.pushInWrongOrder : Self.push
    for _ in 0..<(options.isQuick ? 3 : 7) {
      ours.append(
        ring_cross_core_ns(
          UnsafeMutableRawPointer(ring), push,
          { Int32(vd_ring_pop(OpaquePointer($0), $1, 1)) }, count))
      theirs.append(
        ring_cross_core_ns(
          UnsafeMutableRawPointer(byHand),
          { hand_ring_push(OpaquePointer($0), $1) },
          { hand_ring_pop(OpaquePointer($0), $1) }, count))
    }
    guard !ours.contains(-1), !theirs.contains(-1) else {
      throw BenchFailure("A ring lost an element or its order.")
    }
    let ratios = zip(ours, theirs).map { $0 / $1 }
    let ring_ns = Figure("ring_ns", ours, unit: "ns", better: .lower).beside("by hand", theirs)
    guard let reference = median(theirs), Self.referenceRange.contains(reference) else {
      return [
        ring_ns,
        Figure(
          "ring_ratio", unit: "ratio", why: "the ring by hand is outside 5 to 20 ns: no quiet cores"
        ),
      ]
    }
    return [ring_ns, Figure("ring_ratio", ratios, unit: "ratio", better: .lower)]
  }
}
