"""The tables of a felix database, as named steps; a step that was ever released does not change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from felix_events.store.strangers import M017

APPLICATION_ID: Final = 0x464C5831
"""`PRAGMA application_id` of a felix database: the letters FLX1."""

LOG_TABLE: Final = "events"

LANE: Final = "lower(substr(recipient, length(rtrim(recipient, replace(recipient, '@', ''))) + 1))"
"""The lane of a letter in SQL, for the older steps: all behind the last @ of its recipient."""

_M001: Final = (
    """CREATE TABLE events (
        game_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        body BLOB NOT NULL,
        range BLOB NOT NULL,
        private_record BLOB,
        PRIMARY KEY (game_id, version)
    ) STRICT""",
    # INSERT OR REPLACE deletes without asking a DELETE trigger: so no row may be inserted over another,
    # neither by its key nor by its rowid.
    """CREATE TRIGGER events_next_version BEFORE INSERT ON events
        WHEN NEW.version IS NOT
            (SELECT coalesce(max(version), 0) + 1 FROM events WHERE game_id = NEW.game_id)
        BEGIN SELECT RAISE(ABORT, 'not the next version of this log'); END""",
    """CREATE TRIGGER events_free_place BEFORE INSERT ON events
        WHEN EXISTS (SELECT 1 FROM events WHERE rowid = NEW.rowid)
        BEGIN SELECT RAISE(ABORT, 'this place in the log is taken'); END""",
    """CREATE TRIGGER events_no_update BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'the log is never rewritten'); END""",
    """CREATE TRIGGER events_no_delete BEFORE DELETE ON events
        BEGIN SELECT RAISE(ABORT, 'the log is never rewritten'); END""",
    """CREATE TABLE games (
        game_id TEXT PRIMARY KEY,
        table_name TEXT NOT NULL,
        kind TEXT NOT NULL,
        created_at TEXT NOT NULL,
        seed BLOB,
        state TEXT NOT NULL,
        size INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE addresses (
        address TEXT PRIMARY KEY,
        player_id TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX addresses_player ON addresses (player_id)",
    """CREATE TABLE seats (
        game_id TEXT NOT NULL REFERENCES games (game_id),
        seat INTEGER NOT NULL,
        player_id TEXT NOT NULL,
        name TEXT NOT NULL,
        secret BLOB NOT NULL,
        PRIMARY KEY (game_id, seat),
        UNIQUE (game_id, player_id)
    ) STRICT""",
    """CREATE TABLE inbox (
        mail_id INTEGER PRIMARY KEY,
        received_at TEXT NOT NULL,
        recipient TEXT NOT NULL,
        sender TEXT NOT NULL,
        raw BLOB NOT NULL,
        sha256 TEXT NOT NULL,
        state TEXT NOT NULL DEFAULT 'new',
        tries INTEGER NOT NULL DEFAULT 0,
        key TEXT,
        note TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX inbox_new ON inbox (mail_id) WHERE state = 'new'",
    "CREATE INDEX inbox_key ON inbox (key) WHERE key IS NOT NULL",
    """CREATE TABLE commands (
        command_id TEXT PRIMARY KEY,
        game_id TEXT NOT NULL,
        outcome TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE letters (
        letter_id INTEGER PRIMARY KEY,
        game_id TEXT NOT NULL,
        seat INTEGER NOT NULL,
        recipient TEXT NOT NULL,
        message_id TEXT NOT NULL UNIQUE,
        raw BLOB NOT NULL,
        created_at TEXT NOT NULL,
        next_at TEXT NOT NULL,
        state TEXT NOT NULL DEFAULT 'ready',
        tries INTEGER NOT NULL DEFAULT 0,
        note TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX letters_ready ON letters (next_at) WHERE state = 'ready'",
    """CREATE TABLE notices (
        notice_id INTEGER PRIMARY KEY,
        game_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        kind TEXT NOT NULL,
        about TEXT NOT NULL,
        turn INTEGER NOT NULL,
        due_at TEXT NOT NULL,
        payload TEXT NOT NULL,
        settled INTEGER NOT NULL DEFAULT 0,
        letter_id INTEGER REFERENCES letters (letter_id),
        UNIQUE (game_id, version, seat, kind, about)
    ) STRICT""",
    "CREATE INDEX notices_owed ON notices (due_at) WHERE settled = 0",
    """CREATE TABLE due (
        game_id TEXT NOT NULL,
        seat INTEGER NOT NULL,
        kind TEXT NOT NULL,
        turn INTEGER NOT NULL,
        due_at TEXT NOT NULL,
        PRIMARY KEY (game_id, seat, kind, turn)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX due_at ON due (due_at)",
    """CREATE TABLE secrets (
        name TEXT PRIMARY KEY,
        value BLOB NOT NULL
    ) STRICT""",
)


_M002: Final = (
    "ALTER TABLE addresses ADD COLUMN score REAL NOT NULL DEFAULT 0",
    "ALTER TABLE addresses ADD COLUMN scored_at TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE addresses ADD COLUMN stopped TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE letters ADD COLUMN sender TEXT NOT NULL DEFAULT ''",
    """CREATE TABLE questions (
        game_id TEXT NOT NULL,
        seat INTEGER NOT NULL,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        turn INTEGER NOT NULL,
        mail_id INTEGER NOT NULL REFERENCES inbox (mail_id),
        text TEXT NOT NULL,
        asked_at TEXT NOT NULL,
        state TEXT NOT NULL DEFAULT 'open',
        PRIMARY KEY (game_id, seat, number)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE held (
        mail_id INTEGER PRIMARY KEY REFERENCES inbox (mail_id),
        player_id TEXT NOT NULL,
        sender TEXT NOT NULL,
        confirmed INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    "CREATE INDEX held_player ON held (player_id, sender)",
    "CREATE INDEX seats_player ON seats (player_id)",
    # The states that an operator asks for; the others are looked for among the newest rows.
    "CREATE INDEX inbox_quarantined ON inbox (mail_id) WHERE state = 'quarantined'",
    "CREATE INDEX inbox_ignored ON inbox (mail_id) WHERE state = 'ignored'",
    "CREATE INDEX inbox_duplicate ON inbox (mail_id) WHERE state = 'duplicate'",
    "CREATE INDEX letters_failed ON letters (letter_id) WHERE state = 'failed'",
    f"CREATE INDEX letters_lane ON letters ({LANE}, next_at) WHERE state = 'ready'",
    "CREATE TABLE adopted (player_id TEXT NOT NULL, address TEXT NOT NULL, PRIMARY KEY (player_id, address))"
    " STRICT, WITHOUT ROWID",
    "CREATE INDEX notices_letter ON notices (letter_id) WHERE letter_id IS NOT NULL",
)


_M003: Final = (
    """CREATE TABLE choices (
        player_id TEXT PRIMARY KEY,
        notify TEXT NOT NULL,
        hears INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE sayings (
        game_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        salt BLOB NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (game_id, version)
    ) STRICT, WITHOUT ROWID""",
    "ALTER TABLE inbox ADD COLUMN player_id TEXT",
    "CREATE INDEX inbox_player ON inbox (player_id) WHERE player_id IS NOT NULL",
    # The address that a player chose comes before the older ones.
    "ALTER TABLE addresses ADD COLUMN chosen INTEGER NOT NULL DEFAULT 0",
    "DROP INDEX addresses_player",
    "CREATE INDEX addresses_player ON addresses (player_id, chosen DESC)",
)

_M004: Final = (
    "ALTER TABLE choices ADD COLUMN zone TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE choices ADD COLUMN \"offset\" TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE choices ADD COLUMN quiet TEXT NOT NULL DEFAULT '22:00-08:00'",
    "ALTER TABLE choices ADD COLUMN asked_zone INTEGER NOT NULL DEFAULT 0",
    # One row: when the server was last known to work.
    "CREATE TABLE heartbeat (row INTEGER PRIMARY KEY CHECK (row = 1), at TEXT NOT NULL) STRICT",
)


_M005: Final = (
    """CREATE TABLE former (
        game_id TEXT NOT NULL REFERENCES games (game_id),
        seat INTEGER NOT NULL,
        version INTEGER NOT NULL,
        player_id TEXT NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (game_id, version)
    ) STRICT""",
    "CREATE INDEX former_player ON former (player_id)",
)


_TELLING: Final = (
    "kind NOT IN ('answer', 'question', 'claim', 'farewell', 'moved', 'substitute', 'seat_closed',"
    " 'seat_lost', 'unreachable')"
)
_M006: Final = (
    # `said` is 1 for a saying, and 0 for all that happened up to this version.
    """CREATE TABLE tidings (
        game_id TEXT NOT NULL,
        seat INTEGER NOT NULL,
        letter_id INTEGER NOT NULL REFERENCES letters (letter_id),
        version INTEGER NOT NULL,
        said INTEGER NOT NULL,
        PRIMARY KEY (game_id, seat, letter_id, version, said)
    ) STRICT, WITHOUT ROWID""",
    # As far as it can be known of letters that were written before.
    "INSERT INTO tidings SELECT game_id, seat, letter_id, max(version), 0 FROM notices"  # noqa: S608 - a constant
    f" WHERE letter_id IS NOT NULL AND {_TELLING} GROUP BY game_id, seat, letter_id",
    "INSERT INTO tidings SELECT told.game_id, told.seat, max(letter_id), sayings.version, 1"
    " FROM tidings AS told JOIN sayings ON sayings.game_id = told.game_id AND sayings.version <= told.version"
    " GROUP BY told.game_id, told.seat, sayings.version",
)


_M007: Final = (
    # A row without bytes here was erased, or its bytes are not kept any more. `size` counts them unpacked,
    # `dictionary` is what `felix_events.store.packing` packed them with.
    """CREATE TABLE inbox_bytes (
        mail_id INTEGER PRIMARY KEY REFERENCES inbox (mail_id),
        size INTEGER NOT NULL,
        dictionary INTEGER NOT NULL,
        data BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE letter_bytes (
        letter_id INTEGER PRIMARY KEY REFERENCES letters (letter_id),
        size INTEGER NOT NULL,
        dictionary INTEGER NOT NULL,
        data BLOB NOT NULL
    ) STRICT""",
)
_M007_MOVED: Final = (
    "ALTER TABLE inbox DROP COLUMN raw",
    "ALTER TABLE letters DROP COLUMN raw",
    # Whoever looks for letters to send looks lane by lane.
    "DROP INDEX letters_ready",
)

_M008: Final = (
    # Before an insert, a rowid that SQLite is still to give is -1. Looking for that would read the first page
    # of the log for every event of every game, and nobody could play on if that one page were damaged.
    "DROP TRIGGER events_free_place",
    """CREATE TRIGGER events_free_place BEFORE INSERT ON events
        WHEN NEW.rowid != -1 AND EXISTS (SELECT 1 FROM events WHERE rowid = NEW.rowid)
        BEGIN SELECT RAISE(ABORT, 'this place in the log is taken'); END""",
    """CREATE TRIGGER events_real_place AFTER INSERT ON events WHEN NEW.rowid < 1
        BEGIN SELECT RAISE(ABORT, 'this is no place in the log'); END""",
    """CREATE TABLE troubles (
        game_id TEXT PRIMARY KEY,
        since TEXT NOT NULL,
        why TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
)

_M009: Final = ("ALTER TABLE games ADD COLUMN clock TEXT NOT NULL DEFAULT ''",)


_M010: Final = (
    "ALTER TABLE held ADD COLUMN provider TEXT NOT NULL DEFAULT ''",
    """CREATE TABLE beliefs (
        player_id TEXT NOT NULL,
        address TEXT NOT NULL,
        provider TEXT NOT NULL,
        since TEXT NOT NULL,
        PRIMARY KEY (player_id, address, provider)
    ) STRICT, WITHOUT ROWID""",
)


_M011: Final = (
    # Whom felix has begun to forget: by what they are known, until all rows have been looked through, and how
    # far that is.
    """CREATE TABLE forgettings (
        player_id TEXT PRIMARY KEY,
        about TEXT NOT NULL,
        stage TEXT NOT NULL,
        cursor INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
)


_M012: Final = (
    # `opened_by` is the seat whose player opened the table by mail.
    "ALTER TABLE games ADD COLUMN rematch_of TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE games ADD COLUMN opened_by INTEGER",
    "CREATE INDEX games_rematch ON games (rematch_of) WHERE rematch_of != ''",
    "ALTER TABLE inbox ADD COLUMN retried INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE held ADD COLUMN keyless INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE letters ADD COLUMN maybe_arrived INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE letters ADD COLUMN alerted INTEGER NOT NULL DEFAULT 0",
    # Bounces that were counted: `report` is the id of the letter that came back, or the hash of the report.
    """CREATE TABLE bounces (
        game_id TEXT NOT NULL,
        seat INTEGER NOT NULL,
        report TEXT NOT NULL,
        PRIMARY KEY (game_id, seat, report)
    ) STRICT, WITHOUT ROWID""",
    # Letters and notices that waited as somebody was forgotten; the other id is 0.
    """CREATE TABLE leftovers (
        player_id TEXT NOT NULL,
        letter_id INTEGER NOT NULL,
        notice_id INTEGER NOT NULL,
        PRIMARY KEY (player_id, letter_id, notice_id)
    ) STRICT, WITHOUT ROWID""",
    # Which games have got back the time of an outage, or have lost what a clock ahead had given them.
    """CREATE TABLE made_good (
        game_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        since TEXT NOT NULL,
        until TEXT NOT NULL,
        PRIMARY KEY (game_id, kind, since)
    ) STRICT, WITHOUT ROWID""",
    # An older felix kept these among the commands.
    "UPDATE games SET rematch_of = opened.old FROM"
    " (SELECT game_id, substr(command_id, 9, instr(substr(command_id, 9) || '/', '/') - 1) AS old"
    " FROM commands WHERE command_id LIKE 'rematch/%') AS opened WHERE opened.game_id = games.game_id",
    "UPDATE inbox SET retried = 1 WHERE note = 'to be dealt with once more, says the operator'",
    "UPDATE letters SET maybe_arrived = 1 WHERE note LIKE 'may have arrived: %'",
    "UPDATE letters SET alerted = 1"
    " WHERE letter_id IN (SELECT CAST(substr(command_id, 7) AS INTEGER) FROM commands"
    " WHERE command_id LIKE 'alert/%')",
    "UPDATE held SET keyless = 1"
    " WHERE mail_id IN (SELECT CAST(substr(command_id, 9) AS INTEGER) FROM commands"
    " WHERE command_id LIKE 'unkeyed/%')",
    # `bounce/<letter>`, or `bounce/<game>/<seat>/<hash>`.
    "INSERT INTO bounces SELECT letters.game_id, letters.seat, letter_id FROM commands"
    " JOIN letters ON letter_id = CAST(substr(command_id, 8) AS INTEGER)"
    " WHERE command_id LIKE 'bounce/%' AND command_id NOT LIKE 'bounce/%/%'",
    "INSERT INTO bounces SELECT game_id, CAST(substr(command_id, 9 + length(game_id)) AS INTEGER),"
    " substr(command_id, length(rtrim(command_id, replace(command_id, '/', ''))) + 1)"
    " FROM commands WHERE command_id LIKE 'bounce/%/%'",
    "INSERT INTO leftovers SELECT substr(command_id, 11), iif(type = 'integer', value, 0),"
    " iif(type = 'integer', 0, CAST(substr(value, 8) AS INTEGER))"
    " FROM commands, json_each(iif(json_valid(outcome), outcome, '[]')) WHERE command_id LIKE 'forgotten/%'",
    "INSERT INTO made_good SELECT game_id, 'outage', substr(command_id, 15 + length(game_id)),"
    " json_extract(outcome, '$.until') FROM commands"
    " WHERE command_id LIKE 'clock/%/outage/%' AND json_valid(outcome)",
    # `clock/<game>/back/<since>`; `clock/<game>/back/<seat>/<when>` is the end of an absence, a command.
    "INSERT INTO made_good SELECT game_id, 'ahead', substr(command_id, 13 + length(game_id)),"
    " json_extract(outcome, '$.now') FROM commands"
    " WHERE command_id LIKE 'clock/%/back/%' AND command_id NOT LIKE 'clock/%/back/%/%'"
    " AND json_valid(outcome)",
    "DELETE FROM commands WHERE command_id LIKE 'unkeyed/%' OR command_id LIKE 'forgotten/%'"
    " OR command_id LIKE 'alert/%' OR command_id LIKE 'bounce/%'"
    " OR command_id LIKE 'clock/%/outage/%'"
    " OR (command_id LIKE 'clock/%/back/%' AND command_id NOT LIKE 'clock/%/back/%/%')",
)

_M013: Final = (
    # In which order rows were added: no store but this one numbers them by itself.
    "ALTER TABLE seats ADD COLUMN added INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE addresses ADD COLUMN added INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE former ADD COLUMN added INTEGER NOT NULL DEFAULT 0",
    "UPDATE seats SET added = rowid",
    "UPDATE addresses SET added = rowid",
    "UPDATE former SET added = rowid",
    "CREATE UNIQUE INDEX seats_added ON seats (added)",
    "CREATE UNIQUE INDEX addresses_added ON addresses (added)",
    "CREATE UNIQUE INDEX former_added ON former (added)",
    "ALTER TABLE letters ADD COLUMN lane TEXT NOT NULL DEFAULT ''",
    f"UPDATE letters SET lane = {LANE}",  # noqa: S608 - a constant
    "DROP INDEX letters_lane",
    "CREATE INDEX letters_lane ON letters (lane, next_at) WHERE state = 'ready'",
)

_M014: Final = (
    # When an order that was taken from a message is done, if nobody says otherwise.
    "ALTER TABLE questions ADD COLUMN due_at TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX questions_due ON questions (due_at) WHERE state = 'open' AND due_at != ''",
)

_M015: Final = (
    # The round, and how many cards lay open, as an order was asked about or taken.
    "ALTER TABLE questions ADD COLUMN round INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE questions ADD COLUMN turned INTEGER NOT NULL DEFAULT 0",
)

_M016: Final = (
    "ALTER TABLE choices ADD COLUMN discreet INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE choices ADD COLUMN receipts INTEGER NOT NULL DEFAULT 0",
)

_M018: Final = ("CREATE INDEX inbox_sha256 ON inbox (sha256)",)

STEPS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "m001_initial": (*_M001, f"PRAGMA application_id = {APPLICATION_ID}"),
        "m002_mail_dialogue": _M002,
        "m003_whole_life": _M003,
        "m004_time": _M004,
        "m005_substitutes": _M005,
        "m006_tidings": _M006,
        # An older felix does not open a database that has these.
        "m007_bytes": _M007,
        # By now `felix_events.store.updating` has moved the bytes.
        "m007_bytes_moved": _M007_MOVED,
        "m008_troubles": _M008,
        "m009_clocks": _M009,
        # By now it has filled in the clocks.
        "m009_clocks_filled": (),
        "m010_beliefs": _M010,
        "m011_forgettings": _M011,
        "m012_facts": _M012,
        # By now it has filled in who opened which table.
        "m012_facts_filled": (),
        "m013_order_and_lanes": _M013,
        "m014_taken": _M014,
        "m015_rows": _M015,
        "m016_glance": _M016,
        "m017_strangers": M017,
        "m018_mails_by_hash": _M018,
    }
)
"""The steps that this felix knows; a database with another one is from a newer felix."""
