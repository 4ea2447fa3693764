import Stores
import Synchronization

/// The sessions with changes on their way to the store.
///
/// A turn is told before it is on the disk, and a list is the disk's: who asks for one waits until what
/// was told a moment ago is in it (R120). Bound: one entry a live session.
final class UnwrittenSessions: Sendable {
  private struct Entry {
    var app: String
    var owner: SessionOwner
    var writer: SessionWriter
    /// How often it was entered and not yet taken out.
    var count = 0
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// A writer has something to write.
  func began(_ writer: SessionWriter, app: String, owner: SessionOwner) {
    entries.withLock { entries in
      entries[ObjectIdentifier(writer), default: Entry(app: app, owner: owner, writer: writer)]
        .count += 1
    }
  }

  /// It has written everything.
  func ended(_ writer: SessionWriter) {
    entries.withLock { entries in
      let key = ObjectIdentifier(writer)
      entries[key]?.count -= 1
      if entries[key]?.count == 0 { entries[key] = nil }
    }
  }

  /// Waits until what was queued so far is stored.
  ///
  /// - Parameter owner: whose sessions; nil for every session of the app.
  func written(app: String, owner: SessionOwner?) async {
    let writers = entries.withLock { entries in
      entries.values.filter { $0.app == app && (owner == nil || $0.owner == owner) }
        .map(\.writer)
    }
    for writer in writers {
      // What could not be stored was told of; the rest is to be listed all the same.
      try? await writer.flush()
    }
  }
}
