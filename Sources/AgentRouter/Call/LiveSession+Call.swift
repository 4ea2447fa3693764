public import Networking
import Providers
import SessionsModel
public import Stores

// The session's call: the agent comes and goes, devices join and leave.
extension LiveSession {
  static let levelsInterval = Duration.milliseconds(100)
  /// How long `stopVoice` lets the agent finish what it is saying.
  static let lastWordsLimit = Duration.seconds(30)
  private static let lastWordsPause = Duration.milliseconds(50)

  /// The agent joins the session's call; does nothing when it is there already.
  ///
  /// - Throws: `voice_unavailable` when this router has no media plane, recogniser or voice.
  public func startVoice() async throws(APIError) -> SessionRecord {
    try checkLive()
    guard !record.isVoiceOn else { return record }
    guard let plane = environment.media else {
      throw APIError(.voiceUnavailable, "This router carries no voice.")
    }
    let (stt, tts) = (
      record.settings.models.stt ?? agent.stt, record.settings.models.tts ?? agent.tts
    )
    guard environment.providers.speechToText(stt) != nil,
      environment.providers.textToSpeech(tts) != nil
    else {
      throw APIError(
        .voiceUnavailable, "This agent has no recogniser or no voice on this router.")
    }
    do throws(MediaPlane.Failure) {
      mediaCall = try plane.openCall { [weak self] in
        self?.assumeIsolated { $0.mediaIsReady() }
      }
    } catch {
      throw APIError(.voiceUnavailable, error.description)
    }
    record.isVoiceOn = true
    record.modality = record.modality == .text ? .voice : record.modality
    record.updatedAt = now
    emit(.joined, ["at": timestampValue])
    prepareModel(for: [])
    try await save()
    return record
  }

  /// The agent finishes what it is saying and leaves the call; the session goes on in writing.
  public func stopVoice() async throws(APIError) -> SessionRecord {
    try checkLive()
    guard record.isVoiceOn else { return record }
    // Nobody is listened to any more, or the agent would answer and never be done.
    isLeavingCall = true
    defer { isLeavingCall = false }
    cancelListening()
    let deadline = runtime.now + Self.lastWordsLimit
    while reply?.speech != nil, runtime.now < deadline, !isEnding {
      // Only a cancelled task wakes early; then the agent leaves at once.
      guard (try? await runtime.sleep(for: Self.lastWordsPause)) != nil else { break }
    }
    await leaveCall(reason: "voice_stopped")
    record.isVoiceOn = false
    record.updatedAt = now
    try await save()
    return record
  }

  /// Everybody leaves the call and its place on the media plane is given back.
  func leaveCall(reason: String) async {
    sendToCall(Frame(.callEnded, ["reason": .string(reason)]))
    for member in room.removeAll() { announceDeparture(of: member) }
    let pumps = media.values
    media.removeAll()
    mediaCall = nil
    cutSpokenReply()
    for pump in pumps { await pump.close(code: 1000, reason: reason) }
  }

  func handleCall(_ frame: Frame, from watcher: EventWatcher) throws(APIError) {
    switch frame.type {
    case .callJoin: try joinCall(frame, watcher)
    case .callLeave:
      if let member = room.member(watcherID: watcher.id) { removeFromCall(member.id, reason: nil) }
    case .callMute: mute(frame, watcher)
    // Only the device that plays the agent's voice for the person who speaks knows what was heard.
    case .callPlayed where isPublisher(watcher): played(frame)
    case .callBargein where isPublisher(watcher): bargedIn(frame)
    default: break
    }
  }

  private func isPublisher(_ watcher: EventWatcher) -> Bool {
    room.publisher?.watcherID == watcher.id
  }

  private func joinCall(_ frame: Frame, _ watcher: EventWatcher) throws(APIError) {
    guard record.isVoiceOn, mediaCall != nil else {
      throw callError(
        watcher, APIError(.voiceOff, "Voice is off in this session; start it first."))
    }
    guard frame["media"]?.stringValue == "websocket" else {
      throw callError(
        watcher, APIError(.invalidField, "This router carries media by WebSocket only."))
    }
    let deviceID = frame["device_id"]?.stringValue ?? watcher.id
    guard
      let admission = room.join(
        deviceID: deviceID, userID: watcher.caller.userID ?? record.owner.userID,
        watcherID: watcher.id, newID: runtime.makeID(), token: newToken())
    else {
      throw callError(
        watcher,
        APIError(.dependency, "\(CallRoom.membersAtMost) devices are on this call already."))
    }
    takeOver(admission)
    watcher.offer(
      Frame(
        .callJoined,
        [
          "media_url": .string("/v1/calls/agent/\(record.id)/media?token=\(admission.token)"),
          "participant_id": .string(admission.member.id),
          "participants": .array(callParticipants),
          "generation": .int(Int(reply?.speech?.generation ?? lastGeneration)),
        ]))
    guard admission.isNew else { return }
    emit(
      .participantJoined, ["participant": admission.member.participant, "at": timestampValue])
    sendToCall(
      Frame(
        .callParticipantJoined,
        ["participant": admission.member.callParticipant(sessionID: record.id)]),
      except: watcher.id)
    greet()
  }

  /// What the agent says first, once, to the first device.
  private func greet() {
    let greeting = record.settings.greeting ?? agent.greeting ?? ""
    guard !hasGreeted, !greeting.isEmpty else { return }
    hasGreeted = true
    do throws(APIError) {
      try say(greeting, interrupt: false, requestID: nil)
    } catch {
      emitError(TurnFailure(.voice, error.message))
    }
  }

  /// A device came again. One whose events socket came back keeps the media that still flow; when
  /// they do not, the media socket it opens replaces the old one.
  private func takeOver(_ admission: CallRoom.Admission) {
    guard let before = admission.takenOver else { return }
    watchers.first { $0.id == before }?.offer(Frame(.callEnded, ["reason": "taken_over"]))
    if let pump = media.removeValue(forKey: admission.member.id) {
      runtime.task { await pump.close(code: 4000, reason: "taken over") }
    }
  }

  private func callError(_ watcher: EventWatcher, _ error: APIError) -> APIError {
    watcher.offer(
      Frame(
        .callError, ["code": .string(error.code.rawValue), "message": .string(error.message)]))
    return error
  }

  private func mute(_ frame: Frame, _ watcher: EventWatcher) {
    guard let member = room.member(watcherID: watcher.id),
      let isMuted = frame["audio"]?.boolValue
    else { return }
    let now = runtime.now
    room.update(member.id) { member in
      if isMuted != member.isMuted { member.mutedAt = isMuted ? now : nil }
      member.isMuted = isMuted
    }
    guard let changed = room.member(member.id) else { return }
    sendToCall(
      Frame(
        .callParticipantUpdated,
        ["participant": changed.callParticipant(sessionID: record.id)]))
  }

  func removeFromCall(_ id: String, reason: String?) {
    guard let member = room.leave(id) else { return }
    if let pump = media.removeValue(forKey: id) {
      runtime.task { await pump.close(code: 1000, reason: reason ?? "left") }
    }
    announceDeparture(of: member)
    guard room.publisher == nil else { return }
    cancelListening()
    cutSpokenReply()
  }

  /// Nobody will report any more what was heard: what is being spoken is not waited for.
  private func cutSpokenReply() {
    guard let state = reply, state.speech != nil else { return }
    perform(turns.interrupt(requestID: state.turn.requestID))
  }

  private func announceDeparture(of member: CallRoom.Member) {
    emit(.participantLeft, ["participant": member.participant, "at": timestampValue])
    sendToCall(
      Frame(
        .callParticipantLeft, ["participant": member.callParticipant(sessionID: record.id)]))
  }

  /// Gives a device that vanished 30 s to come back.
  func endAbsence(of member: CallRoom.Member) {
    runtime.task {
      // Only a cancelled task wakes early, and nobody cancels this one.
      try? await self.runtime.sleep(for: CallRoom.absenceLimit)
      await self.absenceLimitPassed(member)
    }
  }

  private func absenceLimitPassed(_ member: CallRoom.Member) {
    guard room.isStillAbsent(member.id, absence: member.absences) else { return }
    removeFromCall(member.id, reason: "gone for 30 s")
  }

  // MARK: Media

  /// Takes a one-time token of `call.joined`.
  public func redeemMediaToken(_ token: String) -> String? {
    room.redeem(token)
  }

  /// Carries a participant's media until the socket closes.
  public func serveMedia(_ socket: any WebSocketConnection, participant: String) async {
    guard room.member(participant) != nil, mediaCall != nil else {
      await socket.close(code: 4404, reason: "not on this call")
      return
    }
    let pump = MediaPump(socket, runtime: runtime)
    if let before = media.updateValue(pump, forKey: participant) {
      await before.close(code: 4000, reason: "replaced")
    }
    sendHeldSpeech(to: pump, of: participant)
    let writer = runtime.task { await pump.write() }
    while let packet = await pump.receive() {
      // Only the publisher's microphone is heard; other devices listen.
      guard room.publisher?.id == participant else { continue }
      _ = mediaCall?.receive(packet)
    }
    writer.cancel()
    if media[participant] === pump { media[participant] = nil }
  }

  /// To everybody on the call, outside the numbered stream: worthless later.
  func sendToCall(_ frame: Frame, except watcherID: String? = nil) {
    for member in room.members {
      guard let id = member.watcherID, id != watcherID else { continue }
      watchers.first { $0.id == id }?.offer(frame)
    }
  }

  private var callParticipants: [JSONValue] {
    let agentParticipant: JSONValue = [
      "id": "agent", "index": 0, "user_id": .string(record.agent),
      "session_id": .string(record.id), "name": .string(record.agent), "is_speaking": false,
      "audio_level": 0, "is_muted": false,
    ]
    return [agentParticipant] + room.members.map { $0.callParticipant(sessionID: record.id) }
  }

  private func newToken() -> String {
    let words = [runtime.randomUInt64(), runtime.randomUInt64()]
    return Base64URL.encode(
      words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } })
  }
}
