import Foundation
import SessionsModel
import VisionAgentsCore
import VoiceProgram

/// A `voice router` of its own for one test.
struct RunningRouter {
  let url: URL
  let process: VoiceProcess

  /// The router said nothing of where it listens.
  struct Silent: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts one and waits until it listens.
  ///
  /// - Parameters:
  ///   - options: `--sound-path-only` where the test needs no model.
  ///   - port: 0 for any.
  init(
    in place: TemporaryPlace, options: [String] = ["--sound-path-only"], port: Int = 0
  ) async throws {
    process = try await VoiceProcess.start(
      ["router", "--announce", "--listen", "127.0.0.1:\(port)"] + options,
      environment: ["VOICE_DATA": place.folder.path], limit: .seconds(120))
    guard let line = await process.line(where: { $0.contains("\"ready\"") }),
      let address = try JSONValue.parse(Array(line.utf8))["url"]?.stringValue,
      let url = URL(string: address)
    else {
      throw Silent(description: await process.ending().errors)
    }
    self.url = url
  }

  var port: Int { url.port ?? 0 }

  /// Lets it end by itself.
  @discardableResult
  func stop() async -> VoiceProcess.Ending {
    await process.closeInput()
    return await process.ending()
  }

  /// The backend of the router's app.
  func backend(_ keys: (key: String, secret: String)) -> VisionAgents {
    VisionAgents(apiKey: keys.key, apiSecret: keys.secret, url: url)
  }
}
