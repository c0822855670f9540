import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "../../../src/features/visibility/engines/Client.ts"
import * as Worker from "../../../src/features/visibility/Worker.ts"
import { promptly } from "../../promptly.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { type FakeEngines, keys, serve } from "./engines.ts"

/** The engines of a suite; each test has its own prompts. */
export class Fake extends Context.Tag("test/Fake")<Fake, FakeEngines>() {}

/** The budget of a UTC day in these tests, and the upper price of a call; an answer of OpenAI or Anthropic costs a tenth of a dollar per search. */
export const daily = 50
export const most = 1

const price = { call: most, input: 0, output: 0, search: 0.1 }

/** Settings of a server with the fake engines. */
export const settingsOf = (url: string) => ({
  FINDABLE_ANTHROPIC_KEY: keys.anthropic,
  FINDABLE_ANTHROPIC_URL: url,
  FINDABLE_GEO_DAILY_USD: String(daily),
  FINDABLE_GEO_PRICES: JSON.stringify({
    "claude-sonnet-4-5": price,
    "gpt-5-mini": price,
    "grok-4-fast-reasoning": price,
    "perplexity/sonar": price
  }),
  FINDABLE_OPENAI_KEY: keys.openai,
  FINDABLE_OPENAI_URL: url,
  FINDABLE_PERPLEXITY_KEY: keys.perplexity,
  FINDABLE_PERPLEXITY_URL: url,
  FINDABLE_XAI_KEY: keys.xai,
  FINDABLE_XAI_URL: url
})

/** Today's charges, and the sum of the calls in the database. */
export const charged = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ budget: number; calls: number }>`
    SELECT coalesce((SELECT sum(charged_usd) FROM visibility_budgets), 0)::float8 AS budget,
      (SELECT coalesce(sum(coalesce(cost_usd, reserved_usd)), 0) FROM visibility_calls)::float8 AS calls`
  return row ?? { budget: 0, calls: 0 }
})

/** Starts a day with this much of the budget left. */
export const left = (usd: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM visibility_runs`
    yield* sql`DELETE FROM visibility_budgets`
    yield* sql`INSERT INTO visibility_budgets VALUES ((clock_timestamp() AT TIME ZONE 'UTC')::date, ${daily - usd})`
  })

/** Server, database and engines. */
export const layer = Layer.unwrapScoped(
  Effect.map(serve, (fake) =>
    Layer.provideMerge(
      Layer.provideMerge(
        Layer.provide(
          Client.layer,
          Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settingsOf(fake.url)))))
        ),
        Server.layerWith(settingsOf(fake.url))
      ),
      Layer.succeed(Fake, fake)
    )
  )
).pipe(promptly)

/** Settings and services of a server with the fake engines. */
export const configured = Effect.gen(function* () {
  const { url } = yield* Fake
  const context = yield* Effect.context<Layer.Layer.Context<typeof Worker.layerNoDeps>>()
  return Layer.merge(
    Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settingsOf(url))))),
    Layer.succeedContext(context)
  )
})

/** Worker processes, until the scope ends. */
export const nodes = (count: number) =>
  Effect.flatMap(configured, (settings) =>
    Effect.replicateEffect(Layer.build(Layer.provide(Layer.fresh(Worker.layerNoDeps), settings)), count)
  )

let number = 0

/** A site with prompts, each of which contains a word unique to the site. */
export const asking = (prompts: number) =>
  Effect.gen(function* () {
    const fake = yield* Fake
    const { account, key } = yield* Server.customer()
    const word = `word${++number}x`
    const host = `${word}.example`
    const { id: project } = yield* Server.projectOf(account, `https://www.${host}/`)
    const path = `/api/v1/projects/${project}`
    yield* Server.send("PATCH", path, { body: { brand_terms: [`Brand ${word}`] }, key })
    const texts = Array.from({ length: prompts }, (_, n) => `Question ${n} of ${word}?`)
    for (const text of texts) {
      const added = yield* Server.send("POST", `${path}/geo/prompts`, { body: { text }, key })
      if (added.status === 429)
        yield* Effect.delay(Server.send("POST", `${path}/geo/prompts`, { body: { text }, key }), "1 second")
    }
    const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
      Server.send(method, `${path}/geo/${rest}`, { body, headers, key })
    const start = (body: object, headers?: Record<string, string>) => send("POST", "runs", body, headers)
    const run = (id: string) => Effect.map(send("GET", `runs/${id}`), ({ body }) => body.data)
    const ended = (id: string) => until(run(id), ({ finished_at }) => finished_at !== null, "100 millis")
    const asked = () => fake.asked.filter(({ prompt }) => prompt.includes(word))
    return { account, asked, ended, fake, host, key, path, project, run, send, start, texts, word }
  })
