#if FUZZ_CURSOR
  import SessionsModel

  /// A cursor of strangers is refused or one of ours.
  func examine(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let position = try? PageCursor.decode(text, scope: "responses one") else { return }
    let ours = PageCursor.encode(position, scope: "responses one")
    let again = try? PageCursor.decode(ours, scope: "responses one")
    precondition(again == position, "a cursor changed on its way")
    let other = try? PageCursor.decode(ours, scope: "responses two")
    precondition(other == nil, "a cursor is good for two lists")
  }
#elseif FUZZ_YAML
  /// A configuration is read, or its mistake has a place inside the file.
  func examine(_ bytes: [UInt8]) {
    do throws(ConfigurationError) {
      _ = try RouterConfiguration.read(bytes, file: "router.yaml")
    } catch {
      let lines = 1 + String(decoding: bytes, as: UTF8.self).count(where: \.isNewline)
      precondition(error.line >= 0 && error.line <= lines, "no place: \(error)")
      precondition(!error.message.isEmpty)
    }
  }
#endif
