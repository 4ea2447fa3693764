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
    deviceBackOff.reset()
    snapshot.echo = EchoStatus(opened.status.echo)
    wake = runtime.watch(descriptor: opened.wakeDescriptor) { [weak self] in
      self?.assumeIsolated { $0.drainDevice() }
    }
    deviceChanged()
  }

  func closeDevice() async {
    wake?.cancel()
    wake = nil
    guard let device else { return }
    self.device = nil
    await environment.closeDevice(device)
  }

  private func drainDevice() {
    guard let device else { return }
    var frames: [MediaFrame] = []
    var changed = false
    var isHeardOut = false
    var lost: String?
    device.drain { output in
      switch output {
      case .packet(let packet): frames.append(MediaFrame(packet))
      case .speaking(let isSpeaking, _):
        snapshot.roster.agentSpeaks(isSpeaking)
        changed = true
      case .localSpeech(let isSpeaking, _):
        snapshot.roster.localSpeaks(isSpeaking)
        changed = true
      case .played(let progress):
        reportPlayed(progress)
        isHeardOut = isHeardOut || progress.isFinished
      case .levels(let microphone, let speaker):
        snapshot.roster.levels(microphone: microphone, speaker: speaker)
        changed = true
      case .deviceLost(let reason): lost = reason
      case .recordingEnded(let reason):
        snapshot.failure = AgentsError.audio(reason)
        changed = true
      case .xrun: break  // Counted by the device, in its status.
      }
    }
    if !frames.isEmpty { sendPackets(frames) }
    if isHeardOut {
      // First the reply is over, then the agent is silent: no moment of thinking in between.
      runtime.task { await self.replyWasHeard() }
    } else if changed {
      publish()
    }
    if let lost { runtime.task { await self.deviceLost(lost) } }
  }

  private func replyWasHeard() async {
    await session.replyWasHeard()
    publish()
  }

  /// The device is gone: say so, and try to get it back while the call lasts.
  private func deviceLost(_ reason: String) async {
    await closeDevice()
    snapshot.failure = AgentsError.audio(reason)
    snapshot.roster.agentSpeaks(false)
    snapshot.roster.localSpeaks(false)
    publish()
    reopenDeviceLater()
  }

  private func reopenDeviceLater() {
    guard needsDevice else { return }
    runtime.after(deviceBackOff.next(chance: runtime.randomUInt64())) {
      self.runtime.task { await self.reopenDevice() }
    }
  }

  private func reopenDevice() async {
    guard needsDevice, device == nil else { return }
    do {
      try await openDevice()
      snapshot.failure = nil
    } catch {
      guard needsDevice else { return }
      snapshot.failure = error
      reopenDeviceLater()
    }
    publish()
  }
}
