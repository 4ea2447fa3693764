import Providers
public import SessionsModel

extension RouterEnvironment {
  /// Refuses models that lead to no provider (R34).
  ///
  /// - Throws: `unroutable_model`, naming the model.
  public func checkModels(_ models: ModelOverwrites) throws(APIError) {
    func check(_ kind: String, _ name: String?, _ routes: (String) -> Bool) throws(APIError) {
      guard let name, !name.isEmpty, !routes(name) else { return }
      throw APIError(.unroutableModel, "The \(kind) \(name) leads to no provider of this router.")
    }
    try check("llm", models.llm) { providers.languageModel($0) != nil }
    try check("stt", models.stt) { providers.speechToText($0) != nil }
    try check("tts", models.tts) { providers.textToSpeech($0) != nil }
    try check("sts", models.sts) { providers.speechToSpeech($0) != nil }
    // No provider of this kind exists yet.
    try check("search", models.search) { _ in false }
  }
}
