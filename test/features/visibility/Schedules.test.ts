import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RetentionRepo } from "../../../src/features/visibility/Runs.ts"
import * as Worker from "../../../src/features/visibility/Schedules.ts"
import * as Aging from "../../../src/foundation/database/Aging.ts"
import { suite } from "../../harness.ts"
import { until } from "../../waiting.ts"
import { asking, configured, layer, nodes } from "./asking.ts"

const it = suite(layer)

describe("a schedule of runs", () => {
  it("has engines and repeats as options, and is refused when they are invalid", function* () {
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
    const terms = { engines: ["xai", "openai"], every: "30d", repeats: 3 }
    expect((yield* send("PATCH", one, terms)).body.data).toEqual({ ...made.body.data, ...terms })
    for (const [body, field] of [
      [{ engines: ["xai"] }, "every"],
      [{ every: "1d" }, "engines"],
      [{ engines: [], every: "1d" }, "engines"],
      [{ engines: ["gemini"], every: "1d" }, "engines.0"],
      [{ engines: ["xai"], every: "1d", repeats: 11 }, "repeats"]
    ] as const) {
      const refused = yield* send("POST", "schedules", body)
      expect([body, refused.status, refused.body.error?.details?.[0]?.path]).toEqual([body, 422, field])
    }
  })

  it("starts the run of a slot, or gives the reason why it was skipped", function* () {
    const sql = yield* SqlClient.SqlClient
    const due = yield* asking(1)
    const empty = yield* asking(0)
    const make = ({ send }: typeof due) =>
      Effect.map(send("POST", "schedules", { engines: ["xai"], every: "6h", repeats: 1 }), ({ body }) => body.data.id)
    const [id, other] = [yield* make(due), yield* make(empty)]
    const settings = yield* configured
    yield* Layer.build(Layer.provide(Worker.layer, settings))
    const get = ({ send }: typeof due, id: string) =>
      Effect.map(send("GET", `schedules/${id}`), ({ body }) => body.data)
    const started = yield* until(get(due, id), ({ last_run_id }) => last_run_id !== null)
    const runs = (yield* due.send("GET", "runs")).body.data
    expect(runs).toMatchObject([{ engines: ["xai"], id: started.last_run_id, repeats: 1, status: "queued" }])
    const skipped = yield* until(get(empty, other), ({ last_skipped }) => last_skipped !== null)
    expect(skipped.last_skipped.reason).toContain("has no prompts")
    // The run waits for a worker: the next slot finds it in progress.
    yield* sql`UPDATE visibility_schedules SET next_at = clock_timestamp() WHERE id = ${id}`
    const again = yield* until(get(due, id), ({ last_skipped }) => last_skipped !== null)
    expect(again.last_skipped.reason).toContain("in progress")
    expect((yield* due.send("GET", "runs")).body.data.length).toBe(1)
  })
})

describe("expired runs of AI visibility", () => {
  it("are removed with their answers, except baselines and the latest run of each engine", function* () {
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
    // The first is the baseline of xAI, the second the latest of OpenAI, the last that of xAI and Perplexity.
    const kept = (yield* send("GET", "runs")).body.data.map(({ id }: { id: string }) => id)
    expect(kept).toEqual([last, second, first])
    const left = yield* sql<{
      id: string
    }>`SELECT DISTINCT run_id AS id FROM visibility_calls WHERE run_id = ANY (${ids}::uuid[])`
    expect(left.length).toBe(3)
  })
})
