import Foundation

@testable import VoiceEngine

/// Folders that look like a machine's sysfs and device nodes, in which cards come and go.
final class SoundFolder {
  let root: String
  let system: SoundSystem

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "sound-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "sys/class/sound"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      at: folder.appending(path: "dev/snd"), withIntermediateDirectories: true)
    root = folder.path
    system = SoundSystem(sys: "\(root)/sys", nodes: "\(root)/dev/snd")
  }

  deinit {
    // What a test leaves behind in the temporary folder harms nobody.
    try? FileManager.default.removeItem(atPath: root)
  }

  /// Plugs a card in.
  ///
  /// - Parameters:
  ///   - usb: what it says of itself; nil for a card that is built in.
  ///   - pcms: names of its PCM devices without the card, e.g. `D0c`.
  func plug(
    index: Int, id: String, usb: CardIdentity.USB? = nil, place: String = "platform/soc",
    pcms: [String] = ["D0c", "D0p"]
  ) throws {
    var hardware = "sys/devices/\(place)"
    if let usb {
      let device = "sys/devices/pci0/usb1/\(usb.port)"
      hardware = "\(device)/\(usb.port):1.0"
      try write(usb.vendor, "\(device)/idVendor")
      try write(usb.product, "\(device)/idProduct")
      try write("Speakerphone of \(usb.port)", "\(device)/product")
      if let serial = usb.serial { try write(serial, "\(device)/serial") }
    }
    let card = "\(hardware)/sound/card\(index)"
    try write(id, "\(card)/id")
    try link("\(card)/device", to: "\(root)/\(hardware)")
    try link("sys/class/sound/card\(index)", to: "\(root)/\(card)")
    for pcm in pcms { try write("", "sys/class/sound/pcmC\(index)\(pcm)") }
    try write("", "dev/snd/controlC\(index)")
  }

  func unplug(index: Int) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(root)/sys/class/sound")
    where name == "card\(index)" || name.hasPrefix("pcmC\(index)D") {
      try FileManager.default.removeItem(atPath: "\(root)/sys/class/sound/\(name)")
    }
    try FileManager.default.removeItem(atPath: "\(root)/dev/snd/controlC\(index)")
  }

  private func write(_ text: String, _ path: String) throws {
    let file = URL(filePath: "\(root)/\(path)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((text + "\n").utf8).write(to: file)
  }

  private func link(_ path: String, to target: String) throws {
    // A card that comes back to its place finds its folder.
    if (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(root)/\(path)")) != nil {
      try FileManager.default.removeItem(atPath: "\(root)/\(path)")
    }
    try FileManager.default.createSymbolicLink(
      atPath: "\(root)/\(path)", withDestinationPath: target)
  }
}

extension CardIdentity.USB {
  static func speakerphone(serial: String? = nil, port: String = "1-2") -> Self {
    CardIdentity.USB(vendor: "046d", product: "0a44", serial: serial, port: port)
  }
}
