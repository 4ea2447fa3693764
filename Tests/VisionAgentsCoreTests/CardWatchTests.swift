import Foundation
import Networking
import Testing
import VoiceEngine

@testable import VisionAgentsCore

/// The watch on real folders; what tells is whatever this machine has.
@Suite struct CardWatchTests {
  @Test func aCardThatComesIsTold() async throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)")
    let cards = root.appending(path: "sys/class/sound")
    let nodes = root.appending(path: "snd")
    for folder in [cards, nodes] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    defer {
      // Only this test's own leftovers.
      try? FileManager.default.removeItem(at: root)
    }
    let told = Mailbox<Void>()
    let runtime = ScriptedWorld.runtime
    let system = SoundSystem(sys: root.appending(path: "sys").path, nodes: nodes.path)
    let watch = CardWatch(runtime: runtime, system: system) { told.put(()) }
    let following = watch.start()
    // Its first look is what changes are held against: the card comes once that is over.
    while await watch.looks == 0 { await Task.yield() }
    let card = cards.appending(path: "card0")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    try Data("Device\n".utf8).write(to: card.appending(path: "id"))
    try Data().write(to: nodes.appending(path: "controlC0"))
    _ = await told.next()
    #expect(system.cards().map(\.id) == ["Device"])
    following.cancel()
  }
}
