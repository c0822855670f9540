/** Platform adapter: starts programs of ours with this program's own runtime (`process.execPath`), and reads what memory they have (`node:fs`). */
import { readFileSync } from "node:fs"
import * as Command from "@effect/platform/Command"
import * as Config from "effect/Config"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

/** What a child finds of our environment: a setting that is not named here does not reach it. */
export const inherited = (names: ReadonlyArray<string>): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.map(
    Effect.forEach(names, (name) =>
      Effect.map(
        Effect.option(Config.string(name)),
        Option.match({ onNone: () => [], onSome: (text) => [[name, text] as const] })
      )
    ),
    (pairs) => Object.fromEntries(pairs.flat())
  )

/** A program of ours that reads what strangers made. */
export interface Program {
  /** Its main file; the process begins in the folder of it, where no configuration of anybody lies. */
  readonly script: URL
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Its standard input, which has to stay open for as long as the program works: by the end of it the program learns that its parent is gone. */
  readonly input: Stream.Stream<Uint8Array>
  /** Bytes of memory that it may have; it is killed when it has more. Kept where the system tells (Linux). */
  readonly memory?: number
}

const watchEvery = "50 millis"

/** Resident memory of a process in bytes; 0 where it is not known. */
const memoryOf = (pid: number) =>
  Either.try(() => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024).pipe(
    Either.getOrElse(() => 0)
  )

/**
 * Starts a child; it is killed when the scope ends. What it writes to standard output is read at the pace of the reader, and it waits meanwhile;
 * its standard error is ours. `isTooLarge` holds once it was killed because of its memory.
 */
export const start = Effect.fnUntraced(function* ({ environment, input, memory, script }: Program) {
  // The pipe outlives the scope by as long as it takes to fail; what is sent into it has to end with the scope.
  const queue = yield* Effect.acquireRelease(Queue.bounded<Uint8Array>(2), Queue.shutdown)
  const child = yield* Command.make(process.execPath, Bun.fileURLToPath(script)).pipe(
    Command.workingDirectory(Bun.fileURLToPath(new URL(".", script))),
    Command.env(environment, { extendEnv: false }),
    Command.stdin(Stream.fromQueue(queue, { maxChunkSize: 1 })),
    Command.stderr("inherit"),
    Command.start
  )
  const tooLarge = yield* Deferred.make<void>()
  const kill = Effect.ignore(child.kill("SIGKILL"))
  yield* Effect.addFinalizer(() => kill)
  yield* Effect.forkScoped(Stream.runForEach(input, (bytes) => Queue.offer(queue, bytes)))
  if (memory !== undefined) {
    yield* Effect.sync(() => memoryOf(child.pid) > memory).pipe(
      Effect.repeat({ schedule: Schedule.spaced(watchEvery), until: (isMore) => isMore }),
      Effect.zipRight(Deferred.succeed(tooLarge, undefined)),
      Effect.zipRight(kill),
      Effect.forkScoped
    )
  }
  return { isTooLarge: Deferred.isDone(tooLarge), stdout: child.stdout }
})
