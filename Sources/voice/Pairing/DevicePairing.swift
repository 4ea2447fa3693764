import Foundation
import Glibc
import Networking
import SessionsModel

/// What a device keeps of the router it was paired with, readable by its owner only.
struct DevicePairing: Codable, Equatable {
  var url: String
  var apiKey: String
  var userID: String
  var token: String
  /// Of the router's certificate; nil without TLS.
  var fingerprint: String?
  var expiresAt: Date

  /// - Returns: nil when this device was never paired.
  /// - Throws: ``FileFault`` when the file is there and cannot be used.
  static func load(from file: URL) throws(FileFault) -> DevicePairing? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      return try coding.decoder.decode(DevicePairing.self, from: Data(contentsOf: file))
    } catch {
      throw FileFault("\(file.path) cannot be read; pair again: \(error.localizedDescription)")
    }
  }

  /// - Throws: ``FileFault`` when it cannot be written.
  func save(to file: URL) throws(FileFault) {
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      // The program's umask keeps others out.
      try Self.coding.encoder.encode(self).write(to: file, options: .atomic)
      guard chmod(file.path, 0o600) == 0 else {
        throw FileFault("\(file.path) cannot be kept from others")
      }
    } catch let fault as FileFault {
      throw fault
    } catch {
      throw FileFault("\(file.path) cannot be written: \(error.localizedDescription)")
    }
  }

  private static var coding: (encoder: JSONEncoder, decoder: JSONDecoder) {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    decoder.dateDecodingStrategy = .iso8601
    return (encoder, decoder)
  }
}
