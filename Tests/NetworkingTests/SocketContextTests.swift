import CLibWebSockets
import Glibc
import Synchronization
import Testing

@testable import Networking

/// Descriptors that somebody else in this process opens while contexts of libwebsockets end.
///
/// Each is one end of a pipe of its own, known again by its inode.
private struct ForeignDescriptors {
  private var open: [(descriptor: Int32, inode: ino_t)] = []

  init(pipes: Int) {
    for _ in 0..<pipes {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { continue }
      for end in ends { open.append((end, Self.inode(end) ?? 0)) }
    }
  }

  var count: Int { open.count }

  private static func inode(_ descriptor: Int32) -> ino_t? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_ino : nil
  }

  /// Closes those that are still ours.
  ///
  /// - Returns: how many are not.
  mutating func close() -> Int {
    var lost = 0
    for (descriptor, inode) in open {
      if Self.inode(descriptor) == inode { Glibc.close(descriptor) } else { lost += 1 }
    }
    open = []
    return lost
  }
}

/// What the tasks of a test have seen together.
private final class Tally: Sendable {
  let state = Mutex((ended: 0, checked: 0, lost: 0))
}

private final class NoCalls: SocketCallTarget {
  func take(_ call: SocketCall) -> Int32? { nil }
}

/// A context that is made and destroyed on its runtime's loop.
private actor ContextOwner {
  nonisolated let runtime: LoopRuntime
  private let target = NoCalls()

  init(runtime: LoopRuntime) {
    self.runtime = runtime
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.loopExecutor.asUnownedSerialExecutor()
  }

  /// - Returns: how many descriptors were lost that were opened between the two halves of the
  ///   context's end, where the number of its event pipe is free.
  func lostWhileDestroying() async -> Int {
    let context = SocketContext(
      role: .server(address: "127.0.0.1", port: 0, certificate: nil),
      idle: .init(ping: .seconds(30), hangUp: .seconds(90)), executor: runtime.loopExecutor,
      target: target)
    #expect(context.isReady)
    context.beginDestroying()
    var descriptors = ForeignDescriptors(pipes: 8)
    #expect(descriptors.count == 16)
    await context.destroy(on: runtime)
    #expect(context.isDestroyed)
    return descriptors.close()
  }
}

struct SocketContextTests {
  @Test func aContextThatEndsClosesNoDescriptorThatWasOpenedMeanwhile() async {
    await withRuntime { runtime in
      let owner = ContextOwner(runtime: runtime)
      for _ in 1...10 { #expect(await owner.lostWhileDestroying() == 0) }
    }
  }

  /// What libwebsockets asks for anew, handshakes under way do not find again.
  @Test func contextsShareTheirPlaceInOpenSSL() async throws {
    func newIndex() -> Int32 {
      CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, nil, nil, nil, nil)
    }
    try await Loopback.run(TestHandler.echo) { _ = try await $0.open() }
    let before = newIndex()
    for _ in 1...3 { try await Loopback.run(TestHandler.echo) { _ = try await $0.open() } }
    #expect(newIndex() == before + 1)
  }

  @Test func hundredsOfContextsEndOnManyThreadsWhileOthersOpenDescriptors() async throws {
    let tally = Tally()
    let workers = 4
    let cycles = 25
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<workers {
        group.addTask {
          defer { tally.state.withLock { $0.ended += 1 } }
          for _ in 0..<cycles {
            // A server's and a client's context, with a connection that both still hold.
            try await Loopback.run(TestHandler.echo) { loopback in
              let socket = try await loopback.open()
              await socket.send(.text("hello"))
              #expect(await socket.receive() == .message(.text("hello")))
            }
          }
        }
      }
      group.addTask {
        while tally.state.withLock({ $0.ended }) < workers {
          var descriptors = ForeignDescriptors(pipes: 16)
          for _ in 0..<16 { await Task.yield() }
          let count = descriptors.count
          let lost = descriptors.close()
          tally.state.withLock {
            $0.checked += count
            $0.lost += lost
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(tally.state.withLock { $0.checked } > 0)
    #expect(tally.state.withLock { $0.lost } == 0)
  }
}
