import Synchronization

/// The texts of one frame, with its number and without, made when first asked for.
///
/// Two of them are always equal: they say nothing that the frame's fields do not.
final class FrameText: Sendable, Hashable {
  private let texts = Mutex<(numbered: String?, plain: String?)>((nil, nil))

  func text(of frame: Frame) -> String {
    texts.withLock { texts in
      if let known = frame.seq == nil ? texts.plain : texts.numbered { return known }
      let text = frame.json.serializedText
      if frame.seq == nil { texts.plain = text } else { texts.numbered = text }
      return text
    }
  }

  static func == (left: FrameText, right: FrameText) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
