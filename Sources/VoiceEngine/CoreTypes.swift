import CAudioDevice
import CVoiceCore
import CVoiceDSP

// The C core's types, translated in one place.

extension SpeechPacket {
  init(_ packet: vd_packet) {
    let payload = withUnsafeBytes(of: packet.payload) { Array($0.prefix(Int(packet.bytes))) }
    self.init(
      generation: packet.generation, sequence: packet.sequence, timestamp: packet.timestamp,
      participant: packet.participant, kind: Kind(rawValue: packet.kind) ?? .opus,
      payload: payload)
  }
}

extension PlayoutProgress {
  init(_ progress: vc_progress) {
    self.init(
      generation: progress.generation, playedFrames: progress.played_frames,
      startedAt: progress.has_started != 0 ? progress.started_at : nil,
      isFinished: progress.finished != 0, isFlushed: progress.flushed != 0)
  }
}

extension PlayoutSnapshot {
  init(_ playout: vc_playout) {
    self.init(
      now: playout.now_frame, isAudible: playout.audible != 0,
      queuedPackets: Int(playout.queued_packets), delayFrames: Int(playout.delay_frames),
      progress: playout.progress.generation == 0 ? nil : PlayoutProgress(playout.progress))
    driftPPM = Double(playout.drift_ppm)
    isDriftLocked = playout.drift_state == UInt8(VC_DRIFT_LOCKED)
    hiddenLatencyFrames = Int(playout.hidden_latency_frames)
    isHiddenLatencyFound = playout.hidden_state == UInt8(VC_HIDDEN_FOUND)
    isReferenceWired = playout.reference_state == UInt8(VC_REFERENCE_WIRED)
  }
}

extension DeviceCounters {
  init(_ counters: vc_counters, droppedOutputs: UInt64) {
    self.init()
    blocks = counters.blocks
    concealedPackets = counters.concealed_packets
    latePackets = counters.late_packets
    stalePackets = counters.stale_packets
    refusedPackets = counters.refused_packets
    underruns = counters.underruns
    self.droppedOutputs = droppedOutputs
  }
}

extension DeviceCounters {
  /// Adds what an ALSA device counts of itself.
  mutating func add(_ status: ad_status) {
    xruns += status.xruns
    sidesLost += status.microphone.losses + status.speaker.losses
    sidesTakenBack += status.microphone.returns + status.speaker.returns
    stalls += status.stalls
  }

  /// Adds what an ALSA device that is closed counted of itself.
  mutating func add(_ closed: DeviceCounters) {
    xruns += closed.xruns
    sidesLost += closed.sidesLost
    sidesTakenBack += closed.sidesTakenBack
    stalls += closed.stalls
  }
}

extension VoiceDeviceOutput {
  init?(_ event: vc_event, lostReason: (_ kind: Int) -> String) {
    switch Int(event.kind) {
    case VC_EVENT_SPEAKING_STARTED: self = .speaking(true, atTimestamp: event.timestamp)
    case VC_EVENT_SPEAKING_STOPPED: self = .speaking(false, atTimestamp: event.timestamp)
    case VC_EVENT_PLAYED: self = .played(PlayoutProgress(event.progress))
    case VC_EVENT_LOCAL_SPEECH_STARTED: self = .localSpeech(true, atTimestamp: event.timestamp)
    case VC_EVENT_LOCAL_SPEECH_STOPPED: self = .localSpeech(false, atTimestamp: event.timestamp)
    case VC_EVENT_BARGE_IN: self = .bargeIn(.began, PlayoutProgress(event.progress))
    case VC_EVENT_BARGE_IN_CONFIRMED: self = .bargeIn(.confirmed, PlayoutProgress(event.progress))
    case VC_EVENT_BARGE_IN_OVER: self = .bargeIn(.over, PlayoutProgress(event.progress))
    case VC_EVENT_FULL_DUPLEX: self = .duplex(isFull: true)
    case VC_EVENT_HALF_DUPLEX: self = .duplex(isFull: false)
    case VC_EVENT_LEVELS:
      self = .levels(microphone: event.microphone_level, speaker: event.speaker_level)
    case VC_EVENT_XRUN: self = .xrun
    case VC_EVENT_DEVICE_LOST: self = .deviceLost(lostReason(VC_EVENT_DEVICE_LOST))
    case VC_EVENT_SPEAKER_LOST: self = .partlyLost(lostReason(VC_EVENT_SPEAKER_LOST))
    case VC_EVENT_MICROPHONE_LOST: self = .partlyLost(lostReason(VC_EVENT_MICROPHONE_LOST))
    default: return nil
    }
  }
}
