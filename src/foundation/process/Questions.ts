import * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as RcRef from "effect/RcRef"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Child from "./Child.ts"

/** A question about untrusted input and its answer, each a line of JSON. `Answering.ts` is the other side. */
export interface Kind<Q, QI, A, AI> {
  readonly question: Schema.Schema<Q, QI>
  readonly answer: Schema.Schema<A, AI>
}

/** A program of ours that answers questions, with its limits. */
interface Program {
  readonly script: URL
  readonly environment: Readonly<Record<string, string>>
  /** Limit of resident memory in bytes. */
  readonly memory: number
  /** Limit for one question, including the start of the process. */
  readonly deadline: Duration.DurationInput
}

/** How long a process waits for the next question before it ends. */
const idle = "1 minute"

/** Bytes in JSON. */
export const Base64 = Schema.transform(Schema.String, Schema.Uint8ArrayFromSelf, {
  strict: true,
  decode: (text) => Uint8Array.fromBase64(text),
  encode: (bytes) => bytes.toBase64()
})

const failed = new Cause.NoSuchElementException("The process ended, or took too long")

/**
 * Asks a program in a separate process, which the first question starts. Questions run one at a time, first come, first served. A question fails when two
 * processes end on it, or when one ends by the deadline; the next question gets a new process.
 */
export const make = Effect.fnUntraced(function* <Q, QI, A, AI>(
  { answer, question }: Kind<Q, QI, A, AI>,
  { deadline, environment, memory, script }: Program
) {
  const decode = Schema.decode(Schema.parseJson(answer))
  const encode = Schema.encode(Schema.parseJson(question))
  const turn = yield* Effect.makeSemaphore(1)
  const executor = yield* CommandExecutor.CommandExecutor

  const start = Effect.gen(function* () {
    const lines = yield* Queue.bounded<Uint8Array>(1)
    const { stdout } = yield* Child.start({ environment, input: Stream.fromQueue(lines), memory, script })
    const next = yield* stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.rechunk(1), Stream.toPull)
    return { next, send: (line: string) => Queue.offer(lines, new TextEncoder().encode(`${line}\n`)) }
  }).pipe(Effect.provideService(CommandExecutor.CommandExecutor, executor))
  const running = yield* RcRef.make({ acquire: start, idleTimeToLive: idle })

  const once = (asked: Q) =>
    Effect.gen(function* () {
      const { next, send } = yield* RcRef.get(running)
      yield* Effect.flatMap(encode(asked), send)
      return yield* Effect.flatMap(next, (line) => decode(Chunk.join(line, "")))
    }).pipe(
      Effect.scoped,
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : RcRef.invalidate(running))),
      Effect.mapError(() => failed)
    )

  return (asked: Q): Effect.Effect<A, Cause.NoSuchElementException> =>
    once(asked).pipe(
      Effect.retry({ times: 1 }),
      Effect.timeoutFail({ duration: deadline, onTimeout: () => failed }),
      turn.withPermits(1)
    )
}, Effect.provide(BunContext.layer))
