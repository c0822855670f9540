import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Location } from "../../src/database/Location.ts"
import { openPool } from "../../src/database/Pool.ts"
import * as Cluster from "../cluster.ts"
import { suite } from "../harness.ts"

const it = suite(Cluster.layer)

const role = `findable_frugal_${process.pid}`

/** A role that may have two connections, as when a server has no more to give. */
const limited = Effect.acquireRelease(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2`)),
  () => Effect.ignore(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`DROP ROLE ${role}`)))
)

it.effect("statements wait for the connections that there are when the server gives no more", () =>
  Effect.gen(function* () {
    yield* limited
    const { connection } = yield* Location
    const pool = yield* openPool({ ...connection, username: role }, { max: 10, prepared: true })
    // As the client takes connections: by a callback.
    const ask = () =>
      new Promise<number>((resolve, reject) =>
        pool.connect((error, client, release) => {
          if (error !== undefined || client === undefined) return reject(error)
          client.query("SELECT pg_sleep(0.01)").then(({ rowCount }) => {
            release()
            resolve(rowCount ?? 0)
          }, reject)
        })
      )
    const rows = yield* Effect.promise(() => Promise.all(Array.from({ length: 30 }, ask)))
    expect(rows).toEqual(Array.from({ length: 30 }, () => 1))
    expect(pool.totalCount).toBeLessThanOrEqual(2)
  })
)
