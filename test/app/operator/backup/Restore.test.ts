import { describe, expect, spyOn } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { Connection } from "pg"
import { CatalogRepo } from "../../../../src/app/operator/backup/CatalogRepo.ts"
import { restore } from "../../../../src/app/operator/backup/Restore.ts"
import { run } from "../../../cli.ts"
import * as cluster from "../../../cluster.ts"
import { folder } from "../../../folder.ts"
import { suite } from "../../../harness.ts"
import { masterKey, sampleBytes, withKey } from "../filled.ts"

// Forged backup files, with contents that no backup has.

const it = suite(CatalogRepo.Default.pipe(Layer.provideMerge(cluster.layer), Layer.merge(BunContext.layer)))

const lines = gunzipSync(await sampleBytes())
  .toString()
  .trimEnd()
  .split("\n")
const header = JSON.parse((lines[0] ?? "").slice(3))
const footer = JSON.parse((lines.at(-1) ?? "").slice(3))
const tables = lines.slice(1, -1)

interface Parts {
  readonly header?: object
  readonly footer?: object
  readonly tables?: ReadonlyArray<string>
  readonly end?: string
}

const text = (parts: Parts) =>
  [
    `-- ${JSON.stringify({ ...header, ...parts.header })}`,
    ...(parts.tables ?? tables),
    `-- ${JSON.stringify({ ...footer, ...parts.footer })}`,
    parts.end ?? ""
  ].join("\n")

/** All tables of the file except some. */
const without = (...names: ReadonlyArray<string>): Parts => {
  let skipped = false
  const kept = tables.filter((line) => {
    if (line.startsWith("COPY ")) skipped = names.includes(line.split(" ")[1] ?? "")
    return !skipped
  })
  return { footer: { tables: footer.tables - names.length }, tables: kept }
}

const restored = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const file = join(yield* folder, "foreign.gz")
    writeFileSync(file, bytes)
    return yield* restore(file, true)
  }).pipe(Effect.scoped, withKey(masterKey))

const refusal = (parts: Parts) => Effect.map(Effect.flip(restored(gzipSync(text(parts)))), ({ message }) => message)

/** Every text sent to PostgreSQL as SQL meanwhile. */
const sentBy = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => [spyOn(Connection.prototype, "query"), spyOn(Connection.prototype, "parse")] as const),
    ([query, parse]) =>
      Effect.map(effect, (answer) => ({
        answer,
        sent: [...query.mock.calls.map(([text]) => text), ...parse.mock.calls.map(([{ text }]) => text)]
      })),
    (spies) =>
      Effect.sync(() => {
        for (const spy of spies) spy.mockRestore()
      })
  )

/** A fingerprint of the database: the identity of each table, and the rows of tables that a restore fills. */
const state = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT (SELECT json_agg(oid ORDER BY oid) FROM pg_class WHERE relnamespace = 'public'::regnamespace) AS made,
      (SELECT json_agg(name ORDER BY name) FROM accounts) AS accounts,
      (SELECT json_agg(rolname ORDER BY rolname) FROM pg_roles WHERE rolname LIKE 'findable\\_restore%') AS roles`
})

const marker = "zqzq"
const program = (file: string) => `; COPY (SELECT 1) TO PROGRAM 'touch ${file}'; --`
const month = "FOR VALUES FROM ('2026-10-01') TO ('2026-11-01')"

/** Each place of a text outside of rows in the file, with a file that has another text there. */
const places: ReadonlyArray<(garbage: string) => Parts> = [
  (format) => ({ header: { format } }),
  (made_at) => ({ header: { made_at } }),
  (secrets) => ({ header: { secrets } }),
  (name) => ({ header: { left_out: [name] } }),
  (id) => ({ header: { schema: [{ ...header.schema[0], id }, ...header.schema.slice(1)] } }),
  (file) => ({ header: { schema: [{ ...header.schema[0], file }, ...header.schema.slice(1)] } }),
  (checksum) => ({ header: { schema: [{ ...header.schema[0], checksum }, ...header.schema.slice(1)] } }),
  (name) => ({ header: { partitions: [{ ...header.partitions[0], name }] } }),
  (parent) => ({ header: { partitions: [{ ...header.partitions[0], parent }] } }),
  (bounds) => ({ header: { partitions: [{ ...header.partitions[0], bounds }] } }),
  (bounds) => ({ header: { partitions: [{ ...header.partitions[0], bounds: month + bounds }] } }),
  (tables) => ({ footer: { tables } }),
  (name) => ({ footer: { sequences: [{ last: "1", name }] } }),
  (last) => ({ footer: { sequences: [{ ...footer.sequences[0], last }] } }),
  (name) => ({ tables: [`COPY ${name} (id) FROM stdin;`, "\\."] }),
  (column) => ({ tables: [`COPY accounts (id, ${column}) FROM stdin;`, "\\."] }),
  (end) => ({ end })
]

const garbage = FastCheck.tuple(
  FastCheck.oneof(
    FastCheck.string(),
    FastCheck.fullUnicodeString(),
    FastCheck.constantFrom("'", '"', ") ", "\n", "\u001b[2J")
  ),
  FastCheck.constantFrom(program("/tmp/x"), "; RESET ROLE; --", "$$", "\\")
).map(([some, hostile]) => `${some}${marker}${hostile}`)

describe("the text of a foreign backup file", () => {
  it("never becomes SQL at any place: the file is refused in one line, and nothing is changed", function* () {
    const before = yield* state
    const tried = FastCheck.sample(FastCheck.tuple(FastCheck.constantFrom(...places), garbage), {
      numRuns: 2,
      seed: 23
    })
    for (const [place, garbage] of [
      ...places.map((place) => [place, `${marker}${program("/tmp/x")}`] as const),
      ...tried
    ]) {
      const { answer, sent } = yield* sentBy(refusal(place(garbage)))
      expect({ sent: sent.filter((text) => text.includes(marker)), text: place(garbage) }).toMatchObject({
        sent: []
      })
      expect(answer).toMatch(/^[^\p{Cc}\u2028\u2029]{10,520}$/u)
    }
    expect(yield* state).toEqual(before)
  }, 240_000)

  it("runs no program on the database's machine", function* () {
    const trace = join("/tmp", `findable-restore-${process.pid}-${crypto.randomUUID()}`)
    yield* refusal({ header: { partitions: [{ ...header.partitions[0], bounds: month + program(trace) }] } })
    expect(yield* Effect.promise(() => Bun.file(trace).exists())).toBe(false)
  })

  for (const [what, partition] of Object.entries({
    "other bounds than its month": {
      ...header.partitions[0],
      bounds: "FOR VALUES FROM ('2026-10-01') TO ('2027-11-01')"
    },
    "no bounds": { ...header.partitions[0], bounds: "DEFAULT" },
    "another table's name": { ...header.partitions[0], name: "accounts" },
    "a parent without partitions": { ...header.partitions[0], name: "accounts_2026_10", parent: "accounts" },
    "an invalid month": {
      ...header.partitions[0],
      bounds: "FOR VALUES FROM ('2026-13-01') TO ('2027-01-01')",
      name: "ranking_page_facts_2026_13"
    }
  })) {
    it(`is refused when a partition has ${what}`, function* () {
      expect(yield* refusal({ header: { partitions: [partition] } })).toStartWith(
        "The backup is damaged: its schema has no partition "
      )
    })
  }

  it("is refused when a counter belongs to another program, or exceeds its range", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE SCHEMA elsewhere CREATE SEQUENCE counter`
    const problem = "The backup is damaged: its schema has no counter "
    const of = (name: string, last: string) => refusal({ footer: { sequences: [{ last, name }] } })
    expect(yield* of("elsewhere.counter", "9")).toBe(`${problem}elsewhere.counter`)
    expect(yield* of("ranking_sites_number_seq", "9999999999")).toBe(`${problem}ranking_sites_number_seq`)
    expect(yield* sql`SELECT last_value FROM pg_sequences WHERE schemaname = 'elsewhere'`).toEqual([
      { last_value: null }
    ])
    yield* sql`DROP SCHEMA elsewhere CASCADE`
  })

  it("is refused when a table occurs twice, a migration is missing, or anything follows the last line", function* () {
    const twice = [...tables, ...tables.slice(0, tables.indexOf("\\.") + 1)]
    expect(yield* refusal({ footer: { tables: footer.tables + 1 }, tables: twice })).toContain(
      "its schema has no table accounts ("
    )
    const damaged = "The file is not a Findable backup, or it is damaged. Use another backup."
    expect(yield* refusal({ header: { schema: header.schema.slice(1) } })).toBe(damaged)
    expect(yield* refusal({ end: "more\n" })).toBe(damaged)
    const member = Buffer.concat([gzipSync(text({})), gzipSync("-- more\n")])
    expect((yield* Effect.flip(restored(member))).message).toBe(damaged)
  })

  it("is refused when one byte of its compressed data was changed", function* () {
    const bytes = gzipSync(text({}))
    // The checksum is in the last eight bytes.
    bytes.writeUInt8((bytes.at(-8) ?? 0) ^ 1, bytes.length - 8)
    expect((yield* Effect.flip(restored(bytes))).message).toBe(
      "The file is not a Findable backup, or it is damaged. Use another backup."
    )
  })

  it("is refused in one short printable line when a row does not fit, however the row is written", function* () {
    const row = `${"\\n\u001b[2J"}${"x".repeat(5000)}\tname\tfree\t2026-11-22`
    const message = yield* refusal({ tables: ["COPY accounts (id, name, plan, created_at) FROM stdin;", row, "\\."] })
    expect(message).toStartWith("The rows of accounts do not fit the table: invalid input syntax for type uuid")
    expect(message).toMatch(/^[^\p{Cc}]{10,520}$/u)
  })

  it("is refused when its first line is nested deeply", function* () {
    const nested = gzipSync(`-- ${"[".repeat(4 << 20)}\n`)
    expect((yield* Effect.flip(restored(nested))).message).toBe(
      "The file is not a Findable backup, or it is damaged. Use another backup."
    )
  })

  it("is refused when it decompresses to a line without an end", function* () {
    const bomb = gzipSync(Buffer.alloc(128 << 20, "x"))
    expect((yield* Effect.flip(restored(bomb))).message).toBe(
      "The file is not a Findable backup, or it is damaged. Use another backup."
    )
  })
})

describe("a table that is not in the backup file", () => {
  it("is named in the error, and nothing is changed", function* () {
    const before = yield* state
    expect(yield* refusal(without("projects"))).toBe("The backup is damaged: it lacks the tables projects")
    expect(yield* refusal({ ...without("plans", "audits"), header: { left_out: ["plans"] } })).toBe(
      "The backup is damaged: it lacks the tables audits"
    )
    expect(yield* state).toEqual(before)
  })

  it("is listed at the end when the header says that it is left out", function* () {
    const names = ["audits", "events", "webhook_log", "webhook_queue"]
    expect(yield* restored(gzipSync(text({ ...without(...names), header: { left_out: names } })))).toMatchObject({
      tables_left_out: "audits, events, webhook_log, webhook_queue"
    })
  })

  it("ends the restore with one line when rows refer to it, even if the header leaves it out", function* () {
    const before = yield* state
    const message = yield* refusal({ ...without("projects"), header: { left_out: ["projects"] } })
    expect(message).toMatch(/^The backup is damaged: rows of \w+ refer to missing rows: .+$/)
    expect(yield* state).toEqual(before)
  })

  it("decides the command's exit code: 0 if the header leaves it out, else 1 and one line", function* () {
    const sql = yield* SqlClient.SqlClient
    const directory = yield* folder
    const database = `findable_restored_${process.pid}`
    yield* Effect.acquireRelease(sql.unsafe(`CREATE DATABASE ${database}`), () =>
      Effect.orDie(sql.unsafe(`DROP DATABASE ${database} WITH (FORCE)`))
    )
    const url = new URL(yield* cluster.databaseUrl)
    url.pathname = `/${database}`
    const command = (parts: Parts) => {
      const file = join(directory, "a.gz")
      writeFileSync(file, gzipSync(text(parts)))
      return run({ DATABASE_URL: url.href, FINDABLE_MASTER_KEY: masterKey }, "restore", file, "--json")
    }
    expect(yield* command(without("projects"))).toEqual({
      code: 1,
      stderr: "findable: The backup is damaged: it lacks the tables projects\n",
      stdout: ""
    })
    const { code, stdout } = yield* command({ ...without("audits"), header: { left_out: ["audits"] } })
    expect({ code, tables: JSON.parse(stdout).tables_left_out }).toEqual({ code: 0, tables: "audits" })
  })
})
