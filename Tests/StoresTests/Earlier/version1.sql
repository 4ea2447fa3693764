PRAGMA user_version = 1;
CREATE TABLE items (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  response_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  detail TEXT NOT NULL,
  UNIQUE (session, response_id, ordinal)
);
INSERT INTO "items" VALUES(1,5,'01a22e09-13d4-70a0-b1b9-ece5de37284a',0,'{"at":"2026-11-30T19:57:56.564Z","kind":"said","ordinal":0,"response_id":"01a22e09-13d4-70a0-b1b9-ece5de37284a","session_id":"01a22e09-0756-7b1b-9fda-14c4c6b63144","text":"What is the capital of France?"}');
INSERT INTO "items" VALUES(2,5,'01a22e09-13d4-70a0-b1b9-ece5de37284a',1,'{"at":"2026-11-30T19:57:58.374Z","kind":"answer","ordinal":1,"response_id":"01a22e09-13d4-70a0-b1b9-ece5de37284a","session_id":"01a22e09-0756-7b1b-9fda-14c4c6b63144","text":"The capital of France is Paris."}');
INSERT INTO "items" VALUES(3,5,'01a22e09-266c-7480-8764-a74b0acf850e',0,'{"at":"2026-11-30T19:58:01.324Z","kind":"said","ordinal":0,"response_id":"01a22e09-266c-7480-8764-a74b0acf850e","session_id":"01a22e09-0756-7b1b-9fda-14c4c6b63144","text":"How many days are in a week?"}');
INSERT INTO "items" VALUES(4,5,'01a22e09-266c-7480-8764-a74b0acf850e',1,'{"at":"2026-11-30T19:58:04.474Z","kind":"answer","ordinal":1,"response_id":"01a22e09-266c-7480-8764-a74b0acf850e","session_id":"01a22e09-0756-7b1b-9fda-14c4c6b63144","text":"A day is 24 hours, so a week is 7 days."}');
INSERT INTO "items" VALUES(21,6,'01a22e0e-9b43-7465-9105-1e62619c777e',0,'{"at":"2026-11-30T20:03:58.915Z","kind":"said","ordinal":0,"response_id":"01a22e0e-9b43-7465-9105-1e62619c777e","session_id":"01a22e0e-8e8b-7426-b2e0-51780945c408","text":"What is the capital of France?"}');
INSERT INTO "items" VALUES(22,6,'01a22e0e-9b43-7465-9105-1e62619c777e',1,'{"at":"2026-11-30T20:04:00.735Z","kind":"answer","ordinal":1,"response_id":"01a22e0e-9b43-7465-9105-1e62619c777e","session_id":"01a22e0e-8e8b-7426-b2e0-51780945c408","text":"The capital of France is Paris."}');
INSERT INTO "items" VALUES(23,6,'01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7',0,'{"at":"2026-11-30T20:04:03.696Z","kind":"said","ordinal":0,"response_id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7","session_id":"01a22e0e-8e8b-7426-b2e0-51780945c408","text":"How many days are in a week?"}');
INSERT INTO "items" VALUES(24,6,'01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7',1,'{"at":"2026-11-30T20:04:06.855Z","kind":"answer","ordinal":1,"response_id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7","session_id":"01a22e0e-8e8b-7426-b2e0-51780945c408","text":"A day is 24 hours, so a week is 7 days."}');
CREATE TABLE messages (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  id TEXT NOT NULL,
  detail TEXT NOT NULL,
  UNIQUE (session, id)
);
INSERT INTO "messages" VALUES(1,5,'01a22e09-13d4-70a0-b1b9-ece5de37284a-user','{"created_at":"2026-11-30T19:57:56.564Z","extra":{"request_id":"01a22e09-13d4-70a0-b1b9-ece5de37284a","response_id":"01a22e09-13d4-70a0-b1b9-ece5de37284a","spoken":true},"id":"01a22e09-13d4-70a0-b1b9-ece5de37284a-user","role":"user","text":"What is the capital of France?","updated_at":"2026-11-30T19:57:56.564Z","user_id":"owner"}');
INSERT INTO "messages" VALUES(2,5,'01a22e09-13d4-70a0-b1b9-ece5de37284a-assistant','{"created_at":"2026-11-30T19:57:58.374Z","extra":{"generating":false,"interrupted":false,"request_id":"01a22e09-13d4-70a0-b1b9-ece5de37284a","response_id":"01a22e09-13d4-70a0-b1b9-ece5de37284a","spoken":true},"id":"01a22e09-13d4-70a0-b1b9-ece5de37284a-assistant","role":"assistant","text":"The capital of France is Paris.","updated_at":"2026-11-30T19:57:58.374Z","user_id":"assistant"}');
INSERT INTO "messages" VALUES(3,5,'01a22e09-266c-7480-8764-a74b0acf850e-user','{"created_at":"2026-11-30T19:58:01.324Z","extra":{"request_id":"01a22e09-266c-7480-8764-a74b0acf850e","response_id":"01a22e09-266c-7480-8764-a74b0acf850e","spoken":true},"id":"01a22e09-266c-7480-8764-a74b0acf850e-user","role":"user","text":"How many days are in a week?","updated_at":"2026-11-30T19:58:01.324Z","user_id":"owner"}');
INSERT INTO "messages" VALUES(4,5,'01a22e09-266c-7480-8764-a74b0acf850e-assistant','{"created_at":"2026-11-30T19:58:04.474Z","extra":{"generating":false,"interrupted":false,"request_id":"01a22e09-266c-7480-8764-a74b0acf850e","response_id":"01a22e09-266c-7480-8764-a74b0acf850e","spoken":true},"id":"01a22e09-266c-7480-8764-a74b0acf850e-assistant","role":"assistant","text":"A day is 24 hours, so a week is 7 days.","updated_at":"2026-11-30T19:58:04.474Z","user_id":"assistant"}');
INSERT INTO "messages" VALUES(21,6,'01a22e0e-9b43-7465-9105-1e62619c777e-user','{"created_at":"2026-11-30T20:03:58.915Z","extra":{"request_id":"01a22e0e-9b43-7465-9105-1e62619c777e","response_id":"01a22e0e-9b43-7465-9105-1e62619c777e","spoken":true},"id":"01a22e0e-9b43-7465-9105-1e62619c777e-user","role":"user","text":"What is the capital of France?","updated_at":"2026-11-30T20:03:58.915Z","user_id":"owner"}');
INSERT INTO "messages" VALUES(22,6,'01a22e0e-9b43-7465-9105-1e62619c777e-assistant','{"created_at":"2026-11-30T20:04:00.735Z","extra":{"generating":false,"interrupted":false,"request_id":"01a22e0e-9b43-7465-9105-1e62619c777e","response_id":"01a22e0e-9b43-7465-9105-1e62619c777e","spoken":true},"id":"01a22e0e-9b43-7465-9105-1e62619c777e-assistant","role":"assistant","text":"The capital of France is Paris.","updated_at":"2026-11-30T20:04:00.735Z","user_id":"assistant"}');
INSERT INTO "messages" VALUES(23,6,'01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7-user','{"created_at":"2026-11-30T20:04:03.696Z","extra":{"request_id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7","response_id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7","spoken":true},"id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7-user","role":"user","text":"How many days are in a week?","updated_at":"2026-11-30T20:04:03.696Z","user_id":"owner"}');
INSERT INTO "messages" VALUES(24,6,'01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7-assistant','{"created_at":"2026-11-30T20:04:06.855Z","extra":{"generating":false,"interrupted":false,"request_id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7","response_id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7","spoken":true},"id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7-assistant","role":"assistant","text":"A day is 24 hours, so a week is 7 days.","updated_at":"2026-11-30T20:04:06.855Z","user_id":"assistant"}');
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  app TEXT NOT NULL,
  id TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  user_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  config_id TEXT,
  project_id TEXT,
  state TEXT NOT NULL,
  modality TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  custom TEXT NOT NULL,
  search TEXT NOT NULL,
  detail TEXT NOT NULL,
  UNIQUE (app, id)
);
INSERT INTO "sessions" VALUES(5,'app','first','user','owner','assistant','assistant',NULL,'support','ended','voice',1796068673366,1796068731278,'{"ticket":"4721","more":1}','order 1042
support
assistant','{"agent":"assistant","agent_id":"assistant","app":"app","closed_at":1796068731278,"conversation_id":"agent:assistant-01a22e09-0756-7b1b-9fda-14c4c6b63144","created_at":1796068673366,"id":"first","incognito":false,"labels":{"custom":{"more":1,"ticket":"4721"},"description_frozen":false,"project_id":"support","tags":{},"title":"Order 1042","title_frozen":false},"last_response_at":1796068731233,"modality":"voice","owner_kind":"user","settings":{"further":{},"models":{},"tool_timeout_ms":0,"tools":[{"description":"Tells where an order is.","executor":"client","name":"get_order","parameters":{"properties":{"order":{"description":"The order''s number.","type":"string"}},"required":["order"],"type":"object"}}]},"state":"ended","updated_at":1796068731278,"usage":{"cached_input_tokens":1943,"cost_micros":0,"input_tokens":1953,"output_tokens":108,"requests":10},"user_id":"owner","voice_on":false}');
INSERT INTO "sessions" VALUES(6,'app','second','user','owner','assistant','assistant',NULL,NULL,'ended','voice',1796069035659,1796069093591,'{}','grüße aus köln

assistant','{"agent":"assistant","agent_id":"assistant","app":"app","closed_at":1796069093591,"conversation_id":"agent:assistant-01a22e0e-8e8b-7426-b2e0-51780945c408","created_at":1796069035659,"id":"second","incognito":false,"labels":{"custom":{},"description_frozen":false,"tags":{},"title":"Grüße aus Köln","title_frozen":false},"last_response_at":1796069093585,"modality":"voice","owner_kind":"user","settings":{"further":{},"models":{},"tool_timeout_ms":0,"tools":[{"description":"Tells where an order is.","executor":"client","name":"get_order","parameters":{"properties":{"order":{"description":"The order''s number.","type":"string"}},"required":["order"],"type":"object"}}]},"state":"ended","updated_at":1796069093591,"usage":{"cached_input_tokens":1943,"cost_micros":0,"input_tokens":1953,"output_tokens":108,"requests":10},"user_id":"owner","voice_on":false}');
CREATE TABLE turns (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  is_rewound INTEGER NOT NULL,
  detail TEXT NOT NULL,
  UNIQUE (session, id),
  UNIQUE (session, request_id)
);
INSERT INTO "turns" VALUES(1,5,'01a22e09-13d4-70a0-b1b9-ece5de37284a','01a22e09-13d4-70a0-b1b9-ece5de37284a',0,'{"answer":"The capital of France is Paris.","created_at":1796068676564,"finished_at":1796068678374,"id":"01a22e09-13d4-70a0-b1b9-ece5de37284a","interrupted":false,"origin":"spoken","request_id":"01a22e09-13d4-70a0-b1b9-ece5de37284a","rewound":false,"said":"What is the capital of France?","session_id":"first","status":"completed"}');
INSERT INTO "turns" VALUES(3,5,'01a22e09-266c-7480-8764-a74b0acf850e','01a22e09-266c-7480-8764-a74b0acf850e',0,'{"answer":"A day is 24 hours, so a week is 7 days.","created_at":1796068681324,"finished_at":1796068684474,"id":"01a22e09-266c-7480-8764-a74b0acf850e","interrupted":false,"origin":"spoken","request_id":"01a22e09-266c-7480-8764-a74b0acf850e","rewound":false,"said":"How many days are in a week?","session_id":"first","status":"completed"}');
INSERT INTO "turns" VALUES(21,6,'01a22e0e-9b43-7465-9105-1e62619c777e','01a22e0e-9b43-7465-9105-1e62619c777e',0,'{"answer":"The capital of France is Paris.","created_at":1796069038915,"finished_at":1796069040735,"id":"01a22e0e-9b43-7465-9105-1e62619c777e","interrupted":false,"origin":"spoken","request_id":"01a22e0e-9b43-7465-9105-1e62619c777e","rewound":false,"said":"What is the capital of France?","session_id":"second","status":"completed"}');
INSERT INTO "turns" VALUES(23,6,'01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7','01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7',0,'{"answer":"A day is 24 hours, so a week is 7 days.","created_at":1796069043696,"finished_at":1796069046855,"id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7","interrupted":false,"origin":"spoken","request_id":"01a22e0e-adf0-7bd8-b3b5-799c9dbdc2e7","rewound":false,"said":"How many days are in a week?","session_id":"second","status":"completed"}');
CREATE INDEX sessions_by_activity ON sessions (app, updated_at DESC, id DESC);
CREATE INDEX sessions_by_owner
  ON sessions (app, user_id, owner_kind, updated_at DESC, id DESC);
CREATE INDEX sessions_live ON sessions (app, id) WHERE state = 'live';
CREATE INDEX turns_in_order ON turns (session, position);
CREATE INDEX items_in_order ON items (session, position);
CREATE INDEX messages_in_order ON messages (session, position);
