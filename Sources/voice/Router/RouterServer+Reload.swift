import AgentRouter
import Foundation
import Networking
import Providers

extension RouterServer {
  /// What a turn under way may still need of a worker that is no longer configured.
  private static let retirement = Duration.seconds(60)

  /// Reads the configuration and the certificate again. A mistake is logged with its place, and
  /// everything stays as it was.
  ///
  /// Where the router listens, with or without TLS, and how callers prove who they are is taken
  /// from the file at the start only.
  func reload() async {
    guard !reloading.isUnderWay else {
      reloading.isAskedAgain = true
      return
    }
    reloading.isUnderWay = true
    repeat {
      reloading.isAskedAgain = false
      do {
        try await readAgain()
      } catch {
        Self.log("The running configuration stays in force: \(error)")
      }
    } while reloading.isAskedAgain
    reloading.isUnderWay = false
  }

  private func readAgain() async throws {
    var next = try source.configuration()
    let running = environment.configuration
    let needsRestart =
      (next.listenAddress, next.listenPort) != (running.listenAddress, running.listenPort)
      || next.tls?.certificate != running.tls?.certificate
      || next.authentication != running.authentication
    next.listenAddress = running.listenAddress
    next.listenPort = running.listenPort
    next.tls = running.tls
    next.authentication = running.authentication
    let made = try source.providers(of: next, keeping: workers)
    let fingerprint = try await server.renewCertificate()
    next.tls?.fingerprint = fingerprint
    environment.adopt(next, providers: made.registry)
    let gone = workers.filter { made.workers[$0.key] == nil }.map(\.value)
    let new = made.workers.filter { workers[$0.key] == nil }.map(\.value)
    workers = made.workers
    for worker in new { await worker.start() }
    retire(gone)
    Self.log("\(source.settings.configurationFile.path) was read again.")
    if let fingerprint, fingerprint != running.tls?.fingerprint {
      Self.log("The certificate is another one now: \(fingerprint). Pair the devices again.")
    }
    if needsRestart { Self.log("listen, tls and auth change with the next start.") }
  }

  private func retire(_ workers: [WorkerSupervisor]) {
    guard !workers.isEmpty else { return }
    runtime.after(Self.retirement) { [runtime] in
      runtime.task { for worker in workers { await worker.stop() } }
    }
  }
}
