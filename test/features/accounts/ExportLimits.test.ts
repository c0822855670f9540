import { describe, expect } from "bun:test"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { Caller } from "../../../src/features/accounts/Authorized.ts"
import { AccountId, KeyId } from "../../../src/features/accounts/Domain.ts"
import { answerList, ExportLimits } from "../../../src/features/accounts/Exports.ts"
import type { Batch } from "../../../src/features/accounts/Handlers.ts"
import { Cursors } from "../../../src/foundation/http/Cursors.ts"
import { Connections, PublicUrl } from "../../../src/foundation/http/Request.ts"
import { NotFound } from "../../../src/foundation/schema/DomainError.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

/** Bytes of responses in system buffers, in the tests that set them. */
const system = { bytes: 0 }

const limits = ExportLimits.Default.pipe(
  Layer.provide(
    Layer.succeed(Connections, {
      addressOf: () => undefined,
      backlogOf: () => Effect.sync(() => system.bytes),
      pending: () => 0
    })
  )
)

const it = suite(Layer.provideMerge(Layer.merge(Cursors.Default, limits), cluster.layer))

const someone = "00000000-0000-0000-0000-000000000000"

const request = (accept: string) =>
  HttpServerRequest.fromWeb(new Request("http://localhost/list", { headers: { accept, host: "localhost" } }))

/** An export of the numbers up to `last`, which counts the parts read and fails at a given one. */
const numbered = (last: number, { account = someone, failsAt = Number.POSITIVE_INFINITY, width = 0 } = {}) => {
  const parts: Array<number> = []
  const list = {
    read: (_: unknown, { after, count }: Batch) =>
      Effect.gen(function* () {
        const from = Number(after?.[0] ?? 0)
        parts.push(from)
        if (from >= failsAt) return yield* NotFound.of("part")
        return Array.from({ length: Math.min(count, last - from) }, (_, n) => from + n + 1)
      }),
    batch: 10,
    columns: ["n"],
    json: (n: number) => JSON.stringify({ n, ...(width === 0 ? {} : { text: "x".repeat(width) }) }),
    position: (n: number) => [String(n)],
    query: { limit: 1, of: ["numbers"] }
  }
  /** A response as a server sends it, which closes the request's scope at the end of its stream. */
  const answered = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const runtime = yield* Effect.runtime<never>()
    const answer = yield* answerList(list, () => Effect.dieMessage("no page was asked for")).pipe(
      Scope.extend(scope),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    const { body } = answer
    if (body._tag !== "Stream") return yield* Effect.dieMessage("no stream was answered")
    const stream = Stream.ensuring(body.stream, Scope.close(scope, Exit.void))
    return HttpServerResponse.toWeb(HttpServerResponse.stream(stream), { runtime })
  }).pipe(
    Effect.provideService(Caller, { accountId: AccountId.make(account), keyId: KeyId.make(someone), scopes: [] }),
    Effect.provideService(HttpServerRequest.HttpServerRequest, request("application/x-ndjson")),
    Effect.provideService(
      PublicUrl,
      PublicUrl.make({ of: () => Either.right(new URL("http://localhost")), path: String })
    )
  )
  return { answered, parts }
}

/** A reader of a response, and the end of its reading. */
const reading = (answer: Response) => {
  const reader = answer.body?.getReader()
  return {
    cancel: Effect.promise(async () => reader?.cancel()),
    /** Takes a number of KiB, or slightly more; returns whether there were that many. */
    take: (kibibytes: number) =>
      Effect.promise(async () => {
        for (let taken = 0; taken < kibibytes * 1024; ) {
          const read = await reader?.read().catch(() => undefined)
          if (read === undefined || read.done) return false
          taken += read.value.length
        }
        return true
      })
  }
}

const textOf = (answer: Response) =>
  Effect.promise(() =>
    answer.text().then(
      (text) => text,
      () => "broken"
    )
  )

describe("an exported list", () => {
  it("is read in parts, each when the caller has taken the previous one", function* () {
    const { answered, parts } = numbered(1000)
    const answer = yield* answered
    const reader = answer.body?.getReader()
    const first = yield* Effect.promise(async () => reader?.read())
    expect(new TextDecoder().decode(first?.value).split("\n")).toHaveLength(11)
    expect(parts.length).toBeLessThan(6)
    yield* Effect.promise(async () => reader?.cancel())
    expect(parts.length).toBeLessThan(6)
  })

  it("is sent in chunks of 16 KiB, for parts of any size", function* () {
    const { answered, parts } = numbered(100, { width: 40_000 })
    const answer = yield* answered
    const reader = answer.body?.getReader()
    for (let piece = 0; piece < 6; piece++) {
      const { value } = (yield* Effect.promise(async () => reader?.read())) ?? {}
      expect(value?.length).toBeLessThanOrEqual(16 * 1024)
    }
    // Six chunks are less than one part of ten records.
    expect(parts).toEqual([0])
    yield* Effect.promise(async () => reader?.cancel())
  })

  it("has every record once, also if the last part is a full one", function* () {
    for (const last of [0, 1, 9, 10, 11, 30]) {
      const lines = (yield* textOf(yield* numbered(last).answered)).split("\n")
      expect(lines).toEqual([...Array.from({ length: last }, (_, n) => JSON.stringify({ n: n + 1 })), ""])
    }
    const wide = yield* textOf(yield* numbered(30, { width: 70_000 }).answered)
    expect(Array.from(wide.matchAll(/"n":\d+/g), ([found]) => found)).toEqual(
      Array.from({ length: 30 }, (_, n) => `"n":${n + 1}`)
    )
  })

  it("is truncated if a later part fails, and refused if the first part fails", function* () {
    expect(yield* textOf(yield* numbered(100, { failsAt: 50 }).answered)).toBe("broken")
    expect(yield* Effect.flip(numbered(100, { failsAt: 0 }).answered)).toMatchObject({ code: "not_found" })
  })
})

describe("exports of an account", () => {
  it("are limited to four at a time, and a slot is freed however an export ends", function* () {
    const many = numbered(1000).answered
    const begin = Effect.map(many, reading)
    const running = [yield* begin, yield* begin, yield* begin]
    yield* Effect.flip(numbered(100, { failsAt: 0 }).answered)
    const last = yield* many
    const refused = yield* Effect.flip(many)
    expect(refused).toMatchObject({ code: "quota_exceeded", headers: { "retry-after": "10" } })
    const other = "00000000-0000-0000-0000-000000000001"
    expect(yield* textOf(yield* numbered(1, { account: other }).answered)).toBe('{"n":1}\n')
    // One export is read to its end, and one is abandoned by its reader.
    expect(yield* textOf(last)).toContain('{"n":1000}')
    const next = reading(yield* many)
    expect(yield* Effect.flip(many)).toBe(refused)
    yield* next.cancel
    expect(yield* textOf(yield* many)).toContain('{"n":1000}')
    yield* Effect.forEach(running, ({ cancel }) => cancel)
  })
})

describe("the reader of an export", () => {
  /** An export in parts of 160 KB under a clock that the test moves. */
  const exported = Effect.map(numbered(1000, { width: 16 * 1024 }).answered, reading)
  const clocked = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.ensuring(
      Effect.provide(effect, TestContext.TestContext),
      Effect.sync(() => {
        system.bytes = 0
      })
    )

  it("gets all of it at 64 KiB a minute, and is disconnected when it takes nothing", () =>
    clocked(
      Effect.gen(function* () {
        const { take } = yield* exported
        for (let minute = 0; minute < 10; minute++) {
          expect(yield* take(64)).toBe(true)
          yield* TestClock.adjust("1 minute")
        }
        yield* TestClock.adjust("3 minutes")
        // Bytes sent before can still be read.
        expect(yield* take(256)).toBe(false)
      })
    ))

  it("frees its slot when it is disconnected", () =>
    clocked(
      Effect.gen(function* () {
        yield* Effect.replicateEffect(exported, 4)
        expect(yield* Effect.flip(exported)).toMatchObject({ code: "quota_exceeded" })
        yield* TestClock.adjust("3 minutes")
        const { cancel } = yield* exported
        yield* cancel
      })
    ))

  it("is measured by the bytes it took, not by those in system buffers", () =>
    clocked(
      Effect.gen(function* () {
        const slow = yield* exported
        yield* slow.take(4000)
        // The buffers are full and request nothing, while the reader takes 100 KiB a minute from them.
        system.bytes = 3_800_000
        yield* TestClock.adjust("1 minute")
        for (let minute = 0; minute < 20; minute++) {
          system.bytes -= 100 * 1024
          yield* TestClock.adjust("1 minute")
        }
        expect(yield* slow.take(256)).toBe(true)
        yield* slow.cancel

        const stalled = yield* exported
        yield* stalled.take(4000)
        system.bytes = 3_800_000
        yield* TestClock.adjust("1 minute")
        for (let minute = 0; minute < 6; minute++) {
          system.bytes -= 40 * 1024
          yield* TestClock.adjust("1 minute")
        }
        expect(yield* stalled.take(256)).toBe(false)
      })
    ))
})
