import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RetentionRepo } from "../../../src/features/visibility/Runs.ts"
import * as Worker from "../../../src/features/visibility/Schedules.ts"
import * as Aging from "../../../src/foundation/database/Aging.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { asking, configured, layer, nodes } from "./asking.ts"

const it = suite(layer)

/** Workers that start what is due. */
const starters = (count: number) =>
  Effect.flatMap(configured, (settings) =>
    Effect.replicateEffect(Layer.build(Layer.provide(Layer.fresh(Worker.layer), settings)), count)
  )

describe("a schedule of runs", () => {
  it.effect("is made, read, listed, changed and deleted by its owner alone", () =>
    Effect.gen(function* () {
      const { path, project, send } = yield* asking(0)
      const made = yield* send("POST", "schedules", { engines: ["openai"], every: "7d" })
      expect([made.status, made.body.data]).toEqual([
        201,
        {
          created_at: expect.any(String),
          engines: ["openai"],
          every: "7d",
          id: expect.any(String),
          last_run_id: null,
          last_skipped: null,
          next_at: expect.any(String),
          project_id: project,
          repeats: 5
        }
      ])
      const one = `schedules/${made.body.data.id}`
      expect(made.headers.get("location")).toEndWith(`${path}/geo/${one}`)
      expect((yield* send("GET", "schedules")).body.data).toEqual([made.body.data])
      const terms = { engines: ["xai", "openai"], every: "30d", repeats: 3 }
      expect((yield* send("PATCH", one, terms)).body.data).toEqual({ ...made.body.data, ...terms })
      expect((yield* send("PATCH", one, { repeats: 4 })).body.data).toMatchObject({ ...terms, repeats: 4 })
      const stranger = yield* asking(0)
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const body = method === "PATCH" ? {} : undefined
        expect((yield* stranger.send(method, one, body)).status).toBe(404)
        expect((yield* Server.send(method, `${path}/geo/${one}`, { body, key: stranger.key })).status).toBe(404)
      }
      expect((yield* send("DELETE", one)).status).toBe(204)
      expect((yield* send("GET", one)).status).toBe(404)
    })
  )

  it.effect("is refused where it is wrong, and beyond twenty of a project, also of twelve made at once", () =>
    Effect.gen(function* () {
      const { account, project, send } = yield* asking(0)
      const sql = yield* SqlClient.SqlClient
      for (const [body, field] of [
        [{ engines: ["xai"] }, "every"],
        [{ engines: ["xai"], every: "5h" }, "every"],
        [{ every: "1d" }, "engines"],
        [{ engines: [], every: "1d" }, "engines"],
        [{ engines: ["gemini"], every: "1d" }, "engines.0"],
        [{ engines: ["xai"], every: "1d", repeats: 11 }, "repeats"]
      ] as const) {
        const refused = yield* send("POST", "schedules", body)
        expect([body, refused.status, refused.body.error?.details?.[0]?.path]).toEqual([body, 422, field])
      }
      yield* sql`INSERT INTO visibility_schedules (account_id, project_id, every, every_minutes, engines, repeats)
        SELECT ${account}, ${project}, '1d', 1440, '{xai}', 1 FROM generate_series(1, 15)`
      const made = yield* Effect.replicateEffect(send("POST", "schedules", { engines: ["xai"], every: "1d" }), 12, {
        concurrency: "unbounded"
      })
      expect(made.filter(({ status }) => status === 201).length).toBe(5)
      expect(made.filter(({ status }) => status === 422).length).toBe(7)
    })
  )

  it.effect("starts one run a slot, whatever the number of workers, and says why none was started", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const due = yield* asking(1)
      const empty = yield* asking(0)
      const make = ({ send }: typeof due) =>
        Effect.map(send("POST", "schedules", { engines: ["xai"], every: "6h", repeats: 1 }), ({ body }) => body.data.id)
      const [id, other] = [yield* make(due), yield* make(empty)]
      yield* sql`UPDATE visibility_schedules SET next_at = next_at - interval '25 hours' WHERE id = ${id}`
      yield* starters(3)
      const get = ({ send }: typeof due, id: string) =>
        Effect.map(send("GET", `schedules/${id}`), ({ body }) => body.data)
      const started = yield* until(get(due, id), ({ last_run_id }) => last_run_id !== null)
      const runs = (yield* due.send("GET", "runs")).body.data
      expect(runs).toMatchObject([{ engines: ["xai"], id: started.last_run_id, repeats: 1, status: "queued" }])
      expect(Date.parse(started.next_at)).toBeGreaterThan(Date.now())
      const skipped = yield* until(get(empty, other), ({ last_skipped }) => last_skipped !== null)
      expect(skipped.last_skipped.reason).toContain("has no prompts")
      // The run waits for a worker: the next slot finds it in progress.
      yield* sql`UPDATE visibility_schedules SET next_at = clock_timestamp() WHERE id = ${id}`
      const again = yield* until(get(due, id), ({ last_skipped }) => last_skipped !== null)
      expect(again.last_skipped.reason).toContain("in progress")
      expect((yield* due.send("GET", "runs")).body.data.length).toBe(1)
    })
  )
})

describe("old runs", () => {
  it.effect("are removed with their answers; baselines and the newest run of each engine stay", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { batch } = yield* Effect.provide(RetentionRepo, RetentionRepo.Default)
      const { ended, send, start } = yield* asking(1)
      yield* nodes(1)
      const ids: Array<string> = []
      for (const engines of [["xai"], ["openai"], ["xai"], ["xai"], ["xai", "perplexity"]]) {
        const { body } = yield* start({ engines, repeats: 1 })
        ids.push((yield* ended(body.data.id)).id)
      }
      yield* sql`UPDATE visibility_runs SET finished_at = finished_at - interval '40 days' WHERE id = ANY (${ids}::uuid[])`
      const [first = "", second = "", , , last = ""] = ids
      yield* Aging.purge(batch, 30)
      // The first is the baseline of xAI, the second the newest of OpenAI, the last of xAI and Perplexity.
      const kept = (yield* send("GET", "runs")).body.data.map(({ id }: { id: string }) => id)
      expect(kept).toEqual([last, second, first])
      const left = yield* sql<{
        id: string
      }>`SELECT DISTINCT run_id AS id FROM visibility_calls WHERE run_id = ANY (${ids}::uuid[])`
      expect(left.length).toBe(3)
    })
  )
})
