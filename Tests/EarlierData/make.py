#!/usr/bin/env python3
"""Lays out the data of the first version, as a machine that ran it has them.

    make.py FOLDER          writes router.yaml and sessions.db there
    make.py FOLDER --check  exit 1 unless what was in them is still there, whatever came on top
"""

import json
import pathlib
import sqlite3
import sys

ROUTER = """\
# Written at the first start. Keep it secret: it holds the key pair of this router.
listen: 127.0.0.1:8787

apps:
  - key: key_0123456789ab
    secret: 5f0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9ea

default_agent: assistant

agents:
  - name: assistant
    instructions: >-
      You are a helpful voice assistant. Your words are spoken aloud, so answer in one or two
      short sentences of plain language, without lists, markdown or emoji. Say so when you do
      not know something.
    turn:
      silence_ms: 500
"""

# The tables as the first version made them.
TABLES = """
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, id TEXT NOT NULL,
  owner_kind TEXT NOT NULL, user_id TEXT NOT NULL, agent TEXT NOT NULL, agent_id TEXT NOT NULL,
  config_id TEXT, project_id TEXT, state TEXT NOT NULL, modality TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, custom TEXT NOT NULL,
  search TEXT NOT NULL, detail TEXT NOT NULL, UNIQUE (app, id));
CREATE INDEX sessions_by_activity ON sessions (app, updated_at DESC, id DESC);
CREATE INDEX sessions_by_owner ON sessions (app, user_id, owner_kind, updated_at DESC, id DESC);
CREATE INDEX sessions_live ON sessions (app, id) WHERE state = 'live';
CREATE TABLE turns (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE, id TEXT NOT NULL,
  request_id TEXT NOT NULL, is_rewound INTEGER NOT NULL, detail TEXT NOT NULL,
  UNIQUE (session, id), UNIQUE (session, request_id));
CREATE INDEX turns_in_order ON turns (session, position);
CREATE TABLE items (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  response_id TEXT NOT NULL, ordinal INTEGER NOT NULL, detail TEXT NOT NULL,
  UNIQUE (session, response_id, ordinal));
CREATE INDEX items_in_order ON items (session, position);
CREATE TABLE messages (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE, id TEXT NOT NULL,
  detail TEXT NOT NULL, UNIQUE (session, id));
CREATE INDEX messages_in_order ON messages (session, position);
PRAGMA user_version = 1;
"""

APP = "key_0123456789ab"
ENDED = "01a22dbc-bdfc-793b-ab5f-6748efe2790e"
# The machine lost power while this one was live.
LIVE = "01a22e09-0756-7b1b-9fda-14c4c6b63144"
TURN = "01a22e09-13d4-70a0-b1b9-ece5de37284a"
BEGUN = 1796063673852
SAID = "What is the capital of France?"
ANSWER = "The capital of France is Paris."
WHEN = "2026-11-30T19:57:56.564Z"


def session(identifier, state):
    detail = {
        "agent": "assistant", "agent_id": "assistant", "app": APP,
        "conversation_id": f"agent:assistant-{identifier}", "created_at": BEGUN,
        "id": identifier, "incognito": False,
        "labels": {"custom": {}, "description_frozen": False, "tags": {}, "title_frozen": False},
        "modality": "voice", "owner_kind": "user",
        "settings": {"further": {}, "models": {}, "tool_timeout_ms": 0, "tools": []},
        "state": state, "updated_at": BEGUN + 4704526,
        "usage": {"cached_input_tokens": 0, "cost_micros": 0, "input_tokens": 0,
                  "output_tokens": 0, "requests": 0},
        "user_id": "owner", "voice_on": state == "live",
    }
    if state == "ended":
        detail["closed_at"] = detail["updated_at"]
    return (APP, identifier, "user", "owner", "assistant", "assistant", None, None, state,
            "voice", BEGUN, detail["updated_at"], "{}", "assistant", json.dumps(detail))


def fill(database):
    database.executescript(TABLES)
    columns = ("app, id, owner_kind, user_id, agent, agent_id, config_id, project_id, state,"
               " modality, created_at, updated_at, custom, search, detail")
    marks = ", ".join("?" * 15)
    for row in (session(ENDED, "ended"), session(LIVE, "live")):
        database.execute(f"INSERT INTO sessions ({columns}) VALUES ({marks})", row)
    turn = {
        "answer": ANSWER, "created_at": BEGUN, "finished_at": BEGUN + 1810, "id": TURN,
        "interrupted": False, "origin": "spoken", "request_id": TURN, "rewound": False,
        "said": SAID, "session_id": LIVE, "status": "completed",
    }
    database.execute("INSERT INTO turns (session, id, request_id, is_rewound, detail)"
                     " VALUES (2, ?, ?, 0, ?)", (TURN, TURN, json.dumps(turn)))
    item = {"at": WHEN, "kind": "said", "ordinal": 0, "response_id": TURN, "session_id": LIVE,
            "text": SAID}
    database.execute("INSERT INTO items (session, response_id, ordinal, detail)"
                     " VALUES (2, ?, 0, ?)", (TURN, json.dumps(item)))
    message = {
        "created_at": WHEN, "id": f"{TURN}-user", "role": "user", "text": SAID,
        "updated_at": WHEN, "user_id": "owner",
        "extra": {"request_id": TURN, "response_id": TURN, "spoken": True},
    }
    database.execute("INSERT INTO messages (session, id, detail) VALUES (2, ?, ?)",
                     (message["id"], json.dumps(message)))
    database.commit()


def is_kept(folder):
    """Whether both sessions and the turn are there, and a newer session beside them."""
    database = sqlite3.connect(folder / "sessions.db")
    sessions = [row[0] for row in database.execute("SELECT id FROM sessions")]
    details = [json.loads(row[0]) for row in database.execute("SELECT detail FROM turns")]
    said = any(detail["said"] == SAID and detail["id"] == TURN for detail in details)
    return (ENDED in sessions and LIVE in sessions and said and len(sessions) > 2
            and (folder / "router.yaml").read_text() == ROUTER)


def main(arguments):
    if not arguments or set(arguments[1:]) - {"--check"}:
        print(__doc__, file=sys.stderr)
        return 64
    folder = pathlib.Path(arguments[0])
    if "--check" in arguments:
        if is_kept(folder):
            print(f"passed the data of the first version are still in {folder}")
            return 0
        print(f"FAILED the data of the first version are not in {folder} any more")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    router = folder / "router.yaml"
    router.write_text(ROUTER)
    router.chmod(0o600)
    with sqlite3.connect(folder / "sessions.db") as database:
        fill(database)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
