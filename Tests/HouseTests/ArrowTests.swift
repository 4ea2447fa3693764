import Foundation
import Testing

/// The arrows of the architecture point down only; a target may import exactly what its row allows.
struct ArrowTests {
  /// What each Swift target of the house may import of the house.
  static let allowed: [String: Set<String>] = [
    "VoiceEngine": ["CAudioDevice", "CVoiceCore", "CVoiceDSP"],
    "Networking": ["CLibWebSockets", "CCurl"],
    "SessionsModel": ["CCrypto"],
    "CallTransport": ["SessionsModel", "Networking", "CVoiceDSP"],
    "Stores": ["SessionsModel", "CSQLite"],
    "Providers": ["SessionsModel", "Networking"],
    "AgentRouter": [
      "CallTransport", "Stores", "Providers", "SessionsModel", "Networking", "CMediaTransport",
      "CVoiceDSP", "CYAML",
    ],
    "VisionAgentsCore": ["VoiceEngine", "CallTransport", "SessionsModel", "Networking"],
  ]

  /// What each C target may include of the house's C targets.
  static let allowedHeaders: [String: [String]] = [
    "CVoiceDSP": ["voice_"],
    "CVoiceCore": ["voice_", "residual", "core_", "vc_"],
    "CMediaTransport": ["voice_", "media_"],
  ]

  @Test(arguments: allowed.keys.sorted())
  func swiftTargetImportsOnlyWhatIsBelow(target: String) throws {
    let house = Set(Self.allowed.keys).union(Self.allowed.values.flatMap { $0 })
    let permitted = try #require(Self.allowed[target])
    for file in try House.files(under: "Sources/\(target)", suffix: ".swift") {
      for module in try House.imports(of: file) where house.contains(module) {
        #expect(permitted.contains(module), "\(file.path) imports \(module)")
      }
    }
  }

  @Test func realtimeCoreKnowsNoDeviceAndNoNetwork() throws {
    for target in ["CVoiceDSP", "CVoiceCore", "CMediaTransport"] {
      for file in try House.files(under: "Sources/\(target)", suffix: nil) {
        let text = try String(contentsOf: file, encoding: .utf8)
        for header in ["alsa/", "sys/socket.h", "uv.h", "libwebsockets.h", "curl/"] {
          #expect(!text.contains("#include <\(header)"), "\(file.path) includes \(header)")
        }
      }
    }
  }

  @Test func aForbiddenImportWouldBeSeen() {
    let imports = House.imports(inText: "import Foundation\npublic import VisionAgentsCore\n")
    #expect(imports.contains("VisionAgentsCore"))
  }
}
