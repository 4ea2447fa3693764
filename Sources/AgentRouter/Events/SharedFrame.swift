import Networking
import SessionsModel

/// A frame on its way to many watchers: what all of them are sent is made once.
struct SharedFrame {
  let frame: Frame
  let audience: WatchOptions.Audience
  private var numbered: PreparedMessage?
  private var plain: PreparedMessage?

  /// - Parameter frame: with its number.
  init(_ frame: Frame) {
    self.frame = frame
    audience = WatchOptions.Audience(of: frame)
  }

  /// The frame as bytes; nil for one so long that it goes out in pieces.
  mutating func message(numbered isNumbered: Bool) -> PreparedMessage? {
    if let known = isNumbered ? numbered : plain { return known }
    let made = PreparedMessage(text: isNumbered ? frame.text : frame.withoutSequence.text)
    if isNumbered { numbered = made } else { plain = made }
    return made
  }
}
