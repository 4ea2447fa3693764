import Foundation
import Networking
import SessionsModel

/// `voice pair`: on the router's machine it shows a code, on a device it takes one.
enum PairCommand: Command {
  static let name = "pair"
  static let summary =
    "Pair a device with a user: --user ID at the router, then CODE at the device."
  static let words = "[CODE]"
  static let options =
    [
      Arguments.Option("--user", value: "ID", "at the router: whose device is to be paired"),
      Arguments.Option("--hours", value: "N", "at the router: how long its token holds (2160)"),
      Arguments.Option("--insecure", "at the device: go on over http to another machine"),
      Arguments.Option("--json", "print JSON"),
    ] + LocalRouter.options

  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name, words: 1)
    switch (arguments["--user"], arguments.words.first) {
    case (let user?, nil): try await offer(to: user, arguments)
    case (nil, let code?): try await redeem(code, arguments)
    default:
      throw UsageError(
        "voice pair: --user ID at the router shows a code; `voice pair --url URL CODE` at the "
          + "device takes it.")
    }
    return 0
  }

  private static func offer(to user: String, _ arguments: Arguments) async throws {
    let hours = try arguments.integer("--hours", in: 1...8_760)
    let router = try LocalRouter(arguments, command: name)
    let body = CreatePairingRequest(userID: user, hours: hours)
    let answer = try await router.send(
      HTTPRequest(
        .post, "/v1/pairings", headers: ["Content-Type": "application/json"],
        body: body.json.serialized), runtime: LoopRuntime())
    let offer = try PairingOffer(json: answer)
    guard !arguments.has("--json") else { return StandardOutput.line(answer.serializedText) }
    StandardOutput.line("The code is \(offer.code). It holds for five minutes and for one device:")
    StandardOutput.line("  voice pair --url \(router.url.absoluteString) \(offer.code)")
    if let host = router.url.host, host.hasPrefix("127.") || host == "localhost" {
      StandardOutput.line("On another machine put this one's name or address into the URL.")
    }
    if let fingerprint = offer.fingerprint {
      StandardOutput.line("The router's certificate is \(fingerprint).")
    }
  }

  private static func redeem(_ text: String, _ arguments: Arguments) async throws {
    guard let address = arguments["--url"] else {
      throw UsageError("voice pair: --url URL is needed: the router that showed the code.")
    }
    guard let code = PairingCode(text) else {
      throw UsageError(
        "voice pair: \"\(text)\" is no code; one has \(PairingCode.length) letters and digits.")
    }
    let exchange = try PairingExchange(
      url: address, insecure: arguments.has("--insecure"), runtime: LoopRuntime())
    let pairing = try await exchange.pair(with: code)
    let file = Places().devicePairing
    try pairing.save(to: file)
    guard !arguments.has("--json") else {
      let shown: JSONValue = [
        "url": .string(pairing.url), "user_id": .string(pairing.userID),
        "fingerprint": pairing.fingerprint.map { .string($0) } ?? .null,
      ]
      return StandardOutput.line(shown.serializedText)
    }
    StandardOutput.line("Paired with \(pairing.url) as \(pairing.userID); kept in \(file.path).")
    if let fingerprint = pairing.fingerprint {
      StandardOutput.line("Only the router with the certificate \(fingerprint) is spoken to.")
    }
    StandardOutput.line("`voice talk` joins its agent.")
  }
}
