import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { importing, QueueRepo } from "../../../src/features/files/Worker.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { owner } from "../rankings/storing.ts"

/** A worker that dies with each file. */
const worker = importing({
  failed: (code) => ({ code }),
  kind: "backlinks",
  name: "test import",
  run: () => Effect.dieMessage("a bug"),
  Terms: Schema.Struct({})
})

const it = suite(Layer.scopedDiscard(worker).pipe(Layer.provide(QueueRepo.Default), Layer.provideMerge(Server.layer)), {
  timeout: 60_000
})

/** Runs the import of a waiting file with this result, and returns its end. */
const ended = Effect.fnUntraced(function* (outcome: string | null) {
  const sql = yield* SqlClient.SqlClient
  const { account, site } = yield* owner
  yield* sql`
    WITH file AS (
      INSERT INTO files (account_id, project_id, kind, terms, status, hash, outcome)
      VALUES (${account}, ${site}, 'backlinks', '{}', 'queued', 'hash', ${outcome}::json) RETURNING id
    )
    INSERT INTO file_pieces (file, number, bytes) SELECT id, 0, 'bytes' FROM file`
  const file = sql`
    SELECT status, outcome, error, (SELECT count(*)::int FROM file_pieces WHERE file = files.id) AS pieces
    FROM files WHERE project_id = ${site} AND finished_at IS NOT NULL`
  return (yield* until(file, (rows) => rows.length === 1))[0]
})

describe("a waiting file", () => {
  it("is not imported again if the previous worker died after it had recorded the result", function* () {
    const kept = { error: null, outcome: { rows: 7 }, pieces: 0, status: "completed" }
    expect(yield* ended(JSON.stringify(kept.outcome))).toEqual(kept)
  })

  it("fails when a defect ends its import, and its chunks are removed", function* () {
    const failed = { error: { code: "import_failed" }, outcome: null, pieces: 0, status: "failed" }
    expect(yield* ended(null)).toEqual(failed)
  })
})
