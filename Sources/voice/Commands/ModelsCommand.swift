import Foundation

/// `voice models`: which model files are here, and how to bring them without a network.
enum ModelsCommand: Command {
  static let name = "models"
  static let summary = "List the model files, or import them from a folder."
  static let words = "list | import FOLDER"
  static let options: [Arguments.Option] = []

  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name, words: 2)
    let shelf = try ModelShelf(places: Places())
    switch arguments.words.first {
    case nil, "list":
      return list(shelf)
    case "import":
      guard arguments.words.count == 2 else {
        throw UsageError("voice models import: name the folder the files are in.")
      }
      return try importFiles(from: URL(filePath: arguments.words[1]), to: shelf)
    case .some(let word):
      throw UsageError(
        "voice models: unknown word \"\(word)\". `voice models --help` shows what it takes.")
    }
  }

  private static func list(_ shelf: ModelShelf) -> Int32 {
    var missing = 0
    for file in shelf.files {
      let state = shelf.state(of: file)
      if state != .verified { missing += 1 }
      let size = String(format: "%7.1f MB", Double(file.bytes) / 1e6)
      StandardOutput.line(
        "\("\(state)".padding(to: 9)) \(file.name.padding(to: 40)) \(size)  "
          + "\(file.licence.padding(to: 14)) \(file.origin)")
    }
    if missing > 0 {
      StandardOutput.line(
        "\(missing) of \(shelf.files.count) are missing or damaged. Fetch them: make setup")
    }
    return missing == 0 ? 0 : 1
  }

  private static func importFiles(from folder: URL, to shelf: ModelShelf) throws(FileFault)
    -> Int32
  {
    var imported = 0
    for file in shelf.files {
      guard let source = shelf.find(file, in: folder) else { continue }
      try shelf.take(file, from: source)
      StandardOutput.line("imported  \(file.name)")
      imported += 1
    }
    guard imported > 0 else {
      throw FileFault(
        "\(folder.path) holds none of the \(shelf.files.count) model files with the right content. "
          + "`voice models list` names them.")
    }
    StandardOutput.line("Run `make setup` to convert and build what is left.")
    return 0
  }
}
