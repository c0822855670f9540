import { describe, expect, mock } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

import * as Query from "../../../src/foundation/database/Query.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const source = resolve(import.meta.dir, "../../../src")
const modules = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
const text = new Map(modules.map((name) => [name, readFileSync(join(source, name), "utf8")]))
const repos = modules.flatMap((file) =>
  [...(text.get(file) ?? "").matchAll(/^export class (\w+Repo) extends/gm)].map(([, name = ""]) => ({ file, name }))
)

/** Repos without declared statements: they build statements for each request or import, and their own tests run every form. */
const undeclared = new Set(["FactsRepo", "FoundRepo", "IncomingRepo", "TextsRepo"])

/** Tables that exist only within a transaction, so that statements on them cannot be prepared alone. */
const temporary = [...text.values()].flatMap((code) =>
  [...code.matchAll(/CREATE TEMPORARY TABLE (\w+)/g)].map(([, table]) => `relation "${table}" does not exist`)
)

interface Declared {
  // A statement of any input: its values are drawn from its own schema.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly Request: Schema.Schema<any>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly execute: (request: any) => Effect.Effect<ReadonlyArray<unknown>, unknown>
}

let declared: Array<Declared> = []

// The same module, which also records the statements declared through it.
const noting = Object.fromEntries(
  Object.entries({ all: Query.all, first: Query.first, none: Query.none, one: Query.one }).map(([name, make]) => [
    name,
    (statement: Declared) => {
      declared.push(statement)
      return Reflect.apply(make, undefined, [statement])
    }
  ])
)
mock.module(join(source, "foundation/database/Query.ts"), () => ({ ...Query, ...noting }))

const it = suite(cluster.layer)

/** Values of a statement's input type: filters restrict valid values, not the statement's text. */
const requests = (schema: Declared["Request"]): ReadonlyArray<unknown> => {
  const written = Schema.encodedSchema(schema)
  return FastCheck.sample(Arbitrary.make(written), { numRuns: 40, seed: 1 })
}

/** The texts of a statement, all different ones for its inputs. */
const texts = (statement: Declared) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = new Set<string>()
    const capture = Statement.withTransformer((original) => {
      found.add(original.compile()[0])
      return Effect.succeed(sql`SELECT 1 WHERE false`)
    })
    // The statement's own code may refuse an input of the right type, such as text that is no number.
    for (const request of requests(statement.Request))
      yield* Effect.exit(capture(Effect.suspend(() => statement.execute(request))))
    return found
  })

/** PostgreSQL's error for a statement; nothing if it fits the schema. */
const faultOf = (text: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql
      .withTransaction(Effect.zipRight(sql.unsafe(`PREPARE checked AS ${text}`), sql.unsafe("DEALLOCATE checked")))
      .pipe(
        Effect.as("none"),
        Effect.catchTag("SqlError", ({ cause }) => Effect.succeed(String(cause))),
        Effect.map((fault) => (temporary.some((missing) => fault.endsWith(missing)) ? "none" : fault))
      )
  })

const isLayer = (value: unknown): value is Layer.Layer<unknown, unknown, SqlClient.SqlClient> => Layer.isLayer(value)

/** The statements that a repo declares when it is constructed. */
const statementsOf = ({ file, name }: { readonly file: string; readonly name: string }) =>
  Effect.gen(function* () {
    const module: object = yield* Effect.promise(() => import(join(source, file)))
    const repo: unknown = Object.entries(module).find(([exported]) => exported === name)?.[1]
    declared = []
    if (typeof repo === "function" && "Default" in repo && isLayer(repo.Default)) yield* Layer.build(repo.Default)
    return declared
  })

describe("every statement can be prepared against the migrated schema", () => {
  for (const repo of repos) {
    it(`${repo.name} in ${repo.file}`, function* () {
      const statements = yield* statementsOf(repo)
      expect({ repo, undeclared: statements.length === 0 }).toEqual({ repo, undeclared: undeclared.has(repo.name) })
      for (const statement of statements) {
        const sent = yield* texts(statement)
        expect({ sent: sent.size > 0, statement: String(statement.execute) }).toMatchObject({ sent: true })
        for (const text of sent) expect({ fault: yield* faultOf(text), text }).toEqual({ fault: "none", text })
      }
    })
  }

  it("every statement is declared in a repo", () =>
    Effect.sync(() => {
      const outside = modules.filter(
        // The statements of queued work and of schedules are written once. Each repo with a queue or with schedules declares them for its own table, and the
        // statement over all queues consists of them.
        (name) =>
          !repos.some(({ file }) => file === name) &&
          ![
            "features/projects/Schedules.ts",
            "foundation/database/LeaseMonitor.ts",
            "foundation/database/LeaseQueue.ts"
          ].includes(name) &&
          /Query\.(all|first|none|one)\(/.test(text.get(name) ?? "")
      )
      expect(outside).toEqual([])
    }))
})
