import { expect } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { CatalogRepo } from "../../../src/app/operator/backup/CatalogRepo.ts"
import { restore } from "../../../src/app/operator/backup/Restore.ts"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { AccountId } from "../../../src/features/accounts/Domain.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

// Databases of versions that people run, as `bun run campaign released` made them there: every later version takes them over and tells what was told then.

const directory = resolve(import.meta.dir, "released")
const releases = readdirSync(directory).flatMap((name) =>
  name.endsWith(".backup.gz") ? [name.replace(".backup.gz", "")] : []
)

/** The key of the oldest one was drawn by its server; the others have that of the script. */
const masterKeys: Record<string, string> = { "0010": "FyaXarBOI1qDd1ljdxS/TqrSmECeBVIXZspeEulngLU=" }

const Answers = Schema.parseJson(Schema.Array(Schema.Struct({ path: Schema.String, data: Schema.Unknown })))

const it = suite(Layer.provideMerge(Layer.merge(CatalogRepo.Default, BunContext.layer), Server.layer))

const keyOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const [account] = yield* sql<{ id: string }>`SELECT id FROM accounts`
  return (yield* accounts.createKey(AccountId.make(account?.id ?? ""), ["*"], "test")).key
})

for (const name of releases) {
  it.effect(`the database of release ${name} is taken over, and answers what it answered`, () =>
    Effect.gen(function* () {
      const key = masterKeys[name] ?? Server.settings.FINDABLE_MASTER_KEY
      yield* restore(join(directory, `${name}.backup.gz`), true).pipe(
        Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_MASTER_KEY", key]])))
      )
      const caller = yield* keyOf
      const answers = yield* Schema.decode(Answers)(readFileSync(join(directory, `${name}.answers.json`), "utf8"))
      for (const { data, path } of answers) {
        const { body } = yield* Server.send("GET", `/api/v1${path}`, { key: caller })
        // Fields may have come since; none has gone, and none says anything else.
        expect({ data: body.data, path }).toMatchObject({ data, path })
      }
    })
  )
}
