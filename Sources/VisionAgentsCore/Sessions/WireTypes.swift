public import SessionsModel

// The wire's own types, under the names the SDK's users know.

/// Any JSON value; written as a literal wherever one is expected.
public typealias JSONValue = SessionsModel.JSONValue
/// Models and settings of one conversation, over those of its agent.
public typealias ModelOverwrites = SessionsModel.ModelOverwrites
/// How hard a model reasons before it answers.
public typealias Thinking = SessionsModel.Thinking
/// How much a model says.
public typealias Verbosity = SessionsModel.Verbosity
/// Whether an agent holds a session.
public typealias SessionState = SessionsModel.SessionState
/// What a session has used so far: text, voice or video.
public typealias Modality = SessionsModel.Modality
/// What a session cost, over every model it called.
public typealias Usage = SessionsModel.SessionUsage
/// The order of a page of sessions, always descending.
public typealias Sort = SessionsModel.SessionSort
