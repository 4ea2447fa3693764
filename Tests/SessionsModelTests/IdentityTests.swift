import Foundation
import SessionsModel
import Testing

@Suite struct IdentityTests {
  /// The example of RFC 9562, appendix A.6.
  @Test func aUUIDv7IsMadeOfTimeAndChance() {
    let uuid = UUIDv7(
      time: Date(millisecondsSince1970: 0x017F_22E2_79B0),
      random: (0xCC3, 0x18C4_DC0C_0C07_398F))
    #expect(uuid.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
  }

  @Test func aUUIDv7IsAValidSessionIDAndOrderedByTime() {
    let early = UUIDv7(time: Date(millisecondsSince1970: 1), random: (.max, .max)).description
    let late = UUIDv7(time: Date(millisecondsSince1970: 2), random: (0, 0)).description
    #expect(early < late)
    #expect(Identifier.isValidSessionID(early))
  }

  @Test(arguments: ["a", "order-1042", "A_z-9", String(repeating: "x", count: 64)])
  func validSessionIDs(_ id: String) {
    #expect(Identifier.isValidSessionID(id))
  }

  @Test(arguments: [
    "", String(repeating: "x", count: 65), "a b", "ä", "a/b", "a.b", "١", "a\n", "\0", "😀",
  ])
  func invalidSessionIDs(_ id: String) {
    #expect(!Identifier.isValidSessionID(id))
  }

  @Test func base64HasOneSpellingPerByteSequence() {
    for text in ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "-_8"] {
      let bytes = Base64URL.decode(text)
      #expect(bytes.map { Base64URL.encode($0) } == text)
    }
    for text in ["Z", "Zh", "Zm9=", "Zm9v\n", "+/8", "Zm 9"] {
      #expect(Base64URL.decode(text) == nil, "\(text)")
    }
  }
}
