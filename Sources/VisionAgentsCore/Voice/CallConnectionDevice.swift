import CallTransport
import Networking
import VoiceEngine

// The microphone and the speaker of the call.
extension CallConnection {
  /// - Throws: why there is no device, or `CancellationError` when the user left meanwhile.
  func openDevice() async throws {
    guard device == nil else { return }
    let opened: any VoiceDevice
    do {
      opened = try await environment.openDevice()
    } catch let error as AudioError {
      throw AgentsError.audio(error.message)
    }
    guard isWanted else {
      await environment.closeDevice(opened)
      throw CancellationError()
    }
    device = opened
    // Muted when this process began: the mute holds until the user undoes it.
    if !isMuteChosen, opened.status.isMuted { adoptMute() }
    snapshot.echo = EchoStatus(opened.status.echo)
    cards = environment.cardChanges? { [weak self] in
      self?.assumeIsolated { $0.recover(.cardsChanged) }
    }
    if let missing = opened.missing {
      recover(.missing(reason: missing, at: runtime.now, chance: runtime.randomUInt64()))
    } else {
      recover(.opened(at: runtime.now))
    }
    wake = runtime.watch(descriptor: opened.wakeDescriptor) { [weak self] in
      self?.assumeIsolated { $0.drainDevice() }
    }
    deviceChanged()
  }

  /// Read without waiting for the device.
  var deviceFrame: UInt64? { device?.playout.now }

  func closeDevice() async {
    wake?.cancel()
    wake = nil
    cards?.cancel()
    cards = nil
    recover(.released)
    snapshot.device = .present
    guard let device else { return }
    self.device = nil
    await environment.closeDevice(device)
  }

  private func drainDevice() {
    guard let device else { return }
    var packets: [SpeechPacket] = []
    var changed = false
    var isHeardOut = false
    var losses: [DeviceRecovery.Event] = []
    device.drain { output in
      switch output {
      case .packet(let packet): packets.append(packet)
      case .speaking(let isSpeaking, _):
        snapshot.roster.agentSpeaks(isSpeaking)
        tellGate(.agentSpeaks(isSpeaking))
        changed = true
      case .localSpeech(let isSpeaking, _):
        tellGate(.personSpeaks(isSpeaking))
        // Whoever talks in the room while the device sleeps is not listened to.
        snapshot.roster.localSpeaks(isSpeaking && !snapshot.isAsleep)
        changed = true
      case .played(let progress):
        reportPlayed(progress)
        isHeardOut = isHeardOut || progress.isFinished
      case .bargeIn(let what, let progress): reportBargeIn(what, progress)
      case .duplex(let isFull):
        snapshot.echo = isFull ? .cancelling : .halfDuplex
        if machine.phase == .joined { sendStatus() }
        changed = true
      case .levels(let microphone, let speaker):
        snapshot.roster.levels(microphone: microphone, speaker: speaker)
        changed = true
      case .deviceLost(let reason): losses.append(.lost(reason: reason, at: runtime.now))
      case .partlyLost(let reason): losses.append(.partlyLost(reason: reason, at: runtime.now))
      case .recordingEnded(let reason):
        snapshot.failure = AgentsError.audio(reason)
        changed = true
      case .xrun: break  // Counted by the device, in its status.
      }
    }
    let frames = throughWakeWord(packets)
    if !frames.isEmpty { sendPackets(frames) }
    if isHeardOut {
      // First the reply is over, then the agent is silent: no moment of thinking in between.
      runtime.task { await self.replyWasHeard() }
    } else if changed {
      publish()
    }
    for loss in losses { recover(loss) }
  }

  private func replyWasHeard() async {
    await session.replyWasHeard()
    publish()
  }

  // MARK: A device that is lost

  /// Carries out what the recovery decides.
  private func recover(_ event: DeviceRecovery.Event) {
    for action in recovery.handle(event) {
      switch action {
      case .close: runtime.task { await self.closeLostDevice() }
      case .open: runtime.task { await self.reopenDevice() }
      case .pause(let duration, let number):
        runtime.after(duration) { [weak self] in
          self?.assumeIsolated { $0.recover(.pauseOver(number)) }
        }
      case .dropSpeech: device?.flush(below: newestOnDevice &+ 1)
      case .tell(let state): tell(state)
      }
    }
  }

  private func tell(_ state: SoundDeviceState) {
    switch state {
    case .present:
      // A recording that ended stays said; a device that is back is no failure any more.
      if case .lost = snapshot.device { snapshot.failure = nil }
    case .lost(let reason):
      snapshot.failure = AgentsError.audio(reason)
      snapshot.roster.agentSpeaks(false)
      snapshot.roster.localSpeaks(false)
      tellGate(.agentSpeaks(false))
      tellGate(.personSpeaks(false))
    }
    snapshot.device = state
    publish()
  }

  /// Lets go of the hardware; the core and what waits in it are kept.
  private func closeLostDevice() async {
    if let device { await environment.suspendDevice(device) }
    recover(.closed(chance: runtime.randomUInt64()))
  }

  private func reopenDevice() async {
    guard let device else { return }
    do {
      try await environment.resumeDevice(device)
    } catch {
      recover(.refused(reason: "\(error)", chance: runtime.randomUInt64()))
      return
    }
    guard self.device === device else {
      // The user left while it was being opened.
      await environment.closeDevice(device)
      return
    }
    recover(.opened(at: runtime.now))
    deviceChanged()
  }
}
