import AgentRouter
import Foundation

/// The key pair of a router's first app, read from its configuration.
enum RouterKeys {
  /// - Throws: ``FileFault`` naming the mistake in the file.
  static func first(in file: URL) throws(FileFault) -> RouterConfiguration.App {
    let configuration: RouterConfiguration
    do {
      configuration = try RouterConfiguration.loadOrCreate(at: file)
    } catch {
      throw FileFault("\(error)")
    }
    guard let app = configuration.apps.first else {
      throw FileFault("\(file.path) names no app; add one with a key and a secret.")
    }
    return app
  }
}
