/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs some statements of SQLite: tables, indexes, joins, aggregates, windows, JSON, views, triggers, full text and
 * transactions, in a database in memory. For bench/coverage_program.sh. */
#include <sqlite3.h>
#include <stdio.h>

static const char *const statements[] = {
    "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT CHECK(age >= 0), town TEXT)",
    "CREATE TABLE town(name TEXT PRIMARY KEY, people INT DEFAULT 0) WITHOUT ROWID",
    "CREATE INDEX by_town ON person(town, age DESC)",
    "CREATE UNIQUE INDEX by_name ON person(name) WHERE age > 10",
    "CREATE VIEW adult AS SELECT name, town FROM person WHERE age >= 18",
    "CREATE TRIGGER counted AFTER INSERT ON person BEGIN UPDATE town SET people = people + 1 WHERE name = "
    "new.town; END",
    "INSERT INTO town(name) VALUES ('Aachen'), ('Bern'), ('Cork')",
    "BEGIN",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO person(name, "
    "age, town) "
    "SELECT 'person ' || i, i * 7 % 90, substr('AachenBern  Cork  ', 1 + 6 * (i % 3), 6) FROM n",
    "UPDATE person SET town = trim(town), age = age + 1 WHERE id % 2",
    "COMMIT",
    "SELECT town, count(*), avg(age), group_concat(name, ';') FROM person GROUP BY town HAVING max(age) > 20 "
    "ORDER BY 2 DESC",
    "SELECT a.name, b.name FROM adult a LEFT JOIN town b ON a.town = b.name WHERE a.name LIKE '%7_' LIMIT 50 "
    "OFFSET 3",
    "SELECT name, rank() OVER (PARTITION BY town ORDER BY age), sum(age) OVER (ROWS 3 PRECEDING) FROM person "
    "LIMIT 100",
    "SELECT DISTINCT age FROM person WHERE town IN (SELECT name FROM town) EXCEPT SELECT 5 UNION SELECT 1000",
    "SELECT printf('%08.3f %s %x', 3.14159, quote('it''s'), 255), hex(zeroblob(4)), round(2.5), abs(-3), "
    "typeof(NULL)",
    "SELECT strftime('%Y-%m-%d %H:%M:%S', 1234567890, 'unixepoch', '+1 month'), julianday('2000-01-01')",
    "SELECT json_extract('{\"a\":[1,2,{\"b\":\"c\"}]}', '$.a[2].b'), json_group_array(age) FROM person WHERE "
    "id < 9",
    "SAVEPOINT one",
    "DELETE FROM person WHERE id BETWEEN 100 AND 900 OR name GLOB '*5'",
    "ROLLBACK TO one",
    "RELEASE one",
    "ALTER TABLE person ADD COLUMN note TEXT DEFAULT 'none'",
    "INSERT INTO person(id, name, age) VALUES (1, 'again', 3) ON CONFLICT(id) DO UPDATE SET note = "
    "excluded.name",
    "ANALYZE",
    "CREATE VIRTUAL TABLE page USING fts5(title, body)",
    "INSERT INTO page SELECT name, town || ' is where ' || name || ' lives' FROM person",
    "SELECT title, bm25(page), snippet(page, 1, '<', '>', '..', 5) FROM page WHERE page MATCH 'bern AND "
    "liv*' LIMIT 20",
    "EXPLAIN QUERY PLAN SELECT * FROM person WHERE town = 'Bern' AND age BETWEEN 3 AND 9",
    "REINDEX",
    "VACUUM",
    "PRAGMA integrity_check",
    "SELEC nothing",
    "DROP VIEW adult",
};

static int count_row(void *rows, int columns, char **values, char **names)
{
    (void)columns, (void)values, (void)names;
    ++*(int *)rows;
    return 0;
}

int main(void)
{
    sqlite3 *db;
    int rows = 0, failed = 0;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        return 1;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        failed += sqlite3_exec(db, statements[i], count_row, &rows, NULL) != SQLITE_OK;
    printf("%d rows, %d failed\n", rows, failed);
    sqlite3_close(db);
    return failed != 1;
}
