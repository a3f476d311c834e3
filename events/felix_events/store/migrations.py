"""The tables of a felix database, as named steps; a step that was ever released does not change."""

from __future__ import annotations

from typing import Final

from sqlite_utils import Database, Migrations

APPLICATION_ID: Final = 0x464C5831
"""`PRAGMA application_id` of a felix database: the letters FLX1."""

LOG_TABLE: Final = "events"

LANE: Final = "lower(substr(recipient, length(rtrim(recipient, replace(recipient, '@', ''))) + 1))"
"""What `lane_of` says of a letter's recipient, in SQL: all that stands behind the last @."""

migrations = Migrations("felix")

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

_M009: Final = "ALTER TABLE games ADD COLUMN clock TEXT NOT NULL DEFAULT ''"


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


@migrations()
def m001_initial(db: Database) -> None:
    """The log with its guards, and the tables around it."""
    for statement in _M001:
        db.conn.execute(statement)
    db.conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")


@migrations()
def m002_mail_dialogue(db: Database) -> None:
    """Addresses that bounce or were stopped, envelope senders of letters, and questions to seats."""
    for statement in _M002:
        db.conn.execute(statement)


@migrations()
def m003_whole_life(db: Database) -> None:
    """What players choose and say, where they want their letters, and whose mail a mail was."""
    for statement in _M003:
        db.conn.execute(statement)


@migrations()
def m004_time(db: Database) -> None:
    """Where players are, when they want no mail, and when felix was last alive."""
    for statement in _M004:
        db.conn.execute(statement)


@migrations()
def m005_substitutes(db: Database) -> None:
    """Whose seats somebody else has taken."""
    for statement in _M005:
        db.conn.execute(statement)


@migrations()
def m006_tidings(db: Database) -> None:
    """Which letter told whom how much."""
    for statement in _M006:
        db.conn.execute(statement)


@migrations()
def m007_bytes(db: Database) -> None:
    """Tables for the bytes of mails and letters; an older felix does not open a database that has them."""
    for statement in _M007:
        db.conn.execute(statement)


@migrations()
def m007_bytes_moved(db: Database) -> None:
    """The last of moving the bytes to their tables; `felix_events.store.updating` has moved them by now."""
    for statement in _M007_MOVED:
        db.conn.execute(statement)


@migrations()
def m008_troubles(db: Database) -> None:
    """Which games cannot be read; an event is added without a look at the first page of the log."""
    for statement in _M008:
        db.conn.execute(statement)


@migrations()
def m009_clocks(db: Database) -> None:
    """The clock of each game, so that a list of games reads no log."""
    db.conn.execute(_M009)


@migrations()
def m009_clocks_filled(db: Database) -> None:
    """The end of filling in the clocks; `felix_events.store.updating` has filled them in by now."""


@migrations()
def m010_beliefs(db: Database) -> None:
    """By which provider a mail came that waits, and whose mail is believed that nobody vouches for."""
    for statement in _M010:
        db.conn.execute(statement)


@migrations()
def m011_forgettings(db: Database) -> None:
    """Whom felix has begun to forget."""
    for statement in _M011:
        db.conn.execute(statement)


KNOWN: Final = frozenset(
    step.__name__
    for step in (
        m001_initial,
        m002_mail_dialogue,
        m003_whole_life,
        m004_time,
        m005_substitutes,
        m006_tidings,
        m007_bytes,
        m007_bytes_moved,
        m008_troubles,
        m009_clocks,
        m009_clocks_filled,
        m010_beliefs,
        m011_forgettings,
    )
)
"""The steps that this felix knows; a database with another one is from a newer felix."""
