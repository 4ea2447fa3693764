import CYAML

/// Builds the nodes of one YAML document from libyaml's events.
///
/// Only what a configuration needs: one document, no anchors (a few lines of them can stand for
/// gigabytes), no tags, no key twice, 32 levels at most.
struct YAMLReader: ~Copyable {
  static let depthLimit = 32

  private let file: String
  private let bytes: [UInt8]
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// - Parameter file: the name that errors carry.
  static func read(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> YAMLNode {
    let reader = YAMLReader(bytes: bytes, file: file)
    return try reader.document()
  }

  private init(bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
    parser = .allocate(capacity: 1)
    precondition(yaml_parser_initialize(parser) == 1, "libyaml has no memory")
    // libyaml asks for pieces, so no pointer into the array outlives a call.
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  private func document() throws(ConfigurationError) -> YAMLNode {
    let input = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
    input.initialize(from: bytes, count: bytes.count)
    defer { input.deallocate() }
    yaml_parser_set_input_string(parser, input, bytes.count)
    try expect(YAML_STREAM_START_EVENT)
    let first = try next()
    if first.kind == YAML_STREAM_END_EVENT {
      throw mistake(YAMLNode.Mark(line: 1, column: 1), "the file is empty")
    }
    let node = try node(next(), depth: 0)
    try expect(YAML_DOCUMENT_END_EVENT)
    let end = try next()
    guard end.kind == YAML_STREAM_END_EVENT else {
      throw mistake(end.mark, "a second document; only one is read")
    }
    return node
  }

  private func node(_ event: Event, depth: Int) throws(ConfigurationError) -> YAMLNode {
    guard depth < Self.depthLimit else {
      throw mistake(event.mark, "more than \(Self.depthLimit) levels inside each other")
    }
    if event.hasAnchorOrTag { throw mistake(event.mark, "anchors and tags are not supported") }
    switch event.kind {
    case YAML_SCALAR_EVENT:
      return YAMLNode(content: .scalar(event.text, isPlain: event.isPlain), mark: event.mark)
    case YAML_SEQUENCE_START_EVENT:
      return YAMLNode(content: .sequence(try sequence(depth: depth)), mark: event.mark)
    case YAML_MAPPING_START_EVENT:
      return YAMLNode(content: .mapping(try mapping(depth: depth)), mark: event.mark)
    default:
      throw mistake(event.mark, "aliases are not supported; write the value out")
    }
  }

  private func sequence(depth: Int) throws(ConfigurationError) -> [YAMLNode] {
    var nodes: [YAMLNode] = []
    while true {
      let event = try next()
      if event.kind == YAML_SEQUENCE_END_EVENT { return nodes }
      nodes.append(try node(event, depth: depth + 1))
    }
  }

  private func mapping(depth: Int) throws(ConfigurationError) -> [YAMLNode.Entry] {
    var entries: [YAMLNode.Entry] = []
    while true {
      let event = try next()
      if event.kind == YAML_MAPPING_END_EVENT { return entries }
      guard event.kind == YAML_SCALAR_EVENT, !event.hasAnchorOrTag else {
        throw mistake(event.mark, "a key must be a plain word")
      }
      if let earlier = entries.first(where: { $0.key == event.text }) {
        throw mistake(
          event.mark,
          "the key \(event.text) is there twice, first in line \(earlier.keyMark.line)")
      }
      let value = try node(next(), depth: depth + 1)
      entries.append(YAMLNode.Entry(key: event.text, keyMark: event.mark, value: value))
    }
  }

  /// What the reader needs of libyaml's event, copied out of it.
  private struct Event {
    var kind: yaml_event_type_t
    var mark: YAMLNode.Mark
    var text = ""
    var isPlain = false
    var hasAnchorOrTag = false
  }

  private func next() throws(ConfigurationError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
    defer { yaml_event_delete(&event) }
    var copy = Event(kind: event.type, mark: mark(event.start_mark))
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      copy.text = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      copy.isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
      copy.hasAnchorOrTag = scalar.anchor != nil || scalar.tag != nil
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      copy.hasAnchorOrTag = start.anchor != nil || start.tag != nil
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      copy.hasAnchorOrTag = start.anchor != nil || start.tag != nil
    default: break
    }
    return copy
  }

  private func expect(_ kind: yaml_event_type_t) throws(ConfigurationError) {
    let event = try next()
    guard event.kind == kind else { throw mistake(event.mark, "the document ends unexpectedly") }
  }

  private func syntaxError() -> ConfigurationError {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "it cannot be read"
    let isPlaced = parser.pointee.error != YAML_READER_ERROR
    return mistake(
      isPlaced ? mark(parser.pointee.problem_mark) : YAMLNode.Mark(line: 0, column: 0),
      "not valid YAML: \(problem)")
  }

  private func mark(_ mark: yaml_mark_t) -> YAMLNode.Mark {
    YAMLNode.Mark(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }

  private func mistake(_ mark: YAMLNode.Mark, _ message: String) -> ConfigurationError {
    let mark = insideTheFile(mark)
    return ConfigurationError(
      file: file, line: mark.line, column: mark.column, key: "", message: message)
  }

  /// What is missing at the end of a file without a last line break libyaml places on the line
  /// behind it, which no editor shows.
  private func insideTheFile(_ mark: YAMLNode.Mark) -> YAMLNode.Mark {
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard mark.line > lines.count, let last = lines.last else { return mark }
    return YAMLNode.Mark(line: lines.count, column: last.count + 1)
  }
}
