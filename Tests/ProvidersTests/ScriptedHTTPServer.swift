import Networking
import Simulation
import Synchronization

/// An HTTP server whose answer a test writes, in pieces.
final class ScriptedHTTPServer: Transport {
  /// What goes wrong, of what can.
  enum Fault: Sendable, CaseIterable {
    case refused, silent, stalls, malformed, closedEarly, limited, broken
  }

  private let status: Int
  private let headers: HTTPHeaders
  private let pieces: [[UInt8]]
  /// After the last piece the body stays open instead of ending.
  private let hangs: Bool
  private let neverAnswers: Bool
  private let isUnreachable: Bool
  private let runtime: any Runtime
  private let asked = Mutex<[HTTPRequest]>([])
  private let refusals: [(status: Int, said: String)]
  private let abandoned = Mutex(0)

  /// - Parameter refusals: the answers to the first requests.
  init(
    _ runtime: any Runtime, status: Int = 200, headers: HTTPHeaders = [:], bytes pieces: [[UInt8]],
    hangs: Bool = false, neverAnswers: Bool = false, isUnreachable: Bool = false,
    refusals: [(status: Int, said: String)] = []
  ) {
    self.runtime = runtime
    self.status = status
    self.headers = headers
    self.pieces = pieces
    self.hangs = hangs
    self.neverAnswers = neverAnswers
    self.isUnreachable = isUnreachable
    self.refusals = refusals
  }

  convenience init(
    _ runtime: any Runtime, status: Int = 200, headers: HTTPHeaders = [:], _ pieces: [String],
    hangs: Bool = false, neverAnswers: Bool = false,
    refusals: [(status: Int, said: String)] = []
  ) {
    self.init(
      runtime, status: status, headers: headers, bytes: pieces.map { Array($0.utf8) },
      hangs: hangs, neverAnswers: neverAnswers, refusals: refusals)
  }

  /// A server with one thing wrong; `pieces` is what it sends before that shows.
  convenience init(
    _ fault: Fault, _ runtime: any Runtime, headers: HTTPHeaders = [:], _ pieces: [[UInt8]],
    malformed: [UInt8]
  ) {
    let status = fault == .limited ? 429 : fault == .broken ? 500 : 200
    let sent: [[UInt8]] =
      switch fault {
      case .stalls, .closedEarly: pieces
      case .malformed: [malformed]
      case .broken: [Array("out of memory".utf8)]
      default: []
      }
    self.init(
      runtime, status: status, headers: headers, bytes: sent, hangs: fault == .stalls,
      neverAnswers: fault == .silent, isUnreachable: fault == .refused)
  }

  var request: HTTPRequest? { asked.withLock { $0.last } }
  var requests: [HTTPRequest] { asked.withLock { $0 } }
  /// Transfers that were given up while the body was still to come.
  var transfersGivenUp: Int { abandoned.withLock { $0 } }

  func request(_ request: HTTPRequest, to origin: Origin, timeout: Duration)
    async throws(TransportError) -> HTTPResponse
  {
    throw .unreachable(detail: "only streams are scripted")
  }

  func stream(_ request: HTTPRequest, to origin: Origin, timeout: Duration)
    async throws(TransportError) -> HTTPResponseStream
  {
    let number = asked.withLock { asked in
      asked.append(request)
      return asked.count - 1
    }
    if isUnreachable {
      throw .unreachable(detail: "no connection to \(origin.host):\(origin.port)")
    }
    if neverAnswers { try await waitForEver() }
    if number < refusals.count {
      return answer(refusals[number].status, [Array(refusals[number].said.utf8)], hangs: false)
    }
    return answer(status, pieces, hangs: hangs)
  }

  private func answer(_ status: Int, _ pieces: [[UInt8]], hangs: Bool) -> HTTPResponseStream {
    let next = Mutex(0)
    return HTTPResponseStream(status: status, headers: headers) {
      () async throws(TransportError) -> [UInt8]? in
      let index = next.withLock { index in
        defer { index += 1 }
        return index
      }
      if index < pieces.count { return pieces[index] }
      if hangs { try await self.waitForEver() }
      return nil
    }
  }

  func openWebSocket(_ request: WebSocketRequest, timeout: Duration)
    async throws(TransportError) -> any WebSocketConnection
  {
    throw .unreachable(detail: "only streams are scripted")
  }

  private func waitForEver() async throws(TransportError) {
    do {
      try await runtime.sleep(for: .seconds(100_000))
    } catch {
      abandoned.withLock { $0 += 1 }
      throw .cancelled
    }
  }
}
