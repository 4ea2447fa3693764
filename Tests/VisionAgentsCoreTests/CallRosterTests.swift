import SessionsModel
import Testing

@testable import VisionAgentsCore

struct CallRosterTests {
  private let agent = CallParticipant(id: "agent", userID: "a1", name: "myagent")
  private let user = User(id: "jlahey", name: "Jim")

  @Test func theAgentIsOnTheCallEvenIfTheRouterDoesNotListIt() {
    var roster = CallRoster()
    roster.joined(Frame(.callJoined, ["participant_id": "p1"]), agent: agent, user: user)
    #expect(roster.local?.name == "Jim")
    #expect(roster.remote.map(\.id) == ["agent"])
  }

  /// R82: the device's playout clock says who speaks, the router's levels do not.
  @Test func theAgentSpeaksWhileThisDeviceHearsIt() {
    var roster = joined()
    roster.levels(
      Frame(
        .callLevels,
        ["levels": [["participant_id": "r1", "level": 0.9, "is_speaking": true]]]))
    #expect(roster.remote.filter(\.isSpeaking) == [])
    roster.agentSpeaks(true)
    #expect(roster.remote.first { $0.id == "r1" }?.isSpeaking == true)
    #expect(roster.dominantSpeaker?.id == "r1")
    roster.agentSpeaks(false)
    #expect(roster.dominantSpeaker == nil)
  }

  @Test func aMutedMicrophoneIsNeverHeard() {
    var roster = joined()
    roster.localSpeaks(true)
    #expect(roster.local?.isSpeaking == true)
    roster.localMuted(true)
    #expect(roster.local?.isSpeaking == false)
    roster.localSpeaks(true)
    #expect(roster.local?.isSpeaking == false)
    roster.localMuted(false)
    roster.localSpeaks(true)
    #expect(roster.local?.isSpeaking == true)
  }

  @Test func othersComeAndGoAndTheAgentStays() {
    var roster = joined()
    roster.changed(Frame(.callParticipantJoined, ["participant": ["id": "p9", "name": "Ann"]]))
    #expect(roster.remote.map(\.id) == ["r1", "p9"])
    roster.changed(Frame(.callParticipantLeft, ["participant": ["id": "p9"]]))
    roster.changed(Frame(.callParticipantLeft, ["participant": ["id": "r1"]]))
    #expect(roster.remote.map(\.id) == ["r1"])
  }

  @Test func comingBackKeepsWhatIsHeard() {
    var roster = joined()
    roster.agentSpeaks(true)
    roster.joined(joinedFrame, agent: agent, user: user)
    #expect(roster.remote.first?.isSpeaking == true)
  }

  private var joinedFrame: Frame {
    Frame(
      .callJoined,
      [
        "participant_id": "p1",
        "participants": [
          ["id": "p1", "user_id": "jlahey", "name": "Jim"],
          ["id": "r1", "user_id": "a1", "name": "myagent"],
        ],
      ])
  }

  private func joined() -> CallRoster {
    var roster = CallRoster()
    roster.joined(joinedFrame, agent: agent, user: user)
    return roster
  }
}
