import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Cipher from "../../../src/foundation/secrets/Cipher.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const it = suite(cluster.layer)

/** A server that starts with this key. */
const node = (byte: number) => {
  const key = Buffer.alloc(32, byte).toString("base64")
  return Effect.scoped(Layer.build(Layer.fresh(Cipher.installationLayer))).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_MASTER_KEY", key]]))),
    Effect.asVoid
  )
}

it("the first server's key belongs to the installation, and a server with another key does not start and says why", function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.all([node(1), node(1), node(1)], { concurrency: "unbounded" })
  const error = yield* Effect.flip(node(2))
  expect(error._tag).toBe("MasterKeyChanged")
  expect(error.message).toContain("FINDABLE_MASTER_KEY")
  yield* node(1)
  const [row] = yield* sql`SELECT master_key_id FROM installation`
  expect(row?.master_key_id).toMatch(/^[0-9a-f]{16}$/)
  expect(error.message).toContain(`${row?.master_key_id}`)
})

it("one of two first servers with different keys that start together starts", function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE installation SET master_key_id = NULL`
  const started = yield* Effect.all([Effect.isSuccess(node(3)), Effect.isSuccess(node(4))], {
    concurrency: "unbounded"
  })
  expect(started.toSorted()).toEqual([false, true])
})

it("a wrong or missing master key is detected without changing anything", function* () {
  const sql = yield* SqlClient.SqlClient
  const examine = (settings: Record<string, string>) =>
    Cipher.examine.pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))),
      Effect.either
    )
  const key = (byte: number) => ({ FINDABLE_MASTER_KEY: Buffer.alloc(32, byte).toString("base64") })
  yield* sql`UPDATE installation SET master_key_id = NULL`
  expect((yield* examine(key(5)))._tag).toBe("Right")
  expect(yield* sql`SELECT master_key_id FROM installation`).toEqual([{ master_key_id: null }])
  yield* node(5)
  expect((yield* examine(key(5)))._tag).toBe("Right")
  expect(yield* examine(key(6))).toMatchObject({ _tag: "Left", left: { _tag: "MasterKeyChanged" } })
  expect(yield* examine({ FINDABLE_DATA_DIR: "/nonexistent" })).toMatchObject({ left: { given: "none" } })
})
