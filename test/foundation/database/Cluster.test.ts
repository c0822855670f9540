import { describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Location from "../../../src/foundation/database/Location.ts"
import { databaseFolder } from "../../folder.ts"
import { it } from "../../harness.ts"
import { until } from "../../waiting.ts"

describe("the embedded server", () => {
  it("is started again after it has ended by itself", function* () {
    const directory = yield* databaseFolder
    const provider = ConfigProvider.fromMap(new Map([["FINDABLE_DATA_DIR", directory]]))
    const context = yield* Layer.build(Location.layer).pipe(Effect.withConfigProvider(provider))
    const pid = Effect.try(() =>
      Number(readFileSync(join(directory, "postgres/data/postmaster.pid"), "utf8").split("\n")[0])
    )
    const first = yield* pid
    process.kill(first, "SIGKILL")
    const { connection } = yield* Effect.provide(Location.Location, context)
    const answers = Effect.scoped(
      Effect.flatMap(PgClient.make(connection), (sql) => sql<{ one: number }>`SELECT 1 AS one`)
    ).pipe(Effect.provide(Reactivity.layer), Effect.option)
    // The file does not exist between both servers.
    yield* until(
      Effect.orElseSucceed(pid, () => first),
      (now) => now !== first,
      "200 millis"
    )
    yield* until(answers, ({ _tag }) => _tag === "Some", "200 millis")
    expect(yield* pid).not.toBe(first)
  })
})
