import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import { send } from "../../../server.ts"
import { draft, folders, layer, marketer, path, step, world } from "./designing.ts"

const it = suite(layer, { timeout: 120_000 })

/** Twelve equal requests at once: the answers that were accepted, and the codes of the others. */
const race = (ask: ReturnType<typeof step>) =>
  Effect.map(
    Effect.all(
      Array.from({ length: 12 }, () => ask),
      { concurrency: "unbounded" }
    ),
    (replies) => ({
      codes: [
        ...new Set(replies.flatMap(({ body, status }) => (status === 200 ? [] : [`${status} ${body.error.code}`])))
      ],
      wins: replies.flatMap(({ body, status }) => (status === 200 ? [body.data] : []))
    })
  )

describe("of twelve that come at once", () => {
  it("one assigns, one starts and one evaluates, and what it answered is what stays", function* () {
    const of = yield* marketer(world)
    const id = yield* draft(of, yield* folders(of.site))
    const stored = Effect.map(send("GET", `${path}/${id}`, { key: of.key }), ({ body }) => body.data)
    const assigned = yield* race(step(of, id, "assign", { pattern: "/*" }))
    expect(assigned.wins.length).toBeGreaterThan(0)
    expect((yield* stored).assignment.draws).toBe(assigned.wins.length)
    expect(assigned.wins).toContainEqual(yield* stored)
    const started = yield* race(step(of, id, "start"))
    expect(started).toEqual({ codes: ["409 conflict"], wins: [yield* stored] })
    const evaluated = yield* race(step(of, id, "evaluate"))
    expect(evaluated.codes).toEqual(["409 conflict"])
    expect(evaluated.wins.map(({ experiment }) => experiment)).toEqual([yield* stored])
  })
})
