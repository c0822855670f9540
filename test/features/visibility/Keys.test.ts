import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"
import { engines } from "../../../src/features/visibility/Domain.ts"
import { suite } from "../../harness.ts"
import { asking, layer, nodes } from "./asking.ts"
import { answer, keys } from "./engines.ts"

/** All logs and traces of the server and its workers in this file. */
const seen: Array<string> = []

const watching = Layer.mergeAll(
  Logger.replace(
    Logger.defaultLogger,
    Logger.map(Logger.logfmtLogger, (line) => void seen.push(line))
  ),
  Layer.setTracer(
    Tracer.make({
      context: (run) => run(),
      span: (name, parent, context, links, startTime, kind) => {
        const attributes = new Map<string, unknown>()
        const note = (...parts: ReadonlyArray<unknown>) => void seen.push(parts.map(String).join(" "))
        note("span", name)
        return {
          _tag: "Span",
          addLinks: () => {},
          attribute: (key, value) => note(key, value),
          attributes,
          context,
          end: (_, exit) => note("end", JSON.stringify(exit)),
          event: (name, _, attributes) => note(name, JSON.stringify(attributes)),
          kind,
          links,
          name,
          parent,
          sampled: true,
          spanId: "0000000000000001",
          status: { _tag: "Started", startTime },
          traceId: "00000000000000000000000000000001"
        }
      }
    })
  )
)

const it = suite(Layer.provideMerge(layer, watching))

it("API keys that engines repeat in answers and errors are in no response, row, event, log or span", function* () {
  const sql = yield* SqlClient.SqlClient
  const { ended, fake, send, start, texts, word } = yield* asking(3)
  const [refused = "", broken = ""] = texts
  const echo = (status: number) => (asked: { readonly engine: (typeof engines)[number] }) =>
    Response.json(
      { error: { code: keys[asked.engine], message: `Incorrect API key: ${keys[asked.engine]}` } },
      { status }
    )
  fake.replies.set(refused, echo(400))
  fake.replies.set(broken, ({ engine }) => new Response(`{"output": "${keys[engine]}`))
  fake.replies.set(word, ({ engine }) =>
    Response.json({
      ...answer(engine, {
        text: `I was asked with ${keys[engine]}.`,
        urls: [`https://a.example/?k=${keys[engine]}`]
      }),
      model: `model ${keys[engine]}`
    })
  )
  const { body } = yield* start({ engines, repeats: 1 })
  yield* nodes(1)
  expect(yield* ended(body.data.id)).toMatchObject({ answered: 4, errors: 8 })
  const tables = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
  for (const { name } of tables) seen.push(JSON.stringify(yield* sql`SELECT t::text AS row FROM ${sql(name)} t`))
  for (const rest of ["visibility", "answers", "domains", "runs", "prompts"])
    seen.push(JSON.stringify((yield* send("GET", rest)).body))
  seen.push((yield* send("GET", "answers", undefined, { accept: "text/csv" })).body)
  const all = seen.join("\n")
  // An engine's answer is stored without the key in it, and so are spans and log lines of the worker.
  expect(all).toContain("I was asked with [key].")
  expect(all).toContain("span geo run")
  for (const key of Object.values(keys)) expect(all).not.toContain(key)
})
