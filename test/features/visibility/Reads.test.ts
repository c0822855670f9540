import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { asking, layer, nodes } from "./asking.ts"
import { answer, keys } from "./engines.ts"

const it = suite(layer)

const renewed = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM visibility_budgets`)

type Asked = Effect.Effect.Success<ReturnType<typeof asking>>

/** Starts a run and waits for its end. */
const through = ({ ended, start }: Asked, body: object) =>
  Effect.flatMap(start(body), ({ body }) => ended(body.data.id))

describe("the results of a run", () => {
  it("are read as rates, answers and domains", function* () {
    yield* renewed
    const made = yield* asking(3)
    const { fake, host, key, path, send, texts, word } = made
    const brand = `Is brand ${word} good?`
    yield* Server.send("POST", `${path}/geo/prompts`, { body: { text: brand }, key })
    const say = (text: string, said: Parameters<typeof answer>[1]) =>
      fake.replies.set(text, ({ engine }) => Response.json(answer(engine, said)))
    const others = ["https://www.rival.example/a", "https://rival.example/b", "https://blog.rival.example/"]
    say(texts[0] ?? "", { text: "Yours.", urls: [`https://shop.${host}/x`, ...others] })
    say(texts[1] ?? "", { text: `I like Brand ${word}.`, urls: others })
    say(texts[2] ?? "", { searched: false, text: "From memory" })
    say(brand, { text: `I could not find Brand ${word}.`, urls: ["https://other.example/"] })
    yield* nodes(1)
    const run = yield* through(made, { engines: ["xai", "openai"], repeats: 2 })
    expect(run.status).toBe("completed")
    const visibility = yield* send("GET", "visibility")
    const row = {
      answers: 6,
      cited: { interval: [expect.any(Number), expect.any(Number)], rate: 1 / 3 },
      comparison: null,
      errors: 0,
      mentioned: { interval: [expect.any(Number), expect.any(Number)], rate: 0.5 },
      prompts: 4,
      searched_rate: 0.75
    }
    expect(visibility.body.data).toEqual([
      { ...row, engine: "xai", model: expect.stringContaining("grok") },
      { ...row, engine: "openai", model: expect.stringContaining("gpt-5-mini") }
    ])
    expect((yield* send("GET", "visibility?engine=xai")).body.data.length).toBe(1)
    expect((yield* send("GET", "visibility?engine=anthropic")).body.data).toEqual([])
    const past = { engines: visibility.body.data, finished_at: run.finished_at, run_id: run.id }
    expect((yield* send("GET", "history")).body.data).toEqual([past])
    const cited = yield* send("GET", "answers?outcome=cited&limit=3")
    expect(cited.body.data.length).toBe(3)
    expect(cited.body.data[0]).toEqual({
      citations: expect.arrayContaining([{ title: "A page", url: `https://shop.${host}/x` }]),
      cost_exact: expect.any(Boolean),
      cost_usd: expect.any(Number),
      engine: expect.any(String),
      error: null,
      id: expect.any(String),
      model: expect.any(String),
      outcome: "cited",
      prompt_id: expect.any(String),
      repeat: expect.any(Number),
      run_id: run.id,
      searched: true,
      text: "Yours."
    })
    const rest = yield* send("GET", `answers?outcome=cited&limit=3&cursor=${cited.body.meta.next_cursor}`)
    expect(new Set([...cited.body.data, ...rest.body.data].map(({ id }) => id)).size).toBe(4)
    expect((yield* send("GET", "answers?outcome=not_searched")).body.data.length).toBe(4)
    const domains = yield* send("GET", "domains?limit=2")
    expect(domains.body.data).toEqual([
      { answers: 8, domain: "blog.rival.example", instead: 4, own: false, rate: 2 / 3 },
      { answers: 8, domain: "rival.example", instead: 4, own: false, rate: 2 / 3 }
    ])
    const more = yield* send("GET", `domains?limit=2&cursor=${domains.body.meta.next_cursor}`)
    expect(more.body.data).toEqual([
      { answers: 4, domain: "other.example", instead: 4, own: false, rate: 1 / 3 },
      { answers: 4, domain: `shop.${host}`, instead: 0, own: true, rate: 1 / 3 }
    ])
    expect((yield* send("GET", "runs")).body.data).toEqual([run])
    const lines = (yield* send("GET", "answers?outcome=cited", undefined, { accept: "application/x-ndjson" })).body
    expect(
      lines
        .trim()
        .split("\n")
        .map((line: string) => JSON.parse(line))
    ).toEqual([...cited.body.data, ...rest.body.data])
    const table = (yield* send("GET", "domains", undefined, { accept: "text/csv" })).body.split("\r\n")
    expect(table.slice(0, 2)).toEqual(["domain,own,answers,instead,rate", `blog.rival.example,false,8,4,${2 / 3}`])
    const compared = yield* send("GET", `visibility?engine=xai&compare=${run.id}`)
    expect(compared.body.data[0].comparison).toEqual({
      comparable: false,
      delta: 0,
      interval: [0, 0],
      p_value: 1,
      reasons: ["too_few_prompts"]
    })
  })

  it("are refused for invalid requests, and are not found for another account", function* () {
    const mine = yield* asking(1)
    const other = yield* asking(1)
    yield* renewed
    yield* nodes(1)
    const run = yield* through(other, { engines: ["xai"], repeats: 1 })
    const unknown = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"
    for (const [rest, field] of [
      ["visibility?engine=gemini", "engine"],
      ["visibility?compare=x", "compare"],
      ["history?engine=gemini", "engine"],
      ["answers?outcome=liked", "outcome"],
      ["answers?run_id=x", "run_id"],
      ["power?prompts=0&repeats=1&rate=0.1", "prompts"],
      ["power?prompts=20&repeats=11&rate=0.1", "repeats"],
      ["power?prompts=20&repeats=1&rate=1", "rate"],
      ["power?prompts=20&repeats=1", "rate"]
    ] as const) {
      const { body, status } = yield* mine.send("GET", rest)
      expect([rest, status, body.error.details[0].path]).toEqual([rest, 422, field])
    }
    for (const rest of [`visibility?compare=${run.id}`, `answers?run_id=${run.id}`, `domains?run_id=${unknown}`])
      expect((yield* mine.send("GET", rest)).status).toBe(404)
    for (const rest of ["visibility", "history", "answers", "domains", "power?prompts=40&repeats=5&rate=0.3"])
      expect((yield* Server.send("GET", `${other.path}/geo/${rest}`, { key: mine.key })).status).toBe(404)
    const { body } = yield* mine.send("GET", "power?prompts=40&repeats=5&rate=0.3")
    expect(body.data.power_one_run).toBeCloseTo(0.8, 1)
    expect(body.data.power_told).toBeCloseTo(0.7, 1)
  })
})

describe("a change of the citation rate", () => {
  it("is published once when the next run confirms it, and no key is in any output", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* renewed
    const made = yield* asking(20)
    const { account, fake, host, word } = made
    yield* nodes(1)
    const turn = (cites: (prompt: number) => boolean) =>
      Effect.suspend(() => {
        fake.replies.set(word, ({ engine, prompt }) =>
          Response.json(
            answer(engine, {
              text: "So",
              urls: cites(Number(/\d+/.exec(prompt)?.[0])) ? [`https://${host}/`] : ["https://rival.example/"]
            })
          )
        )
        return through(made, { engines: ["xai"], repeats: 1 })
      })
    const events = Effect.map(
      sql<{ body: { data: Record<string, unknown> } }>`
        SELECT body::json AS body FROM events WHERE account_id = ${account} AND type = 'geo_score.changed' ORDER BY created_at`,
      (rows) => rows.map(({ body }) => body.data)
    )
    const few = (prompt: number) => prompt < 2
    const many = (prompt: number) => prompt < 12
    const first = yield* turn(few)
    yield* turn(many)
    expect(yield* events).toEqual([])
    // A run between both without the change starts the confirmation again.
    yield* turn(few)
    yield* turn(many)
    expect(yield* events).toEqual([])
    const told = yield* turn(many)
    const data = {
      baseline_run_id: first.id,
      basis: "run",
      current: 60,
      delta: 50,
      engine: "xai",
      interval: [expect.any(Number), expect.any(Number)],
      measured_at: expect.any(String),
      metric: "citation_rate",
      model: expect.stringContaining("grok"),
      p_value: expect.any(Number),
      previous: 10,
      project_id: made.project,
      run_id: told.id
    }
    expect(yield* events).toEqual([data])
    // The run that published the change is the baseline now.
    yield* turn(many)
    yield* turn(many)
    expect((yield* events).length).toBe(1)
    yield* turn(few)
    yield* turn(few)
    expect(yield* events).toMatchObject([data, { baseline_run_id: told.id, current: 10, delta: -50, previous: 60 }])
    const compared = yield* made.send("GET", `visibility?compare=${told.id}`)
    expect(compared.body.data[0].comparison).toMatchObject({ comparable: true, delta: -0.5, reasons: [] })
    const stored = yield* sql<{ all: string }>`
      SELECT (SELECT coalesce(string_agg(c::text, ''), '') FROM visibility_calls c) || (SELECT string_agg(e.body::text, '') FROM events e) AS all`
    const seen = JSON.stringify([stored, compared.body, yield* until(made.run(told.id), () => true)])
    for (const key of Object.values(keys)) expect(seen).not.toContain(key)
  })
})
