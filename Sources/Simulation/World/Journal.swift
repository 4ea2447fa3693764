public import SessionsModel
import Synchronization

/// What happened in a simulated world, as text: one line each, with the virtual time.
public final class Journal: Sendable {
  /// A frame of an events socket.
  public struct Entry: Sendable {
    public var nanoseconds: Int64
    public var source: String
    public var text: String
    /// The frame, when the entry is one.
    public var frame: Frame?

    /// `12.345678 events< {...}`
    public var line: String {
      let (seconds, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
      let digits = String(rest)
      let fraction = String(repeating: "0", count: 9 - digits.count) + digits
      return "\(seconds).\(fraction) \(source) \(text)"
    }
  }

  private let storage = Mutex<[Entry]>([])

  public init() {}

  public var entries: [Entry] { storage.withLock { $0 } }

  /// Everything, line by line.
  public var text: String {
    entries.map { $0.line + "\n" }.joined()
  }

  func note(_ source: String, _ text: String, frame: Frame? = nil, at nanoseconds: Int64) {
    storage.withLock {
      $0.append(Entry(nanoseconds: nanoseconds, source: source, text: text, frame: frame))
    }
  }

  /// What one source noted, in order.
  public func texts(of source: String) -> [String] {
    entries.filter { $0.source == source }.map(\.text)
  }

  /// The frames that the device's events socket received, oldest first.
  public func received(_ type: FrameType? = nil) -> [Frame] {
    entries.compactMap { entry in
      guard entry.source == Source.received, let frame = entry.frame else { return nil }
      return type == nil || frame.type == type ? frame : nil
    }
  }

  /// Names of sources.
  public enum Source {
    public static let received = "events<"
    public static let sent = "events>"
    public static let device = "device"
    public static let state = "state"
    public static let world = "world"
  }
}
