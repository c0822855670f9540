import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { QueueRepo } from "../../../src/features/files/Worker.ts"
import { purge } from "../../../src/foundation/database/Aging.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { owner } from "../rankings/storing.ts"

const it = suite(Layer.provideMerge(QueueRepo.Default, Server.layer))

const path = (site: string, id: string, kind = "rankings") => `/api/v1/projects/${site}/${kind}/imports/${id}`

/** An import of search data from some days ago. */
const made = Effect.fnUntraced(function* (
  { account, site }: Effect.Effect.Success<typeof owner>,
  status: "failed" | "queued" | "receiving",
  days = 0
) {
  const sql = yield* SqlClient.SqlClient
  const error = { code: "refused", file: null, line: null, message: "no table" }
  const [row] = yield* sql<{ id: string }>`
    INSERT INTO files (account_id, project_id, kind, status, terms, hash, error, created_at, finished_at)
    SELECT ${account}, ${site}, 'rankings', ${status}, '{"format": "gsc-csv"}', CASE WHEN ${status} <> 'receiving' THEN 'hash' END,
      CASE WHEN ${status} = 'failed' THEN ${JSON.stringify(error)}::json END, at, CASE WHEN ${status} = 'failed' THEN at END
    FROM (SELECT clock_timestamp() - ${days} * interval '1 day' AS at) AS t RETURNING id`
  return row?.id ?? ""
})

describe("the record of an import", () => {
  it("is deleted after the import has ended, and not before", function* () {
    const one = yield* owner
    const over = path(one.site, yield* made(one, "failed"))
    expect((yield* Server.send("DELETE", over, one)).status).toBe(204)
    expect((yield* Server.send("GET", over, one)).status).toBe(404)
    expect((yield* Server.send("DELETE", over, one)).status).toBe(404)
    const waiting = path(one.site, yield* made(one, "queued"))
    const refused = yield* Server.send("DELETE", waiting, one)
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"])
    expect((yield* Server.send("GET", waiting, one)).body.data.status).toBe("queued")
  })

  it("is not found while its file is received, by another account, or among imports of another kind", function* () {
    const one = yield* owner
    const stranger = yield* owner
    const id = yield* made(one, "failed")
    for (const [to, key] of [
      [path(one.site, yield* made(one, "receiving")), one.key],
      [path(one.site, id), stranger.key],
      [path(stranger.site, id), stranger.key],
      [path(one.site, id, "backlinks"), one.key]
    ] as const)
      expect((yield* Server.send("GET", to, { key })).status).toBe(404)
    expect((yield* Server.send("DELETE", path(one.site, id), stranger)).status).toBe(404)
    for (const [kind, ids] of Object.entries({ backlinks: [], rankings: [id] })) {
      const { body } = yield* Server.send("GET", `/api/v1/projects/${one.site}/${kind}/imports`, one)
      expect(body.data.map((record: { id: string }) => record.id)).toEqual(ids)
    }
  })

  it("is removed when the import ended before the retention time, and kept while the import is unfinished", function* () {
    const sql = yield* SqlClient.SqlClient
    const one = yield* owner
    const { age } = yield* QueueRepo
    for (const status of ["failed", "queued", "receiving"] as const) yield* made(one, status, 31)
    yield* made(one, "failed", 29)
    expect(yield* purge(age, 30)).toBe(1)
    expect(yield* sql`SELECT status FROM files WHERE account_id = ${one.account} ORDER BY status`).toEqual([
      { status: "failed" },
      { status: "queued" },
      { status: "receiving" }
    ])
  })
})
