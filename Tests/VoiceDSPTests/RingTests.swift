import CVoiceDSP
import Foundation
import Testing

@Suite struct RingTests {
  /// A ring of 32-bit numbers, freed with the value's last use.
  final class Ring {
    let handle: OpaquePointer

    init(capacity: Int) throws {
      var made: OpaquePointer?
      try #require(vd_ring_create(&made, MemoryLayout<UInt32>.size, capacity) == 0)
      handle = try #require(made)
    }

    deinit { vd_ring_destroy(handle) }

    func push(_ values: [UInt32]) -> Int { vd_ring_push(handle, values, values.count) }

    func pop(_ count: Int) -> [UInt32] {
      [UInt32](unsafeUninitializedCapacity: count) { buffer, used in
        used = vd_ring_pop(handle, buffer.baseAddress, count)
      }
    }
  }

  @Test func capacityRoundsUpToAPowerOfTwo() throws {
    for (asked, given) in [(1, 1), (2, 2), (3, 4), (8, 8), (9, 16), (1000, 1024)] {
      let ring = try Ring(capacity: asked)
      // The handle alone does not keep the ring.
      let capacity = withExtendedLifetime(ring) { vd_ring_capacity(ring.handle) }
      #expect(capacity == given)
    }
  }

  @Test func impossibleSizesAreRefused() {
    var made: OpaquePointer?
    #expect(vd_ring_create(&made, 0, 8) == -EINVAL)
    #expect(vd_ring_create(&made, 4, 0) == -EINVAL)
    #expect(vd_ring_create(&made, 4, .max) == -EINVAL)
    #expect(vd_ring_create(&made, .max / 2, 1024) == -EINVAL)
    #expect(made == nil)
  }

  /// Every fill level, every position of the indexes, every size of push and of pop.
  @Test func keepsOrderAtEveryFillLevelAndWrap() throws {
    let capacity = 8
    for start in 0..<capacity {
      for fill in 0...capacity {
        for pushed in 0...(capacity + 2) {
          for popped in 0...(capacity + 2) {
            let ring = try Ring(capacity: capacity)
            for value in 0..<UInt32(start) {
              _ = ring.push([value])
              _ = ring.pop(1)
            }
            let first = (0..<UInt32(fill)).map { 100 + $0 }
            let second = (0..<UInt32(pushed)).map { 200 + $0 }
            #expect(ring.push(first) == fill)
            let taken = min(pushed, capacity - fill)
            #expect(ring.push(second) == taken)
            #expect(vd_ring_dropped(ring.handle) == UInt64(pushed - taken))
            let expected = first + second.prefix(taken)
            #expect(vd_ring_fill(ring.handle) == expected.count)
            let got = ring.pop(popped)
            #expect(got == Array(expected.prefix(popped)))
            #expect(vd_ring_fill(ring.handle) == expected.count - got.count)
          }
        }
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func agreesWithAnArrayOverRandomOperations(seed: UInt64) throws {
    var generator = SplitMix(seed: seed)
    let ring = try Ring(capacity: 16)
    var model: [UInt32] = []
    var refused = 0
    var next: UInt32 = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...20, using: &generator)
      if Bool.random(using: &generator) {
        let values = (0..<UInt32(count)).map { next &+ $0 }
        next &+= UInt32(count)
        let taken = ring.push(values)
        #expect(taken == min(count, 16 - model.count))
        model += values.prefix(taken)
        refused += count - taken
      } else {
        #expect(ring.pop(count) == Array(model.prefix(count)))
        model.removeFirst(min(count, model.count))
      }
    }
    #expect(vd_ring_dropped(ring.handle) == UInt64(refused))
  }

  @Test func twoThreadsSeeEveryElementInOrder() throws {
    let ring = try Ring(capacity: 64)
    let total: UInt32 = 300_000
    // The ring's own rule makes this safe: one thread only pushes, the other only pops.
    nonisolated(unsafe) let handle = ring.handle
    let producer = Thread {
      var next: UInt32 = 0
      while next < total {
        let count = min(1 + next % 7, total - next)
        let values = (0..<count).map { next + $0 }
        next += UInt32(vd_ring_push(handle, values, values.count))
        if vd_ring_fill(handle) == 64 { sched_yield() }
      }
    }
    producer.start()
    var expected: UInt32 = 0
    var breaks = 0
    while expected < total {
      let got = ring.pop(11)
      if got.isEmpty { sched_yield() }
      for value in got {
        if value != expected { breaks += 1 }
        expected = value + 1
      }
    }
    #expect(breaks == 0)
    #expect(vd_ring_fill(handle) == 0)
  }
}
