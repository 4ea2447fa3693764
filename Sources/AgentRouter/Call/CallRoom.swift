import Networking
import SessionsModel

/// Who is on a session's call besides the agent, and how they get their media.
struct CallRoom {
  struct Member: Equatable {
    var id: String
    /// Of its media frames.
    var index: UInt16
    var userID: String
    var deviceID: String
    /// The watcher whose socket signals for it; nil while that is gone.
    var watcherID: String?
    var isMuted = false
    /// When the mute was told.
    var mutedAt: MonotonicInstant?
    var isSpeaking = false
    var level: Float = 0
    /// Counts a member's absences, so that an old deadline does not end a later one.
    var absences = 0
  }

  /// Somebody came, perhaps in another's place.
  struct Admission: Equatable {
    var member: Member
    /// One-time key to the media WebSocket.
    var token: String
    /// The watcher that spoke for this device before, when it was another one.
    var takenOver: String?
    var isNew: Bool
  }

  /// People on one call.
  static let membersAtMost = 16
  /// Tokens that may be open; the oldest is forgotten.
  static let tokensAtMost = 32
  /// How long a device that vanished keeps its place (contract part 3).
  static let absenceLimit = Duration.seconds(30)

  private(set) var members: [Member] = []
  private var tokens: [(token: String, memberID: String)] = []
  private var lastIndex: UInt16 = 0

  /// The one whose microphone the agent hears: the first who came.
  var publisher: Member? { members.first }

  func member(_ id: String) -> Member? {
    members.first { $0.id == id }
  }

  func member(watcherID: String) -> Member? {
    members.first { $0.watcherID == watcherID }
  }

  /// Lets a device in; the same device id takes its own place over.
  ///
  /// - Returns: nil when the call is full.
  mutating func join(
    deviceID: String, userID: String, watcherID: String, newID: String, token: String
  ) -> Admission? {
    tokens.append((token, newID))
    if tokens.count > Self.tokensAtMost { tokens.removeFirst() }
    if let place = members.firstIndex(where: { $0.deviceID == deviceID }) {
      let before = members[place].watcherID
      tokens[tokens.count - 1].memberID = members[place].id
      members[place].watcherID = watcherID
      members[place].absences += 1
      return Admission(
        member: members[place], token: token, takenOver: before == watcherID ? nil : before,
        isNew: false)
    }
    guard members.count < Self.membersAtMost else {
      tokens.removeLast()
      return nil
    }
    lastIndex += 1
    let member = Member(
      id: newID, index: lastIndex, userID: userID, deviceID: deviceID, watcherID: watcherID)
    members.append(member)
    return Admission(member: member, token: token, takenOver: nil, isNew: true)
  }

  /// Takes a token; it works once.
  mutating func redeem(_ token: String) -> String? {
    guard let index = tokens.firstIndex(where: { $0.token == token }) else { return nil }
    return tokens.remove(at: index).memberID
  }

  mutating func leave(_ id: String) -> Member? {
    tokens.removeAll { $0.memberID == id }
    guard let index = members.firstIndex(where: { $0.id == id }) else { return nil }
    return members.remove(at: index)
  }

  /// The socket of these members is gone.
  ///
  /// - Returns: the members, each with the number of its absence.
  mutating func lost(watcherID: String) -> [Member] {
    var lost: [Member] = []
    for index in members.indices where members[index].watcherID == watcherID {
      members[index].watcherID = nil
      members[index].absences += 1
      lost.append(members[index])
    }
    return lost
  }

  /// Whether a member is still away since the absence with this number.
  func isStillAbsent(_ id: String, absence: Int) -> Bool {
    member(id).map { $0.watcherID == nil && $0.absences == absence } ?? false
  }

  mutating func update(_ id: String, _ change: (inout Member) -> Void) {
    guard let index = members.firstIndex(where: { $0.id == id }) else { return }
    change(&members[index])
  }

  mutating func removeAll() -> [Member] {
    defer {
      members.removeAll()
      tokens.removeAll()
    }
    return members
  }
}

extension CallRoom.Member {
  /// The participant as `participant_joined` and its like show it (contract part 1, 1.5).
  var participant: JSONValue {
    ["id": .string(id), "user_id": .string(userID), "name": .string(userID)]
  }

  /// The participant as the call shows it (contract part 3, "Participants").
  func callParticipant(sessionID: String) -> JSONValue {
    [
      "id": .string(id), "index": .int(Int(index)), "user_id": .string(userID),
      "session_id": .string(sessionID), "name": .string(userID),
      "is_speaking": .bool(isSpeaking), "audio_level": .double(Double(level)),
      "is_muted": .bool(isMuted),
    ]
  }
}
