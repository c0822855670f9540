import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { isNamed, isOf, judge } from "../../../../src/features/visibility/Changes.ts"
import { engines } from "../../../../src/features/visibility/Domain.ts"
import { reading } from "../../../../src/features/visibility/engines/Answer.ts"
import * as Client from "../../../../src/features/visibility/engines/Client.ts"
import { costOf, Prices } from "../../../../src/features/visibility/engines/Prices.ts"
import { effectWithTestClock, it } from "../../../harness.ts"
import { folder, isMissing } from "../../../oracles/folder.ts"
import { eventually } from "../../../waiting.ts"
import { answer, keys, recorded, serve } from "../engines.ts"

const { dialects } = Client

const question = { locale: "de-AT", text: "Who mends shoes?" }

const read = (engine: (typeof engines)[number], json: unknown) =>
  dialects[engine].read(json, dialects[engine].body("m", question))

const answered = (engine: (typeof engines)[number], json: unknown) => {
  const found = Either.getOrThrow(read(engine, json))
  if (found._tag !== "Answer") throw new Error(found._tag)
  return found
}

const oracle = (name: string) => JSON.parse(readFileSync(resolve(folder, "answers", name), "utf8"))

describe.skipIf(isMissing("answers"))("the recorded answer", () => {
  test("of OpenAI cites 7 of the 16 pages it read, without its tracking parameter", () => {
    const { citations, model, searched, usage } = answered("openai", recorded("openai"))
    expect(citations.length).toBe(7)
    expect(citations[2]).toEqual({
      title: "5 Things to Know Before the Stock Market Opens",
      url: "https://www.investopedia.com/5-things-to-know-before-the-stock-market-opens-december-5-2025-11862701"
    })
    expect([model, searched]).toEqual(["gpt-5-mini-2025-08-07", true])
    expect(usage).toEqual({ input: 19_681, output: 3773, searches: 1, usd: null })
  })

  test("of Anthropic cites 2 of the 10 pages it read", () => {
    const { citations, model, searched, text, usage } = answered("anthropic", recorded("anthropic"))
    expect(citations.map(({ url }) => url)).toEqual([
      "https://acecomments.mu.nu/?post=411647",
      "https://www.crescendo.ai/news/latest-ai-news-and-updates"
    ])
    expect([model, searched, text.includes("Caroline Ellison")]).toEqual(["claude-sonnet-4-20250514", true, true])
    expect(usage).toEqual({ input: 27_118, output: 600, searches: 2, usd: null })
  })

  test("of Perplexity cites the pages numbered in its text, at the cost it states", () => {
    const { citations, model, usage } = answered("perplexity", recorded("perplexity"))
    expect(citations).toEqual([
      { title: "TypeScript: JavaScript With Syntax For Types.", url: "https://www.typescriptlang.org/" }
    ])
    expect([model, usage?.usd]).toEqual(["openai/gpt-6-luna", 0.00119])
  })

  test("of xAI cites pages without titles", () => {
    const { citations, searched } = answered("xai", recorded("xai"))
    expect([citations.length, citations[1], searched]).toEqual([5, { title: null, url: "https://x.ai/company" }, true])
  })

  test("of an engine that refuses is a refusal", () => {
    const refusal = answered("anthropic", oracle("anthropic-refusal.json"))
    expect(judge(refusal, { host: "example.com", names: [] }).outcome).toBe("refused")
  })
})

describe("an answer", () => {
  for (const engine of engines) {
    test(`of ${engine} is parsed with its citations, and as not searched without a search`, () => {
      const urls = ["https://example.com/a", "https://other.example/"]
      expect(answered(engine, answer(engine, { text: "Both", urls })).citations.map(({ url }) => url)).toEqual(urls)
      expect(answered(engine, answer(engine, { searched: false, text: "None" })).searched).toBe(false)
    })

    test(`of ${engine} never throws in the parser, for any content`, () => {
      fc.assert(
        fc.property(
          fc.jsonValue(),
          fc.constantFrom("output", "content", "usage", "model", "status"),
          (value, field) => {
            read(engine, value)
            read(engine, { ...answer(engine, { text: "x", urls: ["https://a.example/"] }), [field]: value })
          }
        )
      )
    })

    test(`of ${engine} is parsed from known fields, and new kinds of parts are skipped`, () => {
      const json = answer(engine, { text: "Both", urls: ["https://example.com/a"] })
      const part = engine === "anthropic" ? "content" : "output"
      const more = { ...json, [part]: [{ action: { type: "dream" }, type: "hologram" }, ...json[part]], later: 1 }
      expect(answered(engine, more).citations.length).toBe(1)
    })
  }

  test("of Anthropic is an error with the reason if its search failed with status 200", () => {
    const failed = {
      content: { error_code: "max_uses_exceeded", type: "web_search_tool_result_error" },
      type: "web_search_tool_result"
    }
    const found = read("anthropic", { ...recorded("anthropic"), content: [failed, { text: "Sorry", type: "text" }] })
    expect(Either.flip(found)).toMatchObject({
      right: { code: "search_failed", message: expect.stringContaining("max_uses_exceeded") }
    })
  })

  test("of Anthropic contains the request that continues it when it pauses", () => {
    const body = dialects.anthropic.body("m", question)
    const content = [{ text: "So far", type: "text" }]
    const found = dialects.anthropic.read({ ...recorded("anthropic"), content, stop_reason: "pause_turn" }, body)
    expect(Either.getOrThrow(found)).toMatchObject({
      _tag: "Paused",
      next: {
        ...body,
        messages: [
          { content: question.text, role: "user" },
          { content, role: "assistant" }
        ]
      }
    })
  })

  test("of Anthropic keeps the search results from before a pause", () => {
    const body = dialects.anthropic.body("m", question)
    const whole = answer("anthropic", { text: "Both", urls: ["https://example.com/a"] })
    const [search, said] = whole.content
    const first = dialects.anthropic.read({ ...whole, content: [search], stop_reason: "pause_turn" }, body)
    const paused = Either.getOrThrow(first)
    if (paused._tag !== "Paused") throw new Error(paused._tag)
    const found = Either.getOrThrow(dialects.anthropic.read({ ...whole, content: [said] }, paused.next))
    expect(found).toMatchObject({ citations: [{ url: "https://example.com/a" }], searched: true, text: "Both" })
  })

  const noCounts = ["-1", "-0.5", "1.5", "1e308", "1e999", "-1e400", "9007199254740993", '"7"', "true", "[7]", "{}"]
  const noAmounts = ["-0.01", "1e999", "-1e400", '"0.01"', "true", "[0.01]", "{}"]
  const counts = (figure: string) => [
    `{"input_tokens":${figure},"output_tokens":7}`,
    `{"input_tokens":7,"output_tokens":${figure}}`
  ]
  const noUsages = [
    ...[...noCounts, "null"].flatMap(counts),
    ...["{}", "[]", "[7,7]", "null", "7", '"7"', '{"input_tokens":7}', '{"output_tokens":7}'],
    '{"input_tokens":0,"output_tokens":0}'
  ]
  const ofEngine: Readonly<Record<(typeof engines)[number], ReadonlyArray<string>>> = {
    anthropic: noCounts.flatMap((figure) => [
      `{"input_tokens":7,"output_tokens":7,"server_tool_use":{"web_search_requests":${figure}}}`,
      `{"input_tokens":7,"output_tokens":7,"cache_read_input_tokens":${figure}}`,
      `{"input_tokens":7,"output_tokens":7,"cache_creation_input_tokens":${figure}}`
    ]),
    openai: [],
    perplexity: noAmounts.map((figure) => `{"input_tokens":7,"output_tokens":7,"cost":{"total_cost":${figure}}}`),
    xai: noAmounts.map((figure) => `{"input_tokens":7,"output_tokens":7,"cost_in_usd_ticks":${figure}}`)
  }
  for (const engine of engines)
    test(`of ${engine} is parsed with missing or invalid usage, and its usage is doubtful`, () => {
      const { usage: _, ...rest } = answer(engine, { text: "x" })
      expect(answered(engine, rest)).toMatchObject({ text: "x", usage: null })
      for (const usage of [...noUsages, ...ofEngine[engine]])
        expect([usage, answered(engine, { ...rest, usage: JSON.parse(usage) }).usage]).toEqual([usage, null])
    })

  test("of Anthropic counts its search results if it states no number of searches", () => {
    const body = answer("anthropic", { text: "x", urls: ["https://a.example/"] })
    const usage = { input_tokens: 7, output_tokens: 7 }
    expect(answered("anthropic", { ...body, usage }).usage).toEqual({ input: 7, output: 7, searches: 1, usd: null })
  })

  test("cites only web pages, with normalized URLs and without passwords", () => {
    const wrong = [
      "javascript:alert(1)",
      "JavaScript://shop.example/%0aalert(1)",
      " javascript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "blob:https://a.example/1",
      "ftp://a.example/",
      "file:///etc/passwd",
      "mailto:a@a.example",
      "//a.example/",
      "a.example",
      "https:",
      "https://",
      "https:a.example",
      "https:/a.example",
      "https:\\\\a.example",
      "https://a.example\\@b.example/",
      "https://bank.example@a.example/",
      "https://bank.example:443@a.example/",
      "https://:x@a.example/",
      "https://a.example:99999/",
      "https://a b.example/",
      "https://a.example/\nb",
      "\thttps://a.example/",
      "https://[::1/",
      ""
    ]
    const right = ["https://a.example/", "http://a.example:8080/b?c=d#e", "HTTPS://A.EXAMPLE", "https://ä.example/ö"]
    for (const engine of engines)
      expect([
        engine,
        answered(engine, answer(engine, { text: "x", urls: [...wrong, ...right] })).citations.map(({ url }) => url)
      ]).toEqual([engine, right])
  })

  test("with too many parts is refused", () => {
    for (const engine of engines) {
      const json = answer(engine, { text: "x" })
      const part = engine === "anthropic" ? "content" : "output"
      const body = (count: number) => ({
        ...json,
        [part]: [...json[part], ...Array.from({ length: count }, () => ({}))]
      })
      expect([engine, Either.isRight(reading(dialects[engine], body(10_000), {}))]).toEqual([engine, true])
      expect(Either.flip(reading(dialects[engine], body(30_000), {}))).toMatchObject({
        right: { code: "invalid_answer" }
      })
    }
  })

  test("has limited text, citations, URLs and titles, for any content", () => {
    const urls = Array.from({ length: 5000 }, (_, n) => `https://a.example/${n}`)
    for (const engine of engines) {
      const { citations, text } = answered(
        engine,
        answer(engine, { text: "é".repeat(100_000), urls: [`https://a.example/${"x".repeat(4000)}`, ...urls] })
      )
      expect([engine, text.length]).toEqual([engine, 65_536])
      expect(citations.length).toBeLessThanOrEqual(200)
      expect(citations.every(({ url }) => url.length < 2049)).toBe(true)
    }
  })

  test("costs what the engine states, or its counts at the price of the model", () => {
    const price = { call: 1, input: 2, output: 10, search: 0.01 }
    const usage = { input: 1_000_000, output: 100_000, searches: 3, usd: null }
    expect(costOf(price, usage)).toEqual({ isExact: false, usd: 3.03 })
    expect(costOf(price, { ...usage, usd: 0.5 })).toEqual({ isExact: true, usd: 0.5 })
    const ticks = { ...answer("xai", { text: "x" }), usage: { cost_in_usd_ticks: 123_000_000 } }
    expect(answered("xai", ticks).usage?.usd).toBeCloseTo(0.0123, 12)
  })
})

describe("a brand name", () => {
  const cases: ReadonlyArray<readonly [text: string, names: ReadonlyArray<string>, isNamed: boolean]> = [
    ["Try ACME, they say", ["Acme"], true],
    ["Acmes are others", ["Acme"], false],
    ["An Acme2 is another", ["Acme"], false],
    ["(ａｃｍｅ)", ["Acme"], true],
    ["Große Straße", ["strasse"], true],
    ["Übermacme", ["acme"], false],
    ["nothing", ["", "  ", "!"], false],
    ["𝐀acme acme", ["acme"], true],
    ["𠮷acme", ["acme"], false],
    ["Acme & Sons is fine", ["acme & sons"], true]
  ]
  for (const [text, names, expected] of cases)
    test(`${JSON.stringify(names)} is ${expected ? "" : "not "}in “${text}”`, () =>
      expect(isNamed(text, names)).toBe(expected))

  test("is found if no letter or digit is next to it", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ .,;!-]{0,5}$/), fc.stringMatching(/^[a-z]{1,8}$/), (edge, name) =>
        isNamed(`x ${edge}${name.toUpperCase()}${edge} x`, [name])
      )
    )
  })
})

test("a page belongs to the site if its host is the site's or a subdomain", () => {
  for (const url of ["https://example.com/a", "http://www.example.com", "https://blog.example.com/"])
    expect(isOf("www.example.com", url)).toBe(true)
  for (const url of ["https://badexample.com/", "https://example.com.evil.example/", "example.com", "https://com/"])
    expect(isOf("example.com", url)).toBe(false)
})

test("invalid prices are refused with an example", () => {
  const load = (text: string) =>
    Effect.runSync(Effect.either(ConfigProvider.fromMap(new Map([["FINDABLE_GEO_PRICES", text]])).load(Prices)))
  const call = (most: string) => `{"m":{"input":1,"output":1,"search":0,"call":${most}}}`
  for (const text of [
    "x",
    "{",
    '{"m":1}',
    '{"m":{"input":-1,"output":1,"search":0,"call":1}}',
    call("0"),
    call("1e308")
  ])
    expect(String(load(text))).toContain("must be JSON such as")
  expect(Either.getOrThrow(load('{"m":{"input":1,"output":1,"search":0,"call":1}}')).m).toBeDefined()
})

it("the client sends each key only to its engine, and neither its log nor its errors contain one", function* () {
  const fake = yield* serve
  const lines: Array<string> = []
  const settings = engines.flatMap((engine) => {
    const name = `FINDABLE_${engine.toUpperCase()}`
    return [
      [`${name}_URL`, fake.url] as const,
      [`${name}_KEY`, `${keys[engine]}${engine === "xai" ? "-old" : ""}`] as const
    ]
  })
  const ask = (engine: (typeof engines)[number]) =>
    Effect.flatMap(Client.EngineClient, (client) =>
      Effect.either(client.ask({ body: dialects[engine].body("m", question), engine }))
    )
  const found = yield* Effect.forEach(engines, ask).pipe(
    Effect.provide(
      Layer.provideMerge(
        Client.layer,
        Layer.merge(
          Layer.setConfigProvider(ConfigProvider.fromMap(new Map(settings))),
          Logger.replace(
            Logger.defaultLogger,
            Logger.make(({ message }) => void lines.push(String(message)))
          )
        )
      )
    )
  )
  expect(found.map(Either.isRight)).toEqual([true, true, true, false])
  expect(found[3]).toMatchObject({ left: { code: "credentials", mayCost: false } })
  expect(fake.asked.map(({ engine, prompt }) => [engine, prompt])).toEqual([
    ["openai", question.text],
    ["anthropic", question.text],
    ["perplexity", question.text]
  ])
  const seen = JSON.stringify([lines, found])
  for (const key of Object.values(keys)) expect(seen).not.toContain(key)
})

const key = keys.openai

/** Sends a question to an engine with this response. */
const asking = (answer: (request: Request) => Response | Promise<Response>) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ fetch: answer, hostname: "127.0.0.1", idleTimeout: 200, port: 0 })),
      (server) => Effect.promise(() => server.stop(true))
    )
    return yield* asked(server.url.origin)
  })

const asked = (url: string) => {
  const settings = new Map([
    ["FINDABLE_OPENAI_KEY", key],
    ["FINDABLE_OPENAI_URL", url]
  ])
  return Effect.flatMap(Client.EngineClient, ({ ask }) => Effect.either(ask({ body: {}, engine: "openai" }))).pipe(
    Effect.provide(Layer.provide(Client.layer, Layer.setConfigProvider(ConfigProvider.fromMap(settings))))
  )
}

describe("an engine", () => {
  effectWithTestClock("is abandoned after 150 seconds without a response, and may have worked", function* () {
    const arrived = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const fiber = yield* Effect.fork(
      asking(({ signal }) => {
        arrived.resolve()
        signal.addEventListener("abort", () => left.resolve())
        return new Promise(() => {})
      })
    )
    yield* Effect.promise(() => arrived.promise)
    yield* TestClock.adjust("150 seconds")
    expect(yield* Fiber.join(fiber)).toMatchObject({ left: { code: "unavailable", isPassing: false, mayCost: true } })
    yield* Effect.promise(() => left.promise)
  })

  it("is abandoned after 1 MiB of a response", function* () {
    let [sent, isOver] = [0, false]
    const part = new Uint8Array(65_536).fill(32)
    const found = yield* asking(
      () =>
        new Response(
          new ReadableStream({
            cancel: () => {
              isOver = true
            },
            pull: (controller) => {
              sent += part.length
              if (sent > 1_073_741_824) controller.close()
              else controller.enqueue(part)
            }
          })
        )
    )
    expect(found).toMatchObject({ left: { code: "invalid_answer", mayCost: true } })
    yield* eventually(() => isOver)
    expect(sent).toBeLessThan(100_000_000)
  })

  it("has not answered when it closes midway, and may have worked", function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.listen({
          hostname: "127.0.0.1",
          port: 0,
          socket: {
            data: (socket) => {
              socket.end(
                'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"output": ['
              )
            }
          }
        })
      ),
      (server) => Effect.sync(() => server.stop(true))
    )
    expect(yield* asked(`http://127.0.0.1:${server.port}`)).toMatchObject({ left: { mayCost: true } })
  })

  it("costs nothing if it cannot be reached", function* () {
    expect(yield* asked("http://127.0.0.1:2")).toMatchObject({ left: { code: "unavailable", mayCost: false } })
  })

  it("gets no second request when it redirects", function* () {
    let requests = 0
    const found = yield* asking(({ url }) => {
      requests += 1
      return Response.redirect(new URL("/elsewhere", url).href, 307)
    })
    expect(found).toMatchObject({ left: { code: "invalid_request" } })
    expect(requests).toBe(1)
  })

  it("has its answer stored without its key, and without text that the database cannot store", function* () {
    const escaped = Array.from(key, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
    const found = yield* asking(
      () => new Response(`{"a": "my key is ${key}", "b": ["${escaped}"], "c": "n\\u0000ul", "d": "\\ud800"}`)
    )
    expect(found).toMatchObject({ right: { a: "my key is [key]", b: ["[key]"], c: "nul", d: "\ufffd" } })
  })

  for (const [status, headers, expected] of [
    [408, {}, { code: "unavailable", isPassing: true, mayCost: true, retryAfter: null }],
    [429, { "retry-after": "34" }, { code: "rate_limited", isPassing: true, mayCost: false, retryAfter: 34_000 }],
    [
      503,
      { date: "Tue, 24 Nov 2026 12:00:00 GMT", "retry-after": "Tue, 24 Nov 2026 12:01:00 GMT" },
      { code: "unavailable", isPassing: true, mayCost: true, retryAfter: 60_000 }
    ],
    [401, {}, { code: "credentials", isPassing: false, mayCost: false, retryAfter: null }],
    [400, {}, { code: "invalid_request", isPassing: false, mayCost: false, retryAfter: null }]
  ] as const)
    it(`fails in its own way with status ${status} ${JSON.stringify(headers)}, without its text`, function* () {
      const found = yield* asking(() => Response.json({ error: { message: `bad ${key}` } }, { headers, status }))
      expect(found).toMatchObject({ left: expected })
      expect(JSON.stringify(found)).not.toContain(key)
    })
})
