import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { engines } from "../../../src/features/visibility/Domain.ts"
import { EngineClient } from "../../../src/features/visibility/engines/Client.ts"
import * as Worker from "../../../src/features/visibility/Worker.ts"
import { suite } from "../../harness.ts"
import { asking, charged, configured, daily, layer, left, most, nodes } from "./asking.ts"
import { answer } from "./engines.ts"

const it = suite(layer)

describe("a usage in doubt", () => {
  const told = (usage: string) => (asked: { readonly engine: (typeof engines)[number] }) => {
    const body = JSON.stringify({ ...answer(asked.engine, { text: "One" }), usage: "told" })
    return new Response(body.replace('"told"', usage))
  }
  const boundless = '{"input_tokens":1e308,"output_tokens":1e999,"cost":{"total_cost":1e999},"cost_in_usd_ticks":1e308}'
  const negative = '{"input_tokens":-5,"output_tokens":-5,"cost":{"total_cost":-5},"cost_in_usd_ticks":-5}'
  // Fifty searches, or 1.01 dollars, are more than the upper price.
  const dear =
    '{"input_tokens":1,"output_tokens":1,"server_tool_use":{"web_search_requests":50},"cost":{"total_cost":1.01},"cost_in_usd_ticks":10100000000}'

  it("is charged at the upper price, and neither other questions nor other accounts pay for it", function* () {
    yield* left(daily)
    const { asked, ended, fake, send, start, texts } = yield* asking(4)
    const other = yield* asking(1)
    const [first = "", second = "", third = ""] = texts
    fake.replies.set(first, told(boundless))
    fake.replies.set(second, told(negative))
    fake.replies.set(third, told(dear))
    const { body } = yield* start({ engines: ["anthropic", "perplexity", "xai"], repeats: 1 })
    yield* nodes(1)
    expect(yield* ended(body.data.id)).toMatchObject({ answered: 12, errors: 0, reason: null, status: "completed" })
    expect(asked().length).toBe(12)
    const sql = yield* SqlClient.SqlClient
    const costs = sql`SELECT prompt, count(*)::int AS calls FROM visibility_calls
      WHERE run_id = ${body.data.id} AND cost_usd = ${most} AND NOT cost_exact GROUP BY prompt ORDER BY prompt`
    expect(yield* costs).toEqual([first, second, third].map((prompt) => ({ calls: 3, prompt })))
    const { data } = (yield* send("GET", `answers?run_id=${body.data.id}`)).body
    expect(data.filter(({ text }: { text: string }) => text === "One").length).toBe(9)
    const { budget, calls } = yield* charged
    expect(budget).toBeCloseTo(calls, 9)
    const later = yield* other.start({ engines: ["openai"], repeats: 1 })
    expect(yield* other.ended(later.body.data.id)).toMatchObject({ answered: 1, status: "completed" })
  })

  it("cannot be stored: neither infinity nor what is no number is a cost or a charge", function* () {
    yield* left(daily)
    const sql = yield* SqlClient.SqlClient
    const { start } = yield* asking(1)
    yield* start({ engines: ["xai"], repeats: 1 })
    for (const figure of ["Infinity", "NaN", "-1"]) {
      const writes = [
        sql`UPDATE visibility_calls SET cost_usd = ${figure}::numeric`,
        sql`UPDATE visibility_calls SET reserved_usd = ${figure}::numeric`,
        sql`UPDATE visibility_budgets SET charged_usd = ${figure}::numeric`
      ]
      for (const write of writes) expect([figure, Exit.isFailure(yield* Effect.exit(write))]).toEqual([figure, true])
    }
  })

  it("of an answer that breaks the program costs the question alone", function* () {
    yield* left(daily)
    const { ended, start } = yield* asking(2)
    const { ask } = yield* EngineClient
    const breaking = EngineClient.of({
      ask: (request) => (request.engine === "xai" ? Effect.die(new RangeError("too deep")) : ask(request))
    })
    const settings = Layer.merge(yield* configured, Layer.succeed(EngineClient, breaking))
    const { body } = yield* start({ engines: ["openai", "xai"], repeats: 1 })
    yield* Layer.build(Layer.provide(Layer.fresh(Worker.layerNoDeps), settings))
    expect(yield* ended(body.data.id)).toMatchObject({ answered: 2, errors: 2, reason: null, status: "completed" })
    const { budget, calls } = yield* charged
    expect([budget, calls]).toEqual([2 * most + 0.2, 2 * most + 0.2])
  })
})
