import CAudioDevice
import Foundation

/// The sound cards of a machine, as its `sysfs` lists them.
///
/// No PCM is opened, so no sound server is woken and nothing can hang. A test gives folders of its
/// own as the roots. Role: any thread that may wait for the file system.
public struct SoundSystem: Sendable, Hashable {
  /// This machine's.
  public static let machine = SoundSystem()

  /// The root of `sysfs`.
  public var sys: String
  /// The folder of the device nodes.
  public var nodes: String

  public init(sys: String = "/sys", nodes: String = "/dev/snd") {
    self.sys = sys
    self.nodes = nodes
  }

  /// The cards that there are now, by index.
  public func cards() -> [AudioCard] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: "\(sys)/class/sound")
    } catch {
      // A container may have the devices and no sysfs: then ALSA is asked.
      return self == .machine ? AudioCard.listedByALSA() : []
    }
    return names.filter { $0.hasPrefix("card") }.compactMap { Int($0.dropFirst(4)) }.sorted()
      .compactMap { card(index: $0, entries: names) }
  }

  private func card(index: Int, entries: [String]) -> AudioCard? {
    // Gone between the listing and now.
    guard let id = text("class/sound/card\(index)/id") else { return nil }
    let identity = identity(index: index, id: id)
    var card = AudioCard(index: index, id: id, name: "", devices: [], identity: identity)
    card.name = product(index: index) ?? id
    var devices: [Int: AudioCardDevice] = [:]
    for entry in entries {
      guard let (device, captures) = Self.device(entry, of: index) else { continue }
      let pcm = CardPCM(card: id, device: device).name
      var known =
        devices[device] ?? AudioCardDevice(pcm: pcm, name: "", captures: false, plays: false)
      if captures { known.captures = true } else { known.plays = true }
      devices[device] = known
    }
    card.devices = devices.sorted { $0.key < $1.key }.map(\.value)
    card.readNames()
    return card
  }

  /// Reads `pcmC1D0c`.
  private static func device(_ entry: String, of card: Int) -> (device: Int, captures: Bool)? {
    let prefix = "pcmC\(card)D"
    guard entry.hasPrefix(prefix), let last = entry.last, last == "c" || last == "p",
      let device = Int(entry.dropFirst(prefix.count).dropLast())
    else { return nil }
    return (device, last == "c")
  }

  // MARK: Identity

  /// The folder of the hardware behind a card; nil for a card that has none (a loopback).
  private func hardware(index: Int) -> String? {
    guard let path = realpath("\(sys)/class/sound/card\(index)/device", nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// The folder of the USB device that holds an interface.
  private func usbFolder(above path: String) -> String? {
    var path = path
    // The interface's own folder, the device's, and hubs above it, which are not asked.
    for _ in 0..<3 {
      if FileManager.default.fileExists(atPath: "\(path)/idVendor") { return path }
      path = (path as NSString).deletingLastPathComponent
    }
    return nil
  }

  private func identity(index: Int, id: String) -> CardIdentity {
    guard let hardware = hardware(index: index) else { return CardIdentity(cardID: id) }
    let root = realpath(sys, nil).map { path in
      defer { free(path) }
      return String(cString: path)
    }
    let location = hardware.hasPrefix(root ?? sys) ? hardware.dropFirst((root ?? sys).count) : ""
    var identity = CardIdentity(cardID: id, location: String(location))
    if let folder = usbFolder(above: hardware),
      let vendor = text(at: "\(folder)/idVendor"), let product = text(at: "\(folder)/idProduct")
    {
      identity.usb = CardIdentity.USB(
        vendor: vendor, product: product, serial: text(at: "\(folder)/serial"),
        port: (folder as NSString).lastPathComponent)
    }
    return identity
  }

  private func product(index: Int) -> String? {
    hardware(index: index).flatMap(usbFolder(above:)).flatMap { text(at: "\($0)/product") }
  }

  private func text(_ path: String) -> String? { text(at: "\(sys)/\(path)") }

  private func text(at path: String) -> String? {
    // An attribute that cannot be read is one that the device does not have.
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return trimmed.isEmpty ? nil : trimmed
  }
}
