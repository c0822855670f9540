import { describe, expect } from "bun:test"
import { getPriority } from "node:os"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Chunk from "effect/Chunk"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Child from "../../../src/foundation/process/Child.ts"
import { suite } from "../../harness.ts"

const settings = Layer.setConfigProvider(
  ConfigProvider.fromMap(new Map(Object.entries({ DATABASE_URL: "secret", GREETING: "hello" })))
)
const it = suite(Layer.merge(BunContext.layer, settings), { timeout: 60_000 })

const program = (input: Stream.Stream<Uint8Array>, memory?: number, script = "endless.ts") =>
  Effect.flatMap(Child.inherited(["GREETING", "NOT_SET"]), (environment) =>
    Child.start({
      environment,
      input,
      script: new URL(script, import.meta.url),
      ...(memory === undefined ? {} : { memory })
    })
  )

const text = (chunks: Chunk.Chunk<Uint8Array>) => Buffer.concat(Chunk.toReadonlyArray(chunks)).toString()

describe("a child process", () => {
  it("receives the settings named for it and no others", () =>
    Effect.gen(function* () {
      const child = yield* program(Stream.never)
      const said = yield* Stream.runHead(child.stdout.pipe(Stream.decodeText(), Stream.splitLines))
      const { environment } = JSON.parse(Option.getOrElse(said, () => "{}"))
      expect(environment.GREETING).toBe("hello")
      expect(environment.DATABASE_URL).toBeUndefined()
      expect(environment.NOT_SET).toBeUndefined()
    }).pipe(Effect.scoped))

  it("is not too large while it stays within its memory limit", () =>
    Effect.gen(function* () {
      const child = yield* program(Stream.never, Number.MAX_SAFE_INTEGER)
      yield* Stream.runHead(child.stdout)
      expect(yield* child.isTooLarge).toBe(false)
    }).pipe(Effect.scoped))

  it("receives no more input than it reads, except for a few chunks in flight", () =>
    Effect.gen(function* () {
      let taken = 0
      const pieces = Stream.repeatEffect(Effect.sync(() => new Uint8Array(1_000_000).fill(++taken))).pipe(
        Stream.take(50)
      )
      const child = yield* program(Stream.concat(pieces, Stream.never), undefined, "deaf.ts")
      yield* child.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(100), Stream.runDrain)
      expect(taken).toBeWithin(1, 7)
    }).pipe(Effect.scoped))

  if (process.platform === "linux") {
    it("runs at the configured priority, by default almost the lowest", function* () {
      const nicenessOf = (given: ReadonlyArray<readonly [string, string]>) =>
        Effect.gen(function* () {
          const child = yield* program(Stream.never)
          const said = yield* Stream.runHead(child.stdout.pipe(Stream.decodeText(), Stream.splitLines))
          return getPriority(JSON.parse(Option.getOrElse(said, () => "{}")).pid) - getPriority()
        }).pipe(Effect.scoped, Effect.withConfigProvider(ConfigProvider.fromMap(new Map(given))))
      expect(yield* nicenessOf([["FINDABLE_CHILD_NICENESS", "0"]])).toBe(0)
      expect(yield* nicenessOf([])).toBe(15 - getPriority())
    })

    it("is killed when it exceeds its memory limit, and reported as too large", () =>
      Effect.gen(function* () {
        const child = yield* program(Stream.never, 1)
        text(yield* Stream.runCollect(child.stdout))
        expect(yield* child.isTooLarge).toBe(true)
      }).pipe(Effect.scoped))
  }
})
