/** Platform adapter: starts programs of ours with this program's own runtime (`process.execPath`), lowers their priority (`node:os`) and reads what memory they have (`node:fs`). */
import { readFileSync, writeFileSync } from "node:fs"
import { getPriority, setPriority } from "node:os"
import * as Command from "@effect/platform/Command"
import * as Chunk from "effect/Chunk"
import * as Config from "effect/Config"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { between } from "../schema/Setting.ts"

/** How far children give way to the other processes of this machine, as a nice value. At 15 a child that computes delays a server's answers by no more than 1.4 times; beside other programs that take all processors it still has a thirtieth of one. */
export const Niceness = Config.integer("FINDABLE_CHILD_NICENESS").pipe(
  between(0, 19),
  Config.withDefault(15),
  Config.withDescription(
    "How far crawls, imports and audits yield to other programs (nice value), 0 to 19. Use 0 on machines that are always busy"
  )
)

/** Where the system has its programs and libraries: what every program needs of our environment. */
const system = ["PATH", "LD_LIBRARY_PATH", "SystemRoot"]

/** The part of our environment that a child gets: where programs and libraries are, and the named settings. No others: it holds keys and passwords. */
export const inherited = (names: ReadonlyArray<string>): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.map(
    Effect.forEach([...system, ...names], (name) =>
      Effect.map(
        Effect.option(Config.string(name)),
        Option.match({ onNone: () => [], onSome: (text) => [[name, text] as const] })
      )
    ),
    (pairs) => Object.fromEntries(pairs.flat())
  )

/** A program of ours that reads untrusted input. */
interface Program {
  /** Its main file. The process starts in that file's folder, where no user's configuration lies. */
  readonly script: URL
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Its standard input, which must stay open while the program works: its end means that the parent is gone. */
  readonly input: Stream.Stream<Uint8Array>
  /** Its limit of resident memory in bytes; above it the process is killed. Enforced where `/proc` exists (Linux). */
  readonly memory?: number
}

const watchEvery = "50 millis"

/**
 * Bytes as one chunk for the platform's pipe. It waits for room before all writes of a chunk but the first, and takes the next chunk at once, so without
 * the empty second write all that a child has not read yet would be in memory.
 */
const held = (bytes: Uint8Array) => Chunk.make(bytes, new Uint8Array(0))

/** Resident memory of a process in bytes; 0 where it is unknown. */
const memoryOf = (pid: number) =>
  Either.try(() => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024).pipe(
    Either.getOrElse(() => 0)
  )

/**
 * Lowers the priority of a process below that of servers on this machine, where the system allows it. Its threads inherit it, so it comes before they
 * begin. A child leads a session of its own, and Linux may divide processors between sessions first (`sched(7)`, autogroups), by a priority of theirs.
 */
const yieldToServers = (pid: number, niceness: number): void => {
  if (niceness === 0) return
  Either.try(() => setPriority(pid, niceness))
  Either.try(() => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)))
}

/** Gives a process that leads a session of its own the priority that this one has: it inherits ours, but the priority of ours between sessions not. */
export const yieldAsWeDo = (pid: number): void => yieldToServers(pid, Math.max(0, getPriority()))

/**
 * Starts a child with the configured priority; it is killed when the scope ends. Its standard output is read at the pace of the reader, which holds it back; its standard error is
 * ours. `isTooLarge` becomes true when it was killed for its memory.
 */
export const start = Effect.fnUntraced(function* ({ environment, input, memory, script }: Program) {
  // The pipe outlives the scope until a write fails, so the queue that feeds it must end with the scope.
  const queue = yield* Effect.acquireRelease(Queue.bounded<Chunk.Chunk<Uint8Array>>(2), Queue.shutdown)
  const niceness = yield* Niceness
  const child = yield* Command.make(process.execPath, Bun.fileURLToPath(script)).pipe(
    Command.workingDirectory(Bun.fileURLToPath(new URL(".", script))),
    Command.env(environment, { extendEnv: false }),
    Command.stdin(Stream.fromChunkQueue(queue)),
    Command.stderr("inherit"),
    Command.start
  )
  yieldToServers(child.pid, niceness)
  const tooLarge = yield* Deferred.make<void>()
  const kill = Effect.ignore(child.kill("SIGKILL"))
  yield* Effect.addFinalizer(() => kill)
  yield* Effect.forkScoped(Stream.runForEach(input, (bytes) => Queue.offer(queue, held(bytes))))
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
