import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { keys } from "./engines.ts"

/** A run that a server with these settings is asked for, by dry run and in earnest. */
const refused = (engine: string) =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const path = `/api/v1/projects/${id}/geo`
    yield* Server.send("POST", `${path}/prompts`, { body: { text: "Who mends shoes?" }, key })
    const dry = yield* Server.send("POST", `${path}/runs`, { body: { dry_run: true, engines: [engine] }, key })
    const { body, status } = yield* Server.send("POST", `${path}/runs`, { body: { engines: [engine] }, key })
    return { body, dry, status }
  })

const behaviours: ReadonlyArray<
  readonly [name: string, settings: Record<string, string>, engine: string, setting: string]
> = [
  ["without a key", { FINDABLE_GEO_DAILY_USD: "5" }, "perplexity", "FINDABLE_PERPLEXITY_KEY"],
  ["without a budget", { FINDABLE_XAI_KEY: keys.xai }, "xai", "FINDABLE_GEO_DAILY_USD"]
]

for (const [name, settings, engine, setting] of behaviours) {
  const layer: Layer.Layer<Layer.Layer.Success<typeof Server.layer>, unknown> = Server.layerWith(settings)
  const it = suite(layer)
  it(`${name} an engine is not asked, and the answer names the setting; a dry run is answered`, function* () {
    const { body, dry, status } = yield* refused(engine)
    expect([status, body.error.code]).toEqual([409, "not_configured"])
    expect(body.error.message).toContain(setting)
    expect([dry.status, dry.body.data.calls]).toEqual([200, 5])
  })
}

const unpriced = suite(Server.layerWith({ FINDABLE_OPENAI_KEY: keys.openai, FINDABLE_OPENAI_MODEL: "gpt-12" }))
unpriced("a model without a price is refused, also by a dry run", function* () {
  const { body, dry, status } = yield* refused("openai")
  for (const answer of [{ body, status }, dry])
    expect([answer.status, answer.body.error.details]).toEqual([
      422,
      [{ message: expect.stringContaining("FINDABLE_GEO_PRICES"), path: "engines.0" }]
    ])
})
